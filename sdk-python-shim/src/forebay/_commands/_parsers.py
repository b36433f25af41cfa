"""Adds commands to the parser, with the arguments that several of them have."""

from __future__ import annotations

from argparse import SUPPRESS, ArgumentParser, Namespace, RawDescriptionHelpFormatter
from collections.abc import Callable
from typing import Any

from forebay._parser import Parser, count

Run = Callable[[Namespace], None]


class Commands:
    """The commands of a parser, or the actions of a command."""

    def __init__(self, parser: ArgumentParser, name: str, shared: ArgumentParser) -> None:
        self._parsers = parser.add_subparsers(dest=name.lower(), metavar=name)
        self._shared = shared

    @staticmethod
    def of(parser: ArgumentParser) -> Commands:
        return Commands(parser, "COMMAND", _shared_options())

    def add(self, name: str, run: Run | None, about: str, *, changes: bool = False) -> ArgumentParser:
        """Adds a command.

        Args:
            run: carries it out; None if the command only shows its help.
            changes: whether it changes something. Other commands exist for their output, so they fail if it is lost.
        """
        command = self._parsers.add_parser(
            name,
            parents=[self._shared],
            help=about,
            description=f"{about[0].upper()}{about[1:]}.",
            epilog="exit codes, environment variables, the form of a DURATION: see forebay --help",
            formatter_class=RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run or (lambda _: command.print_help()), changes=changes)
        return command

    def group(self, name: str, about: str, run: Run | None = None) -> Commands:
        """Adds a command with actions, and returns those. Without an action it runs ``run``, or shows its help."""
        # Without defaults, because in `forebay datasets --json list` the default of the action would reset --json.
        return Commands(self.add(name, run, about), "ACTION", _shared_options(argument_default=SUPPRESS))


def add_dataset(parser: ArgumentParser) -> None:
    parser.add_argument("dataset", metavar="NS/NAME", help="namespace and name of the dataset")


def add_version(parser: ArgumentParser) -> None:
    parser.add_argument("version", metavar="NS/NAME@VERSION", help="dataset and version")


def add_version_or_latest(parser: ArgumentParser) -> None:
    parser.add_argument(
        "version", metavar="NS/NAME[@VERSION]", help="dataset and version (default: the version that was frozen last)"
    )


def add_region(parser: ArgumentParser, about: str = "region (default: $FOREBAY_REGION)") -> None:
    parser.add_argument("--region", metavar="REGION", help=about)


def add_create(parser: ArgumentParser) -> None:
    parser.add_argument(
        "--create",
        action="store_true",
        help="create the version if the dataset does not have it; the first version of a dataset needs no --create",
    )


def add_page(parser: ArgumentParser) -> None:
    parser.add_argument("--limit", metavar="N", type=count, default=1000, help="number of entries (default: 1000)")
    parser.add_argument("--after", metavar="LAST", help="begin after this entry, the last one of the previous page")


def _shared_options(**how: Any) -> Parser:
    shared = Parser(add_help=False, **how)
    shared.add_argument("--api", metavar="URL", help="address of the control plane (default: $FOREBAY_API)")
    shared.add_argument("--json", action="store_true", help="print JSON instead of a table, also for errors")
    return shared
