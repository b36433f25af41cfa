from __future__ import annotations

import io

from forebay import Progress
from forebay._progress import ProgressDisplay

MIB = 1 << 20


class Terminal(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_a_log_gets_whole_lines_and_not_many() -> None:
    stream = io.StringIO()
    display = ProgressDisplay("a/b@1 → eu", stream)
    for step in range(50):
        display(Progress("eu", "WARMING", step * MIB, 100 * MIB))
    display.done(100 * MIB)
    lines = stream.getvalue().splitlines()
    assert len(lines) == 2
    assert "0%" in lines[0]
    assert "0 B/100 MiB" in lines[0]
    assert "complete and verified" in lines[1]
    assert "\r" not in stream.getvalue()


def test_a_terminal_gets_one_line_that_is_overwritten() -> None:
    stream = Terminal()
    display = ProgressDisplay("a/b@1 → eu", stream)
    display(Progress("eu", "WARMING", 0, None))
    display._shown_at = None
    display(Progress("eu", "WARMING", 50 * MIB, 100 * MIB))
    display.done(100 * MIB)
    text = stream.getvalue()
    assert text.count("\n") == 1
    assert text.endswith("\n")
    assert "listing the lake" in text
    assert "50%" in text
    assert "ETA" in text


def test_an_answer_at_once_shows_nothing() -> None:
    stream = Terminal()
    ProgressDisplay("x", stream).done(5)
    assert stream.getvalue() == ""


def test_an_empty_version_and_an_ascii_log_do_not_break_it() -> None:
    stream = io.TextIOWrapper(io.BytesIO(), encoding="ascii")
    display = ProgressDisplay("a → b", stream)
    display(Progress("eu", "WARMING", 0, 0))
    display.done(0)
    stream.flush()
    assert b"a ? b" in stream.buffer.getvalue()
