# A UCI engine that plays a fixed game, and behaves badly once: as its first argument says, while the file `bad` is in the folder of
# its second.
mode=$1 folder=$2
echo started >>"$folder/starts"
# Pawns of both sides step to their third and fourth rank, then the rooks on the queen's side wander behind them.
moves="a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6 e2e3 e7e6 f2f3 f7f6 g2g3 g7g6 h2h3 h7h6
       a3a4 a6a5 b3b4 b6b5 c3c4 c6c5 d3d4 d6d5 e3e4 e6e5 f3f4 f6f5 g3g4 g6g5 h3h4 h6h5
       a1a2 a8a7 a2a3 a7a6 a3b3 a6b6 b3c3 b6c6 c3d3 c6d6"
ply=0 games=0
forever() { while :; do sleep 1; done; }
# The move of the fixed game.
proper() { set -- $moves; shift $ply; echo "$1"; }
play() { echo "info depth 1 score cp 1 nodes 1"; echo "bestmove $(proper)"; }
# Whether it behaves badly now; it does so once.
now() { [ -e "$folder/bad" ] && rm "$folder/bad"; }
much() { head -c "$1" /dev/zero | tr '\0' "$2"; }

misbehave() {
    case $mode in
    huge-output) yes 'info depth 3 score cp 9 nodes 9 pv a2a3' | head -c 5000000; echo; play ;;
    long-line) much 64000000 x; echo; play ;;
    endless-line) exec tr '\0' x </dev/zero ;;
    endless-lines) exec yes 'info depth 1' ;;
    garbage) printf '\000\377\376\r\n\001bestmove\n'; head -c 100000 /dev/urandom | tr '\n' x; echo; play ;;
    garbage-then-dies) printf '\377\376 oops'; exit 4 ;;
    dies-at-move-20) exit 3 ;;
    last-words) echo 'no licence' >&2; exit 7 ;;
    ends-well) exit 0 ;;
    segv) kill -SEGV $$ ;;
    abort) kill -ABRT $$ ;;
    killed) kill -KILL $$ ;;
    killed-in-shell) exit 137 ;;
    terminated) kill -TERM $$ ;;
    hangs) forever ;;
    ignores-stop) while :; do read -r line; echo 'info string no'; done ;;
    heeds-stop) read -r line; play ;;
    late-twice) read -r line; play; late=1 ;;
    illegal) echo 'bestmove e2e5' ;;
    wrong-side) echo 'bestmove e7e5' ;;
    zeros) echo 'bestmove 0000' ;;
    none) echo 'bestmove (none)' ;;
    resigns) echo 'bestmove resign' ;;
    nothing) echo 'bestmove' ;;
    # A legal move, so that whoever takes it for the next answer plays on.
    twice) printf 'bestmove a2a3\nbestmove b2b3\n' ;;
    closes-output) exec >&-; forever ;;
    closes-input) exec <&-; play; forever ;;
    forks) sleep 1000 & exit 3 ;;
    escapes) setsid sleep 1000 & play ;;
    escapes-without-mark) env -i setsid sleep 1000 & echo $! >>"$folder/pids"; play ;;
    daemon) setsid sh -c 'sleep 1000 & exit 0'; play ;;
    escapes-and-dies) setsid sleep 1000 & exit 3 ;;
    errors) much 3000000 e >&2; echo >&2; yes error | head -c 3000000 >&2; play ;;
    endless-errors) tr '\0' e </dev/zero >&2 ;;
    odd-answer) printf ' \tbestmove \t A2A3  ponder a7a6 \r\n' ;;
    eats-memory) (ulimit -v 100000; x=$(much 400000000 x)) || exit 5; play ;;
    stops-itself) kill -STOP $$ ;;
    *) play ;;
    esac
}

case $mode in
never-greets) forever ;;
never-reads) printf 'uciok\nreadyok\nreadyok\nreadyok\n'; forever ;;
dies-at-once) echo 'no licence' >&2; exit 7 ;;
slow-start) sleep 1 ;;
esac

while read -r line; do
    case $line in
    uci) echo 'id name badly'; echo uciok ;;
    ucinewgame)
        games=$((games + 1))
        if [ $games = 2 ]; then case $mode in
            dies-between-games) now && exit 5 ;;
            never-ready-again) now && forever ;;
        esac; fi
        [ $mode = never-ready ] && forever
        [ -n "$late" ] && echo 'bestmove b2b3'
        late= ;;
    isready)
        case $mode in
        ready-twice) printf 'readyok\nreadyok\n' ;;
        unasked) if [ $games = 1 ] && now; then printf 'readyok\nbestmove a2a3\n'; else echo readyok; fi ;;
        *) echo readyok ;;
        esac ;;
    position*)
        set -- $line; ply=$(($# - 9)); [ $ply -lt 0 ] && ply=0
        [ $mode = before-go ] && now && printf 'bestmove a2a3\nbestmove a2a3\n' ;;
    go*)
        case $mode in
        dies-between-games | never-ready-again | unasked | before-go) play ;;
        dies-at-move-20) if [ $ply = 38 ] && now; then misbehave; else play; fi ;;
        *) if now; then misbehave; else play; fi ;;
        esac ;;
    quit) [ $mode = ignores-quit ] || exit 0 ;;
    esac
done
[ $mode = ignores-quit ] && forever
