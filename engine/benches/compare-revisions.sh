#!/usr/bin/env bash
# Compares the engines of two revisions of this repository: builds both and plays NEW, the candidate, against OLD, the base.
#
#     engine/benches/compare-revisions.sh OLD NEW --variant VARIANT {--pairs N | --sprt ELO0,ELO1} [OPTION OF `brouhaha compare`]...
#
# OLD and NEW are revisions as git knows them: a tag, a branch, HEAD~3. E.g. over two worker processes on this machine:
#
#     engine/benches/compare-revisions.sh main HEAD --variant chess --sprt 0,5 --limit clock=10+0.1 --workers 2
#
# Each is built once, in a worktree of its own that is removed again; the programs and the games stay in the folder that DATA
# names (default ./brouhaha-data/revisions), so that the same command goes on where it was stopped. NEW's program compares,
# unless BROUHAHA names another. Exit codes are those of `brouhaha compare`; 1 also if a revision cannot be built, 2 if it is
# not known.
set -euo pipefail

usage() {
    [ $# = 0 ] || printf '%s\n\n' "$*" >&2
    sed -n '2,15s/^# \{0,1\}//p' "$0" >&2
    exit 2
}

[ $# -ge 2 ] || usage
repository=$(git -C "$(dirname "$0")" rev-parse --show-toplevel)
revisions=("$1" "$2") commits=()
shift 2
for revision in "${revisions[@]}"; do
    commits+=("$(git -C "$repository" rev-parse --verify --quiet --end-of-options "$revision^{commit}")") ||
        usage "\`$revision\` is no revision of $repository; \`git log\` and \`git tag\` show those there are"
done
[ "${commits[0]}" != "${commits[1]}" ] ||
    usage "${revisions[0]} and ${revisions[1]} are the same commit: there is nothing to compare"

# Said before two builds, not after them.
games= variant=
for option in "$@"; do
    case $option in
        --variant | --variant=*) variant=given ;;
        --pairs | --pairs=* | --sprt | --sprt=*) games=given ;;
        --base | --base=* | --candidate | --candidate=*) usage "$option is what OLD and NEW are for" ;;
        --data-dir | --data-dir=*) usage "$option is given as DATA=FOLDER before the command" ;;
        --coordinator | --coordinator=*)
            usage "$option: workers of another coordinator have not got these two programs; leave it out, or start those workers with --engine" ;;
    esac
done
[ "$variant" ] || usage "--variant VARIANT is missing"
[ "$games" ] || usage "--pairs N or --sprt ELO0,ELO1 is missing"

data=${DATA:-./brouhaha-data/revisions}
mkdir -p "$data"
data=$(cd "$data" && pwd)
scratch=$(mktemp -d)
tree=$scratch/tree
clean() {
    git -C "$repository" worktree remove --force "$tree" 2>/dev/null || true
    rm -rf "$scratch"
    git -C "$repository" worktree prune
}
trap clean EXIT

# Builds a commit's program unless it is there. Both builds share what they depend on.
build() {
    local commit=$1 program=$data/brouhaha-$1
    [ ! -x "$program" ] || return 0
    printf 'building %s (%s)\n' "${commit:0:12}" "$(git -C "$repository" log -1 --format=%s "$commit")" >&2
    git -C "$repository" worktree add --quiet --detach "$tree" "$commit"
    (cd "$tree" && CARGO_TARGET_DIR=$data/target cargo build --release --locked -p cli >&2) || {
        printf 'revision %s cannot be built\n' "$commit" >&2
        exit 1
    }
    # Under its own name only when it is whole.
    cp "$data/target/release/brouhaha" "$program.part"
    mv "$program.part" "$program"
    git -C "$repository" worktree remove --force "$tree"
}

# Engines are named by their commits, which games are then kept under: another commit is another engine.
for commit in "${commits[@]}"; do
    build "$commit"
    cat >>"$scratch/engines.toml" <<TOML
[[engine]]
name = "brouhaha-${commit:0:12}"
path = '$data/brouhaha-$commit'
args = ["uci"]

TOML
done

env -u BROUHAHA_COORDINATOR "${BROUHAHA:-$data/brouhaha-${commits[1]}}" compare \
    --base "command:brouhaha-${commits[0]:0:12}" --candidate "command:brouhaha-${commits[1]:0:12}" \
    --engines "$scratch/engines.toml" --data-dir "$data/games" "$@"
