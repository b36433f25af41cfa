from __future__ import annotations

import io
import re
from typing import TextIO

import pytest
from control_plane import TOTAL_BYTES, ControlPlane

from forebay import Client, Progress, _surfaces
from forebay._models import Blocked
from forebay._progress import ProgressDisplay, Told
from forebay._surfaces import Line, Log, Terminal

MIB = 1 << 20


class Clock:
    """The clock of the display."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now = 100.0
        monkeypatch.setattr("forebay._progress.time.monotonic", lambda: self.now)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    return Clock(monkeypatch)


def test_a_log_gets_a_few_whole_lines(clock: Clock) -> None:
    stream = io.StringIO()
    display = ProgressDisplay("a/b@1 → eu", Log(stream))
    for step in range(50):
        display(Progress("eu", "WARMING", step * MIB, 100 * MIB))
        clock.now += 0.2
    display.done(100 * MIB)
    lines = stream.getvalue().splitlines()
    assert lines == [
        "a/b@1 → eu:   0%  0 B/100 MiB",
        "a/b@1 → eu:  25%  25.0 MiB/100 MiB  5.00 MiB/s  ETA 15s",
        "a/b@1 → eu: 100 MiB complete and verified in 10s",
    ]


def test_a_terminal_gets_one_line_that_is_overwritten(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    display = ProgressDisplay("a/b@1 → eu", Terminal(stream))
    display(Progress("eu", "WARMING", 0, None))
    clock.now += 1
    display(Progress("eu", "WARMING", 50 * MIB, 100 * MIB))
    display.done(100 * MIB)
    text = stream.getvalue()
    assert text.count("\n") == 1
    assert text.endswith("\n")
    drawn = text.rstrip("\n").split("\r\x1b[2K")
    assert drawn[0] == ""
    assert [each[12:] for each in drawn[1:]] == [
        "listing the lake",
        " 50%  ████████████············  50.0 MiB/100 Mi",
        "100 MiB complete and verified in 1s",
    ]
    assert all(len(each) <= 59 for each in drawn)


@pytest.mark.parametrize("surface", [Terminal, Log])
def test_an_immediate_answer_shows_no_progress(surface: type[Terminal] | type[Log]) -> None:
    stream = io.StringIO()
    ProgressDisplay("x", surface(stream)).done(5)
    assert stream.getvalue() == ""


@pytest.mark.parametrize("surface", [Terminal, Log])
def test_progress_supports_an_empty_version_and_an_ascii_stream(surface: type[Terminal] | type[Log]) -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    display = ProgressDisplay("a → b", surface(stream))
    display(Progress("eu", "WARMING", 0, 0))
    display.done(0)
    stream.flush()
    assert rb"a \u2192 b" in stream.buffer.getvalue()


def test_partial_coverage_is_not_shown_as_complete(clock: Clock) -> None:
    stream = io.StringIO()
    display = ProgressDisplay("x", Log(stream))
    display(Progress("eu", "WARMING", 0, 100 * MIB))
    display.done(8 * MIB, 100 * MIB)
    assert stream.getvalue().splitlines()[-1] == "x: 8.00 MiB of 100 MiB verified in 0s"


def test_a_progress_line_shows_at_most_99_percent() -> None:
    assert Line("x", (), 0.9999).text() == "x:  99%"
    assert Line("x", (), 1.0).text() == "x:  99%"


def test_progress_shows_what_a_region_waits_for_on_one_line(clock: Clock) -> None:
    stream = io.StringIO()
    away = Blocked("UNAVAILABLE", "no worker\nof eu answers\x1b[31m")
    ProgressDisplay("x", Log(stream))(Progress("eu", "EVIC\x9bTING", 1, 2, away))
    assert stream.getvalue() == (
        "x:  50%  1 B/2 B  evic\\x9bting  waits: UNAVAILABLE: no worker of eu answers\\x1b[31m\n"
    )


def test_a_narrow_terminal_shows_a_reason_once_and_in_full(clock: Clock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "60")
    stream = io.StringIO()
    display = ProgressDisplay("a/b@1 in eu", Terminal(stream))
    reason = "number 2 of 3 in the queue of eu, behind a/c@1; 'forebay queue --region eu' lists it (attempt %d follows)"
    for attempt in range(9, 12):
        clock.now += 1
        display(Progress("eu", "WARMING", 0, 100 * MIB, Blocked("CAPACITY_EXCEEDED", reason % attempt)))
    display.done(100 * MIB)
    drawn = stream.getvalue().split("\r\x1b[2K")
    assert [each for each in drawn if each.endswith("\n")] == [
        f"a/b@1 in eu: waits: CAPACITY_EXCEEDED: {reason % 9}\n",
        "a/b@1 in eu: 100 MiB complete and verified in 3s\n",
    ]
    assert all(len(each) <= 59 for each in drawn if not each.endswith("\n"))


def test_only_a_new_reason_is_reported_again() -> None:
    told = Told()
    reasons = [
        Blocked("UNAVAILABLE", "no worker (attempt 1 follows)"),
        Blocked("UNAVAILABLE", "no worker (attempt 12 follows)"),
        None,
        Blocked("UNAVAILABLE", "no agent (attempt 13 follows)"),
        Blocked("CAPACITY_EXCEEDED", "1,024 bytes are missing"),
        Blocked("CAPACITY_EXCEEDED", "17 bytes are missing"),
    ]
    assert [told.is_new(each) for each in reasons] == [True, False, False, True, True, False]


def test_progress_never_runs_backwards(plane: ControlPlane, client: Client) -> None:
    plane.state.tells = [(10, None), (10, 100), (60, 100), (20, 100), (30, None), (70, 100)]
    seen: list[Progress] = []
    client.ensure("vision/digits", "1", "eu", on_progress=seen.append)
    assert [(each.bytes_cached, each.bytes) for each in seen] == [
        (10, None),
        (10, 100),
        (60, 100),
        (60, 100),
        (60, 100),
        (70, 100),
    ]


def test_a_log_reports_completion_once_and_at_the_end(
    plane: ControlPlane, client: Client, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Log, "pause_seconds", 0.0)
    plane.state.tells = [(0, None), (TOTAL_BYTES // 2, TOTAL_BYTES), (0, TOTAL_BYTES), (TOTAL_BYTES, TOTAL_BYTES)]
    display = ProgressDisplay("x")
    display.done(client.ensure("vision/digits", "1", "eu", on_progress=display).bytes_verified)
    lines = capsys.readouterr().err.splitlines()
    assert [re.sub(r"(%  .*| in \d+s)$", "", line) for line in lines] == [
        "x: listing the lake",
        "x:  50",
        "x:  50",
        "x:  99",
        "x: 64.0 MiB complete and verified",
    ]


@pytest.mark.parametrize(("is_terminal", "surface"), [(True, Terminal), (False, Log)])
def test_progress_detects_whether_stderr_is_a_terminal(
    monkeypatch: pytest.MonkeyPatch, is_terminal: bool, surface: type[Terminal] | type[Log]
) -> None:
    class Stream(io.StringIO):
        def isatty(self) -> bool:
            return is_terminal

    stream: TextIO = Stream()
    monkeypatch.setattr("sys.stderr", stream)
    assert type(_surfaces.of_process()) is surface
