"""Processes that are killed and started again, and take over their pins and requests."""

from __future__ import annotations

import signal
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest
from control_plane import ControlPlane
from waiting import until

import forebay
from forebay import ensure_dataset_cached

_TRAINING = """
import sys, time, forebay
from pathlib import Path
with forebay.ensure_dataset_cached("vision/digits", "1", pin_for="1h", progress=False) as ds:
    Path(sys.argv[1]).write_text(ds.pin.id)
    if sys.argv[2:] == ["forever"]:
        time.sleep(600)
"""


class Training:
    """A child process that writes the id of its pin to a file."""

    def __init__(self, file: Path, *arguments: str, environment: Mapping[str, str]) -> None:
        self._file = file
        file.unlink(missing_ok=True)
        command = [sys.executable, "-c", _TRAINING, str(file), *arguments]
        self._process = subprocess.Popen(command, env=dict(environment))

    def pin(self) -> str:
        until(lambda: self._file.exists() and self._file.read_text() != "")
        return self._file.read_text()

    def kill(self) -> None:
        self._process.send_signal(signal.SIGKILL)
        assert self._process.wait(timeout=30) == -signal.SIGKILL

    def end(self) -> None:
        assert self._process.wait(timeout=60) == 0


@pytest.fixture
def environment(plane: ControlPlane, tmp_path: Path) -> dict[str, str]:
    return {"FOREBAY_API": plane.url, "FOREBAY_REGION": "eu", "FOREBAY_RUN_ID": "train-7", "HOME": str(tmp_path)}


def test_a_restarted_process_takes_over_the_pin_of_its_run(
    plane: ControlPlane, tmp_path: Path, environment: dict[str, str]
) -> None:
    first = Training(tmp_path / "pin", "forever", environment=environment)
    held = first.pin()
    first.kill()
    assert list(plane.state.pins) == [("eu", held)]
    assert plane.state.pins["eu", held]["holder"] == "run train-7"

    second = Training(tmp_path / "pin", environment=environment)
    assert second.pin() == held
    second.end()
    assert not plane.state.pins
    assert len({each.headers["idempotency-key"] for each in plane.seen("POST", "/ensure$")}) == 1


def test_a_restarted_process_joins_the_request_of_its_run(
    plane: ControlPlane, tmp_path: Path, environment: dict[str, str]
) -> None:
    plane.state.looks_until_cached = 1_000_000
    first = Training(tmp_path / "pin", environment=environment)
    until(lambda: len(plane.seen("GET", "/requests/")) > 0)
    first.kill()
    plane.state.looks_until_cached = 0
    second = Training(tmp_path / "pin", environment=environment)
    second.end()
    assert plane.state.fills == 1
    assert not plane.state.pins


def test_a_killed_process_without_a_run_leaves_its_pin_until_the_lease_ends(
    plane: ControlPlane, tmp_path: Path, environment: dict[str, str]
) -> None:
    del environment["FOREBAY_RUN_ID"]
    first = Training(tmp_path / "pin", "forever", environment=environment)
    held = first.pin()
    first.kill()
    second = Training(tmp_path / "pin", environment=environment)
    assert second.pin() != held
    second.end()
    assert list(plane.state.pins) == [("eu", held)]


@pytest.mark.parametrize("rank", ["RANK", "JOB_COMPLETION_INDEX", "SLURM_PROCID", "OMPI_COMM_WORLD_RANK"])
def test_each_rank_of_a_run_has_its_own_pin(plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, rank: str) -> None:
    held = []
    for number in ("0", "1"):
        monkeypatch.setenv(rank, number)
        held.append(ensure_dataset_cached("vision/digits", "1", pin_for="1h", run_id="train-7", progress=False))
    assert [plane.state.pins["eu", ds.pin.id]["holder"] for ds in held if ds.pin] == [
        f"run train-7 ({rank}=0)",
        f"run train-7 ({rank}=1)",
    ]
    held[0].release()
    assert len(plane.state.pins) == 1


def test_two_blocks_of_one_process_have_separate_pins(plane: ControlPlane) -> None:
    def hold() -> forebay.CachedDataset:
        return ensure_dataset_cached("vision/digits", "1", pin_for="1h", run_id="train-7", progress=False)

    with hold() as training:
        with hold() as validation:
            assert training.pin is not None
            assert validation.pin is not None
            assert training.pin.id != validation.pin.id
        assert list(plane.state.pins) == [("eu", training.pin.id)]
        first = training.pin.id
    with hold() as again:
        assert again.pin is not None
        assert again.pin.id == first


def test_repeated_calls_without_a_block_share_one_pin(plane: ControlPlane) -> None:
    for _ in range(3):
        ensure_dataset_cached("vision/digits", "1", pin_for="1h", run_id="train-7", progress=False)
    assert len(plane.state.pins) == 1


