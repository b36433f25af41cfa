"""Hints about what will be needed next."""

from __future__ import annotations

from forebay import _display, _region
from forebay._client import Client
from forebay._errors import ForebayError, ForebayWarning
from forebay._models import EnsureStatus

_RETRY_SECONDS = 5.0


def prefetch_dataset(
    name: str, version: str = "latest", region: str | None = None, *, create: bool = False, api: str | None = None
) -> EnsureStatus | None:
    """Has a version brought into the region while this program goes on: a hint for the dataset that comes next.

    Nothing is waited for and nothing is held, so call ``ensure_dataset_cached`` when the time has come: it joins the
    work. The same hint may be given any number of times, by any number of jobs.

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name, or ``latest``: the one that is the newest at this moment.
        region: where; default ``FOREBAY_REGION``.
        create: whether a version that the dataset does not have is to be created.
        api: the control plane's address; default ``FOREBAY_API``.

    Returns:
        How far the version is; None, after a ``ForebayWarning``, if the platform cannot take hints just now: a training
        does not end for that.

    Raises:
        ForebayError: for what would be wrong at any other time, too: no such dataset, no such region.
    """
    with Client(api, retry_seconds=_RETRY_SECONDS) as client:
        try:
            return client.prefetch(name, version, _region.named(region, api), create=create)
        except ForebayError as error:
            if not error.retryable:
                raise
            _display.warn(f"the hint that {name}@{version} will be needed was not heard: {error}", ForebayWarning, 2)
            return None
