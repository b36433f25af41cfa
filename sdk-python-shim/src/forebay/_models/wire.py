"""Converts models from and to JSON."""

from __future__ import annotations

import reprlib
import types
from collections.abc import Mapping
from dataclasses import MISSING, asdict, dataclass, fields, is_dataclass
from datetime import datetime
from typing import Any, TypeVar, Union, cast, get_args, get_origin, get_type_hints

from forebay._errors import UnexpectedAnswer

_REMEDY = ": upgrade the control plane or this package, so that both are of one release"

T = TypeVar("T")


@dataclass(frozen=True)
class Page:
    items: tuple[Any, ...]
    next: str | None = None


def to_json(value: object) -> Any:
    """Converts a model to values for ``json.dumps``."""
    if is_dataclass(value) and not isinstance(value, type):
        return to_json(asdict(value))
    if isinstance(value, Mapping):
        return {key: to_json(item) for key, item in value.items()}
    if isinstance(value, (list, tuple)):
        return [to_json(item) for item in value]
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return value


def decode(kind: type[T], value: object) -> T:
    """Reads a JSON value as a model. Ignores unknown fields, because the server may be newer than this package.

    Raises:
        UnexpectedAnswer: if a field is missing or of another type.
    """
    return cast(T, _decode(kind, value, kind.__name__))


def decode_items(kind: type[T], value: object) -> tuple[tuple[T, ...], str | None]:
    """Reads ``{"items": [...], "next": ...}``."""
    page = decode(Page, value)
    items = tuple(cast(T, _decode(kind, item, f"items[{i}]")) for i, item in enumerate(page.items))
    return items, page.next


_HINTS: dict[type[Any], dict[str, Any]] = {}


def _hints(kind: type[Any]) -> dict[str, Any]:
    # Cached, because resolving the annotations takes longer than reading the value.
    if kind not in _HINTS:
        _HINTS[kind] = get_type_hints(kind)
    return _HINTS[kind]


def _decode(kind: Any, value: object, where: str) -> object:
    origin = get_origin(kind)
    if kind is Any:
        return value
    if origin is Union or origin is types.UnionType:
        inner = next(arg for arg in get_args(kind) if arg is not type(None))
        return None if value is None else _decode(inner, value, where)
    if origin is tuple:
        item = get_args(kind)[0]
        listed = _expect(list, value, where)
        return tuple(_decode(item, each, f"{where}[{i}]") for i, each in enumerate(listed))
    if is_dataclass(kind):
        return _decode_dataclass(cast("type[Any]", kind), _expect(dict, value, where), where)
    if kind is float and isinstance(value, int) and not isinstance(value, bool):
        return float(value)
    if kind is datetime:
        return _decode_datetime(_expect(str, value, where), where)
    return _expect(kind, value, where)


def _decode_dataclass(kind: type[Any], source: dict[str, Any], where: str) -> object:
    hints = _hints(kind)
    found: dict[str, object] = {}
    for field in fields(kind):
        value = source.get(field.name)
        if value is not None:
            found[field.name] = _decode(hints[field.name], value, f"{where}.{field.name}")
        elif field.default is MISSING:
            raise UnexpectedAnswer(f"the control plane's answer lacks {where}.{field.name}{_REMEDY}")
    return kind(**found)


def _decode_datetime(text: str, where: str) -> datetime:
    # Python 3.10 reads neither "Z" nor more than six digits of a second. Servers write both.
    head, dot, tail = text.replace("Z", "+00:00").partition(".")
    if dot:
        digits = len(tail) - len(tail.lstrip("0123456789"))
        tail = tail[:digits][:6].ljust(6, "0") + tail[digits:]
    try:
        return datetime.fromisoformat(head + dot + tail)
    except ValueError:
        raise UnexpectedAnswer(
            f"the control plane's answer has {where} = {reprlib.repr(text)}, which is not a time{_REMEDY}"
        ) from None


def _expect(kind: type[T], value: object, where: str) -> T:
    if isinstance(value, kind) and (kind is bool or not isinstance(value, bool)):
        return value
    raise UnexpectedAnswer(
        f"the control plane's answer has {where} = {reprlib.repr(value)}, which should be {kind.__name__}{_REMEDY}"
    )
