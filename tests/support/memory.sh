# SPDX-License-Identifier: MIT
# Puts what tests write for themselves, databases above all, into memory, where there is room for it: a disk is asked to keep each
# of the hundred tables of a test's database, for which the test waits. The mount has a size, but its pages are those of the machine, or
# of a container, so there have to be enough of them, too. Sourced in front of each test program.
if test -z "$TMPDIR" && test -w /dev/shm && ! grep -q '^[^ ]* /dev/shm [^ ]* [^ ]*noexec' /proc/mounts 2>/dev/null; then
	memory=$(df -Pk /dev/shm 2>/dev/null | awk '$6 == "/dev/shm" { print $4 }')
	pages=$(awk '/^MemAvailable:/ { print $2 }' /proc/meminfo 2>/dev/null)
	most=$(awk '/^[0-9]+$/ { printf "%d", $1 / 1024 }' /sys/fs/cgroup/memory.max 2>/dev/null)
	if test "${memory:-0}" -ge 4194304 && test "${pages:-0}" -ge 8388608 && test "${most:-8388608}" -ge 8388608; then
		TMPDIR=/dev/shm
		export TMPDIR
	fi
fi
