"""Writes for people. A stream that takes no text must not end the work that the text describes."""

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

_TIMEOUT_SECONDS = 5.0
"""How long a message waits for a reader of its pipe."""


class Unfailing(io.TextIOBase):
    """Writes to a stream, and drops text that the stream does not take for any reason.

    The stream may be None, like Python's streams whose descriptor was closed before the start. It may be closed, full
    or broken, may lack characters, may be a full pipe without a reader, or an object that only has ``write``.
    """

    def __init__(self, stream: TextIO | None) -> None:
        self._stream: Any = stream
        self._timeout = _TIMEOUT_SECONDS

    def write(self, text: str) -> int:
        # Waits for a terminal without limit: the user has stopped its output and will resume it.
        if not self.isatty() and self.would_block(self._timeout):
            self._timeout = 0.0
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
        """Returns whether a write would still block after this time, as in a full pipe."""
        with contextlib.suppress(Exception):
            return not select.select([], [self._stream.fileno()], [], seconds)[1]
        return False


def warn(message: str, category: type[Warning], stacklevel: int) -> None:
    """Warns as ``warnings.warn`` does, but does not fail if stderr does not take the warning."""
    try:
        warnings.warn(message, category, stacklevel + 1)
    except category:
        raise  # a filter turns warnings into errors
    except Exception:
        pass


def escaped(text: str, encoding: str | None) -> str:
    """Returns the text with escapes for characters that the encoding lacks: ``\\ud55c``."""
    return text.encode(encoding or "ascii", "backslashreplace").decode(encoding or "ascii")


def bytes_of(path: Path) -> bytes:
    """Returns a path as programs need it, even if the encoding lacks its characters."""
    try:
        return os.fsencode(path)
    except UnicodeEncodeError:  # the path comes from the platform, and this machine's encoding lacks a character
        return str(path).encode("utf-8", "surrogateescape")


@contextlib.contextmanager
def of_command() -> Iterator[None]:
    """Makes writes to stderr never fail, and stdout take every character, if necessary as an escape."""
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
    """Discards the rest of stdout at exit. Otherwise Python would fail to write it and exit with 120."""
    with contextlib.suppress(OSError, ValueError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
