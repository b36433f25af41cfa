"""Checks and repairs of the platform's stores."""

from __future__ import annotations

from forebay._api._method import Methods, method
from forebay._calls import Call, present, reader
from forebay._models import Findings, Restored

_RESTORE_SECONDS = 120.0

_FSCK_SECONDS = 300.0
"""The server ends a page after some seconds. Its repairs take longer."""


class StoreMethods(Methods):
    @method
    def restore_catalogue(self, *, after: str | None = None) -> Call[Restored]:
        """Restores a page of versions that the catalogue has lost. Call it again with ``next`` until that is None."""
        params = present(after=after)
        return Call("POST", "/catalogue/restore", reader(Restored), params=params, answer_seconds=_RESTORE_SECONDS)

    @method
    def fsck(
        self, of: str | None = None, *, repair: bool = False, deep: bool = False, after: str | None = None
    ) -> Call[Findings]:
        """Compares the stores with each other, for a page of versions. Call it again with ``next`` until that is None.

        Args:
            of: a namespace, ``namespace/name`` or ``namespace/name@version``; everything if None.
            repair: repair what can be repaired.
            deep: compare stored chunks with their checksums, too. Damaged ones are fetched again in any case.
        """
        params = present(of=of, deep="true" if deep else None, after=after)
        method = "POST" if repair else "GET"
        return Call(method, "/fsck", reader(Findings), params=params, answer_seconds=_FSCK_SECONDS)
