"""What ``ChildSignals`` does that no test of a whole step can bring about at will."""

from __future__ import annotations

import os
import signal
import sys
import threading
import time
from pathlib import Path

from forebay._signals import ChildSignals

_SLEEPS = "import pathlib, sys, time; pathlib.Path(sys.argv[1]).touch(); time.sleep(30)"


def test_a_signal_that_interrupts_no_system_call_is_passed_on(tmp_path: Path) -> None:
    ready = tmp_path / "ready"

    def send() -> None:
        while not ready.exists():
            time.sleep(0.01)
        # To this thread, while the main one waits: that is not interrupted, as by one that comes just before it waits.
        signal.pthread_kill(threading.get_ident(), signal.SIGUSR1)

    sender = threading.Thread(target=send, daemon=True)
    with ChildSignals() as signals:
        sender.start()
        assert signals.call([sys.executable, "-c", _SLEEPS, str(ready)], os.environ) == -signal.SIGUSR1
    sender.join()
