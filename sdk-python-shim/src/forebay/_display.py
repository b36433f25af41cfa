"""Writes for people. A stream that takes no text must not end the work that the text is about."""

from __future__ import annotations

import contextlib
import io
import os
import select
import sys
import warnings
from collections.abc import Iterator
from pathlib import Path
from typing import Any, TextIO

_PATIENCE_SECONDS = 5.0
"""How long a message waits for a reader of the pipe that it goes to."""


class Unfailing(io.TextIOBase):
    """Writes to a stream, and leaves out what the stream does not take, for whatever reason.

    The stream may be None, as Python's are whose descriptor was closed before the start. It may be closed, full or
    broken, may lack characters, may be a pipe that is full and that nobody reads, or an object of somebody else that
    only has ``write``.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream: Any = stream
        self._patience = _PATIENCE_SECONDS

    def write(self, text: str) -> int:
        # Not for a terminal: a person has stopped it, and lets it go on.
        if not self.isatty() and self.would_block(self._patience):
            self._patience = 0.0
            return len(text)
        with contextlib.suppress(Exception):
            try:
                self._stream.write(text)
            except UnicodeEncodeError:
                self._stream.write(escaped(text, getattr(self._stream, "encoding", None)))
        return len(text)

    def flush(self) -> None:
        with contextlib.suppress(Exception):
            self._stream.flush()

    def fileno(self) -> int:
        try:
            return int(self._stream.fileno())
        except Exception:
            raise io.UnsupportedOperation("this stream has no descriptor") from None

    def isatty(self) -> bool:
        with contextlib.suppress(Exception):
            return bool(self._stream.isatty())
        return False

    def takes(self, text: str) -> bool:
        """Returns whether the encoding has all characters of a text. Every encoding has those of ASCII."""
        with contextlib.suppress(UnicodeEncodeError, LookupError, TypeError):
            text.encode(getattr(self._stream, "encoding", None) or "utf-8")
            return True
        return text.isascii()

    def would_block(self, seconds: float = 0.0) -> bool:
        """Returns whether a write would wait for a reader for longer, as in a pipe that is full."""
        with contextlib.suppress(Exception):
            return not select.select([], [self._stream.fileno()], [], seconds)[1]
        return False


def warn(message: str, category: type[Warning], stacklevel: int) -> None:
    """Warns as ``warnings.warn`` does, but does not fail if stderr does not take the warning."""
    try:
        warnings.warn(message, category, stacklevel + 1)
    except category:
        raise  # A filter turns warnings into errors.
    except Exception:
        pass


def escaped(text: str, encoding: str | None) -> str:
    """Returns the text with characters that the encoding lacks as escapes: ``\\ud55c``."""
    return text.encode(encoding or "ascii", "backslashreplace").decode(encoding or "ascii")


def bytes_of(path: Path) -> bytes:
    """Returns a path as programs need it, whether or not the encoding has its characters."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:  # It comes from the platform, and this machine's encoding lacks it.
        return str(path).encode("utf-8", "surrogateescape")


@contextlib.contextmanager
def of_command() -> Iterator[None]:
    """While a command runs, writes to stderr never fail, and stdout takes every character, if need be as an escape."""
    stdout, stderr = sys.stdout, sys.stderr
    with contextlib.ExitStack() as stack:
        if stdout is None:
            sys.stdout = stack.enter_context(open(os.devnull, "w", encoding="utf-8"))
        elif isinstance(stdout, io.TextIOWrapper) and stdout.errors != "backslashreplace":
            stack.callback(stdout.reconfigure, errors=stdout.errors)
            stdout.reconfigure(errors="backslashreplace")
        sys.stderr = Unfailing(stderr)
        try:
            yield
        finally:
            with contextlib.suppress(ValueError):
                try:
                    sys.stdout.flush()
                except OSError:
                    discard_stdout()
            sys.stdout, sys.stderr = stdout, stderr


def discard_stdout() -> None:
    """Keeps Python from writing the rest of stdout when it exits: that would fail again and exit with 120."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