def test_another_reason_or_lease_is_a_new_request_for_the_same_pin(plane: ControlPlane) -> None:
    for lease, reason in (("1h", "train"), ("2h", "train"), ("2h", "evaluate")):
        ensure_dataset_cached("vision/digits", "1", pin_for=lease, reason=reason, run_id="7", progress=False)
    assert len(plane.state.requests) == 3
    (pin,) = plane.state.pins.values()
    assert (pin["lease"], pin["reason"]) == (7200, "evaluate")


def test_each_explicit_holder_has_its_own_pin(plane: ControlPlane) -> None:
    for holder in ("a@host-1", "a@host-2"):
        ensure_dataset_cached("vision/digits", "1", pin_for="1h", run_id="7", holder=holder, progress=False)
    assert len(plane.state.pins) == 2


def test_a_failed_call_of_a_run_keeps_the_pin_for_the_next_process(plane: ControlPlane) -> None:
    ensure_dataset_cached("vision/digits", "1", pin_for="1h", run_id="7", progress=False)
    plane.state.looks_until_cached = 1_000_000
    with pytest.raises(forebay.EnsureTimeout):
        ensure_dataset_cached("vision/digits", "1", pin_for="2h", run_id="7", timeout=1, progress=False)
    assert len(plane.state.pins) == 1
    assert plane.seen("DELETE", "/pins/") == []


def test_another_process_can_release_the_pin_of_a_run(
    plane: ControlPlane, tmp_path: Path, environment: dict[str, str]
) -> None:
    first = Training(tmp_path / "pin", "forever", environment=environment)
    first.pin()
    first.kill()
    forebay.release_dataset("vision/digits", "1", run_id="another")
    forebay.release_dataset("vision/digits", "2", run_id="train-7")
    forebay.release_dataset("vision/nothing", "1", run_id="train-7")
    assert len(plane.state.pins) == 1
    for _ in range(2):
        forebay.release_dataset("vision/digits", "1", run_id="train-7")
        assert not plane.state.pins
    with pytest.raises(forebay.ConfigurationError, match="FOREBAY_RUN_ID"):
        forebay.release_dataset("vision/digits", "1")


@pytest.mark.parametrize("version", ["1", "latest"])
@pytest.mark.parametrize("ended", [[], [0], [0, 1], [1]])
def test_release_dataset_releases_all_pins_of_one_process(plane: ControlPlane, version: str, ended: list[int]) -> None:
    plane.state.latest = "1"
    held = [
        ensure_dataset_cached("vision/digits", version, pin_for="1h", run_id="train-7", progress=False)
        for _ in range(3)
    ]
    assert len(plane.state.pins) == 3
    for each in ended:
        held[each].release()
    forebay.release_dataset("vision/digits", version, run_id="train-7")
    assert not plane.state.pins


def test_release_of_latest_releases_the_version_that_the_run_pinned(plane: ControlPlane) -> None:
    ensure_dataset_cached("vision/digits", "latest", pin_for="1h", run_id="train-7", progress=False)
    (pin,) = plane.state.pins.values()
    pin["version"] = "1"
    forebay.release_dataset("vision/digits", "latest", run_id="another")
    assert not plane.seen("DELETE", "/pins/")
    forebay.release_dataset("vision/digits", "latest", run_id="train-7")
    (sent,) = plane.seen("DELETE", "/pins/")
    assert "/versions/1/pins/" in sent.path


@pytest.mark.parametrize("version", ["1", "latest"])
def test_a_rank_releases_its_own_pin_and_other_processes_release_all_pins(
    plane: ControlPlane, monkeypatch: pytest.MonkeyPatch, version: str
) -> None:
    plane.state.latest = "1"
    for run in ("train-7", "train-77"):
        for rank in ("0", "1"):
            monkeypatch.setenv("RANK", rank)
            ensure_dataset_cached("vision/digits", version, pin_for="1h", run_id=run, progress=False)
    assert len(plane.state.pins) == 4
    assert forebay.release_dataset("vision/digits", version, run_id="train-7") == 1
    monkeypatch.delenv("RANK")
    assert forebay.release_dataset("vision/digits", version, run_id="train-7") == 1
    assert {pin["holder"] for pin in plane.state.pins.values()} == {"run train-77 (RANK=0)", "run train-77 (RANK=1)"}
    assert forebay.release_dataset("vision/digits", version, run_id="train-7") == 0


@pytest.mark.parametrize("bad", ["a\nb", " ", "\x1b[31m"])
def test_an_invalid_run_id_is_refused_before_a_request(plane: ControlPlane, bad: str) -> None:
    with pytest.raises(forebay.ConfigurationError, match="run_id is"):
        ensure_dataset_cached("vision/digits", "1", run_id=bad)
    assert plane.log == []


def test_a_long_run_id_yields_a_holder_within_the_limits(plane: ControlPlane) -> None:
    for tail in ("a", "b"):
        ensure_dataset_cached("vision/digits", "1", pin_for="1h", run_id="x" * 199 + tail, progress=False)
    assert len(plane.state.pins) == 2
    assert all(len(pin["holder"]) <= 200 and len(pin["id"]) <= 64 for pin in plane.state.pins.values())
