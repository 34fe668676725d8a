#!/usr/bin/env bash
# Leaf counts and leaf rates beside Fairy-Stockfish's, in one run.
#
#     engine/benches/peer-perft.sh FAIRY_SMALL FAIRY_LARGE BROUHAHA [ROUNDS]
#
# FAIRY_SMALL and FAIRY_LARGE are builds of Fairy-Stockfish for boards up to 8x8 and for large boards; neither is
# part of this project. The two programs take turns (A B A B ...), ROUNDS times (default 3); a time is the median of
# the rounds' processor seconds, less the median of the same program's perft of depth 1, its start-up. The seed
# games follow by themselves. Exits with 1 if two counts differ.
set -euo pipefail

if [ $# -lt 3 ]; then
    sed -n '2,11s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
small=$1 large=$2 ours=$3 rounds=${4:-3}
root=$(cd "$(dirname "$0")/../.." && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
TIMEFORMAT='%U %S'

median() { sort -n | awk '{ v[NR] = $1 } END { print NR % 2 ? v[(NR + 1) / 2] : (v[NR / 2] + v[NR / 2 + 1]) / 2 }'; }

# fairy BINARY VARIANT DEPTH: the count to `nodes`, processor seconds to `seconds`.
fairy() {
    local request
    request=$(printf 'uci\nsetoption name UCI_Variant value %s\nposition startpos\ngo perft %s\nquit\n' "$2" "$3")
    { time "$1" <<<"$request" >"$scratch/out"; } 2>"$scratch/time"
    nodes=$(awk '/^Nodes searched/ { print $3 }' "$scratch/out")
    seconds=$(awk '{ print $1 + $2 }' "$scratch/time")
}

# brouhaha VARIANT_FILE|"" VARIANT FEN DEPTH
brouhaha() {
    local file=()
    [ -z "$1" ] || file=(--variant-file "$1")
    { time "$ours" rules "${file[@]}" perft "$2" "$3" "$4" >"$scratch/out"; } 2>"$scratch/time"
    nodes=$(tail -n 1 "$scratch/out")
    seconds=$(awk '{ print $1 + $2 }' "$scratch/time")
}

# rate NODES SECONDS START_UP: millions of leaves a second.
rate() { awk -v n="$1" -v t="$2" -v s="$3" 'BEGIN { d = t - s; printf "%.2f", n / (d > 0.001 ? d : 0.001) / 1e6 }'; }

# start ID [FILE]: the first start position, as `rules start` gives it.
start() {
    if [ -n "${2:-}" ]; then
        "$ours" rules --variant-file "$2" start "$1" 0
    elif [ "$1" = apothecary-modern ]; then
        "$ours" rules start "$1" 1
    else
        "$ours" rules start "$1" 0
    fi
}

status=0
printf '%-42s %14s %12s %12s %8s\n' position leaves 'ours M/s' 'peer M/s' ratio

# duel LABEL FAIRY FAIRY_VARIANT DEPTH FILE|"" ID
duel() {
    local label=$1 peer=$2 name=$3 depth=$4 file=$5 id=$6 fen a b
    fen=$(start "$id" "$file")
    : >"$scratch/a0"; : >"$scratch/a"; : >"$scratch/b0"; : >"$scratch/b"
    for _ in $(seq "$rounds"); do
        brouhaha "$file" "$id" "$fen" 1; echo "$seconds" >>"$scratch/a0"
        fairy "$peer" "$name" 1; echo "$seconds" >>"$scratch/b0"
        brouhaha "$file" "$id" "$fen" "$depth"; echo "$seconds" >>"$scratch/a"; a=$nodes
        fairy "$peer" "$name" "$depth"; echo "$seconds" >>"$scratch/b"; b=$nodes
    done
    if [ "$a" != "$b" ]; then
        echo "$label: $a leaves here, $b there" >&2
        status=1
    fi
    a=$(rate "$a" "$(median <"$scratch/a")" "$(median <"$scratch/a0")")
    b=$(rate "$b" "$(median <"$scratch/b")" "$(median <"$scratch/b0")")
    printf '%-42s %14s %12s %12s %8s\n' "$label" "$nodes" "$a" "$b" "$(awk -v a="$a" -v b="$b" 'BEGIN { printf "%.2f", a / b }')"
}

# alone LABEL ID FEN DEPTH
alone() {
    : >"$scratch/a0"; : >"$scratch/a"
    for _ in $(seq "$rounds"); do
        brouhaha "" "$2" "$3" 1; echo "$seconds" >>"$scratch/a0"
        brouhaha "" "$2" "$3" "$4"; echo "$seconds" >>"$scratch/a"
    done
    printf '%-42s %14s %12s\n' "$1" "$nodes" "$(rate "$nodes" "$(median <"$scratch/a")" "$(median <"$scratch/a0")")"
}

duel "chess, start, d6" "$small" chess 6 "" chess
duel "Capablanca, start, d5" "$large" capablanca 5 "$root/examples/variants/capablanca.toml" capablanca
duel "Grand chess, start, d4" "$large" grand 4 "$root/examples/variants/grand-chess.toml" grand-chess

for id in apothecary-modern grand-apothecary-modern grand-apothecary-modern-2021 war-of-the-roses; do
    alone "$id, start, d4" "$id" "$(start "$id")" 4
done
army='r{F}c{FHS}b{N}e{BN+L}k{D}b{W}c{ACG}r{F}/pppppppp/8/8/8/8/PPPPPPPP/R{F}C{DHW}B{W}E{NR+B}K{D}B{N}C{ACG}R{E} w - - 0 1'
alone "augmenters, an army, d5" augmenters "$army" 5
while IFS=$'\t' read -r id depth fen; do
    alone "$id, middle game, d$((depth + 1))" "$id" "$fen" "$((depth + 1))"
done <"$root/engine/src/bench/middles.tsv"
exit "$status"
