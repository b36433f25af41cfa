"""Checks that the stores agree."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay._commands._output import connect, print_json, say
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


def check(options: Namespace) -> None:
    _fsck(options, repair=False)


def repair(options: Namespace) -> None:
    _fsck(options, repair=True)


def _fsck(options: Namespace, repair: bool) -> None:
    """Prints progress, because there may be many versions."""
    checked = 0
    findings: list[Finding] = []
    after: str | None = None
    with connect(options) as client:
        while True:
            page = client.fsck(options.of, repair=repair, deep=options.deep, after=after)
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
        raise NotFound("NOT_FOUND", 404, f"no store knows a version of {options.of}, so nothing was checked")
    if left:
        raise ForebayError(f"{len(left)} of {len(findings)} findings are left")


def _show(finding: Finding) -> None:
    where = [] if finding.version is None else [finding.version]
    where += [] if finding.region is None else [f"in {finding.region}"]
    say(f"{' '.join([finding.code, *where])}: {one_line(finding.message)}")
    say(f"  {_DONE.get(finding.state, finding.state)}: {one_line(finding.problem or finding.remedy)}")
