#!/usr/bin/env bash
# A bench.py driver for Highwater: the same verbs as kafka.sh (start, stop, format, launch), one or
# three nodes, each from a KRaft server.properties like the peer's.
#   ./bench.py --peer --broker 'ours=./highwater.sh'
# HIGHWATER_HOME: the project's checkout (default: the one this file is in)
# HIGHWATER_DATA: data and logs (default $PEER_HOME/highwater)   HIGHWATER_PROPERTIES: more settings
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
project=${HIGHWATER_HOME:-$here/..}
[[ -x $project/bin/highwater ]] || { echo "highwater.sh: no bin/highwater; set HIGHWATER_HOME" >&2; exit 2; }
data=${HIGHWATER_DATA:-${PEER_HOME:-/tmp/highwater-bench}/highwater}
read -ra hosts <<<"${BENCH_HOSTS:-}" # as for kafka.sh

host_of() { echo "${hosts[$1 - 1]:-127.0.0.1}"; } # NODE

within() { # NODE COMMAND...
  if [[ -n ${BENCH_NETNS:-} ]]; then exec ip netns exec "$BENCH_NETNS$1" "${@:2}"; else exec "${@:2}"; fi
}

write_config() { # NODE NODES BASEPORT
  local dir=$data/$3/node$1 host i voters='' min_isr=$(($2 > 1 ? 2 : 1))
  host=$(host_of "$1")
  for ((i = 1; i <= $2; i++)); do voters+="${voters:+,}$i@$(host_of "$i"):$(($3 + 100 + i - 1))"; done
  mkdir -p "$dir"
  cat >"$dir/server.properties" <<P
process.roles=broker,controller
node.id=$1
controller.quorum.voters=$voters
listeners=PLAINTEXT://$host:$(($3 + $1 - 1)),CONTROLLER://$host:$(($3 + 100 + $1 - 1))
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=$dir/data
num.partitions=1
offsets.topic.replication.factor=$2
transaction.state.log.replication.factor=$2
transaction.state.log.min.isr=$min_isr
${HIGHWATER_PROPERTIES:-}
P
}

format() { # NODES BASEPORT
  local i
  rm -rf "${data:?}/$2"
  for ((i = 1; i <= $1; i++)); do write_config "$i" "$1" "$2"; done
}

join() { # NODE BASEPORT, for a broker that does not vote in the quorum of three
  local file=$data/$2/node$1/server.properties
  write_config "$1" 3 "$2"
  sed -i -e 's/^process.roles=.*/process.roles=broker/' -e 's/^\(listeners=[^,]*\),.*/\1/' "$file"
}

launch() { # NODE BASEPORT
  local dir=$data/$2/node$1
  within "$1" setsid "$project/bin/highwater" start --config "$dir/server.properties" >"$dir/out" 2>&1 </dev/null &
  echo "$!" >"$dir/pid"
  echo "node=$1 pid=$! bootstrap=$(host_of "$1"):$(($2 + $1 - 1))"
}

ours() { tr '\0' ' ' 2>/dev/null <"/proc/$(<"$1/pid")/cmdline" | grep -qF "$1/server.properties"; }

await_ready() { # NODE BASEPORT
  local dir=$data/$2/node$1 deadline=$((SECONDS + 120))
  until grep -qs '^highwater ready' "$dir/out"; do
    kill -0 "$(<"$dir/pid")" 2>/dev/null || { echo "highwater.sh: node $1 died, see $dir/out" >&2; exit 1; }
    ((SECONDS < deadline)) || { echo "highwater.sh: node $1 not ready, see $dir/out" >&2; exit 1; }
    sleep 0.05
  done
}

stop() { # BASEPORT
  local file dir deadline=$((SECONDS + 30))
  for file in "$data/$1"/node*/pid; do
    [[ -e $file ]] || continue
    dir=$(dirname "$file")
    if ours "$dir"; then kill "$(<"$file")"; fi
  done
  for file in "$data/$1"/node*/pid; do
    [[ -e $file ]] || continue
    dir=$(dirname "$file")
    while ours "$dir"; do
      ((SECONDS < deadline)) || kill -KILL "$(<"$file")" 2>/dev/null || true
      sleep 0.1
    done
    rm -f "$file"
  done
}

case ${1:-} in
  start) nodes=${2:-1} port=${3:-21092}
    stop "$port"; format "$nodes" "$port"
    for ((n = 1; n <= nodes; n++)); do launch "$n" "$port"; done
    for ((n = 1; n <= nodes; n++)); do await_ready "$n" "$port"; done ;;
  stop) stop "${2:-21092}" ;;
  format) format "$2" "$3" ;;
  prepare) ;; # a node formats itself
  join) join "$2" "$3" ;;
  launch) launch "$2" "$3" ;;
  *) echo "usage: highwater.sh start [NODES] [BASEPORT] | stop BASEPORT | format NODES BASEPORT | prepare NODE BASEPORT | join NODE BASEPORT | launch NODE BASEPORT" >&2; exit 2 ;;
esac
