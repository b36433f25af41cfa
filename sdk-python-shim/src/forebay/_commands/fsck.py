"""Checks that the stores agree."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay._commands._output import connect, print_json, say
from forebay._commands._parsers import Commands
from forebay._errors import ForebayError, NotFound
from forebay._models import Finding
from forebay._text import one_line

_DONE = {
    "BY_HAND": "by hand",
    "REPAIRABLE": "--repair",
    "REPAIRED": "repaired",
    "UNDER_WAY": "under way",
    "FAILED": "not repaired",
}


def add(commands: Commands) -> None:
    command = commands.add("fsck", fsck, "check that catalogue, manifests, workflows and regions agree")
    command.add_argument("of", metavar="NS[/NAME[@VERSION]]", nargs="?", help="check only this (default: everything)")
    command.add_argument("--repair", dest="changes", action="store_true", help="repair what can be repaired")
    command.add_argument("--deep", action="store_true", help="also compare stored chunks with their checksums")


def fsck(options: Namespace) -> None:
    """Prints progress, because there may be many versions."""
    checked = 0
    findings: list[Finding] = []
    after: str | None = None
    with connect(options) as client:
        while True:
            page = client.fsck(options.of, repair=options.changes, deep=options.deep, after=after)
            checked += page.checked
            # Each page repeats which regions do not answer.
            silent = {finding.region for finding in findings if finding.code == "REGION_SILENT"}
            new = [each for each in page.findings if each.code != "REGION_SILENT" or each.region not in silent]
            findings += new
            if not options.json:
                for finding in new:
                    _show(finding)
            after = page.next
            if after is None:
                break
            say(f"{checked} versions checked so far", file=sys.stderr)
    left = [finding for finding in findings if finding.is_left]
    if options.json:
        print_json({"checked": checked, "findings": findings})
    else:
        say(f"{checked} versions checked, {len(findings)} findings, {len(left)} left")
    if options.of and not checked and not findings:
        raise NotFound("NOT_FOUND", 404, f"no store knows a version of {options.of}; nothing was checked")
    if left:
        raise ForebayError(f"{len(left)} of {len(findings)} findings are left: follow the advice below each")


def _show(finding: Finding) -> None:
    where = [] if finding.version is None else [finding.version]
    where += [] if finding.region is None else [f"in {finding.region}"]
    say(f"{' '.join([finding.code, *where])}: {one_line(finding.message)}")
    say(f"  {_DONE.get(finding.state, finding.state)}: {one_line(finding.problem or finding.remedy)}")
