"""Datasets, and how they follow their sources."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from forebay._api._method import Methods, method, pages
from forebay._calls import Call, Paged, dataset_path, items_and_next, nothing, present, reader
from forebay._errors import ConfigurationError
from forebay._models import Dataset, Tracking
from forebay._values import Duration, seconds_of, split_dataset


class DatasetMethods(Methods):
    @method
    def register_dataset(
        self,
        dataset: str,
        source: str,
        *,
        ttl: Duration | None = None,
        ttl_after: str | None = None,
        include: Sequence[str] = (),
        exclude: Sequence[str] = (),
        keys: str | None = None,
    ) -> Call[Dataset]:
        """Registers a dataset whose objects are at ``s3://bucket/prefix/``; does nothing if it is registered already.

        An unpinned version stays in a region for ``ttl`` after its last pin or, with ``ttl_after="read"``, after its
        last pin or read, whichever is later.

        Args:
            include: patterns of keys relative to the prefix, of which one must match: ``*`` and ``?`` within a
                component, ``**`` for any number of components; all keys if there is none.
            exclude: patterns of keys that do not belong to the dataset, even if an include pattern matches.
            keys: an object that lists the keys, ``s3://bucket/key``, one a line, if the dataset is not all keys below
                the prefix.
        """
        namespace, name = split_dataset(dataset)
        body: dict[str, Any] = {"namespace": namespace, "name": name, "source": source}
        if include:
            body["include"] = _listed("include", include)
        if exclude:
            body["exclude"] = _listed("exclude", exclude)
        if keys is not None:
            body["keys"] = keys
        return Call("POST", "/datasets", reader(Dataset), body=body | _ttl(ttl, ttl_after))

    @method
    def set_dataset_ttl(
        self, dataset: str, *, ttl: Duration | None = None, ttl_after: str | None = None
    ) -> Call[Dataset]:
        """Changes how long later versions stay in regions, or from which event that time counts for all versions.

        Args:
            ttl: the time for versions that are created later; unchanged if None. For existing versions see
                :meth:`set_ttl`.
            ttl_after: ``pin`` or ``read``; unchanged if None.
        """
        body = _ttl(ttl, ttl_after)
        if not body:
            raise ConfigurationError("neither ttl nor ttl_after is given: pass at least one")
        return Call("PUT", dataset_path(dataset) + "/ttl", reader(Dataset), body=body)

    @method
    def delete_dataset(self, dataset: str) -> Call[None]:
        """Deletes a dataset. Its versions leave every region when no pin holds them; its objects stay in the lake.

        Registering it again with the same source restores it.
        """
        return Call("DELETE", dataset_path(dataset), nothing)

    @pages
    def datasets(self, namespace: str | None = None, *, after: str | None = None) -> Call[Paged[Dataset]]:
        """Yields all registered datasets by name, page by page, after the name ``after`` only."""
        return Call("GET", "/datasets", items_and_next(Dataset), params=present(namespace=namespace, after=after))

    @method
    def dataset(self, dataset: str) -> Call[Dataset]:
        """Returns a dataset."""
        return Call("GET", dataset_path(dataset), reader(Dataset))

    @method
    def follow(self, dataset: str, *, every: Duration | None = None, paused: bool | None = None) -> Call[Tracking]:
        """Makes a dataset follow its source: a change there creates a new version, which becomes ``latest``.

        Args:
            every: the time between checks, 10 s to 30 days; if None, unchanged or an hour. Each check lists the source,
                which costs the lake one request for 1,000 objects.
            paused: whether checks are paused; if None, unchanged or False.
        """
        body: dict[str, Any] = {}
        if every is not None:
            body["interval_seconds"] = seconds_of(every)
        if paused is not None:
            body["paused"] = paused
        return Call("PUT", _tracking_path(dataset), reader(Tracking), body=body)

    @method
    def tracking(self, dataset: str) -> Call[Tracking]:
        """Returns how a dataset follows its source, and the result of the last check.

        Raises:
            NotFound: if it does not follow its source.
        """
        return Call("GET", _tracking_path(dataset), reader(Tracking))

    @method
    def check_drift(self, dataset: str) -> Call[Tracking]:
        """Starts a check of a dataset that follows its source, without waiting for the result."""
        return Call("POST", _tracking_path(dataset) + "/check", reader(Tracking))

    @method
    def unfollow(self, dataset: str) -> Call[None]:
        """Stops a dataset from following its source. Its versions stay."""
        return Call("DELETE", _tracking_path(dataset), nothing)


def _ttl(ttl: Duration | None, ttl_after: str | None) -> dict[str, Any]:
    body: dict[str, Any] = {} if ttl is None else {"ttl_seconds": seconds_of(ttl)}
    return body | present(ttl_after=ttl_after)


def _listed(argument: str, patterns: Sequence[str]) -> list[str]:
    if isinstance(patterns, str):
        raise ConfigurationError(f"{argument} is a list of patterns, not one: write [{patterns!r}]")
    return list(patterns)


def _tracking_path(dataset: str) -> str:
    return dataset_path(dataset) + "/tracking"
