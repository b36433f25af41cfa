"""Restores versions that the catalogue has lost."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay._commands._output import connect, print_json, say
from forebay._commands._parsers import Commands
from forebay._errors import ForebayError


def add(commands: Commands) -> None:
    commands.add(
        "restore-catalogue",
        restore_catalogue,
        "restore datasets and versions that the catalogue has lost, from the pointers beside the manifests",
        changes=True,
    )


def restore_catalogue(options: Namespace) -> None:
    """Prints progress, because there may be many versions."""
    restored = unchanged = 0
    problems: list[str] = []
    after: str | None = None
    with connect(options) as client:
        while True:
            page = client.restore_catalogue(after=after)
            restored += page.restored
            unchanged += page.unchanged
            problems += page.problems
            after = page.next
            if after is None:
                break
            say(f"{restored} restored so far", file=sys.stderr)
    if options.json:
        print_json({"restored": restored, "unchanged": unchanged, "problems": problems})
    else:
        say(f"{restored} versions were restored, {unchanged} were not lost")
    for problem in problems:
        say(f"not restored: {problem}", file=sys.stderr)
    if problems:
        raise ForebayError(
            "some versions could not be restored: correct the problems above, and run 'forebay restore-catalogue' again"
        )
