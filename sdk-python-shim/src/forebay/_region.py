"""In which region a call is meant, and which there are if nobody says."""

from __future__ import annotations

from forebay import _settings
from forebay._client import Client
from forebay._errors import ConfigurationError, ForebayError, UnknownRegion

_RETRY_SECONDS = 1.0
"""The names only help: who waits is told without them what to do."""


def named(given: str | None, api: str | None) -> str:
    """The region that the caller or ``FOREBAY_REGION`` names.

    Raises:
        ConfigurationError: if neither does; it says how to name one and, if the platform answers, which there are.
    """
    try:
        return _settings.region(given)
    except ConfigurationError as error:
        if given:
            raise
        raise ConfigurationError(f"{error}{_there_are(api)}") from None


def require_known(client: Client, region: str) -> None:
    """Refuses a region that there is not: nothing that is asked of it may look as if it were merely not there.

    Raises:
        UnknownRegion: naming those that there are.
    """
    names = sorted(each.name for each in client.regions())
    if region not in names:
        there = ", ".join(names) or "it has none"
        raise UnknownRegion("UNKNOWN_REGION", 400, f"region '{region}' is not one of this installation: {there}")


def _there_are(api: str | None) -> str:
    try:
        with Client(api, retry_seconds=_RETRY_SECONDS) as client:
            names = sorted(region.name for region in client.regions())
    except ForebayError:
        return ""
    return f"; the regions are {', '.join(names)}" if names else "; the platform has no region yet"
