/**
 * The script of the watcher. It reads a line for each command that begins (`+ mark leader start`, where the last two may be unknown yet)
 * and ends (`- mark`); at the end of its input it ends the running commands. A group is ended by its leader's number only while that is the
 * process that was started, so that a reused number hits nobody (none is reused while its group lives); the marks find processes that have
 * left the group, and the group of a leader that is not known yet. A process during an exec shows none, hence two checks.
 */
export const WATCHER = `
trap '' HUP INT QUIT TERM PIPE TSTP
live=
while read -r what mark leader start; do
  case $live in *"$mark:"*) rest=\${live#*"$mark":}; live=\${live%%"$mark":*}\${rest#* };; esac
  [ "$what" = + ] && live="$live$mark:$leader:$start "
done
same() {
  [ "$2" ] || return 0
  born=$2
  read -r line < "/proc/$1/stat" || return 0
  set -- \${line##*) }
  [ "\${20}" = "$born" ]
}
quiet=
set --
for command in $live; do
  rest=\${command#*:}
  leader=\${rest%%:*}
  set -- "$@" -e "\${command%%:*}"
  [ "$leader" ] && same "$leader" "\${rest#*:}" && kill -9 "-$leader"
done
[ $# -gt 0 ] || exit 0
for round in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16 17 18 19 20; do
  found=
  for file in $(grep -lsF "$@" /proc/[0-9]*/environ); do
    pid=\${file#/proc/}
    pid=\${pid%/environ}
    found="$found -$pid $pid"
  done
  if [ "$found" ]; then kill -9 $found; quiet=
  elif [ "$quiet" ]; then exit 0
  else quiet=1
  fi
  sleep 0.1
done
`;
