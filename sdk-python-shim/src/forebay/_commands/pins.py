"""Pins and their holders."""

from __future__ import annotations

from argparse import Namespace

from forebay import _region
from forebay._commands._output import connect, print_json, print_pins, say, say_cause
from forebay._commands._parsers import Commands, add_region, add_version
from forebay._errors import ConfigurationError, NotFound
from forebay._models import Pin
from forebay._release import release_dataset
from forebay._values import split_version


def add(commands: Commands) -> None:
    listing = commands.add("pins", pins, "list pins and their holders")
    add_region(listing, "only this region")
    listing.add_argument("--leaked", action="store_true", help="only pins without a living owner, with the reason")

    taking = commands.add("pin", pin, "pin a version that is in a region, or renew a pin", changes=True)
    add_version(taking)
    add_region(taking)
    taking.add_argument("--for", dest="lease", metavar="DURATION", required=True, help="how long the pin lasts")
    taking.add_argument("--id", metavar="PIN", help="id of the pin; renews the pin with this id (default: a new id)")
    taking.add_argument("--holder", metavar="WHO", help="owner of the pin, for people (default: user@host)")
    taking.add_argument("--reason", metavar="WHY", help="purpose of the pin, for people")
    taking.add_argument("--job", metavar="UID", help="uid of the Kubernetes Job with which the pin ends")

    release = commands.add("unpin", unpin, "release a pin, or the pins of a run", changes=True)
    add_version(release)
    release.add_argument("pin", metavar="PIN", nargs="?", help="id of the pin; 'forebay pins' lists them")
    release.add_argument("--run-id", metavar="ID", help="instead of PIN: the run whose pins are released")
    release.add_argument("--holder", metavar="WHO", help="with --run-id: the --holder of its 'ensure', if it had one")
    add_region(release)


def pins(options: Namespace) -> None:
    with connect(options) as client:
        found = client.leaked_pins(options.region) if options.leaked else client.pins(options.region)
    if options.json:
        print_json(found)
        return
    print_pins(found)
    for pin in found:
        if pin.leak is not None:
            say_cause(f"pin {pin.id} in {pin.region}", "seems leaked", pin.leak)


def pin(options: Namespace) -> None:
    name, version = split_version(options.version)
    region = _region.named(options.region, options.api)
    with connect(options) as client:
        taken = client.pin(
            name,
            version,
            region,
            lease=options.lease,
            holder=options.holder,
            reason=options.reason,
            id=options.id,
            job=options.job,
        )
    if options.json:
        print_json(taken)
    else:
        print_pins([taken])


def unpin(options: Namespace) -> None:
    name, version = split_version(options.version)
    region = _region.named(options.region, options.api)
    if (options.pin is None) == (options.run_id is None):
        raise ConfigurationError("write either PIN or --run-id; 'forebay pins' lists the ids of pins")
    if options.run_id is not None:
        count = release_dataset(name, version, region, run_id=options.run_id, holder=options.holder, api=options.api)
        if options.json:
            print_json({"released": options.run_id, "pins": count})
        elif count:
            say(f"released {count} pin{'' if count == 1 else 's'} of run {options.run_id}")
        else:
            of = f"{options.version} in {region}"
            say(f"no pin of run {options.run_id} was found on {of}: 'forebay pins' lists the holders")
        return
    if options.holder is not None:
        raise ConfigurationError("--holder needs --run-id")
    with connect(options) as client:
        # The API accepts the release of an absent pin, because requests may be repeated. A user has mistyped its id.
        held = client.version_pins(name, version)
        if (options.pin, region) not in {(each.id, each.region) for each in held}:
            _region.require_known(client, region)
            raise _no_such_pin(options.pin, options.version, region, held)
        client.unpin(name, version, region, options.pin)
    if options.json:
        print_json({"released": options.pin})
    else:
        say(f"released {options.pin}")


def _no_such_pin(id: str, version: str, region: str, held: tuple[Pin, ...]) -> NotFound:
    pins = ", ".join(f"{each.id} in {each.region} (held by {each.holder})" for each in held)
    there = f"its pins are {pins}" if pins else "it has no pin in any region"
    return NotFound("NOT_FOUND", 404, f"there is no pin {id} on {version} in {region}; {there}")
