"""Lets MkDocs read pages that are written for the repository: links to files outside docs/ become plain text."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

_LINK = re.compile(r"\[([^\]\[]+)\]\((\.\./[^)\s]+)\)")
_REFERENCE = re.compile(r"\[([^\]\[]+)\]\[(\w+)\]|\[(\w+)\](?![\[(:])")
_DEFINITION = re.compile(r"^\[(\w+)\]: (\.\./\S+)\n", re.MULTILINE)


def on_page_markdown(markdown: str, page: Any, config: Any, **_: Any) -> str:
    """Replaces links that leave docs/, because the site does not have those files. Fails on a dead one."""
    docs = Path(config["docs_dir"]).resolve()

    def leaves(link: str) -> bool:
        target = ((docs / page.file.src_path).parent / link.split("#")[0]).resolve()
        if not target.exists():
            raise FileNotFoundError(f"{page.file.src_path} links to {link}, which is not there")
        return docs not in target.parents

    def inline(link: re.Match[str]) -> str:
        return link[1] if leaves(link[2]) else link[0]

    gone = {found[1] for found in _DEFINITION.finditer(markdown) if leaves(found[2])}
    markdown = _DEFINITION.sub(lambda found: "" if found[1] in gone else found[0], markdown)
    markdown = _REFERENCE.sub(
        lambda found: (found[1] or found[3]) if (found[2] or found[3]) in gone else found[0], markdown
    )
    return _LINK.sub(inline, markdown)
