"""The command ``forebay``: arguments in, exit code out. The commands themselves are in ``_commands``."""

from __future__ import annotations

import argparse
import difflib
import json
import sys
import warnings
from collections.abc import Callable, Iterable, Sequence
from importlib.metadata import version
from typing import NoReturn

from forebay import _commands, _completion, _display
from forebay._errors import (
    AlreadyExists,
    ApiError,
    Cancelled,
    CapacityExceeded,
    ConfigurationError,
    ConnectionFailed,
    Denied,
    Evicting,
    ForebayError,
    InvalidArgument,
    NotFound,
    Pinned,
    TooLarge,
    UnexpectedAnswer,
    UnknownRegion,
    notes,
)
from forebay._signals import Ended, EndingSignals, name_of, number_of
from forebay._text import one_line
from forebay._values import is_text

FAILED, USAGE, REFUSED, NOT_FOUND, UNREACHABLE = 1, 2, 3, 4, 5

_CREATE = "create the version if the dataset has others, and not this one"

_BILLED_BY = ("namespace", "dataset", "version", "region", "run", "day")

_WRITTEN_AS = {
    "api": "--api",
    "pin.lease_seconds": "--pin-for, in seconds,",
    "pin.holder": "--holder",
    "pin.reason": "--reason",
    "lease_seconds": "--for, in seconds,",
    "ttl_seconds": "the time to live, in seconds,",
    "holder": "--holder",
    "reason": "--reason",
    "region": "--region",
    "min_coverage": "--min-coverage",
    "deadline_seconds": "--deadline, in seconds,",
    "bytes": "BYTES",
    "id": "--id",
    "job": "--job",
    "source": "S3_URI",
    "since": "--since",
    "until": "--until",
    "include": "--include",
    "exclude": "--exclude",
    "keys": "--keys",
    "interval_seconds": "--every, in seconds,",
}

_ACTIONS = frozenset(
    {
        _commands.datasets.register_dataset,
        _commands.datasets.set_dataset_ttl,
        _commands.datasets.delete_dataset,
        _commands.datasets.follow,
        _commands.datasets.pause_tracking,
        _commands.datasets.check_drift,
        _commands.datasets.unfollow,
        _commands.contents.set_alias,
        _commands.contents.delete_alias,
        _commands.versions.ensure,
        _commands.versions.freeze,
        _commands.versions.prefetch,
        _commands.versions.evict,
        _commands.versions.set_ttl,
        _commands.versions.resume,
        _commands.versions.abandon,
        _commands.versions.cancel,
        _commands.versions.restore_catalogue,
        _commands.fsck.repair,
        _commands.pins.pin,
        _commands.pins.unpin,
        _commands.regions.sweep,
        _commands.regions.quota,
    }
)
"""Commands that change something. Others exist for their output, so they fail if it is lost."""

_EPILOG = """\
exit codes:
  0  done
  1  failed: the platform tried and could not, or a time limit passed
  2  wrong usage: an argument or environment variable is missing or wrong
  3  refused: PINNED, EVICTING, ALREADY_EXISTS, DENIED, CAPACITY_EXCEEDED or CANCELLED
  4  not found: no such dataset, version, pin or region
  5  unreachable: the control plane does not answer, or another server does
  128 and the number of a signal that ended it: 130 for Ctrl-C
With --json an error is one line on stderr: {"code", "message", "field", "retryable"}; a reason for which `ensure`
waits is one before it: {"waiting": {"region", "code", "message"}}.

environment:
  FOREBAY_API         address of the control plane, for example http://127.0.0.1:8080
  FOREBAY_REGION      the region to use when --region is not given
  FOREBAY_MOUNT_ROOT  where this machine mounts datasets, if not where the region says
  FOREBAY_RUN_ID      the run this process belongs to: started again, it takes over the pin it had
  FOREBAY_JOB_UID     the uid of the Kubernetes Job this process belongs to: `ensure --pin-for` has its pin name it
  FOREBAY_TOKEN_FILE  file with a bearer token
  FOREBAY_SERVICE_CA  file with the authorities, in PEM, that sign the certificate of a control plane with https,
                      if not one that everybody trusts
  SSL_CERT_FILE, SSL_CERT_DIR
                      the same for all programs of the machine
  HTTPS_PROXY, HTTP_PROXY, ALL_PROXY, NO_PROXY
                      the proxy to a control plane that is not on this machine

durations are written 90s, 30m, 12h, 7d or 1h30m; a plain number means seconds
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the command and returns its exit code."""
    given = sys.argv[1:] if arguments is None else arguments
    with _display.of_command(), EndingSignals():
        show_warnings_of("forebay")
        return _main(given)


