"""The examples for frameworks, as programs.

They run on files in a plain directory instead of a mount, and on a version that a running platform mounts, for which
``tests/platform/conftest.py`` lists the requirements. They need PyTorch and JAX, so they are not part of the other
tests. An environment may also have only one of the two.
"""

from __future__ import annotations

import contextlib
import importlib.util
import io
import json
import os
import subprocess
import sys
import uuid
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from control_plane import ControlPlane
from PIL import Image
from sample import Lake

from forebay import Client, NotFound

_EXAMPLES = Path(__file__).resolve().parents[2] / "examples"
_IMAGES = 640
_FRAMEWORKS = [("torch", "torch_digits.py"), ("jax", "jax_digits.py")]


def _digits() -> dict[str, bytes]:
    """Returns images that even a small network can classify: the digit determines the bright row."""
    noise = np.random.default_rng(7)
    files = {}
    lines = ["file,label"]
    for number in range(_IMAGES):
        pixels = noise.integers(0, 100, (10, 8), dtype=np.uint8)
        pixels[number % 10] += 150
        picture = io.BytesIO()
        Image.fromarray(pixels).save(picture, format="PNG")
        files[f"images/{number:05d}.png"] = picture.getvalue()
        lines.append(f"images/{number:05d}.png,{number % 10}")
    files["labels.csv"] = ("\n".join(lines) + "\n").encode()
    return files


@pytest.fixture(params=_FRAMEWORKS, ids=[each for each, _ in _FRAMEWORKS])
def example(request: pytest.FixtureRequest) -> str:
    """An example whose framework is installed."""
    framework, program = request.param
    if importlib.util.find_spec(framework) is None:
        pytest.skip(f"{framework} is not installed")
    return str(program)


@pytest.fixture
def directory(mount_root: Path) -> Path:
    directory = mount_root / "vision" / "digits" / "7"
    (directory / "images").mkdir(parents=True)
    for name, content in _digits().items():
        (directory / name).write_bytes(content)
    return directory


@pytest.fixture
def dataset() -> Iterator[str]:
    """A registered dataset of a running platform."""
    if "FOREBAY_API" not in os.environ and "FOREBAY_PLATFORM_REQUIRED" not in os.environ:
        pytest.skip("no platform: FOREBAY_API is not set")
    own = f"it/{uuid.uuid4().hex[:12]}"
    lake = Lake(os.environ["AWS_ENDPOINT_URL_S3"], os.environ.get("FOREBAY_TEST_BUCKET", "datasets"))
    lake.put(f"{own}/", _digits())
    with Client() as client:
        client.register_dataset(own, f"s3://{lake.bucket}/{own}/", ttl="1h")
    yield own
    with Client() as client, contextlib.suppress(NotFound):
        client.evict(own, "7", os.environ["FOREBAY_REGION"], reason="end of a test")


def _train(example: str, *options: str) -> dict[str, Any]:
    command = [sys.executable, str(_EXAMPLES / example), "--version", "7", "--epochs", "5", *options]
    done = subprocess.run(command, capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    told: dict[str, Any] = json.loads(done.stdout.splitlines()[-1])
    return told


def test_at_least_one_framework_is_installed() -> None:
    assert [each for each, _ in _FRAMEWORKS if importlib.util.find_spec(each) is not None]


def test_an_example_trains_on_a_version(example: str, plane: ControlPlane, directory: Path) -> None:
    told = _train(example)
    assert told["images"] == _IMAGES
    assert told["accuracy"] > 0.95
    (asked,) = plane.seen("POST", "/ensure$")
    assert asked.body["pin"]["reason"] == example
    assert not plane.state.pins


def test_an_example_trains_on_a_mounted_version(example: str, dataset: str) -> None:
    told = _train(example, "--dataset", dataset)
    assert told["images"] == _IMAGES
    assert told["accuracy"] > 0.95
    with Client() as client:
        version = client.version(dataset, "7")
    assert version.pins == ()
    here = version.residency(os.environ["FOREBAY_REGION"])
    assert here.state == "CACHED"
    # The version is on a read-only mount, not in a directory of this machine.
    assert here.path is not None
    assert os.statvfs(here.path).f_flag & os.ST_RDONLY
