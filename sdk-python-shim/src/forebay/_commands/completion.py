"""Completion of commands and options in shells, by argcomplete."""

from __future__ import annotations

from argparse import Namespace

from forebay._commands._parsers import Commands
from forebay._errors import ConfigurationError

# Not every user of zsh has loaded its completion system.
_ZSH = "#compdef forebay\n(( $+functions[compdef] )) || { autoload -Uz compinit && compinit }\n"


def add(commands: Commands) -> None:
    command = commands.add("completion", completion, "print the completion script for a shell")
    command.add_argument("shell", choices=("bash", "fish", "zsh"), help="the shell that runs the script")


def completion(options: Namespace) -> None:
    try:
        from argcomplete.shell_integration import shellcode
    except ImportError:
        raise ConfigurationError("completion needs argcomplete: pip install 'forebay[completion]'") from None
    script = shellcode(["forebay"], shell=options.shell)
    print(script.replace("#compdef forebay\n", _ZSH, 1) if options.shell == "zsh" else script)
