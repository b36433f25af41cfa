"""What each command of ``forebay`` does and prints."""

from forebay._commands import costs, datasets, pins, placements, plans, regions, versions

__all__ = ["costs", "datasets", "pins", "placements", "plans", "regions", "versions"]
