#!/usr/bin/env bash
# Matches at equal time against Fairy-Stockfish's hand-written evaluation.
#
#     engine/benches/peer-match.sh FAIRY_SMALL FAIRY_LARGE BROUHAHA [PAIRS] [OPTION OF `brouhaha run`]...
#
# Chess (small-board build), Capablanca chess and Grand chess (large-board build), 50 ms a move (or what LIMIT says,
# e.g. LIMIT='nodes = 5000'), one thread and 16 MiB each, PAIRS pairs (default 150) from random openings of eight plies
# that our search holds for level. FAIRY_* are builds of Fairy-Stockfish; neither is part of this project. The games
# stay in the folder that DATA names (default ./brouhaha-data), so that an interrupted match goes on. Matches by time
# need a core for each player of each game at a time: `--workers 1 --slots 1` on a machine of two.
set -euo pipefail

if [ $# -lt 3 ]; then
    sed -n '2,10s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
small=$(realpath "$1") large=$(realpath "$2") ours=$(realpath "$3") pairs=${4:-150}
shift $(($# < 4 ? $# : 4))
root=$(cd "$(dirname "$0")/../.." && pwd)
data=${DATA:-./brouhaha-data}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# match NAME VARIANT_LINE FAIRY FAIRY_VARIANT EVALUATION_LINE [OPTION OF `brouhaha run`]...
match() {
    local name=$1 variant=$2 fairy=$3 peer_variant=$4 evaluation=$5
    shift 5
    cat >"$scratch/$name.toml" <<TOML
schema = 1
name = "$name against Fairy-Stockfish"
$variant
seed = 2026
max_plies = 600

[openings]
source = "random"
plies = 8
balance = 100

[format]
kind = "head-to-head"
pairs = $pairs

[limit]
${LIMIT:-movetime_ms = 50}

[[engine]]
name = "Fairy-Stockfish"
command = "fairy"
options = { "Use NNUE" = "false", Hash = 16, Threads = 1, UCI_Variant = "$peer_variant" }

[[engine]]
name = "Brouhaha"
builtin = true
$evaluation
options = { Hash = 16 }
TOML
    "$ours" run "$scratch/$name.toml" --data-dir "$data/$name" --engine "fairy=$fairy" "$@"
}

examples=$root/examples
match chess 'variant = "chess"' "$small" chess '' "$@"
match capablanca "variant_file = \"$examples/variants/capablanca.toml\"" "$large" capablanca \
    "evaluation_file = \"$examples/evaluation/capablanca.toml\"" "$@"
match grand "variant_file = \"$examples/variants/grand-chess.toml\"" "$large" grand \
    "evaluation_file = \"$examples/evaluation/grand-chess.toml\"" "$@"
