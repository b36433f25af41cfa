"""Operators and a sensor for Apache Airflow 3.

    with DAG("training", schedule="@daily") as dag:
        of = {"dataset": "vision/digits", "version": "{{ ds }}", "region": "us-east-1"}
        held = EnsureDatasetSensor(task_id="ensure", **of, pin_for="12h")
        train = BashOperator(task_id="train", bash_command="python train.py {{ ti.xcom_pull('ensure')['path'] }}")
        release = ReleaseDatasetOperator(task_id="release", **of)
        held >> train >> release.as_teardown(setups=held)

Pins belong to the run of the DAG: a task that is tried again renews its pin, and another one can release it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, TypeVar

from airflow.sdk import BaseOperator, BaseSensorOperator, PokeReturnValue
from airflow.sdk.exceptions import AirflowFailException

from forebay import _region
from forebay._calls import MAX_WAIT_SECONDS
from forebay._client import Client
from forebay._dataset import ensure_dataset_cached
from forebay._errors import ConfigurationError, ForebayError
from forebay._models import PinSpec, to_json
from forebay._prefetch import prefetch_dataset
from forebay._release import release_dataset
from forebay._runs import Run
from forebay._values import seconds_of

T = TypeVar("T")

RUN = "{{ dag.dag_id }}/{{ run_id }}"
"""The default owner of a task's pins."""


class EnsureDatasetOperator(BaseOperator):  # type: ignore[misc,unused-ignore]
    """Waits, in its slot of a worker, until every byte of a version is in a region, and returns the receipt.

    Args:
        dataset: ``namespace/name``.
        version: the version's name.
        region: where; default ``FOREBAY_REGION`` of the worker.
        pin_for: how long to hold the version after the task has ended; default: no pin.
        reason: the purpose, for people.
        wait_for: how long to wait; default: without limit.
        min_coverage, deadline, on_deadline, create: as of ``forebay.ensure_dataset_cached``.
        owner_run: the owner of the pin; default: the run of the DAG.
        api: the control plane's address; default ``FOREBAY_API`` of the worker.
    """

    template_fields = (
        "dataset",
        "version",
        "region",
        "pin_for",
        "reason",
        "wait_for",
        "deadline",
        "on_deadline",
        "owner_run",
        "api",
    )

    def __init__(
        self,
        *,
        dataset: str,
        version: str,
        region: str | None = None,
        pin_for: str | None = None,
        reason: str | None = None,
        wait_for: str | None = None,
        min_coverage: float | None = None,
        deadline: str | None = None,
        on_deadline: str | None = None,
        create: bool = False,
        owner_run: str = RUN,
        api: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.dataset = dataset
        self.version = version
        self.region = region
        self.pin_for = pin_for
        self.reason = reason
        self.wait_for = wait_for
        self.min_coverage = min_coverage
        self.deadline = deadline
        self.on_deadline = on_deadline
        self.create = create
        self.owner_run = owner_run
        self.api = api

    def execute(self, context: Any) -> Any:
        return _failing_for_good(
            lambda: to_json(
                ensure_dataset_cached(
                    self.dataset,
                    self.version,
                    self.region,
                    self.pin_for,
                    reason=self.reason,
                    run_id=self.owner_run,
                    timeout=self.wait_for,
                    min_coverage=self.min_coverage,
                    deadline=self.deadline,
                    on_deadline=self.on_deadline,
                    create=self.create,
                    api=self.api,
                ).receipt
            )
        )


class EnsureDatasetSensor(BaseSensorOperator):  # type: ignore[misc,unused-ignore]
    """Like ``EnsureDatasetOperator``, but without a worker's slot: it checks every ``poke_interval``.

    All checks belong to one request, for the whole version. ``timeout``, as for every sensor, limits the wait. The
    other arguments are those of ``EnsureDatasetOperator``, except for those about coverage and deadlines. While the
    platform cannot answer, the sensor continues to check.
    """

    template_fields = ("dataset", "version", "region", "pin_for", "reason", "owner_run", "api")

    def __init__(
        self,
        *,
        dataset: str,
        version: str,
        region: str | None = None,
        pin_for: str | None = None,
        reason: str | None = None,
        create: bool = False,
        owner_run: str = RUN,
        api: str | None = None,
        mode: str = "reschedule",
        **kwargs: Any,
    ) -> None:
        super().__init__(mode=mode, **kwargs)
        self.create = create
        self.dataset = dataset
        self.version = version
        self.region = region
        self.pin_for = pin_for
        self.reason = reason
        self.owner_run = owner_run
        self.api = api

    def poke(self, context: Any) -> PokeReturnValue:
        return _failing_for_good(self._look)

    def _look(self) -> PokeReturnValue:
        run = Run.of_process(self.owner_run)
        if run is None:
            raise ConfigurationError("owner_run is empty: it must name the owner of the pin")
        of = (self.dataset, self.version, _region.named(self.region, self.api))
        pin = None
        if self.pin_for:
            pin = PinSpec(run.pin_id(*of, run.holder), run.holder, seconds_of(self.pin_for), self.reason)
        try:
            with Client(self.api) as client:
                seen = client.start_ensure(
                    *of, pin=pin, idempotency_key=run.request_key(*of, pin), run_id=run.id, create=self.create
                )
                if seen.progress is not None and seen.progress.state == "CACHED":
                    # A request that ended between two checks starts again, and verifies the bytes again. Without
                    # waiting here, the sensor would never get that answer.
                    seen = client.ensure_status(*of, seen.request_id, wait_seconds=MAX_WAIT_SECONDS)
        except ForebayError as error:
            if not error.retryable:
                raise
            self.log.warning("the platform did not answer: %s", error)
            return PokeReturnValue(is_done=False)
        if seen.progress is not None:
            self.log.info("%s: %s of %s bytes", seen.progress.state, seen.progress.bytes_cached, seen.progress.bytes)
        return PokeReturnValue(is_done=seen.done, xcom_value=to_json(seen.receipt))


class ReleaseDatasetOperator(BaseOperator):  # type: ignore[misc,unused-ignore]
    """Releases the pins of the DAG run. As a teardown it runs after any result of the training."""

    template_fields = ("dataset", "version", "region", "owner_run", "api")

    def __init__(
        self,
        *,
        dataset: str,
        version: str,
        region: str | None = None,
        owner_run: str = RUN,
        api: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.dataset = dataset
        self.version = version
        self.region = region
        self.owner_run = owner_run
        self.api = api

    def execute(self, context: Any) -> None:
        _failing_for_good(
            lambda: release_dataset(self.dataset, self.version, self.region, run_id=self.owner_run, api=self.api)
        )


class PrefetchDatasetOperator(BaseOperator):  # type: ignore[misc,unused-ignore]
    """Announces the version that will be needed next, without waiting; see ``forebay.prefetch_dataset``."""

    template_fields = ("dataset", "version", "region", "api")

    def __init__(
        self,
        *,
        dataset: str,
        version: str,
        region: str | None = None,
        create: bool = False,
        api: str | None = None,
        **kwargs: Any,
    ) -> None:
        super().__init__(**kwargs)
        self.dataset = dataset
        self.version = version
        self.region = region
        self.create = create
        self.api = api

    def execute(self, context: Any) -> None:
        _failing_for_good(
            lambda: prefetch_dataset(self.dataset, self.version, self.region, create=self.create, api=self.api)
        )


def _failing_for_good(call: Callable[[], T]) -> T:
    """Calls a function, and lets Airflow retry the task only if that can help."""
    try:
        return call()
    except ForebayError as error:
        if error.retryable:
            raise
        raise AirflowFailException(str(error)) from error
