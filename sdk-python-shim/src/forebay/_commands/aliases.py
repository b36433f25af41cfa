"""Aliases of versions."""

from __future__ import annotations

from argparse import Namespace

from forebay._commands._output import connect, print_json, say, stamped
from forebay._commands._parsers import Commands, add_dataset, add_version
from forebay._errors import NotFound
from forebay._models import Alias
from forebay._tables import print_table
from forebay._values import split_version


def add(commands: Commands) -> None:
    alias = commands.group("alias", "list, move and delete aliases: names such as prod, each for one version")
    add_dataset(alias.add("list", list_aliases, "list the aliases of a dataset"))
    move = alias.add("set", set_alias, "point an alias to a version", changes=True)
    add_version(move)
    move.add_argument("alias", metavar="ALIAS", help="for example prod; a version must not have this name")
    delete = alias.add("delete", delete_alias, "delete an alias; its version stays", changes=True)
    add_dataset(delete)
    delete.add_argument("alias", metavar="ALIAS", help="the alias")


def list_aliases(options: Namespace) -> None:
    with connect(options) as client:
        aliases = client.aliases(options.dataset)
    if options.json:
        print_json(aliases)
    else:
        _print_aliases(list(aliases))


def set_alias(options: Namespace) -> None:
    name, version = split_version(options.version)
    with connect(options) as client:
        alias = client.set_alias(name, options.alias, version)
    if options.json:
        print_json(alias)
        return
    before = "" if alias.before is None else f", and meant {alias.before} before"
    say(f"{name}@{alias.alias} means {alias.version}{before}")


def delete_alias(options: Namespace) -> None:
    with connect(options) as client:
        # The API accepts the removal of an absent alias, because requests may be repeated. A user has made a mistake.
        known = [each.alias for each in client.aliases(options.dataset)]
        if options.alias not in known:
            there = f"its aliases are {', '.join(known)}" if known else "it has none"
            raise NotFound("NOT_FOUND", 404, f"{options.dataset} has no alias '{options.alias}'; {there}")
        client.remove_alias(options.dataset, options.alias)
    if options.json:
        print_json({"removed": options.alias})
    else:
        say(f"{options.dataset} has no alias '{options.alias}' any more; its version stays")


def _print_aliases(aliases: list[Alias]) -> None:
    rows = [
        [each.alias, each.version, each.before or "", "" if each.moved_at is None else stamped(each.moved_at)]
        for each in aliases
    ]
    print_table(["ALIAS", "VERSION", "BEFORE", "MOVED"], rows)