def _main(given: Sequence[str]) -> int:
    parser = build_parser()
    options = argparse.Namespace(json="--json" in given, run=None)
    try:
        options = parser.parse_args([_text(word) for word in given], options)
        if options.command is None:
            parser.print_help()
        elif options.command == "completion":
            print(_completion.script(parser, options.shell))
        else:
            options.run(options)
        sys.stdout.flush()
    except ForebayError as error:
        report(error, "forebay", options.json)
        return exit_code(error)
    except (KeyboardInterrupt, Ended) as interruption:
        return report_interruption(interruption, "forebay", options.json)
    except BrokenPipeError:
        # The reader of the pipe has closed it: `forebay datasets | head`.
        _display.discard_stdout()
    except OSError as error:
        _display.discard_stdout()
        report(_NotPrinted(f"stdout did not take the answer: {error.strerror}"), "forebay", options.json)
        return 0 if options.run in _ACTIONS else FAILED
    return 0


class _WrongUsage(ConfigurationError):
    """Arguments that argparse does not accept, with the usage."""

    def __init__(self, message: str, usage: str) -> None:
        super().__init__(message)
        self.usage = usage


class _Interrupted(ForebayError):
    code = "INTERRUPTED"
    retryable = True


class _NotPrinted(ForebayError):
    code = "NOT_PRINTED"


class Parser(argparse.ArgumentParser):
    """Raises errors instead of printing them, and suggests known words for unknown ones."""

    def error(self, message: str) -> NoReturn:
        raise _WrongUsage(message, self.format_usage())

    def _check_value(self, action: argparse.Action, value: object) -> None:
        if action.choices is None or value in action.choices:
            return
        if isinstance(action, argparse._SubParsersAction):
            near = _did_you_mean(_with_action(str(value), action)) or _nearest(str(value), action.choices)
            # A list of all commands would hide the important part of the message.
            raise argparse.ArgumentError(None, f"there is no command {value!r}{near or _see_help(self)}")
        near = _nearest(str(value), action.choices)
        allowed = ", ".join(map(str, action.choices))
        raise argparse.ArgumentError(action, f"{value!r} is none of {allowed}{near}")

    def parse_known_args(self, args=None, namespace=None):  # type: ignore[no-untyped-def]
        # Each command reports its own unknown arguments, so that the message has its usage.
        options, unknown = super().parse_known_args(args, namespace)
        if unknown:
            word = unknown[0].split("=")[0]
            near = _nearest(word, self._option_string_actions) if word.startswith("-") else ""
            self.error(f"unrecognized arguments: {' '.join(unknown)}{near}")
        return options, unknown


def _nearest(word: str, names: Iterable[str]) -> str:
    return _did_you_mean(difflib.get_close_matches(word, list(map(str, names)), n=3))


def _with_action(word: str, commands: argparse._SubParsersAction[argparse.ArgumentParser]) -> list[str]:
    """Returns the commands that have an action of this name: ``datasets register`` for ``register``."""
    return [
        f"{name} {word}"
        for name, parser in commands.choices.items()
        for action in parser._actions
        if isinstance(action, argparse._SubParsersAction) and word in action.choices
    ]


def _did_you_mean(near: Sequence[str]) -> str:
    return f": did you mean {' or '.join(near)}?" if near else ""


def _see_help(parser: argparse.ArgumentParser) -> str:
    return f": {parser.prog} --help lists them"


def _text(word: str) -> str:
    if not is_text(word):
        raise ConfigurationError(f"the argument {word!r} is not text in this machine's encoding")
    return word


def _count(word: str) -> int:
    if not (word.isascii() and word.isdigit() and int(word) > 0):
        raise argparse.ArgumentTypeError(f"{word!r} is not a whole number from 1 on")
    return int(word)


def show_warnings_of(program: str) -> None:
    """Prints warnings in the format of errors."""
    warnings.showwarning = lambda message, *_, **__: print(
        f"{program}: warning: {one_line(str(message))}", file=sys.stderr
    )


