"""A step of any pipeline, in any container: brings a version of a dataset here, and runs a program on it.

    python -m forebay.step --dataset vision/digits --version 2026-11-20 -- python train.py

Without a program it ends when the version is present. With one it holds the version until the program ends. The program
finds the directory in ``FOREBAY_DATASET_PATH``, gets the signals that the step gets, and its exit code is the step's.
"""

from __future__ import annotations

import argparse
import contextlib
import json
import os
import subprocess
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from forebay import _display
from forebay._dataset import HELD_LEASE_SECONDS, CachedDataset, ensure_dataset_cached
from forebay._errors import ConfigurationError, ForebayError
from forebay._models import to_json
from forebay._outcomes import exit_code, report, report_interruption, show_warnings_of
from forebay._parser import Parser
from forebay._prefetch import prefetch_dataset
from forebay._progress import Reasons
from forebay._signals import ChildSignals, Ended
from forebay._values import split_version, version_or_latest

CANNOT_RUN, NO_SUCH_PROGRAM = 126, 127

_NAME = "forebay.step"

_DATASET, _VERSION = "FOREBAY_DATASET", "FOREBAY_VERSION"
_PATH_FILE, _RECEIPT_FILE = "FOREBAY_PATH_FILE", "FOREBAY_RECEIPT_FILE"

_EPILOG = """\
An empty option counts as not given. Other variables, such as FOREBAY_MOUNT_ROOT, FOREBAY_TOKEN_FILE and
FOREBAY_SERVICE_CA, mean what they mean to the command forebay: see forebay --help.

exit codes:
  the program's
  126  the program cannot be run
  127  the program does not exist
  128 plus the number of the signal that ended the program, or that ended the step while it waited
  otherwise those of the command forebay
"""


def main(arguments: Sequence[str] | None = None) -> int:
    """Runs the step and returns its exit code."""
    signals = ChildSignals()
    with _display.of_command():
        show_warnings_of(_NAME)
        try:
            options = _options(sys.argv[1:] if arguments is None else arguments)
            with signals:
                return _run(options, signals)
        except (KeyboardInterrupt, Ended) as interruption:
            return report_interruption(interruption, _NAME)
        except ForebayError as error:
            report(error, _NAME)
            return exit_code(error)


def _run(options: argparse.Namespace, signals: ChildSignals) -> int:
    name, version = options.dataset, options.version
    if version is None:
        name, version = version_or_latest(name)
    ahead = [split_version(each) for each in options.prefetch]
    holds = bool(options.program) and not options.no_pin
    if options.no_pin and options.pin_for is not None:
        raise ConfigurationError("--no-pin and --pin-for contradict each other")
    ds = ensure_dataset_cached(
        name,
        version,
        options.region,
        options.pin_for or (HELD_LEASE_SECONDS if holds else None),
        holder=options.holder,
        reason=options.reason,
        run_id=options.run_id,
        timeout=options.timeout,
        min_coverage=_part(options.min_coverage),
        deadline=options.deadline,
        on_deadline=options.on_deadline,
        detach=options.detach,
        create=options.create,
        progress=Reasons(f"{name}@{version}") if options.quiet else True,
        api=options.api,
    )
    with ds if holds else contextlib.nullcontext():
        for each in ahead:
            prefetch_dataset(*each, ds.region, create=options.create, api=options.api)
        if not options.program:
            # This container may not see the mount.
            _write(options, ds, ds.expected_path)
            return 0
        _write(options, ds, ds.path)
        return _call(options.program, ds.path, signals)


def _part(text: str | None) -> float | None:
    try:
        return None if text is None else float(text)
    except ValueError as error:
        raise ConfigurationError(f"--min-coverage is {text!r}, not a number from 0 to 1") from error


def _write(options: argparse.Namespace, ds: CachedDataset, path: Path) -> None:
    receipt = json.dumps(_without_nothing(to_json(ds.receipt))).encode()
    contents = {options.path_file: _display.bytes_of(path), options.receipt_file: receipt}
    for file, content in contents.items():
        if file is not None:
            try:
                Path(file).parent.mkdir(parents=True, exist_ok=True)
                Path(file).write_bytes(content)
            except OSError as error:
                raise ConfigurationError(f"cannot write {file}: {error.strerror}") from error


def _without_nothing(value: Any) -> Any:
    """Removes null values, which Kubeflow Pipelines does not support."""
    if isinstance(value, dict):
        return {name: _without_nothing(each) for name, each in value.items() if each is not None}
    return value


