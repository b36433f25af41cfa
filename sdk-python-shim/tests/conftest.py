from __future__ import annotations

import signal
from collections.abc import Iterator
from pathlib import Path

import pytest
from control_plane import ControlPlane

from forebay import Client


@pytest.fixture(autouse=True, scope="session")
def _not_in_the_background() -> None:
    """Restores signals: a shell or nohup makes background programs ignore some, and their children inherit that."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    signal.signal(signal.SIGQUIT, signal.SIG_DFL)
    signal.signal(signal.SIGHUP, signal.SIG_DFL)


@pytest.fixture
def mount_root(tmp_path: Path) -> Path:
    version = tmp_path / "mnt" / "vision" / "digits" / "1"
    version.mkdir(parents=True)
    (version / "labels.csv").write_text("0,7\n")
    return tmp_path / "mnt"


@pytest.fixture
def plane(mount_root: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[ControlPlane]:
    """Starts a control plane that knows ``vision/digits`` and sets the environment like on a node."""
    plane = ControlPlane(str(mount_root))
    plane.state.datasets["vision/digits"] = {"namespace": "vision", "name": "digits", "source": "s3://lake/digits/"}
    monkeypatch.setenv("FOREBAY_API", plane.url)
    monkeypatch.setenv("FOREBAY_REGION", "eu")
    monkeypatch.delenv("FOREBAY_MOUNT_ROOT", raising=False)
    for name in (
        "FOREBAY_TOKEN_FILE",
        "FOREBAY_SERVICE_CA",
        "FOREBAY_RUN_ID",
        "FOREBAY_JOB_UID",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "RANK",
        "JOB_COMPLETION_INDEX",
        "SLURM_PROCID",
    ):
        monkeypatch.delenv(name, raising=False)
    yield plane
    plane.stop()


@pytest.fixture
def client(plane: ControlPlane) -> Iterator[Client]:
    with Client(retry_seconds=5) as client:
        yield client
