"""Plans for versions in regions, and the ranking of regions."""

from __future__ import annotations

from collections.abc import Sequence

from forebay._calls._call import Call, present, reader
from forebay._calls._paths import version_path
from forebay._models import Placements, Plan
from forebay._values import split_dataset

_PLAN_SECONDS = 120.0
"""A plan for a version that is not frozen lists the lake."""


def plan(dataset: str, version: str, regions: Sequence[str]) -> Call[Plan]:
    body = {"regions": list(regions)} if regions else {}
    return Call("POST", version_path(dataset, version) + "/plan", reader(Plan), body=body, answer_seconds=_PLAN_SECONDS)


def placements(dataset: str, version: str, gpus: int | None) -> Call[Placements]:
    split_dataset(dataset)
    wanted = None if gpus is None else str(gpus)
    params = {"dataset": dataset, "version": version, **present(gpus=wanted)}
    return Call("GET", "/placements", reader(Placements), params=params, answer_seconds=_PLAN_SECONDS)
