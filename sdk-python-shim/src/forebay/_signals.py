"""What a program does with signals that runs another one in its place."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from types import FrameType, TracebackType

_FORWARDED = ("SIGTERM", "SIGINT", "SIGHUP", "SIGQUIT", "SIGUSR1", "SIGUSR2")

_OF_THE_TERMINAL = frozenset({"SIGINT", "SIGHUP", "SIGQUIT"})
"""What a terminal sends to all processes in front of it by itself."""


_LONGEST_WAIT_SECONDS = 1.0


class Ended(BaseException):
    """A signal came while no program ran: to be raised through what waits, like ``KeyboardInterrupt``."""

    def __init__(self, number: int) -> None:
        super().__init__(number)
        self.signal = signal.Signals(number)


class ChildSignals:
    """While it is entered, signals go to the program that ``call`` runs; before that they raise ``Ended``.

    Only for the main thread. Signals that were ignored stay so, for the program too.
    """

    def __init__(self) -> None:
        self._before: dict[int, signal.Handlers] = {}
        self._child: subprocess.Popen[bytes] | None = None
        self._starting = False
        self._early: list[int] = []

    def __enter__(self) -> ChildSignals:
        for name in _FORWARDED:
            number = getattr(signal, name)
            if signal.getsignal(number) is not signal.SIG_IGN:
                self._before[number] = signal.signal(number, self._take)  # type: ignore[assignment]
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        for number, handler in self._before.items():
            signal.signal(number, handler)

    def call(self, program: Sequence[str], environment: Mapping[str, str]) -> int:
        """Runs a program to its end; negative the number of the signal that ended it.

        Raises:
            OSError: if it cannot be run.
        """
        self._starting = True
        try:
            self._child = subprocess.Popen(program, env=environment)
        finally:
            self._starting = False
        for number in self._early:
            self._forward(self._child, number)
        return _end(self._child)

    def _take(self, number: int, frame: FrameType | None) -> None:
        if self._child is not None:
            self._forward(self._child, number)
        elif self._starting:
            # The program may run already, though we do not know it yet.
            self._early.append(number)
        else:
            raise Ended(number)

    def _forward(self, child: subprocess.Popen[bytes], number: int) -> None:
        if signal.Signals(number).name not in _OF_THE_TERMINAL or not _in_front_of_a_terminal():
            child.send_signal(number)


def _end(child: subprocess.Popen[bytes]) -> int:
    # A signal that comes just before the system call that waits does not interrupt it: Python would call us when it
    # returns, and that is when the program has ended.
    while True:
        try:
            return child.wait(timeout=_LONGEST_WAIT_SECONDS)
        except subprocess.TimeoutExpired:
            pass


def _in_front_of_a_terminal() -> bool:
    try:
        return os.tcgetpgrp(sys.stdin.fileno()) == os.getpgrp()
    except (OSError, ValueError, AttributeError):
        return False
