"""Sweeps, which evict versions from regions, and their schedules."""

from __future__ import annotations

from forebay._calls._call import Call, present, reader
from forebay._calls._paths import part
from forebay._models import Sweep, SweepPlan, SweepSchedule


def sweep_plan(region: str) -> Call[SweepPlan]:
    return Call("GET", _sweep_path(region) + "/plan", reader(SweepPlan))


def sweep(region: str, wait_seconds: int) -> Call[Sweep]:
    params = {"wait_seconds": str(wait_seconds)}
    return Call("POST", _sweep_path(region), reader(Sweep), params=params, answer_seconds=wait_seconds + 30.0)


def sweep_schedule(region: str) -> Call[SweepSchedule]:
    return Call("GET", _sweep_path(region), reader(SweepSchedule))


def pause_sweeps(region: str, reason: str | None) -> Call[SweepSchedule]:
    return Call("POST", _sweep_path(region) + "/pause", reader(SweepSchedule), body=present(reason=reason))


def resume_sweeps(region: str, reason: str | None) -> Call[SweepSchedule]:
    return Call("POST", _sweep_path(region) + "/resume", reader(SweepSchedule), body=present(reason=reason))


def _sweep_path(region: str) -> str:
    return f"/regions/{part('region', region)}/sweep"
