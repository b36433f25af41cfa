"""The parser of the command and of steps. It raises errors, and suggests known words for unknown ones."""

from __future__ import annotations

import argparse
import difflib
from collections.abc import Iterable, Sequence
from typing import NoReturn

from forebay._errors import ConfigurationError


class WrongUsage(ConfigurationError):
    """Arguments that the parser does not accept, with the usage."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class Parser(argparse.ArgumentParser):
    """Raises ``WrongUsage`` instead of printing errors, and suggests known words for unknown ones."""

    def error(self, message: str) -> NoReturn:
        raise WrongUsage(message, self.format_usage())

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            near = _did_you_mean(_with_action(str(value), action)) or _nearest(str(value), action.choices)
            # A list of all commands would hide the important part of the message.
            raise argparse.ArgumentError(None, f"there is no command {value!r}{near or _see_help(self)}")
        near = _nearest(str(value), action.choices)
        allowed = ", ".join(map(str, action.choices))
        raise argparse.ArgumentError(action, f"{value!r} is none of {allowed}{near}")

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        # Each command reports its own unknown arguments, so that the message has its usage.
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].split("=")[0]
            near = _nearest(word, self._option_string_actions) if word.startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return options, unknown


def count(word: str) -> int:
    """Parses a whole number from 1 on, as the type of an argument."""
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 1 on")
    return int(word)


def _nearest(word: str, names: Iterable[str]) -> str:
    return _did_you_mean(difflib.get_close_matches(word, list(map(str, names)), n=3))


def _with_action(word: str, commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> list[str]:
    """Returns the commands that have an action of this name: ``datasets register`` for ``register``."""
    return [
        f"{name} {word}"
        for name, parser in commands.choices.items()
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction) and word in action.choices
    ]


def _did_you_mean(near: Sequence[str]) -> str:
    return f": did you mean {' or '.join(near)}?" if near else ""


def _see_help(parser: argparse.ArgumentParser) -> str:
    return f": {parser.prog} --help lists them"
