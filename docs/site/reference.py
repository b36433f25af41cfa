"""Writes the reference parts of pages: the commands from their parsers, the REST API from its OpenAPI document.

A page has a comment, for example `<!-- generated: commands -->`, in place of such a part.
"""

from __future__ import annotations

import argparse
import json
import os
import re
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

from forebay import _cli, step

_GENERATED = re.compile(r"<!-- generated: (\w+) -->")
_OPENAPI = "../activities/target/openapi/openapi.json"

# Every command has these, and the page describes them once.
_SHARED = {"--help", "--api", "--json"}

Json = dict[str, Any]


def on_page_markdown(markdown: str, config: Any, **_: Any) -> str:
    """Replaces the comments of a page."""
    writers = {"commands": _commands, "rest": lambda: _rest(Path(config["docs_dir"]).resolve() / _OPENAPI)}
    return _GENERATED.sub(lambda found: "\n\n".join(writers[found[1]]()), markdown)


def _commands() -> Iterator[str]:
    # Usages must not depend on the terminal of the build.
    os.environ |= {"COLUMNS": "100", "NO_COLOR": "1"}
    forebay = _cli.build_parser()
    yield from _command("##", forebay)
    for command in _commands_of(forebay):
        yield from _command("##", command)
        for action in _commands_of(command):
            yield from _command("###", action)
    yield from _command("##", step.build_parser())


def _command(level: str, parser: argparse.ArgumentParser) -> Iterator[str]:
    yield f"{level} {parser.prog}"
    yield parser.description or ""
    yield f"```text\n{parser.format_usage().strip()}\n```"
    yield from _table(
        ("argument", "meaning"),
        (
            (", ".join(f"`{name}`" for name in _forms(action)), action.help or "")
            for action in parser._actions
            if not isinstance(action, argparse._SubParsersAction) and not _SHARED & set(action.option_strings)
        ),
    )
    if "\n" in (parser.epilog or ""):
        yield f"```text\n{(parser.epilog or '').strip()}\n```"


def _forms(action: argparse.Action) -> Iterable[str]:
    """Returns the ways to write an argument: `-q`, `--region REGION`, `NS/NAME`."""
    value = "|".join(map(str, action.choices)) if action.choices else action.metavar or action.dest
    if not action.option_strings:
        return [str(value)]
    return [name if action.nargs == 0 else f"{name} {value}" for name in action.option_strings]


def _commands_of(parser: argparse.ArgumentParser) -> list[argparse.ArgumentParser]:
    below = [action for action in parser._actions if isinstance(action, argparse._SubParsersAction)]
    return [command for action in below for command in action.choices.values()]


def _rest(document: Path) -> Iterator[str]:
    if not document.exists():
        raise FileNotFoundError(f"{document} is missing: 'make docs' builds it with the control plane")
    api: Json = json.loads(document.read_text(encoding="utf-8"))
    operations = [
        (path, method, operation)
        for path, item in api["paths"].items()
        for method, operation in item.items()
        if method in ("get", "put", "post", "delete")
    ]
    usual = set.intersection(*(_answers(operation) for _, _, operation in operations))
    yield "## Errors of every request"
    yield from _table(("status", "meaning"), sorted(usual))
    for tag in api["tags"]:
        yield f"## {tag['name']}"
        for path, method, operation in operations:
            if tag["name"] in operation["tags"]:
                yield from _operation(path, method, operation, usual)
    yield "## Objects"
    for name, schema in sorted(api["components"]["schemas"].items()):
        yield f"### {name} {{ #{_anchor(name)} }}"
        yield _text(schema.get("description", ""))
        if "properties" in schema:
            rows = ((f"`{field}`", _type(each), _cell(each)) for field, each in schema["properties"].items())
            yield from _table(("field", "type", "meaning"), rows)
        else:
            yield f"Type: {_type(schema)}"


def _operation(path: str, method: str, operation: Json, usual: set[tuple[str, str]]) -> Iterator[str]:
    yield f"### {operation['summary']}"
    yield f"`{method.upper()} {path}`"
    yield operation.get("description", "")
    in_path = re.findall(r"{(\w+)}", path)
    yield from _table(
        ("parameter", "in", "type", "meaning"),
        (
            (f"`{each['name']}`", each["in"], _type(each["schema"]), _cell(each))
            for each in operation.get("parameters", ())
            if each["name"] not in in_path or "description" in each
        ),
    )
    if "requestBody" in operation:
        yield f"Body: {_content(operation['requestBody'])}"
    answers = operation["responses"]
    yield from _table(
        ("status", "answer", "meaning"),
        (
            (status, _content(answers[status]) if status < "300" else "", meaning)
            for status, meaning in sorted(_answers(operation) - usual)
        ),
    )


def _answers(operation: Json) -> set[tuple[str, str]]:
    return {(status, _text(answer["description"])) for status, answer in operation["responses"].items()}


def _content(carrier: Json) -> str:
    return ", ".join(_type(each["schema"]) for each in carrier.get("content", {}).values() if "schema" in each)


def _type(schema: Json) -> str:
    if "$ref" in schema:
        name = schema["$ref"].rsplit("/", 1)[1]
        return f"[{name}](#{_anchor(name)})"
    if "enum" in schema:
        return ", ".join(f"`{each}`" for each in schema["enum"])
    if schema.get("type") == "array":
        return f"list of {_type(schema.get('items', {}))}"
    if "additionalProperties" in schema:
        return f"map of {_type(schema['additionalProperties'])}"
    kind = schema.get("type", "any")
    form = schema.get("format") or (f"`{schema['pattern']}`" if "pattern" in schema else "")
    return f"{kind} {form}".strip()


def _anchor(name: str) -> str:
    """Returns the id of an object's heading, which differs from that of a group of requests with the same name."""
    return f"object-{name.lower()}"


def _cell(schema: Json) -> str:
    default = schema.get("default", schema.get("schema", {}).get("default"))
    return _text(schema.get("description", "")) + (f" (default: `{default}`)" if default else "")


def _text(text: str) -> str:
    return " ".join(text.split())


def _table(header: tuple[str, ...], rows: Iterable[tuple[str, ...]]) -> Iterator[str]:
    """Yields a table, unless it has no rows."""
    lines = [" | ".join(cell.replace("|", "\\|") for cell in row) for row in rows]
    if lines:
        yield "\n".join(f"| {line} |" for line in (" | ".join(header), " | ".join("---" for _ in header), *lines))
