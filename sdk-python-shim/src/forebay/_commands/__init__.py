"""The commands of ``forebay`` and their output."""

from forebay._commands import (
    aliases,
    completion,
    contents,
    costs,
    datasets,
    ensure,
    fsck,
    pins,
    plans,
    quotas,
    regions,
    restore,
    sweeps,
    tracking,
    versions,
)
from forebay._commands._parsers import Commands

ALL = (
    datasets.add,
    tracking.add,
    contents.add,
    aliases.add,
    ensure.add,
    versions.add,
    plans.add,
    pins.add,
    regions.add,
    quotas.add,
    sweeps.add,
    costs.add,
    fsck.add,
    restore.add,
    completion.add,
)
"""Functions that add the commands to a parser, in the order of the help."""

__all__ = ["ALL", "Commands"]
