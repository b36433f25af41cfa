"""Completion scripts for shells, made from the command's own parser so that they cannot fall behind it."""

from __future__ import annotations

import argparse

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


def script(parser: argparse.ArgumentParser, shell: str) -> str:
    """The script for ``bash`` or ``zsh``."""
    words = _words(parser, "")
    steps = "\n".join(f'            "{path}") path="{path}" ;;' for path in words if path)
    choices = "\n".join(f'        "{path}") words="{" ".join(found)}" ;;' for path, found in words.items())
    text = _BASH.format(steps=steps, choices=choices)
    if shell == "zsh":
        return "autoload -U +X bashcompinit && bashcompinit\n" + text
    return text


def _words(parser: argparse.ArgumentParser, path: str) -> dict[str, list[str]]:
    """For each command, written as ``" datasets register"``, what may follow it."""
    follow: list[str] = []
    below: dict[str, list[str]] = {}
    for action in parser._actions:
        follow += [option for option in action.option_strings if option.startswith("--")]
        if isinstance(action, argparse._SubParsersAction):
            for name, command in action.choices.items():
                follow.append(name)
                below |= _words(command, f"{path} {name}")
        elif action.choices is not None:
            follow += [str(choice) for choice in action.choices]
    return {path: follow, **below}
