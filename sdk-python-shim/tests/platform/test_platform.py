"""Checks a running platform against the API, through the package as users call it."""

from __future__ import annotations

import asyncio
import hashlib
import json
import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sample import Lake, Sample
from waiting import until

import forebay
from forebay import AsyncClient, Client, PinSpec, ensure_dataset_cached
from forebay._cli import main

_AT_ONCE_SECONDS = 10.0


def test_a_block_has_every_byte_and_pins_the_version(client: Client, sample: Sample, region: str) -> None:
    with ensure_dataset_cached(sample.name, "1", pin_for="1m", reason="test", progress=False) as ds:
        assert ds.receipt.region == region
        assert ds.receipt.objects == len(sample.files)
        assert ds.receipt.bytes == ds.receipt.bytes_verified == ds.receipt.bytes_from_lake == sample.bytes
        assert ds.receipt.workflow_id == f"dataset/{sample.name}@1"
        assert _tree(ds.path) == sample.files
        (pin,) = client.version_pins(sample.name, "1")
        assert ds.pin is not None
        assert (pin.id, pin.region, pin.reason) == (ds.pin.id, region, "test")
        with pytest.raises(forebay.Pinned):
            client.evict(sample.name, "1", region)
    assert client.version_pins(sample.name, "1") == ()


def test_the_terms_may_accept_partial_coverage(sample: Sample, region: str, capsys: pytest.CaptureFixture[str]) -> None:
    part = ensure_dataset_cached(
        sample.name,
        "1",
        min_coverage=0.01,
        deadline="5m",
        on_deadline="run_cold",
        priority="interactive",
        progress=False,
    ).receipt
    assert part.cold is None
    assert 0.01 <= part.coverage <= 1
    assert part.region == region
    main(["ensure", f"{sample.name}@1", "--min-coverage", "1", "--json"])
    receipt = json.loads(capsys.readouterr().out)
    assert (receipt["coverage"], receipt["bytes_verified"]) == (1, sample.bytes)
    with pytest.raises(forebay.UnknownRegion):
        ensure_dataset_cached(sample.name, "1", also_in=["nowhere"], progress=False)


def test_files_are_read_only_and_an_eviction_removes_them(client: Client, sample: Sample, region: str) -> None:
    ds = ensure_dataset_cached(sample.name, "1", progress=False)
    path = ds.path
    assert client.version(sample.name, "1").residency(region).percent == 100
    with pytest.raises(OSError, match="Read-only"):
        (path / "new").write_bytes(b"x")
    left = client.evict(sample.name, "1", region, reason="test")
    assert left.residency(region).state == "ABSENT"
    until(lambda: not path.exists(), seconds=60)


def test_concurrent_calls_share_one_fill_and_a_later_call_returns_at_once(sample: Sample, region: str) -> None:
    def ensure(_: int) -> forebay.Receipt:
        with Client() as own:
            return own.ensure(sample.name, "1", region, timeout="2m")

    with ThreadPoolExecutor(16) as crowd:
        receipts = list(crowd.map(ensure, range(32)))
    assert {each.manifest_digest for each in receipts} == {receipts[0].manifest_digest}
    assert {each.bytes_from_lake for each in receipts} == {sample.bytes}
    started = time.monotonic()
    ensure(0)
    assert time.monotonic() - started < _AT_ONCE_SECONDS


def test_an_idempotency_key_identifies_exactly_one_request(client: Client, sample: Sample, region: str) -> None:
    first = client.start_ensure(sample.name, "1", region, idempotency_key="k1", wait_seconds=30)
    again = client.start_ensure(sample.name, "1", region, idempotency_key="k1", wait_seconds=30)
    assert first.request_id == again.request_id
    assert first.version == again.version == "1"
    assert client.ensure_status(sample.name, "1", region, first.request_id, wait_seconds=30).done
    with pytest.raises(forebay.AlreadyExists):
        client.start_ensure(sample.name, "1", region, idempotency_key="k1", pin=PinSpec("p", "me", 60))


def test_a_block_renews_its_pin_in_the_background(client: Client, sample: Sample) -> None:
    with ensure_dataset_cached(sample.name, "1", pin_for="6s", progress=False) as ds:
        first = _end(ds.pin)
        until(lambda: _end(ds.pin) >= first + timedelta(seconds=12), seconds=60)
        ds.check()
        assert [each.id for each in client.version_pins(sample.name, "1")] == [ds.pin.id if ds.pin else None]
    assert client.version_pins(sample.name, "1") == ()


