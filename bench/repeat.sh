#!/bin/sh
# One order hash: the load in many processes — plain, with -race, for 386 — on one and two processors, with
# both queues. Prints each distinct line of hashes with its number of processes; fails if there are several.
#
#	bench/repeat.sh [processes per variant, default 13] [flags of simbench]
set -eu
cd "$(dirname "$0")/.."
each=${1:-13}
[ $# -gt 0 ] && shift
[ $# -gt 0 ] || set -- -repos 200 -hours 2 -found 0
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
go build -o "$dir/plain" ./bench/cmd/simbench
go build -race -o "$dir/race" ./bench/cmd/simbench
variants="plain race"
if [ "$(go env GOHOSTARCH)" = amd64 ]; then
	GOARCH=386 CGO_ENABLED=0 go build -o "$dir/x386" ./bench/cmd/simbench
	variants="$variants x386"
fi
for bin in $variants; do
	for procs in 1 2; do
		for queue in "" -heap; do
			i=0
			while [ "$i" -lt "$each" ]; do
				GOMAXPROCS=$procs "$dir/$bin" "$@" $queue -hashes
				i=$((i + 1))
			done
		done
	done
done | sort | uniq -c | tee "$dir/out"
[ "$(wc -l <"$dir/out")" = 1 ] || {
	echo "the runs differ" >&2
	exit 5
}
