"""A process that only says which signals it got. Run by its path: it needs nothing of this package.

It is in the process group, session and control group of the process that started it. So what is sent to all of them
comes to it too, and what is sent to one process does not.
"""

import os
import signal
import sys


def main() -> None:
    asked = {int(number) for number in sys.argv[1:]}
    # A terminal that stops the group must not stop the answers.
    signal.pthread_sigmask(signal.SIG_BLOCK, asked | {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})
    os.write(1, b"\0")
    # Ends with the process that asks: its end of the pipe is closed then.
    while os.read(0, 1):
        got = []
        while pending := signal.sigpending() & asked:
            got.append(signal.sigwait(pending))
        os.write(1, bytes([len(got), *got]))


main()
