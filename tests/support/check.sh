# SPDX-License-Identifier: MIT
# For tests in shell: cases that print name, got and want when they fail. Source it; end with check_end.
PATH=$PATH:/usr/sbin:/sbin # where servers are
failures=0

check() { # NAME GOT WANT
	[[ $2 == "$3" ]] || check_failed "$1" "$2" "$3"
}

check_match() { # NAME GOT PATTERN
	[[ $2 == $3 ]] || check_failed "$1" "$2" "$3"
}

check_failed() {
	printf '%s\n\tgot:  %s\n\twant: %s\n' "$1" "${2:0:500}" "$3"
	failures=$((failures + 1))
}

check_needs() { # COMMAND... : skips the test where one is missing
	local command
	for command; do
		command -v "$command" >/dev/null || { echo "there is no $command here"; exit 77; }
	done
}

# until SECONDS COMMAND... : waits for it to succeed
check_until() {
	local until=$((SECONDS + $1))
	shift
	until "$@"; do
		[[ $SECONDS -lt $until ]] || return 1
		sleep 0.05
	done
}

# Prints alive for a process that is, not for one that has ended and that nobody has asked after yet.
check_alive() { # PID
	! grep -qs '^State:.[^Z]' "/proc/$1/status" || echo alive
}

check_end() { exit $((failures > 0)); }
