#!/usr/bin/env bash
# What a match costs beside its engines: 400 games of 125 plies of an engine that answers at once, one worker.
#
#     worker/benches/overhead.sh BROUHAHA INSTANT [SLOTS] [FASTCHESS]
#
# BROUHAHA is the program, INSTANT the engine (`cargo build --release -p worker --example instant`), both of one release build;
# SLOTS games at a time (default 1). With FASTCHESS, that program, the same games by it. Prints, a ply: time on the clock, and
# processor time (user and system) of all processes but the engines, which tell their own.
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
program=$(realpath "$1") engine=$(realpath "$2") slots=${3:-1} fastchess=${4:-}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cat >"$scratch/match.toml" <<'TOML'
schema = 1
name = "overhead"
variant = "chess"
max_plies = 125
[openings]
source = "setups"
[format]
kind = "head-to-head"
pairs = 200
[limit]
depth = 1
[[engine]]
name = "a"
command = "a"
[[engine]]
name = "b"
command = "b"
TOML

# Runs a command and prints what it cost; the engines append their ticks to the file of INSTANT_CPU.
measure() {
    local name=$1 ticks
    shift
    : >"$scratch/cpu"
    TIMEFORMAT='%R %U %S'
    if ! { time INSTANT_CPU="$scratch/cpu" "$@" >"$scratch/out" 2>"$scratch/err"; } 2>"$scratch/time"; then
        cat "$scratch/err" >&2
        exit 1
    fi
    ticks=$(awk '{ sum += $1 } END { print sum + 0 }' "$scratch/cpu")
    awk -v name="$name" -v ticks="$ticks" -v hz="$(getconf CLK_TCK)" '{
        plies = 400 * 125; engines = ticks / hz
        printf "%s: %.1f us on the clock, %.1f us of processor a ply (engines: %.1f)\n", name,
            1e6 * $1 / plies, 1e6 * ($2 + $3 - engines) / plies, 1e6 * engines / plies
    }' "$scratch/time"
}

measure brouhaha "$program" run "$scratch/match.toml" --data-dir "$scratch/data" --workers 1 --slots "$slots" \
    --engine "a=$engine" --engine "b=$engine"
if [ -n "$fastchess" ]; then
    cd "$scratch"
    measure fastchess "$fastchess" -engine cmd="$engine" name=a depth=1 -engine cmd="$engine" name=b depth=1 \
        -each proto=uci tc=inf -rounds 200 -games 2 -repeat -concurrency "$slots" -maxmoves 63
fi
