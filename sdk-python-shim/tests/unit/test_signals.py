"""Cases of ``ChildSignals`` that no test of a whole step can cause reliably."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest

from forebay import _signals
from forebay._signals import ChildSignals, Ended, EndingSignals

_SLEEPS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(30)"


def test_a_signal_that_interrupts_no_system_call_is_forwarded(tmp_path: Path) -> None:
    ready = tmp_path / "ready"

    def send() -> None:
        while not ready.exists():
            time.sleep(0.01)
        # To this thread while the main one waits. The signal does not interrupt that wait, like one that comes just
        # before it.
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    sender = threading.Thread(target=send, daemon=True)
    with ChildSignals() as signals:
        sender.start()
        assert signals.call([sys.executable, "-c", _SLEEPS, str(ready)], os.environ) == -signal.SIGUSR1
    sender.join()


def test_a_signal_that_only_the_probe_has_at_the_start_is_not_forwarded(monkeypatch: pytest.MonkeyPatch) -> None:
    heard = _signals._Probe.heard
    answers = [{signal.SIGUSR1}]

    def first(probe: _signals._Probe) -> set[int]:
        if not answers:
            return heard(probe)
        signal.raise_signal(signal.SIGUSR1)  # arrives here after the probe's answer
        return set[int](answers.pop())

    monkeypatch.setattr(_signals._Probe, "heard", first)
    with ChildSignals() as signals:
        assert signals.call([sys.executable, "-c", "import time; time.sleep(2)"], os.environ) == 0


def test_signals_in_quick_succession_interrupt_once(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_signals, "_SETTLED_SECONDS", 60.0)
    with EndingSignals():
        with pytest.raises(Ended):
            signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGTERM)
        signal.raise_signal(signal.SIGINT)
        monkeypatch.setattr(_signals, "_SETTLED_SECONDS", 0.0)
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)


def test_only_the_main_thread_changes_signal_handlers() -> None:
    before = signal.getsignal(signal.SIGTERM)

    def enter() -> None:
        with EndingSignals():
            assert signal.getsignal(signal.SIGTERM) is before

    thread = threading.Thread(target=enter)
    thread.start()
    thread.join()
    assert signal.getsignal(signal.SIGTERM) is before
