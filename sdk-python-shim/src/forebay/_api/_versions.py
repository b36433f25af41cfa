"""Versions and their life in regions."""

from __future__ import annotations

from collections.abc import Callable

from forebay._api._method import Methods, method
from forebay._calls import (
    EVICTION_SECONDS,
    MAX_WAIT_SECONDS,
    Call,
    dataset_path,
    items_and_next,
    present,
    reader,
    version_path,
)
from forebay._exchange import Operation
from forebay._models import Explanation, Version
from forebay._values import Duration, seconds_of

_WATCHED_SECONDS = 5


class VersionMethods(Methods):
    @method
    def versions(self, dataset: str) -> Operation[tuple[Version, ...]]:
        """Returns the versions that were requested, with their residency and pins."""
        path = dataset_path(dataset) + "/versions"
        return self._exchanges.all(
            lambda after: Call("GET", path, items_and_next(Version), params=present(after=after))
        )

    @method
    def version(self, dataset: str, version: str) -> Call[Version]:
        """Returns a version with its residency in every region and its pins."""
        return Call("GET", version_path(dataset, version), reader(Version))

    @method
    def freeze(
        self, dataset: str, version: str, *, on_answer: Callable[[Version], None] | None = None
    ) -> Operation[Version]:
        """Creates a version: lists its source now and fixes the result for good. Transfers no data.

        Returns when the version is frozen; does nothing if it was. Until then ``on_answer`` receives its state every
        few seconds, in which ``freezing`` says what delays it.

        Raises:
            LakeEmpty, InvalidKey, LakeDenied, LakeUnavailable: if the source cannot be listed.
        """
        wait = MAX_WAIT_SECONDS if on_answer is None else _WATCHED_SECONDS
        call = Call(
            "POST",
            version_path(dataset, version) + "/freeze",
            reader(Version),
            params={"wait_seconds": str(wait)},
            answer_seconds=wait + 30.0,
        )
        while True:  # a repeated request continues the same listing
            seen = yield from self._exchanges.one(call)
            if on_answer is not None:
                on_answer(seen)
            if seen.manifest is not None:
                return seen

    @method
    def evict(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Call[Version]:
        """Evicts the version from the region. Returns when it is gone, or still EVICTING if it is very large.

        Raises:
            Pinned: if a pin holds it.
        """
        return Call(
            "POST",
            version_path(dataset, version) + "/evict",
            reader(Version),
            body=present(region=region, reason=reason),
            answer_seconds=EVICTION_SECONDS,
        )

    @method
    def set_ttl(self, dataset: str, version: str, ttl: Duration) -> Call[Version]:
        """Sets how long the version stays in a region after its last pin has ended."""
        body = {"ttl_seconds": seconds_of(ttl)}
        return Call("PUT", version_path(dataset, version) + "/ttl", reader(Version), body=body)

    @method
    def resume(self, dataset: str, version: str, region: str) -> Call[Version]:
        """Retries a fill that is BLOCKED in a region."""
        return Call("POST", version_path(dataset, version) + "/resume", reader(Version), body={"region": region})

    @method
    def abandon(self, dataset: str, version: str, region: str, *, reason: str | None = None) -> Call[Version]:
        """Gives up a version that is BLOCKED in a region, and removes its bytes; does nothing if it is not BLOCKED.

        Raises:
            Pinned: if a pin holds it.
        """
        return Call(
            "POST",
            version_path(dataset, version) + "/abandon",
            reader(Version),
            body=present(region=region, reason=reason),
            answer_seconds=EVICTION_SECONDS,
        )

    @method
    def explain(self, dataset: str, region: str, *, version: str = "latest") -> Call[Explanation]:
        """Explains why a version (by default the newest) is, or is not, in a region."""
        params = {"region": region, "version": version}
        return Call("GET", dataset_path(dataset) + "/explain", reader(Explanation), params=params)
