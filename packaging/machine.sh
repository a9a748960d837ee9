# SPDX-License-Identifier: MIT
# An empty Debian or Ubuntu in a folder, for the tests of the packages: sourced. Needs root, debootstrap and a mirror.

# machine_alone SCRIPT ARG... : runs the script again with mounts and processes of its own, which end with it
machine_alone() {
	[[ $EUID == 0 ]] || { echo "${1##*/}: needs root" >&2; exit 1; }
	command -v debootstrap >/dev/null || { echo "${1##*/}: debootstrap is not installed" >&2; exit 1; }
	[[ ${MACHINE_ALONE:-} ]] ||
		exec unshare --mount --pid --fork --kill-child --propagation private -- env MACHINE_ALONE=1 bash "$@"
}

# The mirror of a suite: MIRROR, else Ubuntu's, else the first that this machine uses.
machine_mirror() {
	case $1 in
	jammy | noble | plucky | questing) echo "${MIRROR:-http://archive.ubuntu.com/ubuntu}" ;;
	*) echo "${MIRROR:-$(grep -rhoE 'https?://[^ ]+/debian/?( |$)' /etc/apt/sources.list /etc/apt/sources.list.d 2>/dev/null |
		head -n 1 | tr -d ' ')}" ;;
	esac
}

# machine_make SUITE FOLDER : makes the system in a new folder and sets root; FOLDER keeps it as a tarball for the next time
machine_make() {
	local suite=$1 base=$2/empty-$1.tar mirror components=main options=() script=()
	mirror=$(machine_mirror "$suite")
	root=$(mktemp -d /var/tmp/posthouse-machine.XXXXXX)
	trap machine_remove EXIT
	chmod 0755 "$root"
	if [[ $mirror == */ubuntu* ]]; then
		components=main,universe
		script=(/usr/share/debootstrap/scripts/gutsy)
		[[ -e /usr/share/keyrings/ubuntu-archive-keyring.gpg ]] || options+=(--no-check-gpg)
	fi
	if [[ ! -s $base ]]; then
		debootstrap --variant=minbase --components="$components" "${options[@]}" "$suite" "$root" \
			"${mirror:-http://deb.debian.org/debian}" "${script[@]}" >"$2/debootstrap.log" ||
			{ tail -n 5 "$2/debootstrap.log" >&2; exit 1; }
		tar -C "$root" -cf "$base.$$" .
		mv "$base.$$" "$base"
	else
		tar -C "$root" -xpf "$base"
	fi
	mount --bind /dev "$root/dev"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	mount -t devpts devpts "$root/dev/pts"
	mount -t proc proc "$root/proc"
	# No package starts its service, and the machine's way to the mirror is used.
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod +x "$root/usr/sbin/policy-rc.d"
	cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
	cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
	echo '127.0.0.1 localhost' >"$root/etc/hosts"
	# A minimal system leaves out documents when packages are unpacked, and the samples are among them.
	rm -f "$root/etc/dpkg/dpkg.cfg.d/excludes"
	inside apt-get update -qq
}

machine_remove() {
	awk -v root="$root/" 'index($2, root) == 1 { print $2 }' /proc/mounts | sort -r | xargs -r umount -l || true
	rm -rf --one-file-system "$root"
}

# Runs a command in it.
inside() {
	chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Runs a command in it with a network of its own, where all ports are free.
inside_alone() {
	unshare --net -- bash -c 'ip link set lo up && exec "$@"' - \
		chroot "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin HOME=/root LC_ALL=C.UTF-8 "$@"
}

# install_packages PACKAGE... : its output is shown only if it fails
install_packages() {
	inside apt-get install -y -q --no-install-recommends "$@" >"$root/install.log" 2>&1 || { tail -n 30 "$root/install.log" >&2; exit 1; }
}

# expect COMMAND : a line of shell that has to succeed in it
expect() {
	inside sh -c "$1" || { echo "not so: $1" >&2; exit 1; }
	echo "ok: $1"
}
