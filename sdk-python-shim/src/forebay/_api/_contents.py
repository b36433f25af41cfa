"""Aliases of versions, their objects, and differences between versions."""

from __future__ import annotations

from forebay import _calls
from forebay._api._method import Methods, method, pages
from forebay._calls import Call, Paged, dataset_path, items_and_next, nothing, part, present, reader, version_path
from forebay._models import Alias, Difference, VersionObject

_PAGE = "1000"


class ContentMethods(Methods):
    @method
    def aliases(self, dataset: str) -> Call[tuple[Alias, ...]]:
        """Returns the aliases of a dataset: names that users move from version to version, such as ``prod``."""
        return _calls.aliases(dataset)

    @method
    def set_alias(self, dataset: str, alias: str, version: str) -> Call[Alias]:
        """Points an alias to a version; does nothing if it points there already.

        Later requests by the alias are for that version. Running requests keep theirs. ``version`` is a name, a digest,
        ``latest``, or another alias, whose present version counts.
        """
        return Call("PUT", _alias_path(dataset, alias), reader(Alias), body={"version": version})

    @method
    def remove_alias(self, dataset: str, alias: str) -> Call[None]:
        """Removes an alias. Its version stays."""
        return Call("DELETE", _alias_path(dataset, alias), nothing)

    @pages
    def objects(
        self, dataset: str, version: str, *, folder: str | None = None, after: str | None = None
    ) -> Call[Paged[VersionObject]]:
        """Yields the objects of a version by path, page by page, in ``folder`` and after the path ``after`` only."""
        params = {"limit": _PAGE} | present(folder=folder, after=after)
        return Call("GET", version_path(dataset, version) + "/objects", items_and_next(VersionObject), params=params)

    @pages
    def diff(self, dataset: str, before: str, version: str, *, after: str | None = None) -> Call[Paged[Difference]]:
        """Yields the objects that were added, removed or changed from ``before`` to ``version``, by path."""
        params = {"limit": _PAGE, "from": before} | present(after=after)
        return Call("GET", version_path(dataset, version) + "/diff", items_and_next(Difference), params=params)


def _alias_path(dataset: str, alias: str) -> str:
    return f"{dataset_path(dataset)}/aliases/{part('alias', alias)}"
