"""Small values with several forms: names of datasets, durations, byte counts."""

from __future__ import annotations

import math
import re
from datetime import timedelta
from decimal import Decimal

from forebay._errors import ConfigurationError

Duration = str | int | float | timedelta
"""``"12h"``, ``"1h30m"``, ``"90s"``, a ``timedelta``, or a number of seconds."""

_NO_PART = ("", ".", "..")

_UNITS = {"s": 1, "m": 60, "h": 3600, "d": 86400, "w": 604800}
_BYTES = re.compile(r"(\d+(?:\.\d+)?)([KMGTPkmgtp]?)")
_PART = re.compile(r"(\d+(?:\.\d+)?)([smhdw])")
_WHOLE = re.compile(rf"(?:{_PART.pattern})+")


def seconds_of(duration: Duration) -> int:
    """Returns whole seconds, rounded up, so that a caller never gets less than requested."""
    if isinstance(duration, timedelta):
        seconds = duration.total_seconds()
    elif isinstance(duration, str):
        seconds = _parse(duration.strip())
    elif isinstance(duration, (int, float)):
        seconds = float(duration)
    else:
        raise ConfigurationError(f"a duration is {duration!r}: write '90s', '12h', a timedelta, or a number of seconds")
    if not math.isfinite(seconds) or seconds <= 0:
        raise ConfigurationError(f"a duration must be positive, not {duration!r}")
    return math.ceil(seconds)


def _parse(text: str) -> float:
    if _WHOLE.fullmatch(text):
        return sum(float(number) * _UNITS[unit] for number, unit in _PART.findall(text))
    try:
        return float(text)
    except ValueError:
        raise ConfigurationError(
            f"'{text}' is not a duration: write 90s, 30m, 12h, 7d, 1h30m, or a number of seconds"
        ) from None


def split_dataset(dataset: str, argument: str = "dataset") -> tuple[str, str]:
    """Splits ``namespace/name``. The server checks the letters; this function only checks that there are two parts."""
    parts = dataset.split("/") if isinstance(dataset, str) else []
    if len(parts) != 2 or "@" in dataset or any(part in _NO_PART or not is_text(part) for part in parts):
        raise ConfigurationError(f"{argument} is {dataset!r}: it must be the name of a dataset, 'namespace/name'")
    return parts[0], parts[1]


def checked_part(argument: str, value: str) -> str:
    """Returns a value that fits into one part of a path. The server checks the letters, but only within one part."""
    if not isinstance(value, str):
        hint = f": write {str(value)!r}" if isinstance(value, (int, float)) else ""
        raise ConfigurationError(f"{argument} is {value!r}: it must be text{hint}")
    if value in _NO_PART:
        raise ConfigurationError(f"{argument} is {value!r}: it must not be empty, nor '.' or '..'")
    return checked_text(argument, value)


def checked_text(argument: str, value: str) -> str:
    """Returns the value if a request can carry it."""
    if not is_text(value):
        raise ConfigurationError(f"{argument} is {value!r}: it is not text in this machine's encoding")
    return value


def is_text(value: str) -> bool:
    """Returns False for a text with surrogates, which Python uses for bytes that it cannot decode."""
    return not any("\ud800" <= character <= "\udfff" for character in value)


def split_version(text: str) -> tuple[str, str]:
    """Splits ``namespace/name@version``."""
    dataset, at, version = text.partition("@")
    if not at or not version:
        raise ConfigurationError(f"'{text}' is not a version of a dataset: write namespace/name@version")
    split_dataset(dataset)
    return dataset, version


def version_or_latest(text: str) -> tuple[str, str]:
    """Splits ``namespace/name@version``; for ``namespace/name`` alone the version is ``latest``."""
    if "@" in text:
        return split_version(text)
    split_dataset(text)
    return text, "latest"


def bytes_of(text: str) -> int:
    """Parses a number of bytes, or ``64K``, ``10G``, ``1.5T`` in powers of 1024."""
    match = _BYTES.fullmatch(text.strip())
    if match is None:
        raise ConfigurationError(f"'{text}' is not a number of bytes: write 1000000, 64K, 10G, or 1.5T")
    return int(Decimal(match[1]) * 1024 ** " KMGTP".index(match[2].upper() or " "))


def human_bytes(count: float) -> str:
    """``1.5 GiB``: binary units, three digits."""
    if abs(count) < 1024:
        return f"{count:.0f} B"
    for unit in ("KiB", "MiB", "GiB", "TiB", "PiB"):
        count /= 1024
        if abs(count) < 1024 or unit == "PiB":
            break
    return f"{count:.{2 if abs(count) < 10 else 1 if abs(count) < 100 else 0}f} {unit}"


def human_size(objects: int, bytes: float) -> str:
    """``3 objects, 1.50 KiB``."""
    return f"{objects} object{'' if objects == 1 else 's'}, {human_bytes(bytes)}"


def human_seconds(seconds: float) -> str:
    """``4 s``, ``2m10s``, ``3h05m``, ``2d04h``."""
    whole = max(0, round(seconds))
    if whole < 60:
        return f"{whole}s"
    if whole < 3600:
        return f"{whole // 60}m{whole % 60:02d}s"
    if whole < 86400:
        return f"{whole // 3600}h{whole % 3600 // 60:02d}m"
    return f"{whole // 86400}d{whole % 86400 // 3600:02d}h"


def human_estimate(seconds: float | None, least: float | None, most: float | None) -> str:
    """``4s (2s-9s)``, ``0s``, or ``unknown``."""
    if seconds is None:
        return "unknown"
    likely = human_seconds(seconds)
    if least is None or most is None or least == most:
        return likely
    return f"{likely} ({human_seconds(least)}-{human_seconds(most)})"
