"""Releases pins of other processes."""

from __future__ import annotations

import contextlib

from forebay import _region
from forebay._client import Client
from forebay._errors import ConfigurationError, NotFound
from forebay._models import Pin
from forebay._runs import Run

# The most pins of one process on one version. All slots are checked, because an early one may have ended while a later
# one still lives.
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
    """Releases the pins of a run from any process: for the last step of a pipeline whose first step holds a version.

    Does nothing if the run holds nothing there (any more). It also releases the pins in regions of ``also_in``, and all
    pins of a process that holds the version several times. In a distributed job, a process with a rank releases only
    the pins of that rank, because others may still run. A process without a rank releases those of all ranks.

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name.
        region: where; default ``FOREBAY_REGION``.
        run_id: the run that was given to ``ensure_dataset_cached``; default ``FOREBAY_RUN_ID``.
        holder: the holder that was given to ``ensure_dataset_cached``, if any; only of this rank.
        api: the control plane's address; default ``FOREBAY_API``.

    Returns:
        The number of pins that the platform listed. A pin that was taken just now is released, but may not be counted.
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
        # For ``latest``, the version when the pin was taken, which may be older than the present one.
        there = client.pins() if version == "latest" else client.version_pins(name, version)
        held = [pin for pin in there if pin.dataset == name and is_held(pin)]
        for pin in held:
            client.unpin(name, pin.version, pin.region, pin.id)
        if version != "latest" and (own[0], region) not in {(pin.id, pin.region) for pin in held}:
            # The list may not yet contain a pin that was taken just now.
            client.unpin(name, version, region, own[0])
    return len(held)
