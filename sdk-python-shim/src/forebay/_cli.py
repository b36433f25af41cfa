"""The command ``forebay``: arguments in, exit code out. The commands themselves are in ``_commands``."""

from __future__ import annotations

import argparse
import contextlib
import os
import sys
from collections.abc import Sequence
from importlib.metadata import version

from forebay import _display
from forebay._commands import ALL, Commands
from forebay._errors import ConfigurationError, ForebayError
from forebay._outcomes import FAILED, exit_code, report, report_interruption, show_warnings_of
from forebay._parser import Parser
from forebay._signals import Ended, EndingSignals
from forebay._values import is_text

_NAME = "forebay"

_EPILOG = """\
exit codes:
  0  done
  1  failed: the platform tried and could not, or a time limit passed
  2  wrong usage: an argument or environment variable is missing or wrong
  3  refused: PINNED, EVICTING, ALREADY_EXISTS, DENIED, CAPACITY_EXCEEDED, TOO_LARGE or CANCELLED
  4  not found: no such dataset, version, pin or region
  5  unreachable: the control plane does not answer, or another server does
  128 plus the number of a signal that ended the command: 130 for Ctrl-C

With --json an error is one line on stderr: {"code", "message", "field", "retryable"}. Before it, `ensure` prints each
reason for a wait: {"waiting": {"region", "code", "message"}}.

environment:
  FOREBAY_API         address of the control plane, for example http://127.0.0.1:8080
  FOREBAY_REGION      region, if a command has no --region
  FOREBAY_MOUNT_ROOT  where this machine mounts datasets, if it differs from the region's path
  FOREBAY_RUN_ID      run of this process: after a restart it takes over its pin
  FOREBAY_JOB_UID     uid of the Kubernetes Job of this process: `ensure --pin-for` names it in the pin
  FOREBAY_TOKEN_FILE  file with a bearer token
  FOREBAY_SERVICE_CA  file with the certificate authorities, in PEM, of a control plane with https
  SSL_CERT_FILE, SSL_CERT_DIR
                      the same for all programs of the machine
  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY
                      proxy to a control plane that is not on this machine

A DURATION is written 90s, 30m, 12h, 7d or 1h30m; a plain number means seconds.
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    if "_ARGCOMPLETE" in os.environ:
        _complete()
    given = sys.argv[1:] if arguments is None else arguments
    with _display.of_command(), EndingSignals():
        show_warnings_of(_NAME)
        return _main(given)


def _main(given: Sequence[str]) -> int:
    parser = build_parser()
    options = argparse.Namespace(json="--json" in given, changes=False)
    try:
        options = parser.parse_args([_text(word) for word in given], options)
        options.run(options)
        sys.stdout.flush()
    except ForebayError as error:
        report(error, _NAME, options.json)
        return exit_code(error)
    except (KeyboardInterrupt, Ended) as interruption:
        return report_interruption(interruption, _NAME, options.json)
    except BrokenPipeError:
        # The reader of the pipe has closed it: `forebay datasets | head`.
        _display.discard_stdout()
    except OSError as error:
        _display.discard_stdout()
        report(_NotPrinted(f"stdout did not take the output: {error.strerror}"), _NAME, options.json)
        # A command that changes nothing exists for its output.
        return 0 if options.changes else FAILED
    return 0


class _NotPrinted(ForebayError):
    code = "NOT_PRINTED"


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=_NAME,
        description="Bring versions of datasets close to the GPUs, pin them there, and evict them.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"forebay {version('forebay')}")
    parser.set_defaults(run=lambda _: parser.print_help())
    commands = Commands.of(parser)
    for add in ALL:
        add(commands)
    return parser


def _complete() -> None:
    """Answers a shell that asks for completions, and ends. Does nothing without the extra ``forebay[completion]``."""
    with contextlib.suppress(ImportError):
        import argcomplete

        argcomplete.autocomplete(build_parser())


def _text(word: str) -> str:
    if not is_text(word):
        raise ConfigurationError(f"the argument {word!r} is not text in this machine's encoding")
    return word
