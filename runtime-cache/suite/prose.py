"""Checks the language of what people read, documents, comments, log messages and commit subjects, and its amount.

A sentence that begins with a relative clause or a fragment, an odd word, or more than 36 words are signs that a reader
must read it twice. Each kind has a limit for 1,000 sentences, in documents, code and tests alike.
"""

from __future__ import annotations

import argparse
import collections
import re
import subprocess
import sys
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import NamedTuple

LIMITS = {"fragment": 3, "odd": 5, "long": 15}
"""The most signs of each kind in 1,000 sentences."""

MOST_WORDS = 36
MOST_SUBJECT = 72

FIRST_SUBJECT = "275fa8e5"
"""The commit after which the subjects of all commits are checked."""

FRAGMENT = re.compile(r"(Who|Whom|Whose|What)(ever)?\b|(Nobody|Somebody|None|That|Of|Else|But|And|So|Lest|Likewise)\b")
ODD = re.compile(
    r"\b((no|some)body|(who|what)ever|lest|anew|(there|where)of|(is|are|be) (had|said|told of)|lets? go of"
    r"|(has|have) it that|gone on with|what (is|was) (not )?there)\b",
    re.I,
)
END = re.compile(r"(?<=[.!?])\s+(?=[A-Z`*\[])")
MARKUP = re.compile(r"\{@\w+ ([^}]*)\}|\[([^\]]*)\]\([^)]*\)|</?\w+>")

# Programs write these.
GENERATED = {"docs/test-mutants.md", "docs/test-faults.md"}

REFERENCE = GENERATED | {"docs/configuration.md", "docs/metrics.md", "docs/cli.md", "docs/rest.md"}
"""Pages for looking up. Programs write them, or tests compare them with the code."""

MOST_BYTES = {"docs": 220_000, "docs/decisions": 60_000}
"""The most bytes of text in a folder without reference pages, code blocks and the targets of links."""

MOST_KNOWN_LIMITS = 30

SECTIONS = ["Context", "Decision", "Consequences", "Alternatives"]
"""The sections of each decision record, in this order."""


class Sign(NamedTuple):
    kind: str
    place: str
    sentence: str


def tracked(*patterns: str) -> list[Path]:
    listed = subprocess.run(["git", "ls-files", "-z", *patterns], capture_output=True, text=True, check=True).stdout
    return [Path(name) for name in listed.split("\0") if name and name not in GENERATED]


def without_code(text: str) -> str:
    return re.sub(r"^(```|~~~).*?^\1", "", text, flags=re.S | re.M)


def paragraphs_of_markdown(text: str) -> Iterator[str]:
    text = without_code(text)
    for block in re.split(r"\n\s*\n|\n(?=\s*(?:[-*]|\d+\.) )", text):
        lines = [line.strip() for line in block.splitlines()]
        rows = [line for line in lines if line.startswith("|")]
        yield from (cell for row in rows for cell in row.strip("|").split("|") if len(cell.split()) > 4)
        yield " ".join(line for line in lines if line and line[0] not in "|#")


def paragraphs_of_java(text: str) -> Iterator[str]:
    for comment in re.findall(r"/\*\*(.*?)\*/", text, re.S):
        body = re.sub(r"^\s*\*", "", comment, flags=re.M)
        yield from re.split(r"\n\s*\n|<p>|<li>|\n\s*@\w+(?: \w+)?", body)
    yield from (re.sub(r"^\s*//", "", block, flags=re.M) for block in re.findall(r"(?:^\s*//.*\n)+", text, re.M))
    yield from re.findall(r'\bLOG\.\w+\(\s*"((?:[^"\\]|\\.)*)"', text)


def paragraphs_of_python(text: str) -> Iterator[str]:
    for docstring in re.findall(r'"""(.*?)"""', text, re.S):
        yield from re.split(r"\n\s*\n|\n\s*\w+: ", docstring)
    yield from (re.sub(r"^\s*#", "", block, flags=re.M) for block in re.findall(r"(?:^\s*#.*\n)+", text, re.M))


READERS = {".md": paragraphs_of_markdown, ".java": paragraphs_of_java, ".py": paragraphs_of_python}


def sentences(paths: Iterable[Path]) -> Iterator[tuple[str, str]]:
    for path in paths:
        for paragraph in READERS[path.suffix](path.read_text(encoding="utf-8")):
            plain = MARKUP.sub(lambda found: found[1] or found[2] or "", " ".join(paragraph.split()))
            for sentence in END.split(plain.lstrip("-*•0123456789. ")):
                if len(sentence.split()) > 2 and not sentence.endswith("?"):
                    yield str(path), sentence


