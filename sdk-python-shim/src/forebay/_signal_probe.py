"""A process that only reports the signals that it receives. It runs by its path and uses nothing of this package.

It is in the process group, session and control group of the process that started it. It therefore receives signals that
are sent to all of them, and not those that are sent to one process.
"""

import os
import signal
import sys


def main() -> None:
    asked = {int(number) for number in sys.argv[1:]}
    # A terminal that stops the group must not stop the answers.
    signal.pthread_sigmask(signal.SIG_BLOCK, asked | {signal.SIGTSTP, signal.SIGTTIN, signal.SIGTTOU})
    os.write(1, b"\0")
    # Ends with the process that asks, because that closes its end of the pipe.
    while os.read(0, 1):
        got = []
        while pending := signal.sigpending() & asked:
            got.append(signal.sigwait(pending))
        os.write(1, bytes([len(got), *got]))


main()
