from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from forebay import ConfigurationError
from forebay._values import human_bytes, human_estimate, human_seconds, human_size, seconds_of, split_version


@pytest.mark.parametrize(
    ("text", "seconds"),
    [
        ("90s", 90),
        ("12h", 43200),
        ("1h30m", 5400),
        ("7d", 604800),
        ("2w", 1209600),
        ("0.5h", 1800),
        ("45", 45),
        (45, 45),
        (0.2, 1),
        (timedelta(minutes=2), 120),
        (timedelta(milliseconds=1500), 2),
    ],
)
def test_seconds_of_parses_durations(text: str | float | timedelta, seconds: int) -> None:
    assert seconds_of(text) == seconds


@pytest.mark.parametrize(
    "bad", ["", "h", "12 hours", "-5", "0", "nan", "inf", "5x", -1, 0, float("inf"), timedelta(), None, []]
)
def test_seconds_of_refuses_invalid_durations(bad: Any) -> None:
    with pytest.raises(ConfigurationError):
        seconds_of(bad)


def test_split_version_separates_dataset_and_version() -> None:
    assert split_version("vision/digits@2026-11-20") == ("vision/digits", "2026-11-20")
    for bad in ("vision/digits", "digits@1", "a/b@", "@1", "a/b/c@1"):
        with pytest.raises(ConfigurationError):
            split_version(bad)


def test_human_functions_format_sizes_and_durations() -> None:
    assert [human_bytes(n) for n in (0, 1023, 1536, 25 << 20, 300 << 30)] == [
        "0 B",
        "1023 B",
        "1.50 KiB",
        "25.0 MiB",
        "300 GiB",
    ]
    assert [human_size(n, n * 512) for n in (1, 3)] == ["1 object, 512 B", "3 objects, 1.50 KiB"]
    assert [human_seconds(n) for n in (4, 130, 11100, 187200)] == ["4s", "2m10s", "3h05m", "2d04h"]
    assert [human_estimate(*each) for each in ((4, 2, 9), (0, 0, 0), (None, None, None), (4, None, None))] == [
        "4s (2s-9s)",
        "0s",
        "unknown",
        "4s",
    ]
