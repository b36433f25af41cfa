"""Guarantees that hold when the control plane, or the training itself, is killed."""

from __future__ import annotations

import asyncio
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from datetime import datetime
from pathlib import Path

import pytest
from sample import Sample
from twin import Twin
from waiting import until

import forebay
from forebay import CachedDataset, Client, ensure_dataset_cached, ensure_dataset_cached_async

_TRAINING = """
import sys, time, forebay
from pathlib import Path
with forebay.ensure_dataset_cached(sys.argv[1], "1", pin_for="10m", progress=False) as ds:
    Path(sys.argv[2]).write_text(ds.pin.id)
    time.sleep(float(sys.argv[3]))
"""

# Leaves the second control plane two thirds of it to start again, also on a busy machine.
_LEASE_SECONDS = 30


@pytest.fixture
def twin(client: Client, tmp_path: Path) -> Iterator[Twin]:
    twin = Twin(client.api, tmp_path)
    try:
        twin.start()
        yield twin
    finally:
        twin.kill()


def test_pins_survive_a_control_plane_that_is_killed(twin: Twin, client: Client, sample: Sample) -> None:
    lease = f"{_LEASE_SECONDS}s"

    def outlive(ds: CachedDataset, other: CachedDataset) -> None:
        taken = {_end(ds), _end(other)}
        twin.kill()
        # Long enough that both renew without an answer after a third of their leases, short enough that both stay
        # alive.
        time.sleep(_LEASE_SECONDS / 3 + 1)
        assert {_end(ds), _end(other)} == taken
        twin.start()
        until(lambda: min(_end(ds), _end(other)) > max(taken), seconds=60)
        ds.check()
        other.check()
        held = {each.id for each in client.version_pins(sample.name, "1")}
        assert held == {each.pin.id for each in (ds, other) if each.pin is not None}

    async def hold_another(ds: CachedDataset) -> None:
        async with await ensure_dataset_cached_async(
            sample.name, "1", pin_for=lease, reason="other", progress=False, api=twin.url
        ) as other:
            await asyncio.to_thread(outlive, ds, other)

    with ensure_dataset_cached(sample.name, "1", pin_for=lease, progress=False, api=twin.url) as ds:
        asyncio.run(hold_another(ds))
    assert client.version_pins(sample.name, "1") == ()


def test_a_killed_training_has_the_same_pin_after_a_restart(client: Client, sample: Sample, tmp_path: Path) -> None:
    def train(file: Path, seconds: float) -> subprocess.Popen[bytes]:
        command = [sys.executable, "-c", _TRAINING, sample.name, str(file), str(seconds)]
        return subprocess.Popen(command, env={**os.environ, "FOREBAY_RUN_ID": sample.name})

    first = train(tmp_path / "first", 600)
    try:
        until(lambda: (tmp_path / "first").exists(), seconds=60)
    finally:
        first.send_signal(signal.SIGKILL)
        first.wait(timeout=30)
    (held,) = client.version_pins(sample.name, "1")
    assert held.holder == f"run {sample.name}"

    second = train(tmp_path / "second", 2)
    until(lambda: (tmp_path / "second").exists(), seconds=60)
    assert [each.id for each in client.version_pins(sample.name, "1")] == [held.id]
    assert second.wait(timeout=60) == 0
    assert (tmp_path / "first").read_text() == (tmp_path / "second").read_text() == held.id
    assert client.version_pins(sample.name, "1") == ()


def test_a_training_that_ends_slowly_leaves_its_pin_to_its_replacement(
    client: Client, sample: Sample, tmp_path: Path
) -> None:
    command = [sys.executable, "-c", _TRAINING, sample.name, str(tmp_path / "first"), "600"]
    first = subprocess.Popen(command, env={**os.environ, "FOREBAY_RUN_ID": sample.name})
    try:
        until(lambda: (tmp_path / "first").exists(), seconds=60)
        with ensure_dataset_cached(sample.name, "1", pin_for="10m", run_id=sample.name, progress=False) as ds:
            first.send_signal(signal.SIGINT)
            first.wait(timeout=60)
            assert ds.pin is not None
            assert ds.pin.id == (tmp_path / "first").read_text()
            assert [each.id for each in client.version_pins(sample.name, "1")] == [ds.pin.id]
    finally:
        first.kill()
        first.wait(timeout=30)
    assert client.version_pins(sample.name, "1") == ()


def test_a_later_request_of_a_run_changes_the_reason_of_its_pin(client: Client, sample: Sample) -> None:
    for lease, reason in (("1m", "train"), ("2m", "evaluate")):
        ensure_dataset_cached(sample.name, "1", pin_for=lease, reason=reason, run_id=sample.name, progress=False)
    (pin,) = client.version_pins(sample.name, "1")
    assert pin.reason == "evaluate"


def test_two_holders_cannot_share_a_pin_id(client: Client, sample: Sample, region: str) -> None:
    client.ensure(sample.name, "1", region)
    client.pin(sample.name, "1", region, lease="1m", holder="a", id="p")
    with pytest.raises(forebay.AlreadyExists):
        client.pin(sample.name, "1", region, lease="1m", holder="b", id="p")


def _end(ds: CachedDataset) -> datetime:
    assert ds.pin is not None
    assert ds.pin.expires_at is not None
    return ds.pin.expires_at
