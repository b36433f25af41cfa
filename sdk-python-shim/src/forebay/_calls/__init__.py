"""Every request of the REST API as a value, so that the two clients differ only in how they send it.

The functions have the names of the clients' methods. Some of these names would also suit modules, so the modules begin
with underscores.
"""

from forebay._calls._call import MAX_WAIT_SECONDS, Call, Paged, Request, new_id
from forebay._calls._costs import budgets, costs
from forebay._calls._datasets import (
    check_drift,
    dataset,
    datasets,
    delete_dataset,
    follow,
    register_dataset,
    set_dataset_ttl,
    tracking,
    unfollow,
)
from forebay._calls._ensure import cancel, ensure, ensure_status, prefetch
from forebay._calls._fsck import fsck
from forebay._calls._pins import leaked_pins, pin, pins, renew, unpin, version_pins
from forebay._calls._plans import placements, plan
from forebay._calls._regions import blocked, queue, quotas, regions, remove_quota, set_quota
from forebay._calls._sweeps import pause_sweeps, resume_sweeps, sweep, sweep_plan, sweep_schedule
from forebay._calls._versions import (
    abandon,
    aliases,
    diff,
    evict,
    explain,
    freeze,
    objects,
    remove_alias,
    restore_catalogue,
    resume,
    set_alias,
    set_ttl,
    version,
    versions,
)

__all__ = [
    "MAX_WAIT_SECONDS",
    "Call",
    "Paged",
    "Request",
    "abandon",
    "aliases",
    "blocked",
    "budgets",
    "cancel",
    "check_drift",
    "costs",
    "dataset",
    "datasets",
    "delete_dataset",
    "diff",
    "ensure",
    "ensure_status",
    "evict",
    "explain",
    "follow",
    "freeze",
    "fsck",
    "leaked_pins",
    "new_id",
    "objects",
    "pause_sweeps",
    "pin",
    "pins",
    "placements",
    "plan",
    "prefetch",
    "queue",
    "quotas",
    "regions",
    "register_dataset",
    "remove_alias",
    "remove_quota",
    "renew",
    "restore_catalogue",
    "resume",
    "resume_sweeps",
    "set_alias",
    "set_dataset_ttl",
    "set_quota",
    "set_ttl",
    "sweep",
    "sweep_plan",
    "sweep_schedule",
    "tracking",
    "unfollow",
    "unpin",
    "version",
    "version_pins",
    "versions",
]