def _call(program: Sequence[str], path: Path, signals: ChildSignals) -> int:
    try:
        # A step within this one would overwrite the files of this one.
        inherited = {name: value for name, value in os.environ.items() if name not in (_PATH_FILE, _RECEIPT_FILE)}
        code = signals.call(program, {**inherited, "FOREBAY_DATASET_PATH": str(path)})
    except (OSError, subprocess.SubprocessError) as error:
        print(f"{_NAME}: cannot run {program[0]}: {error}", file=sys.stderr)
        return NO_SUCH_PROGRAM if isinstance(error, FileNotFoundError) else CANNOT_RUN
    return code if code >= 0 else 128 - code


def _options(arguments: Sequence[str]) -> argparse.Namespace:
    """Parses the options. All words after the first ``--`` belong to the program."""
    words = list(arguments)
    end = words.index("--") if "--" in words else len(words)
    options = build_parser().parse_args(words[:end])
    options.program = words[end + 1 :]
    if end < len(words) and not options.program:
        raise ConfigurationError("there is no program after --: write one, or leave out the --")
    for name, value in vars(options).items():
        if value == "":
            setattr(options, name, None)
    if options.dataset is None:
        raise ConfigurationError("no dataset is named: write --dataset, or set FOREBAY_DATASET")
    _take_version(options)
    return options


def _take_version(options: argparse.Namespace) -> None:
    """Takes the version from FOREBAY_VERSION if no option names it.

    The variable does not apply to a dataset with its own version: a step passes its variables on to a step within it.
    """
    of_machine = os.environ.get(_VERSION)
    if options.version is None and ("@" not in options.dataset or options.dataset == os.environ.get(_DATASET)):
        options.version = of_machine or None
    if options.version is not None and "@" in options.dataset:
        raise ConfigurationError(
            f"'{options.dataset}' names a version, and --version or {_VERSION} names '{options.version}': "
            "leave out one of them"
        )


def build_parser() -> argparse.ArgumentParser:
    parser = Parser(
        prog=f"python -m {_NAME}",
        usage="%(prog)s [options] [-- PROGRAM [ARGUMENT ...]]",
        description="Wait until a version of a dataset is in this region, and run a program while it is pinned.",
        epilog=_EPILOG,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )

    def add(option: str, metavar: str, about: str, variable: str | None = None) -> None:
        told = "" if variable is None else f" (default: ${variable})"
        default = None if variable is None else os.environ.get(variable)
        parser.add_argument(option, metavar=metavar, help=about + told, default=default)

    add("--dataset", "NS/NAME[@VERSION]", "dataset, with or without a version", _DATASET)
    add("--version", "VERSION", f"version (default: ${_VERSION}, else the version that was frozen last)")
    parser.add_argument(
        "--create",
        action="store_true",
        help="create the version, and those of --prefetch, if their datasets do not have them",
    )
    add("--region", "REGION", "region (default: $FOREBAY_REGION)")
    add(
        "--pin-for",
        "DURATION",
        "how long the pin outlives a step that dies; without a program: pin the version for this long",
    )
    parser.add_argument("--detach", action="store_true", help="let the request continue if a signal ends the wait")
    parser.add_argument("--no-pin", action="store_true", help="take no pin while the program runs")
    add("--run-id", "ID", "run of this step: after a restart it takes over its pin and request", "FOREBAY_RUN_ID")
    add("--holder", "WHO", "owner of the pin, for people (default: the run, or user@host)")
    add("--reason", "WHY", "purpose of the pin, for people")
    add("--timeout", "DURATION", "stop waiting after this time; the platform continues")
    add("--min-coverage", "PART", "start when this part of the bytes, 0 to 1, is there; the fill continues")
    add("--deadline", "DURATION", "time within which the platform must answer")
    add("--on-deadline", "WHAT", "what to do when the deadline passes: fail (the default), or run_cold")
    add("--path-file", "FILE", "file for the path of the version", _PATH_FILE)
    add("--receipt-file", "FILE", "file for the receipt, as JSON", _RECEIPT_FILE)
    parser.add_argument(
        "--prefetch",
        metavar="NS/NAME@VERSION",
        action="append",
        default=[],
        help="version that the next step needs: start its fill afterwards; may be repeated",
    )
    add("--api", "URL", "address of the control plane (default: $FOREBAY_API)")
    parser.add_argument("-q", "--quiet", action="store_true", help="show no progress, only the reason for a wait")
    return parser


if __name__ == "__main__":
    sys.exit(main())