def test_a_pin_without_renewals_expires(client: Client, sample: Sample, region: str) -> None:
    client.ensure(sample.name, "1", region, pin=PinSpec("short", "me", 5))
    until(lambda: client.version_pins(sample.name, "1") == (), seconds=60)
    with pytest.raises(forebay.NotFound):
        client.renew(sample.name, "1", region, "short")


def test_pins_can_be_taken_listed_renewed_and_released(client: Client, sample: Sample, region: str) -> None:
    client.ensure(sample.name, "1", region)
    taken = client.pin(sample.name, "1", region, lease="1m", holder="me", reason="because", id="mine")
    assert (taken.id, taken.holder, taken.reason, taken.region) == ("mine", "me", "because", region)
    until(lambda: "mine" in [each.id for each in client.pins(region)], seconds=60)
    renewed = client.renew(sample.name, "1", region, "mine")
    assert taken.expires_at is not None
    assert renewed.expires_at is not None
    assert renewed.expires_at >= taken.expires_at
    client.unpin(sample.name, "1", region, "mine")
    client.unpin(sample.name, "1", region, "mine")
    assert client.version_pins(sample.name, "1") == ()


def test_a_prefetch_fills_a_version_without_a_waiting_client(client: Client, sample: Sample, region: str) -> None:
    assert forebay.prefetch_dataset(sample.name, "1") is not None
    assert forebay.prefetch_dataset(sample.name, "1") is not None
    until(lambda: client.version(sample.name, "1").residency(region).state == "CACHED", seconds=60)
    again = forebay.prefetch_dataset(sample.name, "1")
    assert again is not None
    assert client.version_pins(sample.name, "1") == ()


def test_registering_is_idempotent_and_refuses_another_source(client: Client, sample: Sample) -> None:
    assert client.register_dataset(sample.name, sample.source, ttl="1h").dataset == sample.name
    with pytest.raises(forebay.AlreadyExists):
        client.register_dataset(sample.name, sample.source + "other/")
    assert sample.name in [each.dataset for each in client.datasets("it")]
    assert client.dataset(sample.name).source == sample.source


def test_a_time_to_live_can_be_changed(client: Client, sample: Sample, region: str) -> None:
    client.ensure(sample.name, "1", region)
    assert client.set_ttl(sample.name, "1", "2h").ttl_seconds == 7200
    assert client.version(sample.name, "1").ttl_seconds == 7200


def test_unknown_datasets_versions_and_regions_are_errors(client: Client, sample: Sample, region: str) -> None:
    with pytest.raises(forebay.NotFound, match="forebay datasets register"):
        client.dataset("it/never-heard-of")
    with pytest.raises(forebay.NotFound):
        client.ensure("it/never-heard-of", "1", region)
    with pytest.raises(forebay.NotFound):
        client.version(sample.name, "never")
    with pytest.raises(forebay.UnknownRegion):
        client.ensure(sample.name, "1", "nowhere-1")


def test_freeze_creates_a_version_and_diff_compares_it(client: Client, sample: Sample, lake: Lake, region: str) -> None:
    client.ensure(sample.name, "1", region)
    with pytest.raises(forebay.NotFound, match=f"names are 1. Create it with 'forebay freeze {sample.name}@1-typo'"):
        client.ensure(sample.name, "1-typo", region)
    assert [each.version for each in client.versions(sample.name)] == ["1"]

    lake.put(sample.source.removeprefix(f"s3://{lake.bucket}/"), {"images/new": b"new", "one": b"2"})
    frozen = client.freeze(sample.name, "2")
    client.set_alias(sample.name, "prod", "1")
    moved = client.set_alias(sample.name, "prod", "2")

    assert frozen.manifest is not None
    assert frozen.manifest.objects == len(sample.files) + 1
    assert [(each.change, each.path) for each in client.diff(sample.name, "1", "2")] == [
        ("added", "images/new"),
        ("changed", "one"),
    ]
    assert {each.path for each in client.objects(sample.name, "1")} == set(sample.files)
    assert {each.path for each in client.objects(sample.name, "2", folder="images/deep")} == {
        "images/deep/er/still/a b+c&d.txt"
    }
    assert moved.before == "1"
    for name in ("prod", "latest"):
        assert client.version(sample.name, name).version == "2"


