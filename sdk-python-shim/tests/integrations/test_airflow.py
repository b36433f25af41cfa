"""The operators and the sensor, in DAGs that Airflow itself runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from control_plane import ControlPlane

_DAGS = """
from airflow.sdk import DAG, BaseOperator
from airflow.providers.standard.operators.bash import BashOperator
from forebay.integrations.airflow import (
    EnsureDatasetOperator, EnsureDatasetSensor, PrefetchDatasetOperator, ReleaseDatasetOperator)

def dag(name, kind, version, command, **more):
    with DAG(name, schedule=None) as dag:
        of = {"dataset": "vision/digits", "version": version, "region": "eu"}
        held = kind(task_id="ensure", **of, pin_for="12h", reason="{{ task.task_id }}", **more)
        train = BashOperator(task_id="train", bash_command=command)
        release = ReleaseDatasetOperator(task_id="release", **of)
        hint = PrefetchDatasetOperator(task_id="hint", dataset="vision/digits", version="2", region="eu")
        held >> [train, hint] >> release.as_teardown(setups=held)
    return dag

count = "test $(ls {{ ti.xcom_pull('ensure')['path'] }} | wc -l) = 1"
operator = dag("operator", EnsureDatasetOperator, "1", count)
sensor = dag("sensor", EnsureDatasetSensor, "1", count, poke_interval=1)
failing = dag("failing", EnsureDatasetOperator, "1", "exit 1")

if __name__ == "__main__":
    import sys
    run = globals()[sys.argv[1]].test()
    print("ENDED", run.state, sorted((ti.task_id, str(ti.state), ti.try_number) for ti in run.get_task_instances()))
"""


@pytest.fixture(scope="module")
def airflow_home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    home = tmp_path_factory.mktemp("airflow")
    (home / "dags").mkdir()
    (home / "dags" / "dags.py").write_text(_DAGS)
    command = [str(Path(sys.executable).with_name("airflow")), "db", "migrate"]
    done = subprocess.run(command, env=_environment(home), capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr
    return home


def _environment(home: Path) -> dict[str, str]:
    own = {"AIRFLOW_HOME": str(home), "AIRFLOW__CORE__LOAD_EXAMPLES": "False"}
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    return {**os.environ, "PATH": path, **own, "AIRFLOW__LOGGING__LOGGING_LEVEL": "WARNING"}


def _run(home: Path, dag: str) -> str:
    """Returns the final states of the DAG and its tasks, as one line."""
    command = [sys.executable, str(home / "dags" / "dags.py"), dag]
    done = subprocess.run(command, env=_environment(home), capture_output=True, text=True, timeout=300)
    ended = [line for line in done.stdout.splitlines() if line.startswith("ENDED ")]
    assert ended, done.stdout + done.stderr
    return ended[-1]


@pytest.mark.parametrize("kind", ["operator", "sensor"])
def test_a_dag_pins_a_version_while_it_runs(plane: ControlPlane, airflow_home: Path, kind: str) -> None:
    plane.state.looks_until_cached = 2
    ended = _run(airflow_home, kind)
    assert ended.startswith("ENDED success")
    asked = [each for each in plane.seen("POST", "/ensure$") if "/1/" in each.path]
    assert len({each.headers["idempotency-key"] for each in asked}) == 1
    pin = asked[0].body["pin"]
    assert (pin["lease_seconds"], pin["reason"]) == (12 * 3600, "ensure")
    assert pin["holder"].startswith(f"run {kind}/manual__")
    (hint,) = plane.seen("POST", "/2/ensure$")
    assert hint.body == {"region": "eu", "priority": "speculative"}
    (let_go,) = plane.seen("DELETE", "/pins/")
    assert let_go.path.endswith(pin["id"])
    assert not plane.state.pins


def test_the_sensor_waits_for_a_slow_answer(plane: ControlPlane, airflow_home: Path) -> None:
    plane.state.proves_slowly = True
    assert _run(airflow_home, "sensor").startswith("ENDED success")
    assert len(plane.seen("POST", "/1/ensure$")) == 1


def test_the_pin_is_released_when_the_training_fails(plane: ControlPlane, airflow_home: Path) -> None:
    ended = _run(airflow_home, "failing")
    assert ended.startswith("ENDED failed")
    assert "('release', 'success', 1)" in ended
    assert not plane.state.pins
