"""Places for progress: a redrawn line on a terminal, a bar in a notebook, a line from time to time in a log."""

from __future__ import annotations

import contextlib
import html
import shutil
import sys
from dataclasses import dataclass
from typing import Any, Protocol, TextIO

from forebay._display import Unfailing
from forebay._text import one_line

_BAR_CELLS = 24
_BARS = (("█", "·"), ("#", "."))


@dataclass(frozen=True)
class Line:
    """The content to show.

    Attributes:
        share: from 0 to 1; None where there is nothing to measure.
        news: text that must stay readable as a whole, even if details are cut or overwritten.
    """

    title: str
    details: tuple[str, ...]
    share: float | None = None
    news: str | None = None

    def text(self, *more: str) -> str:
        # 100 % is only for a complete version, which has a text of its own.
        percent = () if self.share is None else (f"{min(99, int(self.share * 100)):3d}%",)
        return f"{one_line(self.title)}: " + "  ".join((*percent, *more, *map(one_line, self.details)))


class Surface(Protocol):
    """Shows lines, and never fails; ``pause_seconds`` is the least time between two lines."""

    pause_seconds: float

    def show(self, line: Line) -> None: ...

    def close(self) -> None:
        """Leaves the output ready for the next writer."""


class Terminal:
    """One line on a terminal, overwritten each time."""

    pause_seconds = 0.1

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = Unfailing(stream)
        self._full, self._empty = next(each for each in _BARS if self._stream.takes("".join(each)))
        self._open = False

    def show(self, line: Line) -> None:
        bar: tuple[str, ...] = ()
        if line.share is not None:
            filled = int(line.share * _BAR_CELLS)
            bar = (self._full * filled + self._empty * (_BAR_CELLS - filled),)
        news = "" if line.news is None else f"\r\x1b[2K{one_line(f'{line.title}: {line.news}')}\n"
        # Also clears the end of a longer earlier line.
        _write(self._stream, news + "\r\x1b[2K" + line.text(*bar)[: shutil.get_terminal_size().columns - 1])
        self._open = True

    def close(self) -> None:
        if self._open:
            _write(self._stream, "\n")
            self._open = False


class Log:
    """Progress in a log: few lines, each complete, because a log cannot replace a line."""

    pause_seconds = 5.0

    def __init__(self, stream: TextIO | None) -> None:
        self._stream = Unfailing(stream)

    def show(self, line: Line) -> None:
        _write(self._stream, line.text() + "\n")

    def close(self) -> None:
        pass


class Notebook:
    """One updated output of a cell; as text where a bar is not possible."""

    pause_seconds = 0.5

    def __init__(self) -> None:
        self._handle: Any = None

    def show(self, line: Line) -> None:
        with contextlib.suppress(Exception):
            self._show(line)

    def _show(self, line: Line) -> None:
        from IPython.display import display

        text = html.escape(line.text())
        bar = "" if line.share is None else f'<progress max="1" value="{line.share:.4f}"></progress> '
        shown = {"text/plain": line.text(), "text/html": f"{bar}<code>{text}</code>"}
        if self._handle is None:
            self._handle = display(shown, raw=True, display_id=True)
        else:
            self._handle.update(shown, raw=True)

    def close(self) -> None:
        pass


def of_process() -> Surface:
    """Returns the place where the user of this process looks."""
    if _is_notebook():
        return Notebook()
    return Terminal(sys.stderr) if Unfailing(sys.stderr).isatty() else Log(sys.stderr)


def _is_notebook() -> bool:
    # Code in a notebook has loaded IPython. The IPython shell of a terminal has no kernel.
    ipython = sys.modules.get("IPython")
    shell = getattr(ipython, "get_ipython", lambda: None)()
    return getattr(shell, "kernel", None) is not None


def _write(stream: Unfailing, text: str) -> None:
    # A job must not wait for a reader of its progress.
    if not stream.would_block():
        stream.write(text)
        stream.flush()
