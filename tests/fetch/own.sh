#!/bin/sh
# SPDX-License-Identifier: MIT
# Runs tests/fetch/own_test in a network of its own, where public addresses are this machine's. Only root makes one: another
# user becomes root by sudo.
set -eu
PATH=$PATH:/usr/sbin:/sbin

become=
if [ "$(id -u)" != 0 ]; then
	sudo -n true 2>/dev/null || { echo 'only root can make a network, and sudo asks for a password'; exit 77; }
	become='sudo -n'
fi
command -v ip >/dev/null || { echo 'there is no ip here (package iproute2)'; exit 77; }
$become unshare --net true 2>/dev/null || { echo 'a network of its own is not to be had here'; exit 77; }
# shellcheck disable=SC2086
exec $become unshare --net sh -c 'ip link set lo up && ip addr add 9.9.9.9/32 dev lo &&
	ip route add local 8.8.8.0/24 dev lo && exec "$1"' own "${builddir:?}/tests/fetch/own_test"