@pytest.mark.parametrize(("version", "lease"), [("-bad", 60), ("a b", 60), ("x" * 128, 60), ("1", 4), ("1", 8 * 86400)])
def test_an_invalid_field_is_refused(client: Client, sample: Sample, region: str, version: str, lease: int) -> None:
    with pytest.raises(forebay.InvalidArgument) as refused:
        client.start_ensure(sample.name, version, region, pin=PinSpec("p", "me", lease))
    assert not refused.value.retryable


def test_an_empty_source_fails_with_lake_empty(client: Client, lake: Lake, region: str) -> None:
    name = f"it/empty-{os.getpid()}-{time.monotonic_ns()}"
    client.register_dataset(name, f"s3://{lake.bucket}/{name}/")
    with pytest.raises(forebay.LakeEmpty):
        client.ensure(name, "1", region, timeout="1m")


def test_the_asynchronous_client_sends_concurrent_requests(sample: Sample, region: str) -> None:
    async def run() -> None:
        async with AsyncClient() as client:
            receipts = await asyncio.gather(*(client.ensure(sample.name, "1", region) for _ in range(4)))
            assert {each.bytes for each in receipts} == {sample.bytes}
            assert region in [each.name for each in await client.regions()]
            assert all(each.blocked.code for each in await client.blocked())

    asyncio.run(run())


def test_regions_have_live_workers(client: Client, region: str) -> None:
    (own,) = (each for each in client.regions() if each.name == region)
    assert own.reachable
    assert any(worker.live for worker in own.workers)


def test_the_command_ensures_shows_unpins_and_evicts_a_version(
    sample: Sample, region: str, capsys: pytest.CaptureFixture[str]
) -> None:
    def run(*arguments: str, code: int = 0) -> str:
        assert main(arguments) == code
        return capsys.readouterr().out

    version = f"{sample.name}@1"
    path = Path(run("ensure", version, "--quiet", "--pin-for", "1m").strip())
    assert (path / "one").read_bytes() == b"1"
    assert json.loads(run("status", version, "--json"))["manifest"]["objects"] == len(sample.files)
    assert "CACHED" in run("status", version)
    (pin,) = json.loads(run("status", version, "--json"))["pins"]
    run("evict", version, code=3)
    run("unpin", version, pin["id"])
    assert "was evicted" in run("evict", version, "--reason", "test")
    run("evict", version, code=4)
    run("status", "it/never-heard-of@1", code=4)


def test_a_step_runs_a_program_on_a_pinned_version(client: Client, sample: Sample, tmp_path: Path) -> None:
    # The catalogue lists a pin a moment after its holder has it.
    known = f'until forebay pins --json | grep -q "{sample.name}"; do sleep 0.1; done'
    program = f'sha256sum "$FOREBAY_DATASET_PATH/shard.bin"; {known}; forebay pins --json; exit 9'
    receipt = tmp_path / "receipt.json"
    arguments = ["--dataset", f"{sample.name}@1", "--run-id", sample.name, "--receipt-file", str(receipt), "-q"]
    command = [sys.executable, "-m", "forebay.step", *arguments, "--", "sh", "-c", program]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    done = subprocess.run(command, env={**os.environ, "PATH": path}, capture_output=True, text=True, timeout=120)
    assert done.returncode == 9, done.stderr
    digest, _, pins = done.stdout.partition("\n")
    assert digest.split()[0] == hashlib.sha256(sample.files["shard.bin"]).hexdigest()
    assert [each["holder"] for each in json.loads(pins) if each["dataset"] == sample.name] == [f"run {sample.name}"]
    assert json.loads(receipt.read_text())["bytes_verified"] == sample.bytes
    assert client.version_pins(sample.name, "1") == ()


def test_release_dataset_releases_the_pin_of_a_run(client: Client, sample: Sample) -> None:
    ensure_dataset_cached(sample.name, "1", pin_for="1m", run_id="r", progress=False)
    assert len(client.version_pins(sample.name, "1")) == 1
    for _ in range(2):
        forebay.release_dataset(sample.name, "1", run_id="r")
        assert client.version_pins(sample.name, "1") == ()


def _end(pin: forebay.Pin | None) -> datetime:
    assert pin is not None
    assert pin.expires_at is not None
    return pin.expires_at


def _tree(root: Path) -> dict[str, bytes]:
    return {str(path.relative_to(root)): path.read_bytes() for path in root.rglob("*") if path.is_file()}
