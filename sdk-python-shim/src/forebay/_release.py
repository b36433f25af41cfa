"""Lets go of what another process holds."""

from __future__ import annotations

import contextlib

from forebay import _settings
from forebay._client import Client
from forebay._errors import ConfigurationError, NotFound
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
) -> None:
    """Lets go of what a run holds, from whatever process: for the last step of a pipeline whose first one holds.

    Does nothing if the run holds nothing there (any more). What it holds in regions of ``also_in`` goes with it, and
    what one process of it holds several times.

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name.
        region: where; default ``FOREBAY_REGION``.
        run_id: the run, as ``ensure_dataset_cached`` was told; default ``FOREBAY_RUN_ID``.
        holder: the holder, if ``ensure_dataset_cached`` was told one.
        api: the control plane's address; default ``FOREBAY_API``.
    """
    run = Run.of_process(run_id)
    if run is None:
        raise ConfigurationError("no run is named: pass run_id, or set FOREBAY_RUN_ID")
    region = _settings.region(region)
    ids = [run.pin_id(name, version, region, holder or run.holder, slot) for slot in range(_SLOTS)]
    with Client(api) as client, contextlib.suppress(NotFound):
        if version == "latest":
            # What it meant when the pin was taken; there may be a later one since.
            pins = [pin for pin in client.pins() if pin.dataset == name]
        else:
            client.unpin(name, version, region, ids[0])
            pins = [pin for pin in client.version_pins(name, version) if (pin.id, pin.region) != (ids[0], region)]
        for pin in pins:
            if pin.id in ids:
                client.unpin(name, pin.version, pin.region, pin.id)
