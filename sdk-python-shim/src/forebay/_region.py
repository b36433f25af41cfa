"""Chooses the region of a call, and lists regions for error messages."""

from __future__ import annotations

from forebay import _settings
from forebay._client import Client
from forebay._errors import ConfigurationError, ForebayError, UnknownRegion

_RETRY_SECONDS = 1.0
"""Short, because the names only add to an error message that already says what to do."""


def named(given: str | None, api: str | None) -> str:
    """Returns the region that the caller or ``FOREBAY_REGION`` names.

    Raises:
        ConfigurationError: if neither does. It says how to name one and, if the platform answers, lists the regions.
    """
    try:
        return _settings.region(given)
    except ConfigurationError as error:
        if given:
            raise
        raise ConfigurationError(f"{error}{_there_are(api)}") from None


def require_known(client: Client, region: str) -> None:
    """Refuses an unknown region. Otherwise an answer could look as if only the version were absent there.

    Raises:
        UnknownRegion: naming the known regions.
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
