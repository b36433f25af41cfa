"""Checks that every pinned package has hashes."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2]
LISTS = sorted(PACKAGE.glob("requirements-*.txt"))


def normal(name: str) -> str:
    return re.sub(r"[-_.]+", "-", name).lower()


def pins(text: str) -> dict[str, str]:
    return {normal(name): version for name, version in re.findall(r"(?m)^([\w.-]+)==([^\s;\\]+)", text)}


def test_the_requirements_files_are_the_expected_ones() -> None:
    assert [it.name for it in LISTS] == [
        f"requirements-{name}.txt" for name in ("build", "dev", "docs", "frameworks", "integrations")
    ]


@pytest.mark.parametrize("listed", LISTS, ids=lambda it: it.stem)
def test_a_lock_has_the_pinned_versions_with_hashes(listed: Path) -> None:
    lock = listed.with_suffix(".lock").read_text()

    assert pins(lock) == pins(listed.read_text()), "run 'make locks'"
    for entry in re.split(r"(?m)^(?=\S)", lock)[1:]:
        assert re.search(r"--hash=sha256:[0-9a-f]{64}\b", entry), entry


def test_all_requirements_files_pin_the_same_build_tools() -> None:
    build = pins((PACKAGE / "requirements-build.txt").read_text())

    for listed in LISTS:
        others = pins(listed.read_text())
        assert {name: others[name] for name in build.keys() & others.keys()} == {
            name: build[name] for name in build.keys() & others.keys()
        }, listed.name


def test_the_makefile_installs_packages_only_with_hashes() -> None:
    makefile = (PACKAGE.parent / "Makefile").read_text()

    for command in re.findall(r"(?m)pip install .*", makefile):
        assert "--require-hashes" in command or "-e sdk-python-shim" in command
        assert "--no-deps" in command
