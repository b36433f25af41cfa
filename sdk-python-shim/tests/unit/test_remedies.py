"""Checks that messages name only commands that exist."""

from __future__ import annotations

import re
import shlex
from pathlib import Path

import pytest

from forebay._cli import build_parser

_ROOT = Path(__file__).parents[3]
_MESSAGES = {
    ".java": (
        "activities/src/main",
        "workflows/src/main",
        "runtime-cache/core/src/main",
        "runtime-cache/fuse/src/main",
        "runtime-cache/worker/src/main",
    ),
    ".py": ("sdk-python-shim/src",),
}
# Placeholders in messages: %s and %d of Java, {name} of Python.
_TEXT = re.compile(r"%s|\{[^{}]*\}")
_NUMBER = re.compile(r"%,?d")


def sources() -> list[tuple[str, str]]:
    """Returns the name and the text of each file, with the parts of its literals joined."""
    return [
        (path.name, re.sub(r'"\s*\n\s*(?:\+ )?f?"', "", path.read_text(encoding="utf-8")))
        for suffix, folders in _MESSAGES.items()
        for folder in folders
        for path in sorted((_ROOT / folder).rglob(f"*{suffix}"))
    ]


def commands() -> list[tuple[str, str]]:
    found = [
        (name, _NUMBER.sub("5", _TEXT.sub("a/b@v1", command.replace("--ttl-after %s", "--ttl-after pin"))))
        for name, text in sources()
        for command in re.findall(r"'forebay ([^'\"\n]*)'", text)
    ]
    assert len(found) > 20
    return found


@pytest.mark.parametrize(("file", "command"), sorted(set(commands())))
def test_every_command_in_a_message_is_valid(file: str, command: str) -> None:
    assert build_parser().parse_args(shlex.split(command)).run is not None


def test_no_message_asks_the_user_to_send_a_request() -> None:
    verb = re.compile(r'"[^"\n]*[a-z] (?:PUT|POST|DELETE|PATCH)\b[^"\n]*"')
    found = [f"{name}: {message}" for name, text in sources() for message in verb.findall(text)]
    assert not found


def test_every_section_in_a_message_exists() -> None:
    section = re.compile(r"(docs/[a-z-]+\.md), ([A-Z][A-Za-z ]+?)(?=[,)\"%])")
    found = [named for _, text in sources() for named in section.findall(text)]
    assert len(found) >= 3
    for page, title in found:
        assert re.search(rf"^#+ {title}$", (_ROOT / page).read_text(encoding="utf-8"), re.MULTILINE), (page, title)
