"""Asks real shells for their completions. Shells that are not installed are skipped: Debian has zsh and fish."""

from __future__ import annotations

import os
import pty
import select
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from forebay._cli import main

# Writes every offered word to a file before it calls the shell's own compadd.
_ZSH_SPY = """\
PS1='READY> '
unsetopt beep
autoload -Uz compinit && compinit -D
compadd() {
    local -a offered
    if (( ! ${@[(I)-[OAD]]} )); then
        builtin compadd -O offered "$@"
        (( $#offered )) && print -rl -- $offered >> $SPY
    fi
    builtin compadd "$@"
}
source $SCRIPT
"""


def _needs(shell: str) -> pytest.MarkDecorator:
    return pytest.mark.skipif(shutil.which(shell) is None, reason=f"there is no {shell} here")


@pytest.fixture
def saved(tmp_path: Path, shell: str, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Path:
    """The script for a shell, with a ``forebay`` on the path for it to ask."""
    command = tmp_path / "bin" / "forebay"
    command.parent.mkdir()
    command.write_text(f'#!/bin/sh\nexec {sys.executable} -m forebay "$@"\n')
    command.chmod(0o755)
    monkeypatch.delenv("FOREBAY_API", raising=False)
    monkeypatch.setenv("PATH", f"{command.parent}:{os.environ['PATH']}")
    assert main(["completion", shell]) == 0
    path = tmp_path / f"completion.{shell}"
    path.write_text(capsys.readouterr().out)
    return path


@pytest.mark.parametrize(
    "shell", ["bash", pytest.param("fish", marks=_needs("fish")), pytest.param("zsh", marks=_needs("zsh"))]
)
def test_the_completion_offers_commands_actions_options_and_choices(saved: Path, shell: str) -> None:
    offered = {"bash": _bash, "fish": _fish, "zsh": _zsh}[shell]
    assert offered(saved, "forebay ev") == {"evict"}
    assert {"ensure", "status", "pin", "pins"} <= offered(saved, "forebay ")
    assert offered(saved, "forebay datasets re") == {"register"}
    assert offered(saved, "forebay evict a/b@1 --re") == {"--region", "--reason"}
    assert offered(saved, "forebay datasets register a/b s3://c/ --t") == {"--ttl", "--ttl-after"}
    assert offered(saved, "forebay completion ") >= {"bash", "fish", "zsh"}


@pytest.mark.parametrize("shell", ["bash", "fish", "zsh"])
def test_completion_scripts_need_no_control_plane(saved: Path, shell: str) -> None:
    assert "_ARGCOMPLETE=1" in saved.read_text().replace("_ARGCOMPLETE 1", "_ARGCOMPLETE=1")


def test_the_completion_command_names_the_missing_extra(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setitem(sys.modules, "argcomplete.shell_integration", None)
    assert main(["completion", "bash"]) == 2
    assert capsys.readouterr().err == ("forebay: completion needs argcomplete: pip install 'forebay[completion]'\n")


@pytest.mark.parametrize("shell", [pytest.param("zsh", marks=_needs("zsh"))])
def test_zsh_loads_the_completion_from_a_directory_of_functions(saved: Path, tmp_path: Path) -> None:
    functions = tmp_path / "functions"
    functions.mkdir()
    saved.rename(functions / "_forebay")
    loaded = tmp_path / "load"
    loaded.write_text(f"fpath=({functions} $fpath); compinit -D\n")
    assert _zsh(loaded, "forebay datasets re") == {"register"}


def _bash(saved: Path, line: str) -> set[str]:
    program = f"source {saved}; COMP_LINE='{line}' COMP_POINT={len(line)} COMP_TYPE=9; _python_argcomplete forebay\n"
    program += "printf '%s\\n' \"${COMPREPLY[@]}\""
    return set(subprocess.run(["bash", "-c", program], check=True, capture_output=True, text=True).stdout.split())


def _fish(saved: Path, line: str) -> set[str]:
    program = f"source {saved}; complete -C '{line}'"
    done = subprocess.run(["fish", "--no-config", "-c", program], check=True, capture_output=True, text=True)
    assert done.stderr == ""
    return {each.split("\t")[0] for each in done.stdout.splitlines()}


def _zsh(saved: Path, line: str) -> set[str]:
    spy = saved.parent / "offered"
    spy.write_text("")
    setup = saved.parent / "setup"
    setup.write_text(_ZSH_SPY)
    environment = {**os.environ, "SPY": str(spy), "SCRIPT": str(saved), "ZDOTDIR": str(saved.parent), "TERM": "dumb"}
    with _terminal(["zsh", "-f", "-i"], environment) as terminal:
        # The shell itself reads keys only after its prompt. Before that, the terminal would act on Ctrl-U.
        os.write(terminal, f"source {setup}\n".encode())
        _read_until(terminal, b"READY> ")
        # Ctrl-U clears the line again.
        os.write(terminal, line.encode() + b"\t\x15print DONE$((40 + 2))\n")
        said = _read_until(terminal, b"DONE42")
    assert b"_forebay:" not in said, said
    return {each.strip() for each in spy.read_text().splitlines()}


@contextmanager
def _terminal(command: list[str], environment: dict[str, str]) -> Iterator[int]:
    ours, theirs = pty.openpty()
    shell = subprocess.Popen(
        command, stdin=theirs, stdout=theirs, stderr=theirs, env=environment, start_new_session=True
    )
    os.close(theirs)
    try:
        yield ours
    finally:
        shell.kill()
        shell.wait()
        os.close(ours)


def _read_until(terminal: int, mark: bytes, seconds: float = 20.0) -> bytes:
    said = b""
    deadline = time.monotonic() + seconds
    while mark not in said:
        left = deadline - time.monotonic()
        assert left > 0, said
        if select.select([terminal], [], [], left)[0]:
            said += os.read(terminal, 4096)
    return said