def report(error: ForebayError, program: str, as_json: bool = False) -> None:
    """Prints to stderr why the program ends."""
    if as_json:
        message = error.detail if isinstance(error, ApiError) else str(error)
        problem = {"code": error.code, "message": message, "field": error.field, "retryable": error.retryable}
        print(json.dumps(problem), file=sys.stderr)
        return
    if isinstance(error, _WrongUsage):
        print(error.usage, end="", file=sys.stderr)
    print(f"{program}: {one_line(_in_words_of_the_command(error))}", file=sys.stderr)


def report_interruption(interruption: KeyboardInterrupt | Ended, program: str, as_json: bool = False) -> int:
    """Prints the result for the request and the signal to stderr, and returns the exit code."""
    number = number_of(interruption)
    left = notes(interruption) or ["the platform continues what it has accepted"]
    said = [*left, f"ended by {name_of(number)}"]
    if as_json:
        said = ["; ".join(said)]
    for each in said:
        report(_Interrupted(each), program, as_json)
    return 128 + number


def _in_words_of_the_command(error: ForebayError) -> str:
    """Returns the message, with the command's option in place of the API's field name."""
    detail = error.detail if isinstance(error, ApiError) else str(error)
    if error.field not in _WRITTEN_AS or not detail.startswith(f"{error.field} "):
        return str(error)
    code = f"{error.code}: " if isinstance(error, ApiError) else ""
    return f"{code}{_WRITTEN_AS[error.field]}{detail.removeprefix(error.field)}"


def exit_code(error: ForebayError) -> int:
    if isinstance(error, (ConfigurationError, InvalidArgument)):
        return USAGE
    if isinstance(error, (NotFound, UnknownRegion)):
        return NOT_FOUND
    if isinstance(error, (ConnectionFailed, UnexpectedAnswer)):
        return UNREACHABLE
    if isinstance(error, (Pinned, Evicting, AlreadyExists, Denied, CapacityExceeded, TooLarge, Cancelled)):
        return REFUSED
    return FAILED


