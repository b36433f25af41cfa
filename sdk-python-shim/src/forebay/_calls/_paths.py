"""Paths below the API's address."""

from __future__ import annotations

from urllib.parse import quote

from forebay._values import checked_part, split_dataset


def dataset_path(dataset: str) -> str:
    namespace, name = split_dataset(dataset)
    return f"/datasets/{quote(namespace, safe='')}/{quote(name, safe='')}"


def version_path(dataset: str, version: str) -> str:
    return f"{dataset_path(dataset)}/versions/{part('version', version)}"


def part(argument: str, value: str) -> str:
    """Returns one component of a path, checked and quoted. An error names the argument."""
    return quote(checked_part(argument, value), safe="")
