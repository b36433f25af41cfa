"""Output that cannot be shown. It must fail no call and no command."""

from __future__ import annotations

import contextlib
import io
import json
import os
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from control_plane import ControlPlane

import forebay
from forebay import _display
from forebay._cli import main
from forebay._display import Unfailing
from forebay._models import Progress
from forebay._progress import ProgressDisplay
from forebay._surfaces import Log, Notebook, Surface, Terminal

_FOREBAY = (sys.executable, "-m", "forebay")


class _OnlyWrites:
    def write(self, text: str) -> None:
        pass


class _Broken:
    encoding = "no such encoding"

    def __getattr__(self, name: str) -> Any:
        raise RuntimeError(name)


def _closed() -> io.StringIO:
    stream = io.StringIO()
    stream.close()
    return stream


def _full() -> io.TextIOWrapper:
    return open("/dev/full", "w")


def _unread_pipe() -> io.TextIOWrapper:
    reader, writer = os.pipe()
    os.set_blocking(writer, False)
    try:
        while True:
            os.write(writer, bytes(4096))
    except BlockingIOError:
        os.set_blocking(writer, True)
    stream = os.fdopen(writer, "w")
    stream.__dict__["reader"] = os.fdopen(reader)  # keeps the reader as long as the stream
    return stream


_STREAMS: dict[str, Callable[[], Any]] = {
    "none": lambda: None,
    "closed": _closed,
    "full": _full,
    "only writes": _OnlyWrites,
    "broken": _Broken,
    "not a stream": lambda: 7,
    "an unread pipe": _unread_pipe,
}


@pytest.fixture(params=_STREAMS)
def stream(request: pytest.FixtureRequest) -> Iterator[Any]:
    stream = _STREAMS[request.param]()
    yield stream
    opened: list[Any] = [stream, getattr(stream, "__dict__", {}).get("reader")]
    for each in opened:
        with contextlib.suppress(Exception):
            each.close()


@pytest.mark.parametrize("kind", [Terminal, Log])
def test_progress_fails_on_no_kind_of_stream(stream: Any, kind: type[Terminal | Log]) -> None:
    display = ProgressDisplay("vision/digits@1 in eu", kind(stream))
    display(Progress("eu", "WARMING", 1, 2))
    display.done(2)


def test_a_call_does_not_fail_if_it_cannot_show_progress(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, stream: Any
) -> None:
    plane.state.looks_until_cached = 2
    monkeypatch.setattr(sys, "stderr", stream)
    with forebay.ensure_dataset_cached("vision/digits", "1", pin_for="1h") as ds:
        assert ds.path.is_dir()


def test_a_warning_filter_can_turn_a_warning_into_an_error(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("forebay._prefetch._RETRY_SECONDS", 0.0)
    plane.stop()
    with pytest.raises(forebay.ForebayWarning):
        forebay.prefetch_dataset("vision/digits", "2")


def test_progress_does_not_fail_if_the_notebook_cannot_show_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "IPython.display", None)
    surface: Surface = Notebook()
    ProgressDisplay("x", surface)(Progress("eu", "WARMING", 1, 2))


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "euc-kr", "utf-8"])
def test_output_escapes_characters_that_the_encoding_lacks(encoding: str) -> None:
    raw = io.BytesIO()
    stream = Unfailing(io.TextIOWrapper(raw, encoding=encoding, write_through=True))
    stream.write("é 한 😀\n")
    said = raw.getvalue().decode(encoding)
    assert len(said) >= len("é 한 😀\n")
    assert said.isascii() == (encoding == "ascii")
    assert (r"\ud55c" in said) == (encoding in ("ascii", "latin-1"))
    assert (r"\U0001f600" in said) == (encoding != "utf-8")


def test_the_bar_uses_only_characters_of_the_encoding() -> None:
    raw = io.BytesIO()
    terminal = Terminal(io.TextIOWrapper(raw, encoding="latin-1", write_through=True))
    ProgressDisplay("x", terminal)(Progress("eu", "WARMING", 1, 2))
    assert b"############............" in raw.getvalue()


_JOB = """
import sys
{before}
import forebay
ds = forebay.ensure_dataset_cached("vision/digits", "1", pin_for="1h", reason="학습")
forebay._prefetch._RETRY_SECONDS = 0
assert forebay.prefetch_dataset("vision/digits", "2", api="http://127.0.0.1:9") is None  # Warns.
with open(sys.argv[1], "w") as out: out.write(str(ds.path))
"""


@pytest.mark.parametrize(
    ("shell", "before"),
    [
        ("", "sys.stderr = None"),
        ("", "sys.stderr.close()"),
        ("2>&-", ""),
        ("2>/dev/full", ""),
        ("2>&4", ""),
        ("<&- >&- 2>&-", ""),
    ],
)
def test_a_job_succeeds_with_broken_streams(plane: ControlPlane, tmp_path: Path, shell: str, before: str) -> None:
    plane.state.looks_until_cached = 2
    program, out = tmp_path / "job.py", tmp_path / "out"
    program.write_text(_JOB.format(before=before), encoding="utf-8")
    done = _shell(f"{sys.executable} {program} {out} {shell}")
    assert done.returncode == 0, done.stderr
    assert out.read_text().endswith("/vision/digits/1")


# A pipe whose reader has closed it, as in `forebay datasets | head`, is open as descriptor 4.
_WITH_UNREAD_PIPE = "p=$(mktemp -u) && mkfifo $p && exec 3<>$p 4>$p && exec 3<&- && rm $p && "
_UNREAD = ">&4"


def _shell(command: str, **environment: str) -> subprocess.CompletedProcess[bytes]:
    env = {**os.environ, **environment}
    words = ["bash", "-c", _WITH_UNREAD_PIPE + command]
    return subprocess.run(words, env=env, stdin=subprocess.DEVNULL, capture_output=True, timeout=60)


