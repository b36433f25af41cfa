"""Requests for versions in regions."""

from __future__ import annotations

import sys
from argparse import Namespace

from forebay import _region
from forebay._commands._output import connect, print_json, print_path, say, until
from forebay._commands._parsers import Commands, add_create, add_region, add_version, add_version_or_latest
from forebay._dataset import ensure_dataset_cached
from forebay._models import Receipt
from forebay._progress import Reasons
from forebay._values import human_size, split_version, version_or_latest


def add(commands: Commands) -> None:
    wait = commands.add(
        "ensure", ensure, "wait until a version is complete in a region, and print its path", changes=True
    )
    add_version_or_latest(wait)
    add_region(wait)
    add_create(wait)
    wait.add_argument("--pin-for", metavar="DURATION", help="also pin the version for this long")
    wait.add_argument("--holder", metavar="WHO", help="owner of the pin, for people (default: user@host)")
    wait.add_argument("--reason", metavar="WHY", help="purpose of the pin, for people")
    wait.add_argument(
        "--run-id",
        metavar="ID",
        help="run of this command: after a restart it takes over its pin and request (default: $FOREBAY_RUN_ID)",
    )
    wait.add_argument("--timeout", metavar="DURATION", help="stop waiting after this time; the platform continues")
    wait.add_argument(
        "--min-coverage",
        metavar="PART",
        type=float,
        help="return when this part of the bytes, 0 to 1, is there; the fill continues",
    )
    wait.add_argument("--deadline", metavar="DURATION", help="time within which the platform must answer")
    wait.add_argument(
        "--on-deadline",
        choices=("fail", "run_cold"),
        help="what to do when the deadline passes: fail, or return with the bytes that are there (default: fail)",
    )
    wait.add_argument(
        "--priority",
        choices=("interactive", "speculative"),
        help="speculative requests queue behind interactive ones (default: interactive)",
    )
    wait.add_argument(
        "--also-in",
        metavar="REGION",
        action="append",
        default=[],
        help="also wait for this region, with the same pin; may be repeated",
    )
    wait.add_argument(
        "--detach", action="store_true", help="let the request continue if Ctrl-C or a signal ends the wait"
    )
    wait.add_argument("-q", "--quiet", action="store_true", help="show no progress, only the reason for a wait")

    hint = commands.add(
        "prefetch", prefetch, "start to fill a region with versions; does not wait or pin", changes=True
    )
    hint.add_argument(
        "versions",
        metavar="NS/NAME[@VERSION]",
        nargs="+",
        help="dataset and version (default: the version that was frozen last)",
    )
    add_create(hint)
    add_region(hint)

    end = commands.add("cancel", cancel, "cancel a request, and remove bytes that no other request needs", changes=True)
    add_version(end)
    end.add_argument("request", metavar="REQUEST", help="id of the request; 'ensure' prints it when it stops waiting")


def ensure(options: Namespace) -> None:
    name, version = version_or_latest(options.version)
    cached = ensure_dataset_cached(
        name,
        version,
        options.region,
        options.pin_for,
        holder=options.holder,
        reason=options.reason,
        run_id=options.run_id,
        timeout=options.timeout,
        min_coverage=options.min_coverage,
        deadline=options.deadline,
        on_deadline=options.on_deadline,
        priority=options.priority,
        also_in=options.also_in,
        detach=options.detach,
        create=options.create,
        progress=Reasons(f"{name}@{version}", options.json) if options.quiet or options.json else True,
        api=options.api,
    )
    if options.json:
        print_json(cached.receipt)
        return
    receipt = cached.receipt
    if not options.quiet:
        say(f"{name}@{receipt.version}: {_held(receipt)} in {receipt.region}, verified", file=sys.stderr)
        if receipt.cold is not None:
            say(f"cold: {receipt.cold.message}", file=sys.stderr)
        if receipt.pin is not None:
            say(f"pinned until {until(receipt.pin.expires_at)} by pin {receipt.pin.id}", file=sys.stderr)
    # Only the path goes to stdout, so that a shell can say DATA=$(forebay ensure ...).
    print_path(cached.expected_path)


def _held(receipt: Receipt) -> str:
    if receipt.objects is None or receipt.bytes is None:
        return "no object yet"
    size = human_size(receipt.objects, receipt.bytes)
    if receipt.coverage >= 1:
        return size
    # Below 100 %, because rounding must not turn an incomplete version into a complete one.
    return f"{min(receipt.coverage, 0.999):.1%} of {size}"


def prefetch(options: Namespace) -> None:
    region = _region.named(options.region, options.api)
    wanted = [(text, *version_or_latest(text)) for text in options.versions]
    with connect(options) as client:
        begun = [
            (text, client.prefetch(name, version, region, create=options.create)) for text, name, version in wanted
        ]
    if options.json:
        print_json([answer for _, answer in begun])
        return
    for text, answer in begun:
        state = "CACHED" if answer.done else answer.progress.state if answer.progress is not None else "accepted"
        say(f"{text} in {region}: {state}")


def cancel(options: Namespace) -> None:
    name, version = split_version(options.version)
    with connect(options) as client:
        client.cancel(name, version, options.request)
    if options.json:
        print_json({"cancelled": options.request})
    else:
        say(f"{options.request} is cancelled, unless it was complete before")
