"""Handles signals to a command, and to a program that a step runs in its place."""

from __future__ import annotations

import contextlib
import os
import select
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Iterator, Mapping, Sequence
from math import inf
from pathlib import Path
from types import FrameType, TracebackType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from typing_extensions import Self

_UNHANDLED = (
    *("SIGKILL", "SIGSTOP"),  # no process can
    *("SIGTSTP", "SIGTTIN", "SIGTTOU", "SIGCONT", "SIGCHLD"),  # stop and continue the program, too
    *("SIGURG", "SIGWINCH"),  # end no process
    *("SIGABRT", "SIGBUS", "SIGFPE", "SIGILL", "SIGSEGV", "SIGSYS", "SIGTRAP"),  # come from a fault
    *("SIGPIPE", "SIGXFSZ"),  # come from a write, and Python ignores them
)

# The signals by which terminals, schedulers, container engines and people end a process or notify it.
_HANDLED = sorted(signal.valid_signals() - {getattr(signal, name) for name in _UNHANDLED})

_SETTLED_SECONDS = 0.2
"""The time in which a sender reaches all processes that it sends a signal to, one after the other."""


class Ended(BaseException):
    """A signal other than SIGINT. It is raised in a waiting call, like ``KeyboardInterrupt``."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.number = number


def number_of(interruption: KeyboardInterrupt | Ended) -> int:
    return interruption.number if isinstance(interruption, Ended) else signal.SIGINT


def name_of(number: int) -> str:
    """Returns the name of a signal. Realtime signals are counted from the first one."""
    try:
        return signal.Signals(number).name
    except ValueError:
        return f"SIGRTMIN+{number - signal.SIGRTMIN}"


class EndingSignals:
    """Makes signals raise ``KeyboardInterrupt`` or ``Ended`` while it is entered, so that waiting calls can clean up.

    A signal that follows at once raises nothing: ``timeout`` sends its signal to a process and then to the group, and
    the second must not interrupt the clean-up. Ignored signals stay ignored. Does nothing outside the main thread,
    because only that may handle signals.
    """

    def __init__(self) -> None:
        self._before: dict[int, signal.Handlers] = {}
        self._raised_at = -inf

    def __enter__(self) -> Self:
        if threading.current_thread() is threading.main_thread():
            for number in _HANDLED:
                if signal.getsignal(number) not in (signal.SIG_IGN, None):
                    self._before[number] = signal.signal(number, self._take)  # type: ignore[assignment]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)
        self._before.clear()

    def _take(self, number: int, frame: FrameType | None) -> None:
        now = time.monotonic()
        if now - self._raised_at < _SETTLED_SECONDS:
            return
        self._raised_at = now
        if number == signal.SIGINT:
            raise KeyboardInterrupt
        raise Ended(number)


class ChildSignals(EndingSignals):
    """Does the same, but while ``call`` runs a program, the program gets each signal once.

    A terminal sends Ctrl-C to its whole foreground process group, and so do ``timeout``, some schedulers and ``kill``
    with a negative number. The program is in that group and has already received the signal. Kubernetes, and ``kill``
    of this process, send it only here, and it must be forwarded. A signal does not tell which case it is. Therefore
    this class asks a probe, a process beside the program, whether the probe has received it, too.
    """

    def __init__(self) -> None:
        super().__init__()
        self._taken: set[int] | None = None

    def call(self, program: Sequence[str], environment: Mapping[str, str]) -> int:
        """Runs a program until it ends, and returns its exit code; a signal that ended it as a negative number.

        Raises:
            OSError: if it cannot be run.
        """
        with _Probe.started(self._before) as probe, _wakeups() as wakeups:
            self._taken = set()
            child = subprocess.Popen(program, env=environment)
            # A signal during the start may have been too early for the program. Sending it twice is better than never.
            early = self._take_all()
            for number in early:
                child.send_signal(number)
            foretold = probe.heard() - early
            while child.poll() is None:
                select.select([wakeups], [], [])
                os.read(wakeups, 4096)
                if self._taken:
                    time.sleep(_SETTLED_SECONDS)
                    foretold = self._deliver(child, probe, foretold)
            return child.returncode

    def _deliver(self, child: subprocess.Popen[bytes], probe: _Probe, foretold: set[int]) -> set[int]:
        """Forwards the signals that the program has not received, and returns those that only the probe has so far."""
        taken = self._take_all()
        heard = probe.heard()
        for number in sorted(taken - (heard | foretold if _is_in_our_group(child) else set())):
            child.send_signal(number)
        return heard - taken

    def _take_all(self) -> set[int]:
        taken, self._taken = self._taken or set(), set()
        return taken

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._taken is None:
            super()._take(number, frame)
        else:
            self._taken.add(number)


class _Probe:
    """The process beside the program, which runs ``_signal_probe``."""

    def __init__(self, process: subprocess.Popen[bytes]) -> None:
        self._process = process

    @staticmethod
    @contextlib.contextmanager
    def started(numbers: Mapping[int, object]) -> Iterator[_Probe]:
        """Starts the process and waits until it receives these signals. It ends with the block or this process."""
        file = Path(__file__).with_name("_signal_probe.py")
        with subprocess.Popen(
            [sys.executable, "-I", "-S", str(file), *map(str, numbers)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            bufsize=0,
        ) as process:
            probe = _Probe(process)
            probe._read(1)
            yield probe

    def heard(self) -> set[int]:
        """Returns the signals that the probe received since the last call; none if the probe has ended."""
        assert self._process.stdin is not None
        with contextlib.suppress(OSError):
            self._process.stdin.write(b"?")
            count = self._read(1)
            return set(self._read(count[0])) if count else set()
        return set()

    def _read(self, count: int) -> bytes:
        assert self._process.stdout is not None
        return self._process.stdout.read(count)


@contextlib.contextmanager
def _wakeups() -> Iterator[int]:
    """Yields a descriptor that is readable after a signal to any thread, or the end of a child."""
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    before = signal.set_wakeup_fd(writer, warn_on_full_buffer=False)
    child_before = signal.signal(signal.SIGCHLD, lambda *_: None)
    try:
        yield reader
    finally:
        signal.signal(signal.SIGCHLD, child_before)
        signal.set_wakeup_fd(before)
        os.close(reader)
        os.close(writer)


def _is_in_our_group(child: subprocess.Popen[bytes]) -> bool:
    try:
        return os.getpgid(child.pid) == os.getpgrp()
    except ProcessLookupError:
        return False
