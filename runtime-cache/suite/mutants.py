#!/usr/bin/env python3
"""Writes docs/test-mutants.md from PIT's reports: how many mutants tests kill in each package, and which survive."""

from __future__ import annotations

import datetime
import sys
import xml.etree.ElementTree as ElementTree
from collections import defaultdict
from dataclasses import dataclass
from pathlib import Path

REPOSITORY = Path(__file__).resolve().parents[2]
DOCUMENT = REPOSITORY / "docs/test-mutants.md"
LEAST_PERCENT = 80


@dataclass(frozen=True)
class Mutant:
    module: str
    type: str
    method: str
    line: int
    change: str
    is_killed: bool
    is_covered: bool

    @property
    def package(self) -> str:
        return self.type.rpartition(".")[0]


def read_mutants(module: str, report: Path) -> list[Mutant]:
    return [
        Mutant(
            module,
            (it.findtext("mutatedClass") or "").split("$")[0],
            it.findtext("mutatedMethod") or "",
            int(it.findtext("lineNumber") or 0),
            # PIT repeats the method, which the entry names already.
            (it.findtext("description") or "").partition(" for ")[0],
            it.get("detected") == "true",
            it.get("status") != "NO_COVERAGE",
        )
        for it in ElementTree.parse(report).getroot()
    ]


def percent(mutants: list[Mutant]) -> float:
    return 100 * sum(it.is_killed for it in mutants) / len(mutants)


def row(*names: str, of: list[Mutant]) -> str:
    killed = sum(it.is_killed for it in of)
    return f"| {' | '.join(names)} | {len(of)} | {killed} | {percent(of):.0f} % |\n"


def document(mutants: list[Mutant]) -> str:
    packages: dict[tuple[str, str], list[Mutant]] = defaultdict(list)
    survivors: dict[str, list[Mutant]] = defaultdict(list)
    for it in mutants:
        packages[it.module, it.package].append(it)
        if not it.is_killed:
            survivors[it.type].append(it)
    text = (
        "# Mutants\n\n"
        "In `make test-mutants` the library PIT makes small changes (mutants), one at a time, in the packages that\n"
        "`pom.xml` lists: those whose tests need no server, disk or kernel. A mutant is killed if a unit test fails.\n"
        f"In each module {LEAST_PERCENT} % must be killed. This is the result of {datetime.date.today()}.\n\n"
        "| Module | Package | Mutants | Killed | |\n|---|---|---|---|---|\n"
    )
    for (module, package), its in sorted(packages.items()):
        text += row(module, f"`{package}`", of=its)
    text += row("all", "", of=mutants)
    text += "\n## Survivors\n\nEach entry has the line, the method and the change. No unit test runs a line with *.\n\n"
    for name, its in sorted(survivors.items()):
        text += f"- `{name}`\n"
        for it in sorted(its, key=lambda each: each.line):
            text += f"  - {it.line}{'' if it.is_covered else '*'} `{it.method}`: {it.change}\n"
    return text


def main() -> int:
    reports = sorted(REPOSITORY.glob("**/target/pit-reports/mutations.xml"))
    mutants = []
    for report in reports:
        mutants += read_mutants(str(report.parents[2].relative_to(REPOSITORY)), report)
    if not mutants:
        print("PIT has written no report")
        return 1
    DOCUMENT.write_text(document(mutants))
    print(f"Tests kill {percent(mutants):.1f} % of {len(mutants)} mutants: see {DOCUMENT}")
    modules = {it.module for it in mutants}
    weak = [
        module for module in sorted(modules) if percent([it for it in mutants if it.module == module]) < LEAST_PERCENT
    ]
    if weak:
        print(f"Tests kill less than {LEAST_PERCENT} % in {', '.join(weak)}: write tests for the survivors")
    return 1 if weak else 0


if __name__ == "__main__":
    sys.exit(main())
