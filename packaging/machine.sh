# SPDX-License-Identifier: MIT
# An empty Debian or Ubuntu in a folder, for the tests of the packages: sourced. Needs root, debootstrap and a mirror.

# machine_alone SCRIPT ARG... : runs the script again with mounts and processes of its own, which end with it
machine_alone() {
	[[ $EUID == 0 ]] || { echo "${1##*/}: needs root" >&2; exit 1; }
	[[ ! ${MACHINE_ALONE:-} ]] || return 0
	local propagation=private
	unshare --mount --propagation private true 2>/dev/null || propagation=unchanged # a chroot: its / is not a mount
	exec unshare --mount --pid --fork --kill-child --propagation $propagation -- env MACHINE_ALONE=1 bash "$@"
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
		command -v debootstrap >/dev/null || { echo 'debootstrap is not installed' >&2; exit 1; }
		debootstrap --variant=minbase --components="$components" "${options[@]}" "$suite" "$root" \
			"${mirror:-http://deb.debian.org/debian}" "${script[@]}" >"$2/debootstrap.log" ||
			{ tail -n 5 "$2/debootstrap.log" >&2; exit 1; }
		tar -C "$root" -cf "$base.$$" .
		mv "$base.$$" "$base"
	else
		tar -C "$root" -xpf "$base"
	fi
	machine_mount
	# The machine's way to the mirror is used.
	cp /etc/apt/apt.conf.d/99* "$root/etc/apt/apt.conf.d/" 2>/dev/null || true
	cp /etc/resolv.conf "$root/etc/" 2>/dev/null || true
	# A minimal system leaves out documents when packages are unpacked, and the samples are among them.
	rm -f "$root/etc/dpkg/dpkg.cfg.d/excludes"
	inside apt-get update -qq
}

# What every such system has: devices, processes and a name. No package starts its service in it.
machine_mount() {
	local device
	mount -t tmpfs -o mode=0755 tmpfs "$root/dev"
	for device in null zero full random urandom tty; do # devices of its own: those of the host may have other modes
		mknod -m 0666 "$root/dev/$device" c "0x$(stat -c %t "/dev/$device")" "0x$(stat -c %T "/dev/$device")"
	done
	for device in fd:fd stdin:fd/0 stdout:fd/1 stderr:fd/2; do
		ln -s "/proc/self/${device#*:}" "$root/dev/${device%:*}"
	done
	mkdir "$root/dev/shm" "$root/dev/pts"
	mount -t tmpfs -o mode=1777 tmpfs "$root/dev/shm"
	mount -t devpts devpts "$root/dev/pts"
	mount -t proc proc "$root/proc"
	printf '#!/bin/sh\nexit 101\n' >"$root/usr/sbin/policy-rc.d"
	chmod +x "$root/usr/sbin/policy-rc.d"
	echo '127.0.0.1 localhost' >"$root/etc/hosts"
}

# machine_copy PACKAGE... : makes a system of copies of what is installed here: the essential packages, these, and what they
# depend on. It needs no mirror, and takes seconds.
machine_copy() {
	local package packages path
	mapfile -t packages < <(machine_closure "$@")
	root=$(mktemp -d /var/tmp/posthouse-machine.XXXXXX)
	trap machine_remove EXIT
	chmod 0755 "$root"
	for path in bin sbin lib lib64; do # links to folders of /usr, maybe: the folders before what lies in them
		[[ ! -L /$path ]] || mkdir -p "$root/usr/$path"
	done
	dpkg-query -L "${packages[@]}" | grep '^/' | LC_ALL=C sort -u | while read -r path; do
		[[ ! -e $path && ! -L $path ]] || printf '%s\n' "${path#/}"
	done | tar -C / --no-recursion --verbatim-files-from -T - -cf - | tar -C "$root" -xpf -
	mkdir -p "$root"/{dev,proc,tmp} "$root"/var/lib/dpkg/{info,updates,triggers} "$root"/etc/alternatives
	dpkg-query -s "${packages[@]}" >"$root/var/lib/dpkg/status"
	for package in "${packages[@]}" format; do
		cp -a /var/lib/dpkg/info/"$package"{,.*} /var/lib/dpkg/info/"$package":*.* "$root/var/lib/dpkg/info/" 2>/dev/null || true
	done
	# Scripts of packages made these; the users are those of an empty system.
	cp -a /etc/alternatives /etc/nsswitch.conf /etc/adduser.conf /etc/deluser.conf "$root/etc/" 2>/dev/null || true
	cp -a "$root/usr/share/base-passwd/passwd.master" "$root/etc/passwd"
	cp -a "$root/usr/share/base-passwd/group.master" "$root/etc/group"
	machine_mount
	inside ldconfig
}

# machine_closure PACKAGE... : prints the names of the essential packages, these, and what they depend on, as installed here
machine_closure() {
	dpkg-query -W -f '${db:Status-Status}\t${Architecture}\t${Package}\t${Essential}\t${Provides}\t${Pre-Depends}, ${Depends}\n' |
		awk -F '\t' -v own="$(dpkg --print-architecture)" -v wanted="$*" '
		# Of alternatives, the first that is installed, by its name or by one that it provides.
		function take(name,    i, j, groups, others) {
			if (name in taken) return
			taken[name] = 1
			for (i = split(needs[name], groups, / *, */); i > 0; i--) {
				split(groups[i], others, / *\| */)
				for (j = 1; j in others && !(others[j] in by); j++)
					;
				if (j in others) take(by[others[j]])
			}
		}
		$1 == "installed" && ($2 == own || $2 == "all") {
			gsub(/ *\([^)]*\)|:any/, "")
			needs[$3] = $6
			by[$3] = $3
			for (i = split($5, provided, / *, */); i > 0; i--)
				if (!(provided[i] in by)) by[provided[i]] = $3
			if ($4 == "yes") wanted = wanted " " $3
		}
		END {
			for (i = split(wanted, names, " "); i > 0; i--)
				if (names[i] in by) take(by[names[i]])
				else { print "not installed: " names[i] >"/dev/stderr"; exit 1 }
			for (name in taken) print name
		}'
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
