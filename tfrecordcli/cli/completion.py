"""`tfrec completion`: what a shell sources, and what it is answered while a command line is typed.

A shell calls `tfrec` at each TAB, with the words so far in its environment, and gets a line a proposal. All
that is proposed comes from the definitions of commands and options; which files there are, the shell knows
best itself.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Final

import click
from click.shell_completion import BashComplete, FishComplete, ShellComplete, ZshComplete

# In it a shell says what it wants; click has the name from that of the command.
VARIABLE: Final = "_TFREC_COMPLETE"

# Proposals begin after the last = of a word, as in `train=photos/` and `--check=decode`: there bash begins a
# word of its own, and the others are told to. Without a proposal bash completes names of files; compopt, with
# which that could be said for some words only, is not in the bash of macOS.
_BASH: Final = """\
%(complete_func)s() {
    local IFS=$'\\n' type value
    COMPREPLY=()
    while IFS=, read -r type value; do
        [[ $type == plain ]] && COMPREPLY+=("$value")
    done < <(COMP_WORDS="${COMP_WORDS[*]}" COMP_CWORD=$COMP_CWORD \\
        %(complete_var)s=bash_complete "$1" 2>/dev/null)
}
complete -o default -F %(complete_func)s %(prog_name)s
"""

_ZSH: Final = """\
#compdef %(prog_name)s
%(complete_func)s() {
    local type key descr
    local -a names described
    local words_now="${words[*]}"
    compset -P '*='
    for type key descr in "${(@f)$(COMP_WORDS="$words_now" COMP_CWORD=$((CURRENT-1)) \\
            %(complete_var)s=zsh_complete ${words[1]} 2>/dev/null)}"; do
        case $type in
            plain) [[ $descr == _ ]] && names+=("$key") || described+=("$key:$descr") ;;
            dir) _path_files -/ ;;
            file) _path_files -f ;;
        esac
    done
    (( $#described )) && _describe -V unsorted described
    (( $#names )) && compadd -V unsorted -a names
}
if [[ $zsh_eval_context[-1] == loadautofunc ]]; then
    %(complete_func)s "$@"
else
    compdef %(complete_func)s %(prog_name)s
fi
"""

_FISH: Final = """\
function %(complete_func)s
    set -l word (commandline -ct)
    set -l rest (string replace -r '^.*=' '' -- $word)
    set -l stem (string match -r '^.*=' -- $word; or echo '')
    for line in (env %(complete_var)s=fish_complete COMP_WORDS=(commandline -cp | string collect) \\
            COMP_CWORD="$word" (commandline -po)[1] 2>/dev/null)
        set -l parts (string split -m 1 , -- $line)
        switch $parts[1]
            case dir
                printf '%%s\\n' $stem(__fish_complete_directories $rest)
            case file
                printf '%%s\\n' $stem(__fish_complete_path $rest)
            case plain
                printf '%%s\\n' $stem$parts[2]
        end
    end
end
complete --no-files --command %(prog_name)s --arguments '(%(complete_func)s)'
"""


class _Bash(BashComplete):
    source_template = _BASH

    def get_completion_args(self) -> tuple[list[str], str]:
        before, now = super().get_completion_args()
        *words, last = _rejoined([*before, now])
        return words, last

    def source(self) -> str:
        return ShellComplete.source(self)  # click's own refuses the bash of macOS


class _Zsh(ZshComplete):
    source_template = _ZSH


class _Fish(FishComplete):
    source_template = _FISH


SHELLS: Final[dict[str, type[ShellComplete]]] = {"bash": _Bash, "zsh": _Zsh, "fish": _Fish}


@click.command()
@click.argument("shell", type=click.Choice([*SHELLS]))
def completion(shell: str) -> int:
    """Make a shell complete commands, options, values and paths.

    Prints what the shell has to read for that:

    \b
    eval "$(tfrec completion bash)"                 # in ~/.bashrc
    eval "$(tfrec completion zsh)"                  # in ~/.zshrc, after compinit
    tfrec completion fish > ~/.config/fish/completions/tfrec.fish
    """
    parent = click.get_current_context().find_root().command
    click.echo(_answering(shell, parent).source(), nl=False)
    return 0


def answer(group: click.Command) -> int:
    """Prints the proposals for the words in this process's environment; an exit code."""
    shell, _, what = os.environ[VARIABLE].partition("_")
    if shell not in SHELLS or what != "complete":
        return 2
    click.echo(_answering(shell, group).complete())
    return 0


def _answering(shell: str, group: click.Command) -> ShellComplete:
    return SHELLS[shell](group, {}, "tfrec", VARIABLE)


def _rejoined(words: Sequence[str]) -> list[str]:
    """Words as they are typed: bash makes three of `train=a.csv`."""
    joined: list[str] = []
    for word in words:
        if joined and (word in ("=", ":") or joined[-1].endswith(("=", ":"))):
            joined[-1] += word
        else:
            joined.append(word)
    return joined or [""]
