# An XBoard engine that plays a fixed game, and behaves badly once, as the UCI one beside it.
mode=$1 folder=$2
echo started >>"$folder/starts"
moves="a2a3 a7a6 b2b3 b7b6 c2c3 c7c6 d2d3 d7d6"
ply=0 games=0 playing=0
forever() { while :; do sleep 1; done; }
proper() { set -- $moves; shift $ply; echo "$1"; }
play() { echo "1 1 1 1 $(proper)"; echo "move $(proper)"; ply=$((ply + 1)); }
now() { [ -e "$folder/bad" ] && rm "$folder/bad"; }

misbehave() {
    case $mode in
    dies) exit 3 ;;
    segv) kill -SEGV $$ ;;
    killed) kill -KILL $$ ;;
    hangs) forever ;;
    heeds-stop) while read -r line; do [ "$line" = '?' ] && break; done; play ;;
    late-twice) while read -r line; do [ "$line" = '?' ] && break; done; play; late=1 ;;
    illegal) echo 'move e2e5' ;;
    twice) printf 'move a2a3\nmove b2b3\n' ;;
    resigns) echo resign ;;
    claims) echo '1-0 {White mates}' ;;
    refuses) echo "Illegal move: $(proper)" ;;
    escapes) setsid sleep 1000 & play ;;
    long-line) head -c 64000000 /dev/zero | tr '\0' x; echo; play ;;
    *) play ;;
    esac
}
turn() { if [ $mode != never-pongs-again ] && now; then misbehave; else play; fi; }

case $mode in
never-done) features='setboard=1 done=0' ;;
*) features='ping=1 setboard=1 usermove=1 colors=0 reuse=1 done=1' ;;
esac

while read -r line; do
    case $line in
    'protover 2') echo "feature $features" ;;
    new) games=$((games + 1)) ply=0 playing=0
        [ -n "$late" ] && echo 'move b2b3'
        late= ;;
    force) playing=0 ;;
    ping*)
        case $mode in
        never-pongs) ;;
        other-pongs) echo 'pong 77'; echo "pong ${line#ping }" ;;
        never-pongs-again) if [ $games = 2 ] && now; then forever; fi; echo "pong ${line#ping }" ;;
        *) echo "pong ${line#ping }" ;;
        esac ;;
    usermove*) ply=$((ply + 1)); [ $playing = 1 ] && turn ;;
    go) playing=1; turn ;;
    quit) [ $mode = ignores-quit ] || exit 0 ;;
    esac
done
[ $mode = ignores-quit ] && forever
