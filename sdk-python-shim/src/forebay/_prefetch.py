"""Hints for the version that a job will need next."""

from __future__ import annotations

from forebay import _display, _region
from forebay._client import Client
from forebay._errors import ForebayError, ForebayWarning
from forebay._models import EnsureStatus

_RETRY_SECONDS = 5.0


def prefetch_dataset(
    name: str, version: str = "latest", region: str | None = None, *, create: bool = False, api: str | None = None
) -> EnsureStatus | None:
    """Requests a fill of the dataset that comes next, while this program continues: a hint.

    It waits for no bytes and takes no pin. Call ``ensure_dataset_cached`` when the job needs the version: it joins the
    work. Any number of jobs may send the same hint any number of times.

    Args:
        name: ``namespace/name`` of the dataset.
        version: the version's name, or ``latest``: the newest one at this moment.
        region: where; default ``FOREBAY_REGION``.
        create: create the version if the dataset does not have it.
        api: the control plane's address; default ``FOREBAY_API``.

    Returns:
        The progress of the version. None, after a ``ForebayWarning``, if the platform cannot take hints now, because a
        missing hint must not end a training.

    Raises:
        ForebayError: for permanent mistakes: no such dataset, no such region.
    """
    with Client(api, retry_seconds=_RETRY_SECONDS) as client:
        try:
            return client.prefetch(name, version, _region.named(region, api), create=create)
        except ForebayError as error:
            if not error.retryable:
                raise
            _display.warn(
                f"cannot prefetch {name}@{version}, so first reads may wait for the lake: {error}", ForebayWarning, 2
            )
            return None
