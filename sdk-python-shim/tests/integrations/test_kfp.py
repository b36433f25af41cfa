"""The steps for Kubeflow Pipelines, with kfp's own compiler and its own orchestrator on this machine."""

# mypy: disable-error-code="untyped-decorator,no-any-return,no-untyped-def"

import json
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
import yaml
from control_plane import ControlPlane
from kfp import compiler, dsl, local
from kfp.local.config import LocalExecutionConfig
from kfp.local.subprocess_task_handler import SubprocessTaskHandler

from forebay.integrations.kfp import ensure_dataset, release_dataset

IMAGE = "registry.example/python-train:7"


@dsl.component(base_image=IMAGE, install_kfp_package=False)
def train(path: str, files: int):
    import os

    assert len(os.listdir(path)) == files


@dsl.pipeline
def training(version: str, region: str = "eu", files: int = 1):
    of: dict[str, Any] = {"image": IMAGE, "dataset": "vision/digits", "version": version, "region": region}
    with dsl.ExitHandler(release_dataset(**of)):
        held = ensure_dataset(**of, pin_for="12h", reason="training")
        train(path=held.outputs["path"], files=files)


@pytest.fixture
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Path]:
    """Makes kfp run tasks as processes of this machine, because there is no container engine."""
    # kfp refuses containers of others, because it lacks their images. These tasks need only this package.
    monkeypatch.setattr(SubprocessTaskHandler, "validate_not_container_component", lambda *_: None)
    local.init(runner=local.SubprocessRunner(use_venv=False), pipeline_root=str(tmp_path))
    yield tmp_path
    LocalExecutionConfig.instance = None


def test_a_pipeline_pins_a_version_while_it_runs(plane: ControlPlane, here: Path) -> None:
    training(version="1")
    (asked,) = plane.seen("POST", "/ensure$")
    assert asked.path.endswith("/vision/digits/versions/1/ensure")
    assert asked.body["pin"]["lease_seconds"] == 12 * 3600
    assert asked.body["pin"]["reason"] == "training"
    assert asked.body["pin"]["holder"].startswith("run ")
    (let_go,) = plane.seen("DELETE", "/pins/")
    assert let_go.path.endswith(asked.body["pin"]["id"])
    assert not plane.state.pins


def test_the_pin_is_released_when_the_training_fails(plane: ControlPlane, here: Path) -> None:
    with pytest.raises(RuntimeError, match="train"):
        training(version="1", files=2)
    assert len(plane.seen("POST", "/ensure$")) == 1
    assert len(plane.seen("DELETE", "/pins/")) == 1
    assert not plane.state.pins


def test_an_unknown_dataset_fails_the_pipeline(plane: ControlPlane, here: Path) -> None:
    del plane.state.datasets["vision/digits"]
    with pytest.raises(RuntimeError, match="ensure-dataset"):
        training(version="1")
    assert not list(here.rglob("train"))


def test_the_ensure_step_outputs_the_receipt(plane: ControlPlane, here: Path, mount_root: Path) -> None:
    @dsl.component(base_image=IMAGE, install_kfp_package=False)
    def said(receipt: dict) -> str:  # type: ignore[type-arg]
        import json

        return json.dumps(receipt)

    @dsl.pipeline
    def asks(version: str) -> str:
        held = ensure_dataset(image=IMAGE, dataset="vision/digits", version=version)
        return said(receipt=held.outputs["receipt"]).output

    receipt = json.loads(asks(version="1").output)
    assert receipt["path"] == f"{mount_root}/vision/digits/1"
    assert "pin" not in receipt


def test_the_compiled_pipeline_runs_the_steps_in_the_given_image(tmp_path: Path) -> None:
    compiler.Compiler().compile(training, str(tmp_path / "training.yaml"))
    spec = next(yaml.safe_load_all((tmp_path / "training.yaml").read_text()))
    containers = {name: executor["container"] for name, executor in spec["deploymentSpec"]["executors"].items()}
    ensure, release = containers["exec-ensure-dataset"], containers["exec-release-dataset"]
    assert ensure["image"] == release["image"] == IMAGE
    assert ensure["command"] == ["python3", "-m", "forebay.step"]
    assert ensure["args"][-1] == "{{$.outputs.parameters['receipt'].output_file}}"
    assert (
        spec["root"]["dag"]["tasks"]["release-dataset"]["triggerPolicy"]["strategy"] == "ALL_UPSTREAM_TASKS_COMPLETED"
    )
    inner = spec["components"]["comp-exit-handler-1"]["dag"]["tasks"]["ensure-dataset"]
    assert not inner["cachingOptions"].get("enableCache")
    run = inner["inputs"]["parameters"]["run_id"]["runtimeValue"]["constant"]
    assert run == "{{$.pipeline_job_uuid}}"


def test_the_package_does_not_import_kfp() -> None:
    program = "import sys, forebay, forebay.step, forebay.integrations; sys.exit('kfp' in sys.modules)"
    assert subprocess.run([sys.executable, "-c", program]).returncode == 0