_ENCODINGS = [
    {"PYTHONIOENCODING": "ascii:strict"},
    {"PYTHONIOENCODING": "euc-kr"},
    {"LC_ALL": "C", "PYTHONUTF8": "0", "PYTHONCOERCECLOCALE": "0"},
]


@pytest.mark.parametrize("environment", _ENCODINGS, ids=str)
def test_a_command_prints_in_any_encoding(plane: ControlPlane, environment: dict[str, str]) -> None:
    plane.state.datasets["vision/digits"]["source"] = "s3://lake/한국어-😀/"
    plane.state.blocked = {"code": "LAKE_DENIED", "message": "학습 😀 é"}
    forebay.ensure_dataset_cached("vision/digits", "1", pin_for="1h", holder="김철수", reason="학습", progress=False)
    for words in ("pins", "datasets show vision/digits", "status vision/digits@1", "pins --json"):
        done = _shell(f"{' '.join(_FOREBAY)} {words}", **environment)
        assert done.returncode == 0, done.stderr
        assert done.stderr == b""
        if "--json" in words:
            assert json.loads(done.stdout)[0]["holder"] == "김철수"
    refused = _shell(f"{' '.join(_FOREBAY)} status 한국어@", **environment)
    assert refused.returncode == 2
    assert refused.stderr.startswith(b"forebay: ")


@pytest.mark.parametrize("environment", _ENCODINGS, ids=str)
def test_ensure_and_step_write_paths_without_escapes(
    plane: ControlPlane, tmp_path: Path, environment: dict[str, str]
) -> None:
    root = tmp_path / "데이터"
    (root / "vision" / "digits" / "1").mkdir(parents=True)
    ensure = f'ls -d "$({" ".join(_FOREBAY)} ensure vision/digits@1 --region eu)"'
    plane.mount_root = str(root)
    for given in ({"FOREBAY_MOUNT_ROOT": str(root)}, {}):
        done = _shell(ensure, **environment, **given)
        assert done.stdout.decode() == f"{root}/vision/digits/1\n", done.stderr
        file = tmp_path / "path"
        step = f"{sys.executable} -m forebay.step -q --dataset vision/digits@1 --path-file {file}"
        assert _shell(step, **environment, **given).returncode == 0
        assert file.read_text(encoding="utf-8") == f"{root}/vision/digits/1"


_QUERIES = ["costs", "regions --json", "completion bash"]
_ACTIONS = ["ensure vision/digits@1", "evict vision/digits@1"]


@pytest.mark.parametrize("words", _QUERIES + _ACTIONS)
def test_a_command_with_closed_or_full_streams_has_the_right_exit_code(plane: ControlPlane, words: str) -> None:
    plane.state.cached.add(("eu", "vision/digits@1"))
    plane.state.priced = False  # causes a message on stderr
    command = f"{' '.join(_FOREBAY)} {words}"
    for quiet in (">&-", "2>/dev/full", ">&- 2>&-", _UNREAD):
        done = _shell(f"{command} {quiet}")
        assert (done.returncode, b"Traceback" in done.stderr) == (0, False), (quiet, done.stderr)
        plane.state.pins.clear()
        plane.state.cached.add(("eu", "vision/digits@1"))
    lost = _shell(f"{command} >/dev/full")
    assert lost.returncode == (1 if words in _QUERIES else 0)
    said = b"stdout did not take the output: No space left on device"
    assert said in lost.stderr
    assert lost.stderr.strip().count(b"\n") <= 3


@pytest.mark.parametrize("words", ["pins --help", "--version"])
@pytest.mark.parametrize("streams", [">&-", ">&- 2>&-", ">/dev/full", _UNREAD])
def test_help_without_a_reader_is_no_error(words: str, streams: str) -> None:
    done = _shell(f"{' '.join(_FOREBAY)} {words} {streams}")
    assert (done.returncode, done.stderr) == (0, b"")


@pytest.mark.parametrize("streams", ["2>&-", "2>/dev/full"])
def test_an_error_that_stderr_cannot_take_keeps_its_exit_code(plane: ControlPlane, streams: str) -> None:
    for words, code in (("nonsense", 2), ("status team/none@1 --json", 4)):
        done = _shell(f"{' '.join(_FOREBAY)} {words} {streams}")
        assert (done.returncode, done.stdout) == (code, b"")


def test_the_command_restores_the_streams_of_its_caller(capsys: pytest.CaptureFixture[str]) -> None:
    before = sys.stdout, sys.stderr, sys.stdout.errors
    with _display.of_command():
        assert isinstance(sys.stderr, Unfailing)
    assert (sys.stdout, sys.stderr, sys.stdout.errors) == before


def test_progress_of_a_command_does_not_wait_for_a_reader(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_display, "_TIMEOUT_SECONDS", 600.0)
    with contextlib.closing(_unread_pipe()) as pipe:
        stderr = Unfailing(pipe)  # the stderr of a running command
        ProgressDisplay("v", Log(stderr))(Progress("eu", "WARMING", 1, 2))  # type: ignore[arg-type]
        pipe.__dict__["reader"].close()


def test_a_command_ends_although_nothing_reads_its_stderr(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], mount_root: Path
) -> None:
    monkeypatch.setattr(_display, "_TIMEOUT_SECONDS", 0.1)
    with contextlib.closing(_unread_pipe()) as stderr:
        monkeypatch.setattr(sys, "stderr", stderr)
        assert main(["ensure", "vision/digits@1", "--pin-for", "1h"]) == 0
        assert capsys.readouterr().out == f"{mount_root}/vision/digits/1\n"
        assert main(["status", "vision/nothing"]) == 4
        stderr.__dict__["reader"].close()
