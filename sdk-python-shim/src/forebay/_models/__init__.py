"""The answers of the control plane, as frozen dataclasses with the API's field names."""

from forebay._models.costs import Budget, Cost, Costs, Counted, Money
from forebay._models.datasets import Check, Dataset, Tracking
from forebay._models.ensure import BytesFrom, EnsureStatus, Progress, Receipt, Terms
from forebay._models.explanations import Explanation, HistoryEntry
from forebay._models.findings import Finding, Findings
from forebay._models.pins import Pin, PinSpec
from forebay._models.placements import Placement, Placements
from forebay._models.plans import Plan, PlanNeeds, PlanSource, PlanSpace, PlanVictim, RegionPlan
from forebay._models.problems import Blocked, BlockedVersion
from forebay._models.regions import Queued, Quota, Region, Worker
from forebay._models.sweeps import Sweep, SweepPlan, SweepSchedule, SweptVersion, Victim
from forebay._models.versions import Alias, Difference, Manifest, Origin, Residency, Restored, Version, VersionObject
from forebay._models.wire import decode, decode_items, to_json

__all__ = [
    "Alias",
    "Blocked",
    "BlockedVersion",
    "Budget",
    "BytesFrom",
    "Check",
    "Cost",
    "Costs",
    "Counted",
    "Dataset",
    "Difference",
    "EnsureStatus",
    "Explanation",
    "Finding",
    "Findings",
    "HistoryEntry",
    "Manifest",
    "Money",
    "Origin",
    "Pin",
    "PinSpec",
    "Placement",
    "Placements",
    "Plan",
    "PlanNeeds",
    "PlanSource",
    "PlanSpace",
    "PlanVictim",
    "Progress",
    "Queued",
    "Quota",
    "Receipt",
    "Region",
    "RegionPlan",
    "Residency",
    "Restored",
    "Sweep",
    "SweepPlan",
    "SweepSchedule",
    "SweptVersion",
    "Terms",
    "Tracking",
    "Version",
    "VersionObject",
    "Victim",
    "Worker",
    "decode",
    "decode_items",
    "to_json",
]
