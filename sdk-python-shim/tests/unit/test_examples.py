"""The parts of the examples that can be tested without a platform."""

from __future__ import annotations

import os
import sqlite3
from collections import Counter
from pathlib import Path
from typing import Any

import pytest

import demo
import digits
import train
from devstack import Devstack
from forebay import Receipt
from lake_log import LakeLog, Original, Reads, bytes_read, not_once, originals

_LINE = (
    "k {bucket} [21/November/2026:02:51:56 +0000] 127.0.0.1 k 6IJCRQ s3_{operation} {key} /{bucket}/{key} {status} -"
    " 0 0 1 1 - agent - host SigV4 - AuthHeader s3.us-east-1.amazonaws.com - arn:aws:s3:::x Yes\n"
)


def _write(log: int, key: str, operation: str = "GetObject", status: int = 200, bucket: str = "datasets") -> None:
    os.write(log, _LINE.format(bucket=bucket, operation=operation, key=key, status=status).encode())


def test_the_lake_log_counts_the_reads_since_a_mark(tmp_path: Path) -> None:
    file = tmp_path / "access.log"
    log = os.open(file, os.O_APPEND | os.O_CREAT | os.O_WRONLY)
    try:
        lake = LakeLog(file, "datasets", "digits/")
        _write(log, "digits/early")
        mark = lake.mark()
        _write(log, "digits/a")
        _write(log, "digits/a")
        _write(log, "digits/b", operation="HeadObject")
        _write(log, "digits/b", status=412)
        _write(log, "other/b")
        _write(log, "digits/b", bucket="forebay-manifests")
        _write(log, "digits/b")
        reads = lake.since(mark)
    finally:
        os.close(log)
    assert reads.requests == {"digits/a": 2, "digits/b": 1}
    assert reads.written_bytes >= file.stat().st_size / 2


def test_the_manifest_determines_the_parts_of_each_object(tmp_path: Path) -> None:
    file = tmp_path / "m.sqlite"
    manifest = sqlite3.connect(file)
    manifest.execute("CREATE TABLE meta (key TEXT PRIMARY KEY, value TEXT NOT NULL) WITHOUT ROWID")
    manifest.execute("CREATE TABLE node (id INTEGER PRIMARY KEY, size INTEGER, key TEXT, pack_offset INTEGER)")
    manifest.execute("INSERT INTO meta VALUES ('chunk_bytes', '100')")
    rows = [(None, None, None), (0, "empty", None), (60, "a", 0), (60, "b", 64), (200, "c", 200), (1, "d", 400)]
    manifest.executemany("INSERT INTO node (size, key, pack_offset) VALUES (?, ?, ?)", rows)
    manifest.commit()
    manifest.close()

    class S3:
        def download_fileobj(self, bucket: str, key: str, into: Any) -> None:
            assert (bucket, key) == ("forebay", "manifests/x.sqlite")
            into.write(file.read_bytes())

    found = originals(S3(), "s3://forebay/manifests/x.sqlite")
    assert found == {"a": Original(60, 1), "b": Original(60, 2), "c": Original(200, 2), "d": Original(1, 1)}


def test_not_once_lists_objects_with_missing_or_repeated_reads() -> None:
    of = {"a": Original(60, 1), "b": Original(60, 2)}
    once = Reads(Counter({"a": 1, "b": 2}), 0)
    assert not_once(once, of) == []
    assert bytes_read(once, of) == 120
    assert not_once(Reads(Counter({"a": 2, "b": 2}), 0), of) == ["a: 2 GETs for 1 parts"]
    assert not_once(Reads(Counter({"a": 1, "x": 1}), 0), of) == ["b: 0 GETs for 2 parts", "x: 1 GETs for 0 parts"]


@pytest.mark.parametrize("stays", [False, True])
def test_the_demo_prints_the_page_of_the_workflow_in_temporal(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], stays: bool
) -> None:
    page = "http://127.0.0.1:7802/namespaces/default/workflows/dataset%2Fvision%2Fdigits%401"
    receipt = Receipt("vision/digits", "1", "eu", 9, 9, "ab" * 32, 3, 9, path="/mnt", workflow_url=page)
    story = demo.Demo(Devstack(tmp_path), stays=stays)
    story._tell([demo.Region("eu", "pin", receipt, 1.0, 0.1)])
    (line,) = (line for line in capsys.readouterr().out.splitlines() if page in line)
    assert ("KEEP=1" in line) != stays


@pytest.mark.filterwarnings("default")
def test_the_training_reads_all_images_of_the_dataset(tmp_path: Path) -> None:
    for key, content in digits.small_files():
        path = tmp_path / key
        path.parent.mkdir(exist_ok=True)
        path.write_bytes(content)
    images, labels = train.read_images(tmp_path)
    assert images.shape == (1797, 64)
    assert labels.shape == (1797,)
    assert len(list((tmp_path / "images").iterdir())) == 1797
    assert next(digits.shard_blocks()) == next(digits.shard_blocks())


def test_the_lake_of_the_stack_replaces_the_credentials_of_the_machine(tmp_path: Path) -> None:
    stack = Devstack(tmp_path)
    stack._addresses = {"lake": "http://127.0.0.1:1", "lake.credentials": "/key", "lake.region": "eu"}
    machine = {"AWS_ACCESS_KEY_ID": "other", "AWS_PROFILE": "work", "AWS_ENDPOINT_URL": "http://other", "PATH": "/bin"}
    assert stack.lake_environment(machine) == {
        "PATH": "/bin",
        "AWS_ENDPOINT_URL_S3": "http://127.0.0.1:1",
        "AWS_SHARED_CREDENTIALS_FILE": "/key",
        "AWS_DEFAULT_REGION": "eu",
    }
