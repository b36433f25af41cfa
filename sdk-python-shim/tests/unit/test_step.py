"""The step, as containers run it: a process of its own."""

from __future__ import annotations

import json
import os
import pty
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from control_plane import ControlPlane, Problem

# Whoever runs the tests in the background of a shell has these ignored, and all that is started then, too.
_HEARS_SIGNALS = ("env", "--default-signal=HUP,INT,QUIT")

_SAYS_SIGNALS = """
import os, signal, sys, time
def told(number, frame):
    print(signal.Signals(number).name, flush=True)
    if number == signal.SIGTERM:
        sys.exit(17)
for each in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGUSR1):
    signal.signal(each, told)
print("ready", flush=True)
while True:
    time.sleep(60)
"""


def _step(*arguments: str) -> list[str]:
    return [sys.executable, "-m", "forebay.step", *arguments]


def _run(*arguments: str, code: int = 0, environment: Mapping[str, str] | None = None) -> tuple[str, str]:
    command = _step(*arguments)
    done = subprocess.run(
        command, capture_output=True, text=True, timeout=60, env={**os.environ, **(environment or {})}
    )
    assert done.returncode == code, done.stderr
    return done.stdout, done.stderr


def _python(program: str) -> list[str]:
    return ["--", sys.executable, "-c", program]


def test_the_program_runs_on_the_version_while_it_is_held(
    plane: ControlPlane, mount_root: Path, tmp_path: Path
) -> None:
    path, receipt = tmp_path / "out" / "path", tmp_path / "out" / "receipt.json"
    program = (
        "import os, forebay\n"
        "path = os.environ['FOREBAY_DATASET_PATH']\n"
        "with forebay.Client() as client:\n"
        "    print(os.listdir(path), [pin.reason for pin in client.version_pins('vision/digits', '1')])\n"
    )
    arguments = ["--dataset", "vision/digits", "--version", "1", "--region", "eu", "--reason", "step"]
    out, _ = _run(*arguments, "--path-file", str(path), "--receipt-file", str(receipt), *_python(program))
    assert out == "['labels.csv'] ['step']\n"
    assert path.read_text() == f"{mount_root}/vision/digits/1"
    told = json.loads(receipt.read_text())
    assert (told["bytes_verified"], told["path"]) == (64 << 20, path.read_text())
    assert told["pin"]["reason"] == "step"
    assert not plane.state.pins
    assert len(plane.seen("POST", "/ensure$")) == 1


def test_the_exit_code_is_the_programs_and_the_pin_is_released(plane: ControlPlane) -> None:
    _run("--dataset", "vision/digits@1", *_python("import sys; sys.exit(41)"), code=41)
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    _run("--dataset", "vision/digits@1", *_python(kill), code=128 + signal.SIGKILL)
    _run("--dataset", "vision/digits@1", "--", "no-such-program", code=127)
    _run("--dataset", "vision/digits@1", "--", "/", code=126)
    assert not plane.state.pins


def test_without_a_program_it_ends_when_the_version_is_there(plane: ControlPlane, tmp_path: Path) -> None:
    plane.mount_root = "/nowhere"
    _run("--dataset", "vision/digits@1", "--path-file", str(tmp_path / "path"))
    assert (tmp_path / "path").read_text() == "/nowhere/vision/digits/1"
    assert not plane.state.pins
    _run("--dataset", "vision/digits@1", "--pin-for", "12h")
    assert [pin["lease"] for pin in plane.state.pins.values()] == [12 * 3600]


def test_all_of_it_may_come_from_the_environment(plane: ControlPlane, tmp_path: Path) -> None:
    environment = {
        "FOREBAY_DATASET": "vision/digits",
        "FOREBAY_VERSION": "1",
        "FOREBAY_RUN_ID": "train-7",
        "FOREBAY_PATH_FILE": str(tmp_path / "path"),
        "FOREBAY_RECEIPT_FILE": str(tmp_path / "receipt"),
    }
    _run("--timeout", "", "--region", "", "--pin-for", "1h", environment=environment)
    assert json.loads((tmp_path / "receipt").read_text())["pin"]["holder"] == "run train-7"
    assert (tmp_path / "path").exists()


def test_it_may_hold_nothing_and_tell_what_comes_next(plane: ControlPlane) -> None:
    program = "import forebay; print(forebay.Client().version_pins('vision/digits', '1'))"
    out, _ = _run("--dataset", "vision/digits@1", "--no-pin", "--prefetch", "vision/digits@2", *_python(program))
    assert out == "()\n"
    assert [each.path.split("/")[-2] for each in plane.seen("POST", "/ensure$")] == ["1", "2"]