def signs(place: str, sentence: str) -> Iterator[Sign]:
    if FRAGMENT.match(sentence):
        yield Sign("fragment", place, sentence)
    for _ in ODD.finditer(sentence):
        yield Sign("odd", place, sentence)
    if len(sentence.split()) > MOST_WORDS:
        yield Sign("long", place, sentence)


def check_sentences(name: str, paths: list[Path], worst: int) -> bool:
    read = list(sentences(paths))
    found = [sign for place, sentence in read for sign in signs(place, sentence)]
    counts = collections.Counter(sign.kind for sign in found)
    bad = {kind for kind, most in LIMITS.items() if counts[kind] * 1000 > most * len(read)}
    print(
        f"{name}: {len(read)} sentences;",
        ", ".join(
            f"{counts[kind]} {kind} ({1000 * counts[kind] / len(read):.1f} of at most {most} in 1,000)"
            for kind, most in LIMITS.items()
        ),
    )
    shown = [sign for sign in found if worst or sign.kind in bad]
    for sign in shown[: worst or 40]:
        print(f"  {sign.kind}  {sign.place}: {sign.sentence[:160]}")
    return not bad


def check_sizes() -> bool:
    good = True
    for folder, most in MOST_BYTES.items():
        texts = [path.read_text(encoding="utf-8") for path in tracked(f"{folder}/*.md") if str(path) not in REFERENCE]
        size = sum(len(re.sub(r"\]\([^)]*\)", "]", without_code(text)).encode()) for text in texts)
        print(f"{folder}: {size} bytes of text, at most {most}")
        good &= size <= most
    limits = Path("docs/known-limits.md").read_text(encoding="utf-8")
    rows = len(re.findall(r"^\| (?!limit)", limits, re.M))
    print(f"docs/known-limits.md: {rows} rows, at most {MOST_KNOWN_LIMITS}")
    return good and rows <= MOST_KNOWN_LIMITS


def template_errors(records: dict[str, str]) -> Iterator[str]:
    """Yields how decision records, texts by file name, differ from their template."""
    before = 0
    for name, text in sorted(records.items()):
        number = int(name[:4])
        if number != before + 1:
            yield f"{name}: the record before it has the number {before}"
        before = number
        if not re.match(rf"# {number}\. .+\n\nStatus: ", text):
            yield f"{name}: does not begin with '# {number}. TITLE', an empty line, and 'Status: '"
        sections = re.findall(r"^## (.*)", without_code(text), re.M)
        if sections != SECTIONS:
            yield f"{name}: has the sections {', '.join(sections)} instead of {', '.join(SECTIONS)}"


def check_decisions() -> bool:
    records = {path.name: path.read_text(encoding="utf-8") for path in tracked("docs/decisions/0*.md")}
    errors = list(template_errors(records))
    for error in errors:
        print(f"docs/decisions/{error}")
    return not errors


def check_subjects() -> bool:
    """Checks commits since the first one that is checked; a shallow clone that lacks it has nothing to check."""
    known = subprocess.run(["git", "rev-parse", "-q", "--verify", f"{FIRST_SUBJECT}^{{commit}}"], capture_output=True)
    if known.returncode:
        return True
    listed = subprocess.run(
        ["git", "log", "--no-merges", "-z", "--format=%h%x01%s%x01%b", f"{FIRST_SUBJECT}..HEAD"],
        capture_output=True,
        text=True,
        check=True,
    ).stdout
    good = True
    for commit in filter(None, listed.split("\0")):
        name, subject, body = commit.split("\1")
        wrong = [
            f"has {len(subject)} characters of {MOST_SUBJECT}" if len(subject) > MOST_SUBJECT else "",
            "" if re.match(r"[A-Z][a-z]+(?<!ed)(?<!ing) ", subject) else "does not begin with an imperative",
            "" if body.strip() else "has no body that says why",
        ]
        for each in filter(None, wrong):
            print(f"commit {name} '{subject}' {each}")
            good = False
    return good


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--worst", type=int, default=0, metavar="N", help="show N signs, also within the limits")
    worst = parser.parse_args().worst
    sources = tracked("*.java", "*.py")
    tests = [path for path in sources if {"test", "tests", "system-tests"} & set(path.parts)]
    results = [
        check_sentences("documents", tracked("*.md"), worst),
        check_sentences("code", [path for path in sources if path not in set(tests)], worst),
        check_sentences("tests", tests, worst),
        check_sizes(),
        check_decisions(),
        check_subjects(),
    ]
    return 0 if all(results) else 1


if __name__ == "__main__":
    sys.exit(main())
