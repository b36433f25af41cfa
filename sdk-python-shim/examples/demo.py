"""Runs all of Forebay on this machine, from an empty disk to an empty disk: the program of ``make demo``.

A real dataset goes into a real S3 server. An unchanged training script reads it in two regions through FUSE mounts. The
lake's own records prove that each region read each byte once. Pins protect the version. After their release and the end
of its time to live, the scheduled sweep evicts it.

Exit code 0 only if every check held. ``KEEP=1`` leaves everything up. Writes ``target/demo/report.json``.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from urllib.parse import quote

import boto3
import httpx

import lake_log
from checks import Checks, wait_until
from devstack import REPOSITORY, Devstack, DevstackFailed
from forebay import Client, ForebayError, Pinned, PinSpec, Receipt
from lake_log import LakeLog, Original, Reads
from temporal_ui import TemporalUi

_EXAMPLES = Path(__file__).resolve().parent
_TARGET = REPOSITORY / "target" / "demo"
_BUCKET = "datasets"
_PREFIX = "digits/"
_DATASET = "vision/digits"
_TTL_SECONDS = 5
_SWEEP_SECONDS = 2
_PIN_SECONDS = 900
_ACCURACY = 0.95
_AT_ONCE_SECONDS = 2.0
_EVICTED_WITHIN_SECONDS = 90.0
_SEARCHABLE_WITHIN_SECONDS = 20.0
# Headers, listings and manifests are about 2 % of the bytes that the lake sends for this dataset.
_OVERHEAD = 1.05
_ENDINGS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


@dataclass
class Region:
    """The measurements of one region."""

    name: str
    pin_id: str
    receipt: Receipt
    cold_s: float
    warm_s: float
    bytes_from_lake: int = 0
    accuracy: float = 0.0
    chunk_files: int = 0


class Demo:
    """The steps of the demo."""

    def __init__(self, stack: Devstack, stays: bool) -> None:
        self._stack = stack
        self._stays = stays
        self._checks = Checks()
        self._began = time.monotonic()
        self._version = time.strftime("%Y-%m-%d.%H%M%S")
        self._name = f"{_DATASET}@{self._version}"
        self._originals: dict[str, Original] = {}

    def run(self) -> bool:
        """Runs all steps; returns whether every check held."""
        with self._step("starting etcd, Temporal, PostgreSQL, a lake, and Forebay in two regions"):
            self._stack.start_afresh(_SWEEP_SECONDS)
        with Client(self._stack["api"]) as client:
            original = self._fill_the_lake()
            with self._step(f"registering {_DATASET}, to stay {_TTL_SECONDS} s after its last pin"):
                client.register_dataset(_DATASET, f"s3://{_BUCKET}/{_PREFIX}", ttl=_TTL_SECONDS)
            lake = LakeLog(Path(self._stack["lake.access-log"]), _BUCKET, _PREFIX)
            regions = [self._use(client, lake, region, original["shard_sha256"]) for region in self._stack.regions]
            refused = self._evict_in_vain(client, regions)
            evicted = self._let_go(client, regions)
        workflow_ids = self._workflows(regions[0].receipt)
        _TARGET.mkdir(parents=True, exist_ok=True)
        report = _report(regions, refused, evicted, workflow_ids)
        (_TARGET / "report.json").write_text(json.dumps(report, indent=2) + "\n")
        self._tell(regions)
        return not self._checks.failed

    def _fill_the_lake(self) -> dict[str, Any]:
        with self._step(f"putting 1,797 digits and a 256 MiB shard into s3://{_BUCKET}/{_PREFIX}"):
            done = subprocess.run(
                [sys.executable, str(_EXAMPLES / "digits.py"), f"s3://{_BUCKET}/{_PREFIX}"],
                env=self._stack.lake_environment(os.environ),
                stdout=subprocess.PIPE,
                text=True,
                check=True,
            )
            original: dict[str, Any] = json.loads(done.stdout)
            self._say(f"{original['objects']:,} objects, {original['bytes']:,} bytes")
            return original

    def _use(self, client: Client, lake: LakeLog, region: str, shard_sha256: str) -> Region:
        before = lake.mark()
        with self._step(f"{region}: ensure and pin {self._name}"):
            used = self._ensure(client, region)
            self._say(f"complete in {used.cold_s:.1f} s, asked again {used.warm_s * 1000:.0f} ms")
            receipt = used.receipt
            self._checks.that(
                "every byte is there and verified", receipt.bytes_verified == receipt.bytes, receipt.bytes, receipt
            )
            self._checks.that("a second ensure answers at once", used.warm_s < _AT_ONCE_SECONDS, "< 2 s", used.warm_s)
        with self._step(f"{region}: training, reading only through {receipt.path}"):
            trained = self._train(region)
            used.accuracy = trained["accuracy"]
            images_s, shard_s = trained["read_images_s"], trained["read_shard_s"]
            self._say(f"accuracy {used.accuracy:.3f}; images read in {images_s:.2f} s, the shard in {shard_s:.2f} s")
            self._checks.that("accuracy", used.accuracy > _ACCURACY, f"> {_ACCURACY}", used.accuracy)
            self._checks.that("it ran in this region", trained["region"] == region, region, trained["region"])
            seen = trained["shard_sha256"]
            self._checks.that("the shard has the bytes that were uploaded", seen == shard_sha256, shard_sha256, seen)
        self._weigh(client, used, lake.since(before))
        between = lake.mark()
        with self._step(f"{region}: training again"):
            self._train(region)
            read = sum(lake.since(between).requests.values())
            self._checks.that("a second training reads nothing from the lake", read == 0, "0 GETs", f"{read} GETs")
        used.chunk_files = len(self._stack.chunk_files(region))
        return used

    def _ensure(self, client: Client, region: str) -> Region:
        pin = PinSpec(f"demo-{region}", "make demo", _PIN_SECONDS, "show that a pin protects")
        began = time.monotonic()
        receipt = client.ensure(_DATASET, self._version, region, pin=pin, timeout="10m", create=True)
        cold = time.monotonic()
        client.ensure(_DATASET, self._version, region, timeout="1m")
        return Region(region, pin.id, receipt, cold - began, time.monotonic() - cold)

    def _train(self, region: str) -> dict[str, Any]:
        script = [sys.executable, str(_EXAMPLES / "train.py"), "--dataset", _DATASET, "--version", self._version]
        trained: dict[str, Any] = json.loads(self._stack.run_in(region, script).splitlines()[-1])
        return trained

    def _weigh(self, client: Client, used: Region, reads: Reads) -> None:
        if not self._originals:
            self._originals = self._read_manifest(client)
        wanted = used.receipt.bytes_verified
        used.bytes_from_lake = lake_log.bytes_read(reads, self._originals)
        wrong = lake_log.not_once(reads, self._originals)
        self._checks.that(
            "the lake's log: each part of each object was read once", not wrong, "one GET for each", wrong[:5]
        )
        self._checks.that(
            "the kernel's count of what the lake sent agrees",
            wanted <= reads.written_bytes <= wanted * _OVERHEAD,
            f"{wanted:,} bytes and at most {_OVERHEAD - 1:.0%} for headers, listings and manifests",
            f"{reads.written_bytes:,}",
        )
        own = used.receipt.bytes_from_lake
        self._checks.that("the receipt says the same", own == wanted == used.bytes_from_lake, wanted, own)

    def _read_manifest(self, client: Client) -> dict[str, Original]:
        manifest = client.version(_DATASET, self._version).manifest
        if manifest is None:
            raise DevstackFailed("the platform gave a receipt but shows no manifest")
        environment = self._stack.lake_environment(os.environ)
        os.environ.clear()
        os.environ.update(environment)
        return lake_log.originals(boto3.client("s3"), manifest.uri)

    def _evict_in_vain(self, client: Client, regions: list[Region]) -> bool:
        with self._step("asking for an eviction while the pins live"):
            refused = True
            for region in regions:
                try:
                    client.evict(_DATASET, self._version, region.name, reason="the demo tries")
                    answer = "evicted"
                except Pinned as error:
                    answer = error.code
                held = self._checks.that(f"{region.name} refuses", answer == "PINNED", "PINNED", answer)
                refused = refused and held
            return refused

    def _let_go(self, client: Client, regions: list[Region]) -> bool:
        with self._step("releasing the pins, and waiting for the scheduled eviction"):
            for region in regions:
                files = region.chunk_files
                self._checks.that(f"{region.name} holds chunk files until then", files > 0, "some", files)
                client.unpin(_DATASET, self._version, region.name, region.pin_id)
            released = time.monotonic()
            gone = [self._gone(client, region.name, released) for region in regions]
            return all(gone)

    def _gone(self, client: Client, region: str, released: float) -> bool:
        def state() -> str:
            return client.version(_DATASET, self._version).residency(region).state

        path = self._stack.mount(region) / _DATASET / self._version
        absent = wait_until(lambda: state() == "ABSENT", released + _EVICTED_WITHIN_SECONDS)
        after = time.monotonic() - released
        held = self._checks.that(
            f"{region}: it was evicted {after:.1f} s after its last pin", absent, "ABSENT", state()
        )
        soon = time.monotonic() + 10
        empty = wait_until(lambda: not self._stack.chunk_files(region), soon)
        files = [str(file) for file in self._stack.chunk_files(region)]
        held &= self._checks.that(f"{region}: its stores are empty again", empty, "no chunk files", files[:3])
        unseen = wait_until(lambda: not path.exists(), soon)
        held &= self._checks.that(f"{region}: its path is gone", unseen, f"no {path}", "it is there")
        return held

    def _workflows(self, receipt: Receipt) -> list[str]:
        """Returns the ids of the version's workflows, and of the sweeps that evicted it, as Temporal lists them."""
        own = receipt.workflow_id or f"dataset/{self._name}"
        sweeps = []
        with closing(TemporalUi(self._stack["temporal.ui"])) as temporal:
            for region in self._stack.regions:
                sweep = temporal.sweep_that_evicted(region, self._name, _SEARCHABLE_WITHIN_SECONDS)
                self._checks.that(f"{region}: the Schedule's sweep says that it evicted it", bool(sweep), "one", sweep)
                sweeps += [sweep] if sweep else []
            ids = temporal.workflow_ids(own)
        self._checks.that("Temporal knows the version's workflow", own in ids, own, ids)
        shown = receipt.workflow_url or ""
        page = f"{self._stack['temporal.ui']}/namespaces/default/workflows/{quote(own, safe='')}"
        self._checks.that("the receipt says where Temporal's UI shows it", shown == page, page, shown)
        return ids + sweeps

    def _tell(self, regions: list[Region]) -> None:
        first = regions[0].receipt
        print(f"\n{self._name}: {first.objects:,} objects, {first.bytes:,} bytes")
        for region in regions:
            print(
                f"  {region.name:<16} cold {region.cold_s:6.2f} s   warm {region.warm_s:6.3f} s   "
                f"from the lake {region.bytes_from_lake:,} bytes   accuracy {region.accuracy:.3f}"
            )
        gone = "" if self._stays else "   (until the stack stops; KEEP=1 leaves it up)"
        print(f"  its workflow in Temporal's UI: {first.workflow_url}{gone}")
        print(f"  report: {(_TARGET / 'report.json').relative_to(REPOSITORY)}")
        if self._checks.failed:
            print(f"\nFAILED, {len(self._checks.failed)} of the checks: {'; '.join(self._checks.failed)}")
        else:
            print(f"\nEvery check held, in {time.monotonic() - self._began:.0f} s.")

    @contextmanager
    def _step(self, what: str) -> Iterator[None]:
        began = time.monotonic()
        print(f"\n[{began - self._began:5.1f} s] {what}")
        yield
        print(f"    ({time.monotonic() - began:.1f} s)")

    def _say(self, what: str) -> None:
        print(f"    {what}")


