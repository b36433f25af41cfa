"""The step as containers run it: a process of its own."""

from __future__ import annotations

import contextlib
import json
import os
import pty
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import ClassVar

import pytest
from control_plane import ControlPlane, Problem
from waiting import until

_WRITES_SIGNALS = """
import os, signal, sys
# A signal just before a blocking call would be handled after it, but this makes the call return.
reader, writer = os.pipe()
os.set_blocking(writer, False)
signal.set_wakeup_fd(writer)
out = os.open(sys.argv[1], os.O_WRONLY | os.O_CREAT | os.O_APPEND)
# Without a buffer: a handler may interrupt the write of a line.
def write(line):
    os.write(out, line.encode() + b"\\n")
def told(number, frame):
    write(signal.Signals(number).name)
    if number == signal.SIGXCPU:
        sys.exit(17)
for each in ("HUP", "INT", "QUIT", "TERM", "USR1", "USR2", "ALRM", "XCPU"):
    signal.signal(getattr(signal, "SIG" + each), told)
if len(sys.argv) > 2:
    os.setpgid(0, 0)
write(f"{os.getppid()} {os.getpid()}")
while True:
    os.read(reader, 1)
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


def test_a_step_runs_the_program_on_the_pinned_version(plane: ControlPlane, mount_root: Path, tmp_path: Path) -> None:
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


def test_a_nested_step_ignores_the_version_of_the_outer_step(plane: ControlPlane) -> None:
    outer = {"FOREBAY_DATASET": "vision/digits", "FOREBAY_VERSION": "2"}
    _run("--dataset", "vision/digits@1", environment=outer)
    assert [each.path.split("/")[-2] for each in plane.seen("POST", "/ensure$")] == ["1"]


@pytest.mark.parametrize(
    ("arguments", "environment"),
    [
        (["--dataset", "vision/digits@1", "--version", "2"], {}),
        (["--version", "2"], {"FOREBAY_DATASET": "vision/digits@1"}),
        ([], {"FOREBAY_DATASET": "vision/digits@1", "FOREBAY_VERSION": "2"}),
    ],
)
def test_a_version_that_is_named_twice_is_refused(
    plane: ControlPlane, arguments: list[str], environment: dict[str, str]
) -> None:
    _, err = _run(*arguments, environment=environment, code=2)
    assert err == (
        "forebay.step: 'vision/digits@1' names a version, and --version or FOREBAY_VERSION names '2': "
        "leave out one of them\n"
    )
    assert plane.log == []


def test_a_step_exits_with_the_code_of_the_program_and_releases_the_pin(plane: ControlPlane) -> None:
    _run("--dataset", "vision/digits@1", *_python("import sys; sys.exit(41)"), code=41)
    kill = "import os, signal; os.kill(os.getpid(), signal.SIGKILL)"
    _run("--dataset", "vision/digits@1", *_python(kill), code=128 + signal.SIGKILL)
    _run("--dataset", "vision/digits@1", "--", "no-such-program", code=127)
    _run("--dataset", "vision/digits@1", "--", "/", code=126)
    assert not plane.state.pins


def test_a_step_without_a_program_ends_when_the_version_is_cached(plane: ControlPlane, tmp_path: Path) -> None:
    plane.mount_root = "/nowhere"
    _run("--dataset", "vision/digits@1", "--path-file", str(tmp_path / "path"))
    assert (tmp_path / "path").read_text() == "/nowhere/vision/digits/1"
    assert not plane.state.pins
    _run("--dataset", "vision/digits@1", "--pin-for", "12h")
    assert [pin["lease"] for pin in plane.state.pins.values()] == [12 * 3600]


def test_a_step_reads_its_options_from_the_environment(plane: ControlPlane, tmp_path: Path) -> None:
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


def test_a_step_may_skip_the_pin_and_prefetch_the_next_version(plane: ControlPlane) -> None:
    program = "import forebay; print(forebay.Client().version_pins('vision/digits', '1'))"
    out, _ = _run("--dataset", "vision/digits@1", "--no-pin", "--prefetch", "vision/digits@2", *_python(program))
    assert out == "()\n"
    assert [each.path.split("/")[-2] for each in plane.seen("POST", "/ensure$")] == ["1", "2"]


def test_a_step_sends_its_terms(plane: ControlPlane) -> None:
    terms = ["--min-coverage", "0.5", "--deadline", "10m", "--on-deadline", "run_cold"]
    _run("--dataset", "vision/digits@1", "--no-pin", *terms)
    (asked,) = plane.seen("POST", "/ensure$")
    assert (asked.body["min_coverage"], asked.body["deadline_seconds"]) == (0.5, 600)
    assert asked.body["on_deadline"] == "run_cold"
    _, said = _run("--dataset", "vision/digits@1", "--min-coverage", "half", code=2)
    assert "--min-coverage is 'half', not a number from 0 to 1" in said


def test_a_failed_step_has_the_errors_and_exit_codes_of_the_command(plane: ControlPlane, tmp_path: Path) -> None:
    _, err = _run(*_python("pass"), code=2)
    assert err == "forebay.step: no dataset is named: write --dataset, or set FOREBAY_DATASET\n"
    for wrong in (
        ["--dataset", "vision/digits@"],
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


def test_a_step_without_a_version_uses_the_latest(plane: ControlPlane, tmp_path: Path) -> None:
    plane.state.latest = "7"
    _run("--dataset", "vision/digits", "--path-file", str(tmp_path / "path"))
    assert (tmp_path / "path").read_text().endswith("/vision/digits/7")


def test_only_the_create_option_creates_an_unknown_version(plane: ControlPlane) -> None:
    plane.state.known = {"1"}
    _, err = _run("--dataset", "vision/digits@2", code=4)
    assert "has no version '2'; similar names are 1" in err
    _run("--dataset", "vision/digits@2", "--create", "--prefetch", "vision/digits@3")
    assert plane.state.known == {"1", "2", "3"}


class Terminal:
    """A step, or a command that runs a step, on a terminal of its own. Its program writes the signals that it gets."""

    open: ClassVar[list[Terminal]] = []

    def __init__(self, directory: Path, *before: str, stdin: str = "/dev/stdin", own_group: bool = False) -> None:
        self._file = directory / "signals"
        self._file.touch()
        program = ["--", sys.executable, "-c", _WRITES_SIGNALS, str(self._file), *(["apart"] if own_group else [])]
        step = [*before, *_step("--dataset", "vision/digits@1", "-q", *program)]
        self.pid, self.tty = pty.fork()
        if self.pid == 0:
            os.execvp("bash", ["bash", "-c", f'exec "$@" < {stdin}', "bash", *step])
        Terminal.open.append(self)
        until(lambda: len(self._lines()) == 1)
        self.step, self.program = map(int, self._lines()[0].split())
        # A step that has not run since it started the program forwards what it gets: see ChildSignals.call.
        until(lambda: all(_is_asleep(pid) for pid in (self.pid, self.step)))

    def _lines(self) -> list[str]:
        return [line for line in self._file.read_text().splitlines(keepends=True) if line.endswith("\n")]

    def got(self) -> list[str]:
        """Returns the signals that the program has got so far, before a last signal that ends it."""
        until(lambda: len(self._lines()) > 1)
        # Signals are forwarded in order, so any repetition comes before this one.
        os.kill(self.step, signal.SIGXCPU)
        until(lambda: "SIGXCPU\n" in self._lines())
        return [line.strip() for line in self._lines()[1:-1]]

    def close(self) -> int:
        ended = os.waitstatus_to_exitcode(os.waitpid(self.pid, 0)[1])
        Terminal.open.remove(self)
        self.hang_up()
        return ended

    def hang_up(self) -> None:
        if self.tty >= 0:
            os.close(self.tty)
            self.tty = -1


@pytest.fixture(autouse=True)
def ends_the_steps_of_a_failed_test() -> Iterator[None]:
    yield
    while Terminal.open:
        terminal = Terminal.open[0]
        for pid in reversed(_family(terminal.pid)):
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        terminal.close()


def _family(pid: int) -> list[int]:
    """Lists a process and its descendants."""
    children = Path(f"/proc/{pid}/task/{pid}/children").read_text().split()
    return [pid, *(each for child in children for each in _family(int(child)))]


def _is_asleep(pid: int) -> bool:
    return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] == "S"


def _types(key: bytes) -> Callable[[Terminal], object]:
    return lambda terminal: os.write(terminal.tty, key)


def _kills(number: signal.Signals) -> Callable[[Terminal], object]:
    return lambda terminal: os.kill(terminal.step, number)


def _kills_group(number: signal.Signals) -> Callable[[Terminal], object]:
    return lambda terminal: os.killpg(os.getpgid(terminal.step), number)


def _kills_each(number: signal.Signals) -> Callable[[Terminal], object]:
    """Signals a whole control group: the step, its program, and the other processes in it."""

    def kill(terminal: Terminal) -> None:
        # Lists all before the first signal: a step waits 0.2 s in case another sender signals its program.
        for pid in _family(terminal.pid):
            os.kill(pid, number)

    return kill


_SENDERS = {
    "Ctrl-C": (_types(b"\x03"), "SIGINT"),
    "Ctrl-\\": (_types(b"\x1c"), "SIGQUIT"),
    "the terminal closes": (Terminal.hang_up, "SIGHUP"),
    "Kubernetes": (_kills(signal.SIGTERM), "SIGTERM"),
    "kill -INT": (_kills(signal.SIGINT), "SIGINT"),
    "Slurm, to the task": (_kills(signal.SIGUSR1), "SIGUSR1"),
    "Slurm, to its group": (_kills_group(signal.SIGUSR1), "SIGUSR1"),
    "Slurm, to all processes": (_kills_each(signal.SIGUSR2), "SIGUSR2"),
    "systemd": (_kills_each(signal.SIGTERM), "SIGTERM"),
    "an alarm": (_kills_group(signal.SIGALRM), "SIGALRM"),
}


@pytest.mark.parametrize("stdin", ["/dev/stdin", "/dev/null"])
@pytest.mark.parametrize(("send", "name"), _SENDERS.values(), ids=_SENDERS)
def test_the_program_gets_a_signal_once_from_any_sender(
    plane: ControlPlane, tmp_path: Path, send: Callable[[Terminal], object], name: str, stdin: str
) -> None:
    terminal = Terminal(tmp_path, stdin=stdin)
    assert len(plane.state.pins) == 1
    send(terminal)
    assert terminal.got() == [name]
    assert terminal.close() == 17
    assert not plane.state.pins


@pytest.mark.parametrize("foreground", [(), ("--foreground",)])
def test_the_program_gets_the_signal_of_timeout_once(
    plane: ControlPlane, tmp_path: Path, foreground: tuple[str, ...]
) -> None:
    terminal = Terminal(tmp_path, "timeout", *foreground, "600")
    os.kill(terminal.pid, signal.SIGTERM)  # like timeout, which signals the step and then its group
    assert terminal.got() == ["SIGTERM"]
    terminal.close()


def test_a_program_in_another_process_group_gets_the_signals_of_the_step(plane: ControlPlane, tmp_path: Path) -> None:
    terminal = Terminal(tmp_path, own_group=True)
    os.write(terminal.tty, b"\x03")
    assert terminal.got() == ["SIGINT"]
    terminal.close()


def test_the_program_of_a_nested_step_gets_a_signal_once(plane: ControlPlane, tmp_path: Path) -> None:
    outer = [*_step("--dataset", "vision/digits@1", "-q"), "--"]
    for number, send in ((0, _types(b"\x03")), (1, _kills_each(signal.SIGINT))):
        directory = tmp_path / str(number)
        directory.mkdir()
        terminal = Terminal(directory, *outer)
        assert len(plane.state.pins) == 2
        send(terminal)
        assert terminal.got() == ["SIGINT"]
        assert terminal.close() == 17
    assert not plane.state.pins


def test_the_program_gets_the_stop_signals_of_container_engines(plane: ControlPlane, tmp_path: Path) -> None:
    file = tmp_path / "signals"
    asked = "PWR,PROF,VTALRM,RTMIN+3"
    program = (
        "import os, signal, sys\n"
        "numbers = {signal.SIGPWR, signal.SIGPROF, signal.SIGVTALRM, signal.SIGRTMIN + 3}\n"
        "signal.pthread_sigmask(signal.SIG_BLOCK, numbers)\n"
        "print('ready', file=open(sys.argv[1], 'a'), flush=True)\n"
        "while numbers:\n"
        "    numbers.remove(signal.sigwait(numbers))\n"
    )
    step = _step("--dataset", "vision/digits@1", *_python(program), str(file))
    with subprocess.Popen(step, stdin=subprocess.DEVNULL) as running:
        until(lambda: file.exists() and file.read_text() == "ready\n")
        for name in asked.split(","):
            subprocess.run(["kill", f"-{name}", str(running.pid)], check=True)
        try:
            assert running.wait(timeout=30) == 0
        finally:
            running.kill()
    assert not plane.state.pins


def test_a_step_without_a_terminal_forwards_signals_in_order(plane: ControlPlane, tmp_path: Path) -> None:
    file = tmp_path / "signals"
    step = _step("--dataset", "vision/digits@1", *_python(_WRITES_SIGNALS), str(file))
    with subprocess.Popen(step, stdin=subprocess.DEVNULL) as running:
        until(lambda: file.exists() and file.read_text().endswith("\n"))
        expected = [file.read_text()]
        for number in (signal.SIGUSR1, signal.SIGHUP, signal.SIGINT, signal.SIGUSR1, signal.SIGTERM, signal.SIGXCPU):
            running.send_signal(number)
            expected.append(f"{number.name}\n")
            until(lambda: file.read_text() == "".join(expected))
        assert running.wait(timeout=30) == 17
    assert not plane.state.pins


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGUSR1, signal.SIGPWR, signal.SIGRTMIN + 3])
def test_a_signal_ends_a_waiting_step_and_cancels_its_request(plane: ControlPlane, number: signal.Signals) -> None:
    plane.state.looks_until_cached = 1_000_000
    command = _step("--dataset", "vision/digits@1", *_python("pass"))
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as step:
        until(lambda: len(plane.seen("GET", "/requests/")) > 0)
        step.send_signal(number)
        assert step.wait(timeout=30) == 128 + number
        assert step.stderr is not None
        said = step.stderr.read()
    ((id, request),) = plane.state.requests.items()
    assert request["cancelled"]
    assert f"forebay.step: request {id} of vision/digits@1 is cancelled" in said
    name = number.name if isinstance(number, signal.Signals) else "SIGRTMIN+3"
    assert said.endswith(f"forebay.step: ended by {name}\n")
    assert len(plane.seen("DELETE", "/pins/")) == 1


def test_a_detached_step_leaves_its_request_to_the_platform(plane: ControlPlane) -> None:
    plane.state.looks_until_cached = 1_000_000
    command = _step("--dataset", "vision/digits@1", "--detach", "-q")
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as step:
        until(lambda: len(plane.seen("GET", "/requests/")) > 0)
        step.send_signal(signal.SIGINT)
        assert step.wait(timeout=30) == 130
        assert step.stderr is not None
        (id,) = plane.state.requests
        assert f"'forebay cancel vision/digits@1 {id}' cancels it" in step.stderr.read()
    assert not plane.seen("DELETE", "")


def test_a_step_renews_the_pin_while_the_program_runs(plane: ControlPlane) -> None:
    _run("--dataset", "vision/digits@1", "--pin-for", "3s", *_python("import time; time.sleep(5)"))
    assert len(plane.seen("POST", "/renew$")) >= 3


def test_nested_steps_pin_several_versions(plane: ControlPlane, mount_root: Path) -> None:
    (mount_root / "vision" / "digits" / "2").mkdir()
    program = "import forebay; print(len(forebay.Client().pins('eu')))"
    inner = _step("--dataset", "vision/digits@2", *_python(program))
    out, _ = _run("--dataset", "vision/digits@1", "--", *inner, environment={"FOREBAY_RUN_ID": "train-7"})
    assert out == "2\n"
    assert not plane.state.pins


def test_a_nested_step_does_not_overwrite_the_files_of_the_outer_step(
    plane: ControlPlane, mount_root: Path, tmp_path: Path
) -> None:
    (mount_root / "vision" / "digits" / "2").mkdir()
    path, receipt = tmp_path / "path", tmp_path / "receipt"
    environment = {"FOREBAY_PATH_FILE": str(path), "FOREBAY_RECEIPT_FILE": str(receipt)}
    inner = _step("--dataset", "vision/digits@1", *_python("pass"))
    _run("--dataset", "vision/digits@2", "--", *inner, environment=environment)
    assert path.read_text() == f"{mount_root}/vision/digits/2"
    assert json.loads(receipt.read_text())["path"] == path.read_text()
