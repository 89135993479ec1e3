#!/usr/bin/env bash
# Runs a real Apache Kafka broker (KRaft, combined mode) and Kafka's command-line tools from
# Maven Central jars. README.md describes the commands; `kafka.sh` alone lists them.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
home=${PEER_HOME:-/tmp/highwater-bench}
version=${PEER_VERSION:-$(sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$here/pom.xml")}
classpath_file=$home/classpath-$version
classes=$home/classes
# Nodes that each have a host, or a network namespace, of their own (see harness/network.py): BENCH_HOSTS is a list, BENCH_NETNS a prefix of their ids.
read -ra hosts <<<"${BENCH_HOSTS:-}"
cluster_id=cGVlcmthZmthY2x1c3RlcQ
ready_timeout=60
stop_timeout=30

broker_java=${PEER_JAVA_HOME:+$PEER_JAVA_HOME/bin/}java
read -ra heap <<<"${PEER_HEAP:--Xmx1G -Xms1G}"
read -ra extra <<<"${PEER_JVM_OPTS:-}"
# What kafka-run-class.sh and kafka-server-start.sh pass by default.
broker_opts=(-server -XX:+UseG1GC -XX:MaxGCPauseMillis=20 -XX:InitiatingHeapOccupancyPercent=35
  -XX:+ExplicitGCInvokesConcurrent -XX:MaxInlineLevel=15 -Djava.awt.headless=true
  -Dcom.sun.management.jmxremote=true -Dcom.sun.management.jmxremote.authenticate=false
  -Dcom.sun.management.jmxremote.ssl=false)

usage() {
  cat >&2 <<EOF
usage: kafka.sh setup                      resolve the jars (done once, on first use)
       kafka.sh start [1|3] [BASEPORT]     format, launch, wait until ready
       kafka.sh stop [BASEPORT]            stop every node of that cluster
       kafka.sh format NODES BASEPORT      wipe and format storage only
       kafka.sh prepare NODE BASEPORT      format the storage of one node, whose disk is empty
       kafka.sh join NODE BASEPORT         the same for a fourth broker, that votes not
       kafka.sh launch NODE BASEPORT       launch one node on its present storage, do not wait
       kafka.sh tool [NAME ARGS...]        run a Kafka tool (no NAME: list them)
       kafka.sh java ARGS...               run java with Kafka's class path
EOF
  exit 2
}

die() { echo "kafka.sh: $*" >&2; exit 1; }

tools() {
  cat <<EOF
kafka-acls org.apache.kafka.tools.AclCommand
kafka-broker-api-versions org.apache.kafka.tools.BrokerApiVersionsCommand
kafka-client-metrics org.apache.kafka.tools.ClientMetricsCommand
kafka-cluster org.apache.kafka.tools.ClusterTool
kafka-configs org.apache.kafka.tools.ConfigCommand
kafka-console-consumer org.apache.kafka.tools.consumer.ConsoleConsumer
kafka-console-producer org.apache.kafka.tools.ConsoleProducer
kafka-console-share-consumer org.apache.kafka.tools.consumer.ConsoleShareConsumer
kafka-consumer-groups org.apache.kafka.tools.consumer.group.ConsumerGroupCommand
kafka-consumer-perf-test org.apache.kafka.tools.ConsumerPerformance
kafka-delegation-tokens org.apache.kafka.tools.DelegationTokenCommand
kafka-delete-records org.apache.kafka.tools.DeleteRecordsCommand
kafka-dump-log org.apache.kafka.tools.DumpLogSegments
kafka-e2e-latency org.apache.kafka.tools.EndToEndLatency
kafka-features org.apache.kafka.tools.FeatureCommand
kafka-get-offsets org.apache.kafka.tools.GetOffsetShell
kafka-groups org.apache.kafka.tools.GroupsCommand
kafka-jmx org.apache.kafka.tools.JmxTool
kafka-leader-election org.apache.kafka.tools.LeaderElectionCommand
kafka-log-dirs org.apache.kafka.tools.LogDirsCommand
kafka-metadata-quorum org.apache.kafka.tools.MetadataQuorumCommand
kafka-producer-perf-test org.apache.kafka.tools.ProducerPerformance
kafka-reassign-partitions org.apache.kafka.tools.reassign.ReassignPartitionsCommand
kafka-replica-verification org.apache.kafka.tools.ReplicaVerificationTool
kafka-share-consumer-perf-test org.apache.kafka.tools.ShareConsumerPerformance
kafka-share-groups org.apache.kafka.tools.consumer.group.ShareGroupCommand
kafka-storage kafka.tools.StorageTool
kafka-streams-application-reset org.apache.kafka.tools.StreamsResetter
kafka-streams-groups org.apache.kafka.tools.streams.StreamsGroupCommand
kafka-topics org.apache.kafka.tools.TopicCommand
kafka-transactions org.apache.kafka.tools.TransactionsCommand
kafka-verifiable-consumer org.apache.kafka.tools.VerifiableConsumer
kafka-verifiable-producer org.apache.kafka.tools.VerifiableProducer
kafka-verifiable-share-consumer org.apache.kafka.tools.VerifiableShareConsumer
EOF
}

setup() {
  if [[ ! -s $classpath_file || $here/pom.xml -nt $classpath_file ]]; then
    mkdir -p "$home"
    mvn -q -B -ntp -f "$here/pom.xml" -Dkafka.version="$version" \
      dependency:build-classpath -Dmdep.outputFile="$classpath_file" >"$home/setup.log" 2>&1 ||
      die "resolving Kafka $version failed, see $home/setup.log"
    touch "$classpath_file"
  fi
  if [[ ! -e $classes/compiled || -n $(find "$here" -maxdepth 1 -name '*.java' -newer "$classes/compiled") ]]; then
    mkdir -p "$classes"
    javac --release 17 -cp "$(<"$classpath_file")" -d "$classes" "$here"/*.java
    touch "$classes/compiled"
  fi
}

run_java() {
  setup
  exec java "-Xmx${PEER_TOOL_HEAP:-512M}" -XX:+UseG1GC "-Dlog4j2.configurationFile=$here/log4j2-tools.yaml" \
    -cp "$classes:$(<"$classpath_file")" "$@"
}

tool() {
  [[ $# -gt 0 ]] || { tools | cut -d' ' -f1; return; }
  local main
  main=$(tools | sed -n "s/^${1%.sh} //p")
  [[ -n $main ]] || die "no tool named $1"
  run_java "$main" "${@:2}"
}

host_of() { echo "${hosts[$1 - 1]:-127.0.0.1}"; } # NODE

within() { # NODE COMMAND...
  if [[ -n ${BENCH_NETNS:-} ]]; then exec ip netns exec "$BENCH_NETNS$1" "${@:2}"; else exec "${@:2}"; fi
}

node_dir() { echo "$home/run/$2/node$1"; } # NODE BASEPORT

write_config() { # NODE NODES BASEPORT
  local dir i host voters='' replicas=$2 min_isr=$(($2 > 1 ? 2 : 1))
  dir=$(node_dir "$1" "$3")
  host=$(host_of "$1")
  for ((i = 1; i <= $2; i++)); do
    voters+="${voters:+,}$i@$(host_of "$i"):$(($3 + 100 + i - 1))"
  done
  mkdir -p "$dir/logs"
  cat >"$dir/server.properties" <<EOF
process.roles=broker,controller
node.id=$1
controller.quorum.voters=$voters
listeners=PLAINTEXT://$host:$(($3 + $1 - 1)),CONTROLLER://$host:$(($3 + 100 + $1 - 1))
controller.listener.names=CONTROLLER
inter.broker.listener.name=PLAINTEXT
log.dirs=$dir/data
# As in Kafka's shipped config/server.properties:
num.network.threads=3
num.io.threads=8
socket.send.buffer.bytes=102400
socket.receive.buffer.bytes=102400
socket.request.max.bytes=104857600
num.partitions=1
log.retention.hours=168
log.segment.bytes=1073741824
log.retention.check.interval.ms=300000
offsets.topic.replication.factor=$replicas
transaction.state.log.replication.factor=$replicas
transaction.state.log.min.isr=$min_isr
share.coordinator.state.topic.replication.factor=$replicas
share.coordinator.state.topic.min.isr=$min_isr
${PEER_SERVER_PROPERTIES:-}
EOF
}

format() { # NODES BASEPORT
  local i
  setup
  rm -rf "${home:?}/run/$2"
  for ((i = 1; i <= $1; i++)); do
    write_config "$i" "$1" "$2"
    prepare "$i" "$2"
  done
}

join() { # NODE BASEPORT, for a broker that does not vote in the quorum of three
  local dir file
  dir=$(node_dir "$1" "$2")
  file=$dir/server.properties
  write_config "$1" 3 "$2"
  sed -i -e 's/^process.roles=.*/process.roles=broker/' -e 's/^\(listeners=[^,]*\),.*/\1/' "$file"
  prepare "$1" "$2"
}

prepare() { # NODE BASEPORT
  local dir
  dir=$(node_dir "$1" "$2")
  (tool kafka-storage format -t "$cluster_id" -c "$dir/server.properties") >"$dir/logs/format.out" 2>&1 ||
    die "format failed, see $dir/logs/format.out"
}

launch() { # NODE BASEPORT
  local dir
  dir=$(node_dir "$1" "$2")
  within "$1" setsid "$broker_java" "${heap[@]}" "${broker_opts[@]}" "${extra[@]}" \
    "-Xlog:gc*:file=$dir/logs/kafkaServer-gc.log:time,tags:filecount=10,filesize=100M" \
    "-Dkafka.logs.dir=$dir/logs" "-Dlog4j2.configurationFile=$here/log4j2.yaml" \
    -cp "$(<"$classpath_file")" kafka.Kafka "$dir/server.properties" \
    >"$dir/logs/kafkaServer.out" 2>&1 </dev/null &
  echo "$!" >"$dir/pid"
  echo "node=$1 pid=$! bootstrap=$(host_of "$1"):$(($2 + $1 - 1))"
}

await_ready() { # NODE BASEPORT
  local dir deadline=$((SECONDS + ready_timeout))
  dir=$(node_dir "$1" "$2")
  until grep -qs 'Kafka Server started' "$dir/logs/kafkaServer.out"; do
    kill -0 "$(<"$dir/pid")" 2>/dev/null || die "node $1 died, see $dir/logs/kafkaServer.out"
    ((SECONDS < deadline)) || die "node $1 not ready after $ready_timeout s"
    sleep 0.1
  done
}

# Whether the recorded pid is still the broker that was launched on this directory.
ours() { tr '\0' ' ' 2>/dev/null <"/proc/$(<"$1/pid")/cmdline" | grep -qF "$1/server.properties"; }

start() { # NODES BASEPORT
  local i
  stop "$2"
  format "$1" "$2"
  for ((i = 1; i <= $1; i++)); do launch "$i" "$2"; done
  for ((i = 1; i <= $1; i++)); do await_ready "$i" "$2"; done
}

stop() { # BASEPORT
  local file dir deadline=$((SECONDS + stop_timeout))
  local -a dirs=()
  for file in "$home/run/$1"/node*/pid; do
    [[ -e $file ]] || continue
    dir=$(dirname "$file")
    if ours "$dir"; then kill "$(<"$file")" && dirs+=("$dir"); else rm "$file"; fi
  done
  for dir in "${dirs[@]}"; do
    while ours "$dir"; do
      ((SECONDS < deadline)) || kill -KILL "$(<"$dir/pid")" 2>/dev/null || true
      sleep 0.1
    done
    rm -f "$dir/pid"
  done
}

case ${1:-} in
  setup) setup ;;
  start) start "${2:-1}" "${3:-19092}" ;;
  stop) stop "${2:-19092}" ;;
  format) [[ $# -eq 3 ]] || usage; format "$2" "$3" ;;
  prepare) [[ $# -eq 3 ]] || usage; setup; prepare "$2" "$3" ;;
  join) [[ $# -eq 3 ]] || usage; setup; join "$2" "$3" ;;
  launch) [[ $# -eq 3 ]] || usage; setup; launch "$2" "$3" ;;
  tool) tool "${@:2}" ;;
  java) run_java "${@:2}" ;;
  *) usage ;;
esac
