"""Completion scripts for shells, generated from the command's own parser so that they stay complete."""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from dataclasses import dataclass

SHELLS = ("bash", "fish", "zsh")


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """Returns the script for one of ``SHELLS``."""
    root = _Command.of(parser, "forebay", "")
    return {"bash": _bash, "fish": _fish, "zsh": _zsh}[shell](root)


@dataclass(frozen=True)
class _Argument:
    """An option, or without names a positional argument."""

    names: tuple[str, ...]
    about: str
    value: str | None
    choices: tuple[str, ...]
    may_be_missing: bool
    ends: bool
    """Whether no argument follows it: ``--help``."""

    @staticmethod
    def of(action: argparse.Action) -> _Argument:
        return _Argument(
            tuple(action.option_strings),
            action.help or "",
            None if action.nargs == 0 else str(action.metavar or action.dest),
            tuple(str(choice) for choice in action.choices or ()),
            action.nargs == "?",
            isinstance(action, (argparse._HelpAction, argparse._VersionAction)),
        )


@dataclass(frozen=True)
class _Command:
    """A command and its possible arguments; ``path`` is the words of the user, ``forebay datasets list``."""

    path: tuple[str, ...]
    about: str
    options: tuple[_Argument, ...]
    positionals: tuple[_Argument, ...]
    below: tuple[_Command, ...]

    @staticmethod
    def of(parser: argparse.ArgumentParser, name: str, about: str, above: tuple[str, ...] = ()) -> _Command:
        path = (*above, name)
        arguments: list[_Argument] = []
        below: list[_Command] = []
        for action in parser._actions:
            if isinstance(action, argparse._SubParsersAction):
                helps = {choice.dest: choice.help or "" for choice in action._choices_actions}
                below += [_Command.of(each, sub, helps.get(sub, ""), path) for sub, each in action.choices.items()]
            else:
                arguments.append(_Argument.of(action))
        return _Command(
            path,
            about,
            tuple(each for each in arguments if each.names),
            tuple(each for each in arguments if not each.names),
            tuple(below),
        )

    @property
    def name(self) -> str:
        return self.path[-1]

    def all(self) -> Iterator[_Command]:
        yield self
        for each in self.below:
            yield from each.all()

    def words(self) -> list[str]:
        """Returns all possible words, without free text."""
        options = [name for option in self.options for name in option.names if name.startswith("--")]
        commands = [each.name for each in self.below]
        return options + commands + [choice for each in self.positionals for choice in each.choices]


_BASH = """\
# bash completion for forebay: eval "$(forebay completion bash)"
_forebay() {{
    local current="${{COMP_WORDS[COMP_CWORD]}}" path="" word words=""
    for word in "${{COMP_WORDS[@]:1:COMP_CWORD-1}}"; do
        case "$path $word" in
{steps}
        esac
    done
    case "$path" in
{choices}
    esac
    COMPREPLY=($(compgen -W "$words" -- "$current"))
}}
complete -o default -F _forebay forebay"""


def _bash(root: _Command) -> str:
    words = {"".join(f" {part}" for part in command.path[1:]): command.words() for command in root.all()}
    steps = "\n".join(f'            "{path}") path="{path}" ;;' for path in words if path)
    choices = "\n".join(f'        "{path}") words="{" ".join(found)}" ;;' for path, found in words.items())
    return _BASH.format(steps=steps, choices=choices)


_ZSH = """\
#compdef forebay
# zsh completion for forebay: eval "$(forebay completion zsh)", or save it as _forebay in a directory of $fpath
{functions}
if [[ $funcstack[1] == _forebay ]]; then
    _forebay "$@"
else
    (( $+functions[compdef] )) || {{ autoload -Uz compinit && compinit }}
    compdef _forebay forebay
fi"""

_ZSH_LEAF = """\
{function}() {{
    _arguments -s \\
        {arguments}
}}"""

_ZSH_BRANCH = """\
{function}() {{
    local curcontext=$curcontext state line
    typeset -A opt_args
    local -a commands=(
        {commands}
    )
    _arguments -s -C \\
        {arguments} \\
        '1: :->command' \\
        '*:: :->rest' && return
    case $state in
        command) _describe -t commands 'command' commands ;;
        rest)
            case $words[1] in
                {cases}
            esac ;;
    esac
}}"""


def _zsh(root: _Command) -> str:
    return _ZSH.format(functions="\n".join(_zsh_function(command) for command in root.all()))


def _zsh_function(command: _Command) -> str:
    arguments = [_zsh_option(option) for option in command.options]
    arguments += [_zsh_positional(each, place) for place, each in enumerate(command.positionals, 1)]
    return (_ZSH_BRANCH if command.below else _ZSH_LEAF).format(
        function=_zsh_name(command),
        arguments=" \\\n        ".join(arguments),
        commands="\n        ".join(_quoted(f"{each.name}:{each.about}") for each in command.below),
        cases="\n                ".join(f"{each.name}) {_zsh_name(each)} ;;" for each in command.below),
    )


def _zsh_name(command: _Command) -> str:
    return "_" + "_".join(command.path)


def _zsh_option(option: _Argument) -> str:
    """Returns an option in the format of ``_arguments``: exclusions, names, description and value."""
    excluded = "- *" if option.ends else " ".join(option.names)
    names = option.names[0] if len(option.names) == 1 else "{" + ",".join(option.names) + "}"
    value = "" if option.value is None else f":{_zsh_text(option.value)}:{_zsh_choices(option)}"
    return _quoted(f"({excluded})") + names + _quoted(f"[{_zsh_text(option.about)}]{value}")


def _zsh_positional(argument: _Argument, place: int) -> str:
    colon = "::" if argument.may_be_missing else ":"
    return _quoted(f"{place}{colon}{_zsh_text(argument.value or '')}:{_zsh_choices(argument)}")


def _zsh_choices(argument: _Argument) -> str:
    return f"({' '.join(argument.choices)})" if argument.choices else " "


def _zsh_text(text: str) -> str:
    return "".join(f"\\{character}" if character in "[]:\\" else character for character in text)


def _fish(root: _Command) -> str:
    lines = ["# fish completion for forebay: forebay completion fish | source", "complete -c forebay -f"]
    for command in root.all():
        at = _fish_condition(command)
        lines += [f"{at} -a {each.name} -d {_quoted(each.about)}" for each in command.below]
        lines += [f"{at} -a {_quoted(' '.join(each.choices))}" for each in command.positionals if each.choices]
        lines += [f"{at} {_fish_option(option)}" for option in command.options]
    return "\n".join(lines)


def _fish_condition(command: _Command) -> str:
    seen = [f"__fish_seen_subcommand_from {part}" for part in command.path[1:]]
    if command.below:
        seen.append("not __fish_seen_subcommand_from " + " ".join(each.name for each in command.below))
    return f"complete -c forebay -n {_quoted('; and '.join(seen))}"


def _fish_option(option: _Argument) -> str:
    names = " ".join(f"-l {name[2:]}" if name.startswith("--") else f"-s {name[1:]}" for name in option.names)
    value = "" if option.value is None else " -x"
    return f"{names}{value} -d {_quoted(option.about)}"


def _quoted(text: str) -> str:
    """Quotes a text for all three shells. No backslash may precede a quote or end the text."""
    return "'" + text.replace("'", "'\\''") + "'"
