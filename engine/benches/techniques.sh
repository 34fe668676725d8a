#!/usr/bin/env bash
# What each technique of search gains: the engine without it against the whole engine, at equal nodes.
#
#     engine/benches/techniques.sh TUNABLE VARIANT [PAIRS] [OPTION OF `brouhaha compare`]...
#
# TUNABLE is a `brouhaha` program built with `cargo build --release -p cli --features engine/tunable`, in which the numbers
# of search are UCI options. NODES nodes a move (default 5000), PAIRS pairs (default 1000). A negative Elo of the candidate
# is what the technique gains. TECHNIQUES names some of those below, separated by spaces, several together by `+`. The games
# stay in the folder that DATA names (default ./brouhaha-data), so that an interrupted measurement goes on.
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,9s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
program=$(realpath "$1") variant=$2 pairs=${3:-1000}
shift $(($# < 3 ? $# : 3))
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/engines.toml" <<TOML
[[engine]]
name = "engine"
path = "$program"
args = ["uci"]
TOML

declare -A without=(
    [null-move]=null_depth=99
    [static-pruning]=reverse_futility_depth=0,razor_depth=0,probcut_depth=99
    [late-move-pruning]=late_depth=0,futility_depth=0,history_pruning=-100000,exchange_depth=0
    [reductions]=reduction_depth=99
    [extensions]=singular_depth=99,check_extension_depth=99
    [iterative-reduction]=reduce_without_move_depth=99
    [histories]=bonus_a_ply=0
    [correction-history]=correction_part=1000000
    [aspiration]=aspiration_depth=99
)
all="null-move static-pruning late-move-pruning reductions extensions iterative-reduction histories correction-history aspiration"
for technique in ${TECHNIQUES:-$all}; do
    options=
    for part in ${technique//+/ }; do
        options+=${options:+,}${without[$part]:?"no technique of that name; there are: $all"}
    done
    printf '\n%s without %s (%s)\n' "$variant" "$technique" "$options"
    "$program" compare --base command:engine --candidate "command:engine:$options" --variant "$variant" --pairs "$pairs" \
        --limit "nodes=${NODES:-5000}" --engines "$scratch/engines.toml" \
        --data-dir "${DATA:-./brouhaha-data}/techniques" "$@"
done
