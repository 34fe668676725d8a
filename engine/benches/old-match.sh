#!/usr/bin/env bash
# Matches of this build against an older one, in all built-in variants.
#
#     engine/benches/old-match.sh OLD NEW [PAIRS] [OPTION OF `brouhaha compare`]...
#
# OLD and NEW are `brouhaha` programs. 25 ms a move (MOVETIME sets another number), PAIRS pairs (default 100), from
# the variant's set-ups, from random armies, or from eight random plies where there is only one start. VARIANTS
# names other variants. The games stay in the folder that DATA names (default ./brouhaha-data).
set -euo pipefail

if [ $# -lt 2 ]; then
    sed -n '2,8s/^# \{0,1\}//p' "$0" >&2
    exit 2
fi
old=$(realpath "$1") new=$(realpath "$2") pairs=${3:-100}
shift $(($# < 3 ? $# : 3))
data=${DATA:-./brouhaha-data}
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/engines.toml" <<TOML
[[engine]]
name = "old"
path = "$old"
args = ["uci"]

[[engine]]
name = "new"
path = "$new"
args = ["uci"]
TOML

all="chess apothecary-modern grand-apothecary-modern grand-apothecary-modern-2021 war-of-the-roses augmenters"
for variant in ${VARIANTS:-$all}; do
    printf '\n%s\n' "$variant"
    openings=()
    [ "$variant" != augmenters ] || openings=(--openings armies)
    "$new" compare --base command:old --candidate command:new --variant "$variant" --pairs "$pairs" \
        --limit "movetime=${MOVETIME:-25}ms" "${openings[@]}" --engines "$scratch/engines.toml" \
        --data-dir "$data/$variant" "$@"
done
