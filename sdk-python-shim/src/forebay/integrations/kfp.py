"""Steps for Kubeflow Pipelines. Call them inside a pipeline.

    from forebay.integrations.kfp import ensure_dataset, release_dataset

    @dsl.pipeline
    def training(version: str):
        of = {"image": "registry/train:7", "dataset": "vision/digits", "version": version, "region": "us-east-1"}
        with dsl.ExitHandler(release_dataset(**of)):
            held = ensure_dataset(**of, pin_for="12h")
            train(path=held.outputs["path"])

The image is any image with this package; it needs neither kfp nor the mount. Pins belong to the pipeline's run, so a
step that is tried again renews its pin, and the exit handler knows what to release.
"""

# mypy: disable-error-code="untyped-decorator"
# No "from __future__ import annotations": kfp reads the annotations of components as objects.

from functools import lru_cache
from typing import Any

from kfp import dsl

Text = Any
"""Text, or an input or output of a pipeline that is text."""


def ensure_dataset(
    *,
    image: str,
    dataset: Text,
    version: Text,
    region: Text = "",
    pin_for: Text = "",
    reason: Text = "",
    timeout: Text = "",
    min_coverage: Text = "",
    deadline: Text = "",
    on_deadline: Text = "",
    create: bool = False,
    run_id: Text = dsl.PIPELINE_JOB_ID_PLACEHOLDER,
    api: Text = "",
) -> dsl.PipelineTask:
    """A task that ends when every byte of a version is in the region and verified.

    Its outputs are ``path``, the directory where pods of the region see the version, and ``receipt``. The task never
    uses kfp's cache, because a version that was present for an earlier run may have been evicted.

    Args:
        image: the image of the task's container, which must contain this package.
        dataset: ``namespace/name``.
        version: the version's name.
        region: where; default ``FOREBAY_REGION`` of the container.
        pin_for: how long to hold the version after the task has ended; default: no pin.
        reason: the purpose, for people.
        timeout: how long to wait; default: without limit.
        min_coverage, deadline, on_deadline, create: as of ``forebay.ensure_dataset_cached``.
        run_id: the owner of the pin; default: the pipeline's run.
        api: the control plane's address; default ``FOREBAY_API`` of the container.
    """
    task = _ensure_component(image, create)(
        dataset=dataset,
        version=version,
        region=region,
        pin_for=pin_for,
        reason=reason,
        wait_for=timeout,
        min_coverage=min_coverage,
        deadline=deadline,
        on_deadline=on_deadline,
        run_id=run_id,
        api=api,
    )
    return task.set_caching_options(False)


def release_dataset(
    *,
    image: str,
    dataset: Text,
    version: Text,
    region: Text = "",
    run_id: Text = dsl.PIPELINE_JOB_ID_PLACEHOLDER,
    api: Text = "",
) -> dsl.PipelineTask:
    """A task that releases the pins of ``ensure_dataset`` for the run: for ``dsl.ExitHandler``."""
    task = _release_component(image)(dataset=dataset, version=version, region=region, run_id=run_id, api=api)
    return task.set_caching_options(False)


@lru_cache
def _ensure_component(image: str, create: bool) -> Any:
    @dsl.container_component
    def ensure_dataset(
        dataset: str,
        version: str,
        region: str,
        pin_for: str,
        reason: str,
        wait_for: str,
        min_coverage: str,
        deadline: str,
        on_deadline: str,
        run_id: str,
        api: str,
        path: dsl.OutputPath(str),  # type: ignore[valid-type]
        receipt: dsl.OutputPath(dict),  # type: ignore[valid-type]
    ) -> dsl.ContainerSpec:
        options = {
            "--dataset": dataset,
            "--version": version,
            "--region": region,
            "--pin-for": pin_for,
            "--reason": reason,
            "--timeout": wait_for,
            "--min-coverage": min_coverage,
            "--deadline": deadline,
            "--on-deadline": on_deadline,
            "--run-id": run_id,
            "--api": api,
            "--path-file": path,
            "--receipt-file": receipt,
        }
        words = [word for option in options.items() for word in option] + (["--create"] if create else [])
        return dsl.ContainerSpec(image=image, command=["python3", "-m", "forebay.step"], args=words)

    return ensure_dataset


@lru_cache
def _release_component(image: str) -> Any:
    @dsl.container_component
    def release_dataset(dataset: str, version: str, region: str, run_id: str, api: str) -> dsl.ContainerSpec:
        named = dsl.ConcatPlaceholder([dataset, "@", version])
        return dsl.ContainerSpec(
            image=image,
            command=["python3", "-m", "forebay", "unpin"],
            args=[named, "--region", region, "--run-id", run_id, "--api", api],
        )

    return release_dataset