def build_parser() -> argparse.ArgumentParser:
    shared = Parser(add_help=False)
    shared.add_argument("--api", metavar="URL", help="address of the control plane (default: $FOREBAY_API)")
    shared.add_argument("--json", action="store_true", help="print JSON instead of a table, errors too")

    parser = Parser(
        prog="forebay",
        description="Bring versions of datasets close to the GPUs, hold them there, and let them go.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("--version", action="version", version=f"forebay {version('forebay')}")
    commands = parser.add_subparsers(dest="command", metavar="COMMAND")

    def add(name: str, run: Callable[[argparse.Namespace], None], about: str) -> argparse.ArgumentParser:
        command = commands.add_parser(
            name,
            parents=[shared],
            help=about,
            description=about.capitalize() + ".",
            epilog=_EPILOG,
            formatter_class=argparse.RawDescriptionHelpFormatter,
        )
        command.set_defaults(run=run)
        return command

    _add_datasets(add("datasets", _commands.datasets.list_datasets, "list, show, register and delete datasets"))

    _add_tracking(
        add("tracking", _commands.datasets.tracking, "have a dataset follow its source, and see what was found there")
    )

    ls = add("ls", _commands.contents.ls, "list the datasets, the versions of one, or the objects of a version")
    ls.add_argument("of", metavar="NS/NAME[@VERSION]", nargs="?", help="whose; without it: the datasets")
    ls.add_argument("folder", metavar="FOLDER", nargs="?", help="of a version: only what is below this path")
    _add_page(ls)

    diff = add("diff", _commands.contents.diff, "list what was added, removed or changed between two versions")
    diff.add_argument("before", metavar="NS/NAME@VERSION", help="the version to compare with")
    diff.add_argument("version", metavar="[NS/NAME@]VERSION", help="the version that is compared; of the same dataset")
    _add_page(diff)

    _add_alias(add("alias", _commands.contents.list_aliases, "list and move names that mean one version after another"))

    freeze = add("freeze", _commands.versions.freeze, "create a version: list its source now, and bring nothing")
    _add_version(freeze)

    ensure = add(
        "ensure", _commands.versions.ensure, "wait until a version is complete in a region, and print its path"
    )
    _add_version_or_latest(ensure)
    _add_region(ensure)
    ensure.add_argument("--create", action="store_true", help=_CREATE)
    ensure.add_argument("--pin-for", metavar="DURATION", help="also hold it for this long")
    ensure.add_argument("--holder", metavar="WHO", help="who holds it (default: user@host)")
    ensure.add_argument("--reason", metavar="WHY", help="what for")
    ensure.add_argument("--run-id", metavar="ID", help="take over what a command of this run held before it was killed")
    ensure.add_argument("--timeout", metavar="DURATION", help="give up waiting after this long; the work goes on")
    ensure.add_argument("--min-coverage", metavar="PART", type=float, help="this part of the bytes, 0 to 1, will do")
    ensure.add_argument("--deadline", metavar="DURATION", help="have an answer by then in any case")
    ensure.add_argument("--on-deadline", choices=("fail", "run_cold"), help="what it then is (default: fail)")
    ensure.add_argument(
        "--priority",
        choices=("interactive", "speculative"),
        help="whether somebody waits for it (default: interactive)",
    )
    ensure.add_argument("--also-in", metavar="REGION", action="append", default=[], help="another region; repeatable")
    ensure.add_argument(
        "--detach", action="store_true", help="if Ctrl-C or a signal ends the wait, let the request go on"
    )
    ensure.add_argument("-q", "--quiet", action="store_true", help="show no progress; only why it waits")

    plan = add("plan", _commands.plans.plan, "say what it would take to have a version in regions; nothing begins")
    _add_version_or_latest(plan)
    plan.add_argument(
        "--region", metavar="REGION", action="append", default=[], help="a region; may be repeated (default: all)"
    )

    where = add("where", _commands.placements.where, "say where a version is warm, or would be soonest, and why")
    where.add_argument("dataset", metavar="NS/NAME[@VERSION]", help="without a version: the newest")
    where.add_argument("--gpus", metavar="N", type=_count, help="how many GPUs the job needs")

    prefetch = add(
        "prefetch", _commands.versions.prefetch, "start to bring versions into a region, without waiting or a pin"
    )
    prefetch.add_argument("versions", metavar="NS/NAME[@VERSION]", nargs="+", help="without a version: the newest")
    prefetch.add_argument("--create", action="store_true", help=_CREATE)
    _add_region(prefetch)

    status = add("status", _commands.versions.status, "show where a dataset or a version of it is, or what is BLOCKED")
    status.add_argument("dataset", metavar="NS/NAME[@VERSION]", nargs="?", help="without it: what is BLOCKED, and why")

    explain = add("explain", _commands.versions.explain, "say why a version is, or is not, in a region")
    explain.add_argument("dataset", metavar="NS/NAME[@VERSION]", help="without a version: the newest")
    _add_region(explain)

    pins = add("pins", _commands.pins.pins, "list who holds what")
    _add_region(pins, "only this region")
    pins.add_argument("--leaked", action="store_true", help="only those that nobody seems to stand behind, and why")

    pin = add("pin", _commands.pins.pin, "hold a version that is in a region")
    _add_version(pin)
    _add_region(pin)
    pin.add_argument("--for", dest="lease", metavar="DURATION", required=True, help="for how long")
    pin.add_argument("--id", metavar="PIN", help="the pin's id; with the id of a living pin, renews that one")
    pin.add_argument("--holder", metavar="WHO", help="who holds it (default: user@host)")
    pin.add_argument("--reason", metavar="WHY", help="what for")
    pin.add_argument("--job", metavar="UID", help="the uid of the Kubernetes Job that holds it")

    unpin = add("unpin", _commands.pins.unpin, "let go of a pin")
    _add_version(unpin)
    unpin.add_argument("pin", metavar="PIN", nargs="?", help="the pin's id, as `forebay pins` lists it")
    unpin.add_argument("--run-id", metavar="ID", help="instead of a pin: what `ensure --run-id ID` holds, if anything")
    unpin.add_argument("--holder", metavar="WHO", help="with --run-id: if `ensure` was given --holder WHO")
    _add_region(unpin)

    evict = add("evict", _commands.versions.evict, "remove a version from a region; refused while somebody holds it")
    _add_version(evict)
    _add_region(evict)
    evict.add_argument("--reason", metavar="WHY", help="why; it stays in the version's history")

    ttl = add("ttl", _commands.versions.set_ttl, "set how long a version stays in a region after its last pin")
    _add_version(ttl)
    ttl.add_argument("ttl", metavar="DURATION")

    resume = add("resume", _commands.versions.resume, "let a region that is BLOCKED try again")
    _add_version(resume)
    _add_region(resume)

    abandon = add("abandon", _commands.versions.abandon, "give up a region that is BLOCKED, with what it holds")
    _add_version(abandon)
    _add_region(abandon)
    abandon.add_argument("--reason", metavar="WHY", help="why; it stays in the version's history")

    cancel = add("cancel", _commands.versions.cancel, "take a request back; what nobody else wants of it is removed")
    _add_version(cancel)
    cancel.add_argument("request", metavar="REQUEST", help="the request's id, as a time-out of `ensure` names it")

    sweep = add("sweep", _commands.regions.sweep, "evict from a region what has to go, or show what that is")
    _add_region(sweep)
    instead = sweep.add_mutually_exclusive_group()
    instead.add_argument("--dry-run", action="store_true", help="show what would go, and why; change nothing")
    instead.add_argument("--schedule", action="store_true", help="show when the region is swept by itself")
    instead.add_argument("--pause", action="store_true", help="have the region not swept by itself from now on")
    instead.add_argument("--resume", action="store_true", help="have the region swept by itself again")
    sweep.add_argument("--reason", metavar="WHY", help="why it is paused or resumed")

    queue = add("queue", _commands.regions.queue, "list the versions that wait for room in a region, and why")
    _add_region(queue)

    quota = add("quota", _commands.regions.quota, "show or set how much room a namespace may have")
    quota.add_argument("namespace", metavar="NAMESPACE")
    quota.add_argument("bytes", metavar="BYTES", nargs="?", help="set it, to bytes or 64K, 10G, 1.5T; or: none")
    _add_region(quota, "only in this region (default: in all that have none of their own)")

    add(
        "restore-catalogue",
        _commands.versions.restore_catalogue,
        "enter datasets and versions that the catalogue has lost, from what lies beside the manifests",
    )

    fsck = add("fsck", _commands.fsck.check, "compare catalogue, manifests, workflows and regions with each other")
    fsck.add_argument("of", metavar="NS[/NAME[@VERSION]]", nargs="?", help="only what belongs to this")
    fsck.add_argument(
        "--repair", dest="run", action="store_const", const=_commands.fsck.repair, help="repair what can be repaired"
    )
    fsck.add_argument("--deep", action="store_true", help="compare stored chunks with their checksums, too")

    add("regions", _commands.regions.regions, "list the regions and their workers")

    costs = add(
        "costs", _commands.costs.costs, "show what versions cost, and what they would have cost without the cache"
    )
    costs.add_argument("of", metavar="NS[/NAME[@VERSION]]", nargs="?", help="only what belongs to this")
    costs.add_argument("--by", choices=_BILLED_BY, default="dataset", help="add up by this (default: dataset)")
    _add_region(costs, "only this region")
    costs.add_argument("--run-id", metavar="ID", help="only what was filled because of this run")
    costs.add_argument(
        "--since", metavar="DAY", help="the first day, in UTC, as 2026-11-01 (default: of the last day's month)"
    )
    costs.add_argument("--until", metavar="DAY", help="the day after the last (default: tomorrow)")

    add("budgets", _commands.costs.budgets, "list what namespaces may cost this month, and have cost")

    completion = commands.add_parser("completion", help="print a completion script for a shell")
    completion.add_argument("shell", choices=_completion.SHELLS)
    return parser


def _quiet() -> Parser:
    """The shared options without defaults, because in `forebay datasets --json list` the default would reset --json."""
    quiet = Parser(add_help=False, argument_default=argparse.SUPPRESS)
    quiet.add_argument("--api", metavar="URL", help="address of the control plane (default: $FOREBAY_API)")
    quiet.add_argument("--json", action="store_true", help="print JSON instead of a table, errors too")
    return quiet


def _add_tracking(tracking: argparse.ArgumentParser) -> None:
    actions = tracking.add_subparsers(dest="action", metavar="ACTION")
    tracking.set_defaults(run=lambda _: tracking.print_help())
    quiet = _quiet()

    def add(name: str, run: Callable[[argparse.Namespace], None], about: str) -> argparse.ArgumentParser:
        action = actions.add_parser(name, parents=[quiet], help=about)
        action.add_argument("dataset", metavar="NS/NAME")
        action.set_defaults(run=run)
        return action

    add("show", _commands.datasets.tracking, "show how it is followed, and the last check")
    on = add(
        "on", _commands.datasets.follow, "check the source again and again, and make a version of what has changed"
    )
    on.add_argument("--every", metavar="DURATION", help="the time between checks (default: as it is, or an hour)")
    add("pause", _commands.datasets.pause_tracking, "make no checks until it is switched on again")
    add("check", _commands.datasets.check_drift, "check now, without waiting for it")
    add("off", _commands.datasets.unfollow, "follow it no more; its versions stay")


def _add_alias(alias: argparse.ArgumentParser) -> None:
    actions = alias.add_subparsers(dest="action", metavar="ACTION")
    alias.set_defaults(run=lambda _: alias.print_help())
    quiet = _quiet()

    listing = actions.add_parser("list", parents=[quiet], help="list the aliases of a dataset, and what they mean")
    listing.add_argument("dataset", metavar="NS/NAME")
    listing.set_defaults(run=_commands.contents.list_aliases)

    move = actions.add_parser("set", parents=[quiet], help="have an alias mean a version from now on")
    _add_version(move)
    move.add_argument("alias", metavar="ALIAS", help="as prod, or candidate; not the name of a version")
    move.set_defaults(run=_commands.contents.set_alias)

    delete = actions.add_parser("delete", parents=[quiet], help="remove an alias; the version that it means stays")
    delete.add_argument("dataset", metavar="NS/NAME")
    delete.add_argument("alias", metavar="ALIAS")
    delete.set_defaults(run=_commands.contents.delete_alias)


def _add_page(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--limit", metavar="N", type=_count, default=1000, help="how many at most (default: 1000)")
    parser.add_argument("--after", metavar="LAST", help="only what comes after this one")


def _add_datasets(datasets: argparse.ArgumentParser) -> None:
    actions = datasets.add_subparsers(dest="action", metavar="ACTION")
    quiet = _quiet()

    listing = actions.add_parser("list", parents=[quiet], help="list datasets (the default)")
    listing.add_argument("namespace", nargs="?", metavar="NAMESPACE", help="only this namespace")
    listing.set_defaults(run=_commands.datasets.list_datasets)

    show = actions.add_parser("show", parents=[quiet], help="show one dataset and its versions")
    show.add_argument("dataset", metavar="NS/NAME")
    show.set_defaults(run=_commands.datasets.show_dataset)

    register = actions.add_parser("register", parents=[quiet], help="tell the platform where a dataset's originals are")
    register.add_argument("dataset", metavar="NS/NAME")
    register.add_argument("source", metavar="S3_URI", help="s3://bucket/prefix/")
    register.add_argument("--ttl", metavar="DURATION", help="how long a version stays in a region after its last pin")
    register.add_argument(
        "--include", metavar="PATTERN", action="append", default=[], help="only keys like this, as train/**; repeatable"
    )
    register.add_argument(
        "--exclude", metavar="PATTERN", action="append", default=[], help="no keys like this, as **/*.tmp; repeatable"
    )
    register.add_argument("--keys", metavar="S3_URI", help="an object that lists the keys, one a line")
    _add_ttl_after(register, "the last pin (the default), or the last pin or read")
    register.set_defaults(run=_commands.datasets.register_dataset)

    ttl = actions.add_parser("ttl", parents=[quiet], help="change how long its versions stay in a region")
    ttl.add_argument("dataset", metavar="NS/NAME")
    ttl.add_argument("--ttl", metavar="DURATION", help="of versions that are made from now on (default: as it is)")
    _add_ttl_after(ttl, "the last pin, or the last pin or read (default: as it is)")
    ttl.set_defaults(run=_commands.datasets.set_dataset_ttl)

    delete = actions.add_parser("delete", parents=[quiet], help="have a dataset's versions go; its originals stay")
    delete.add_argument("dataset", metavar="NS/NAME")
    delete.set_defaults(run=_commands.datasets.delete_dataset)


def _add_ttl_after(parser: argparse.ArgumentParser, events: str) -> None:
    parser.add_argument("--ttl-after", choices=("pin", "read"), help=f"from what that counts: {events}")


def _add_version(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", metavar="NS/NAME@VERSION")


def _add_version_or_latest(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("version", metavar="NS/NAME[@VERSION]", help="without a version: the newest")


def _add_region(parser: argparse.ArgumentParser, about: str = "the region (default: $FOREBAY_REGION)") -> None:
    parser.add_argument("--region", metavar="REGION", help=about)