def test_it_may_ask_on_terms(plane: ControlPlane) -> None:
    terms = ["--min-coverage", "0.5", "--deadline", "10m", "--on-deadline", "run_cold"]
    _run("--dataset", "vision/digits@1", "--no-pin", *terms)
    (asked,) = plane.seen("POST", "/ensure$")
    assert (asked.body["min_coverage"], asked.body["deadline_seconds"]) == (0.5, 600)
    assert asked.body["on_deadline"] == "run_cold"
    _, said = _run("--dataset", "vision/digits@1", "--min-coverage", "half", code=2)
    assert "--min-coverage is 'half', not a number from 0 to 1" in said


def test_a_step_that_fails_says_why_as_the_command_does(plane: ControlPlane, tmp_path: Path) -> None:
    _, err = _run(*_python("pass"), code=2)
    assert err == "forebay.step: no dataset is named: write --dataset, or set FOREBAY_DATASET\n"
    for wrong in (
        ["--dataset", "vision/digits"],
        ["--dataset", "vision/digits@1", "--"],
        ["--dataset", "vision/digits@1", "--no-pin", "--pin-for", "1h"],
        ["--dataset", "vision/digits@1", "--nonsense"],
        ["--dataset", "vision/digits@1", "--path-file", str(tmp_path)],
    ):
        _run(*wrong, code=2)
    _run("--dataset", "vision/nothing@1", code=4)
    plane.state.fill_fails = Problem(409, "LAKE_OBJECT_CHANGED", "a.png was overwritten")
    _, err = _run("--dataset", "vision/digits@1", *_python("pass"), code=1)
    assert err == "forebay.step: LAKE_OBJECT_CHANGED: a.png was overwritten\n"
    assert not plane.state.pins


def test_signals_go_to_the_program(plane: ControlPlane) -> None:
    command = [*_HEARS_SIGNALS, *_step("--dataset", "vision/digits@1", *_python(_SAYS_SIGNALS))]
    with subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, text=True) as step:
        assert step.stdout is not None
        assert step.stdout.readline() == "ready\n"
        assert len(plane.state.pins) == 1
        for number in (signal.SIGUSR1, signal.SIGHUP, signal.SIGINT, signal.SIGTERM):
            step.send_signal(number)
            assert step.stdout.readline() == number.name + "\n"
        assert step.wait(timeout=30) == 17
    assert not plane.state.pins


def test_what_a_terminal_says_to_both_is_not_said_twice(plane: ControlPlane) -> None:
    child, terminal = pty.fork()
    if child == 0:
        os.execvp("env", [*_HEARS_SIGNALS, *_step("--dataset", "vision/digits@1", "-q", *_python(_SAYS_SIGNALS))])
    said = b""

    def hears(word: bytes) -> None:
        nonlocal said
        deadline = time.monotonic() + 30
        while word not in said:
            assert time.monotonic() < deadline
            said += os.read(terminal, 1024)

    try:
        hears(b"ready")
        os.write(terminal, b"\x03")
        hears(b"SIGINT")
        os.kill(child, signal.SIGTERM)
        hears(b"SIGTERM")
        assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 17
    finally:
        os.close(terminal)
    assert said.count(b"SIGINT") == 1


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT])
def test_a_signal_while_it_waits_ends_it_and_lets_go(plane: ControlPlane, number: signal.Signals) -> None:
    plane.state.looks_until_cached = 1_000_000
    command = [*_HEARS_SIGNALS, *_step("--dataset", "vision/digits@1", *_python("pass"))]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as step:
        _until(lambda: len(plane.seen("GET", "/requests/")) > 0)
        step.send_signal(number)
        assert step.wait(timeout=30) == 128 + number
        assert step.stderr is not None
        assert step.stderr.read().endswith(f"forebay.step: ended by {number.name}\n")
    assert len(plane.seen("DELETE", "/pins/")) == 1


def test_the_pin_is_renewed_while_the_program_runs(plane: ControlPlane) -> None:
    _run("--dataset", "vision/digits@1", "--pin-for", "3s", *_python("import time; time.sleep(5)"))
    assert len(plane.seen("POST", "/renew$")) >= 3


def test_steps_may_be_nested_to_hold_several(plane: ControlPlane, mount_root: Path) -> None:
    (mount_root / "vision" / "digits" / "2").mkdir()
    program = "import forebay; print(len(forebay.Client().pins('eu')))"
    inner = _step("--dataset", "vision/digits@2", *_python(program))
    out, _ = _run("--dataset", "vision/digits@1", "--", *inner, environment={"FOREBAY_RUN_ID": "train-7"})
    assert out == "2\n"
    assert not plane.state.pins


def _until(condition: Callable[[], bool], seconds: float = 20.0) -> None:
    deadline = time.monotonic() + seconds
    while not condition():
        assert time.monotonic() < deadline, "the condition did not come true"
        time.sleep(0.01)