def _report(regions: list[Region], refused: bool, evicted: bool, workflow_ids: list[str]) -> dict[str, Any]:
    return {
        "accuracy": min(region.accuracy for region in regions),
        "regions": {
            region.name: {
                "bytes_from_lake": region.bytes_from_lake,
                "bytes_of_version": region.receipt.bytes,
                "cold_s": round(region.cold_s, 3),
                "warm_s": round(region.warm_s, 3),
            }
            for region in regions
        },
        "evict_refused_while_pinned": refused,
        "evicted": evicted,
        "workflow_ids": workflow_ids,
    }


def main() -> int:
    keep = os.environ.get("KEEP", "") not in ("", "0")
    # Keeps the lines of this program and of its child programs in order in a log.
    sys.stdout.reconfigure(line_buffering=True)  # type: ignore[union-attr]
    # Both signals clean up. A shell that starts this program in the background has made it ignore SIGINT.
    for ending in _ENDINGS:
        signal.signal(ending, signal.default_int_handler)
    (_TARGET / "report.json").unlink(missing_ok=True)
    stack = Devstack(_TARGET / "stack")
    try:
        return 0 if Demo(stack, stays=keep).run() else 1
    except (ForebayError, DevstackFailed, subprocess.CalledProcessError, httpx.HTTPError) as error:
        print(f"\nFAILED: {error}", file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        print("\ninterrupted", file=sys.stderr)
        return 130
    finally:
        if keep:
            where = stack.data.relative_to(REPOSITORY)
            print("\nKEEP=1: everything stays up. Stop it with: make down")
            print(f"To use it: export FOREBAY_DATA={where}, and 'make status' shows where it is.")
        else:
            print("\nstopping what was started")
            for ending in _ENDINGS:
                signal.signal(ending, signal.SIG_IGN)
            stack.stop()


if __name__ == "__main__":
    sys.exit(main())
