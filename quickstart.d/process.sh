# SPDX-License-Identifier: MIT
# Starts, watches and stops the processes of one instance. Each is the leader of a session of its own; DIR/pids/NAME holds
# its pid with the boot and the time at which it started, so that a number that the kernel has given away again is never
# taken for ours.

# process_start NAME COMMAND... : in DIR, its output in DIR/log/NAME.log, with no file of ours left open
process_start() {
	local name=$1
	shift
	process_log "$name"
	(
		cd "$dir"
		for fd in /proc/self/fd/*; do
			fd=${fd##*/}
			[[ $fd -le 2 || $fd == 255 ]] || eval "exec $fd>&-"
		done
		exec setsid "$@"
	) </dev/null >>"$dir/log/$name.log" 2>&1 &
	process_birth $! >"$dir/pids/$name"
}

# An empty log for a process; what was there goes to NAME.log.1.
process_log() {
	[[ ! -s $dir/log/$1.log ]] || mv "$dir/log/$1.log" "$dir/log/$1.log.1"
	: >>"$dir/log/$1.log"
}

# Prints "pid boot start" of a process; fails where there is none, or only what is left of one.
process_birth() {
	local line boot
	{ read -r -d '' line <"/proc/$1/stat" || [[ $line ]]; } 2>/dev/null || return 1
	set -- "$1" ${line##*) }
	[[ $2 != Z ]] || return 1
	read -r boot </proc/sys/kernel/random/boot_id
	echo "$1 $boot ${21}"
}

process_alive() {
	local known now
	{ read -r known <"$dir/pids/$1"; } 2>/dev/null && now=$(process_birth "${known%% *}") && [[ $now == "$known" ]]
}

# process_wait NAME WHAT COMMAND... : until COMMAND succeeds; dies with the end of the log where the process does
process_wait() {
	local name=$1 what=$2 until=$((SECONDS + 300))
	shift 2
	while [[ $SECONDS -lt $until ]]; do
		! "$@" || return 0
		process_alive "$name" || break
		sleep 0.02
	done
	process_stop "$name"
	die_with_log 69 "$dir/log/$name.log" "$what did not come up."
}

# process_stop NAME : ends its whole session, also what a leader that died has left behind; with a signal each second, which
# in the end is KILL
process_stop() {
	local name=$1 pid boot start members began=$SECONDS patience=20 told=''
	[[ -e $dir/pids/$name ]] || return 0
	process_alive "$name" || patience=2
	read -r pid boot start <"$dir/pids/$name" || true
	while members=$(process_session "$pid" "$boot" "$start") && [[ $members ]]; do
		if [[ $told != "$SECONDS" ]]; then
			told=$SECONDS
			kill -"$([[ $((told - began)) -lt $patience ]] && echo TERM || echo KILL)" $members 2>/dev/null || true
		fi
		[[ $((SECONDS - began)) -lt 60 ]] || die 70 "$name (process $members) does not end."
		sleep 0.02
	done
	rm -f "$dir/pids/$name"
}

# The living processes of the session whose leader was born so; none if the number is another's by now.
process_session() {
	local now line stat
	read -r line </proc/sys/kernel/random/boot_id
	[[ $line == "$2" ]] || return 0
	! now=$(process_birth "$1") || [[ $now == "$1 $2 $3" ]] || return 0
	for stat in /proc/[0-9]*/stat; do
		{ read -r -d '' line <"$stat" || [[ $line ]]; } 2>/dev/null || continue
		now=${stat#/proc/}
		set -- "$1" "$2" "$3" ${line##*) }
		[[ $7 != "$1" || $4 == Z || ${23} -lt $3 ]] || echo "${now%/stat}"
	done
}
