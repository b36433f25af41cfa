"""Lets go of what another process holds."""

from __future__ import annotations

import contextlib

from forebay import _region
from forebay._client import Client
from forebay._errors import ConfigurationError, NotFound
from forebay._models import Pin
from forebay._runs import Run

# How often a process may hold one version at once. The first that it took may be gone, and a later one not: so ids are
# not counted up to the first that is not there.
_SLOTS = 100


def release_dataset(
    name: str,
    version: str,
    region: str | None = None,
    *,
    run_id: str | None = None,
    holder: str | None = None,
    api: str | None = None,
) -> int:
    """Lets go of what a run holds, from whatever process: for the last step of a pipeline whose first one holds.

    Does nothing if the run holds nothing there (any more). What it holds in regions of ``also_in`` goes with it, and
    what one process of it holds several times. Of a distributed job, a process that has a rank lets go of what that
    rank holds, as the others may not have ended; one that has none, of what all ranks hold.

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name.
        region: where; default ``FOREBAY_REGION``.
        run_id: the run, as ``ensure_dataset_cached`` was told; default ``FOREBAY_RUN_ID``.
        holder: the holder, if ``ensure_dataset_cached`` was told one; of this rank only.
        api: the control plane's address; default ``FOREBAY_API``.

    Returns:
        How many pins the platform listed; one that was taken only just now is released, and may not be counted.
    """
    run = Run.of_process(run_id)
    if run is None:
        raise ConfigurationError("no run is named: pass run_id, or set FOREBAY_RUN_ID")
    region = _region.named(region, api)

    def ids(of: Run, holder: str) -> list[str]:
        return [of.pin_id(name, version, region, holder, slot) for slot in range(_SLOTS)]

    own = ids(run, holder or run.holder)

    def is_held(pin: Pin) -> bool:
        if pin.id in own:
            return True
        member = None if holder or run.rank else run.member(pin.holder)
        return member is not None and pin.id in ids(member, pin.holder)

    held: list[Pin] = []
    with Client(api) as client, contextlib.suppress(NotFound):
        # What ``latest`` meant when the pin was taken; there may be a later one since.
        there = client.pins() if version == "latest" else client.version_pins(name, version)
        held = [pin for pin in there if pin.dataset == name and is_held(pin)]
        for pin in held:
            client.unpin(name, pin.version, pin.region, pin.id)
        if version != "latest" and (own[0], region) not in {(pin.id, pin.region) for pin in held}:
            # Of one that was taken just now the list may not tell yet.
            client.unpin(name, version, region, own[0])
    return len(held)
