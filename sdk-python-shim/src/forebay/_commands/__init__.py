"""The commands of ``forebay`` and their output."""

from forebay._commands import contents, costs, datasets, fsck, pins, placements, plans, regions, versions

__all__ = ["contents", "costs", "datasets", "fsck", "pins", "placements", "plans", "regions", "versions"]
