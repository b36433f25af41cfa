"""The requirements of the tests against a running platform, all from the environment.

- ``FOREBAY_API``, ``FOREBAY_REGION``: the platform, and the region whose mount this machine sees
- ``AWS_ENDPOINT_URL_S3`` and a key: its lake, as boto3 reads it (``AWS_SHARED_CREDENTIALS_FILE``, ...)
- ``FOREBAY_TEST_BUCKET``: a bucket of it to write to, default ``datasets``

Without ``FOREBAY_API`` the tests are skipped, unless ``FOREBAY_PLATFORM_REQUIRED`` is set.
"""

from __future__ import annotations

import contextlib
import os
import uuid
from collections.abc import Iterator
from pathlib import Path

import pytest
from sample import Lake, Sample

from forebay import Client, NotFound

_HERE = Path(__file__).parent


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    if "FOREBAY_API" in os.environ or "FOREBAY_PLATFORM_REQUIRED" in os.environ:
        return
    reason = pytest.mark.skip(reason="no platform: FOREBAY_API is not set")
    for item in items:
        if _HERE in item.path.parents:
            item.add_marker(reason)


def _need(name: str) -> str:
    value = os.environ.get(name)
    if not value:
        pytest.fail(f"{name} is not set: the tests of the platform need it")
    return value


@pytest.fixture
def region() -> str:
    return _need("FOREBAY_REGION")


@pytest.fixture
def client() -> Iterator[Client]:
    _need("FOREBAY_API")
    with Client() as client:
        yield client


@pytest.fixture
def lake() -> Lake:
    return Lake(_need("AWS_ENDPOINT_URL_S3"), os.environ.get("FOREBAY_TEST_BUCKET", "datasets"))


@pytest.fixture
def sample(client: Client, lake: Lake, region: str) -> Iterator[Sample]:
    """A registered dataset with files of awkward sizes and names. The region keeps nothing of it afterwards."""
    own = uuid.uuid4().hex[:12]
    block = bytes(range(256)) * 16
    files = {
        "empty": b"",
        "one": b"1",
        "images/block": block,
        "images/block-and-one": block + b"x",
        "images/deep/er/still/a b+c&d.txt": b"odd",
        "größe/ü.bin": os.urandom(70_000),
        "shard.bin": os.urandom((8 << 20) + 4097),
    }
    prefix = f"it/{own}/"
    lake.put(prefix, files)
    dataset = Sample(f"it/{own}", f"s3://{lake.bucket}/{prefix}", files)
    client.register_dataset(dataset.name, dataset.source, ttl="1h")
    yield dataset
    for version in client.versions(dataset.name):
        for pin in version.pins:
            client.unpin(dataset.name, version.version, pin.region, pin.id)
        for residency in version.regions:
            with contextlib.suppress(NotFound):
                client.evict(dataset.name, version.version, residency.region, reason="end of a test")
