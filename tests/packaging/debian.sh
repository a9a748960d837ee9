#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# The Debian packages of these programs on a system that has nothing but servers and the packages that they depend on: they
# are installed, send emails through lighttpd and Apache, are removed and purged. Programs and system are copies of what is
# here: nothing is compiled or fetched. Only root makes such a system: another user becomes root by sudo. Where a container
# keeps root from that, too, the test looks at what is in the packages.
set -euo pipefail
PATH=$PATH:/usr/sbin:/sbin
umask 022

skip() { echo "$1"; exit 77; }
srcdir=$(cd "${srcdir:?}" && pwd) builddir=$(cd "${builddir:?}" && pwd)
packages=$builddir/tests/packaging/packages
if [[ ! ${MACHINE_ALONE:-} && ${1:-} != packaged ]]; then
	for command in dpkg-buildpackage dh mariadbd mariadb lighttpd apache2 curl pkill ip; do
		command -v "$command" >/dev/null || skip "there is no $command here"
	done
	grep -q '^prefix = /usr$' "$builddir/Makefile" && grep -q '^sysconfdir = /etc$' "$builddir/Makefile" ||
		skip "$builddir was not configured with the directories of packaging/debian/rules"
	become=()
	[[ $EUID == 0 ]] || become=(sudo -n)
	"${become[@]}" true 2>/dev/null || skip 'only root can make a system, and sudo asks for a password'
	DEB_BUILD_OPTIONS='nocheck noautodbgsym' "$srcdir/packaging/deb" "$packages" "$builddir"
	if ! "${become[@]}" unshare --mount --propagation unchanged --pid --fork --net true 2>/dev/null; then
		for path in usr/bin/posthouse usr/sbin/posthouse-smtpd usr/sbin/posthouse-spool usr/lib/posthouse/posthouse.fcgi etc/posthouse/posthouse.conf; do
			dpkg-deb --contents "$packages"/posthouse_*.deb | grep " \./$path\$" >/dev/null || { echo "not packaged: $path" >&2; exit 1; }
		done
		echo 'packaged, and not installed: a container keeps its root from mounts and networks'
		exit
	fi
	exec "${become[@]}" env srcdir="$srcdir" builddir="$builddir" "$0" packaged
fi
. "$srcdir/packaging/machine.sh"
machine_alone "$0" packaged

# shellcheck disable=SC2046 # words
machine_copy libapache2-mod-fcgid python3-aiosmtpd \
	$(for command in mariadbd mariadb lighttpd apache2 curl pkill; do
		dpkg-query -S "$(command -v "$command")" | cut -d : -f 1
	done) \
	$(dpkg-deb -f "$packages"/posthouse_*.deb Depends | tr ',' '\n' | sed 's/[(|].*//')
mkdir "$root/packages"
cp "$packages"/*.deb "$root/packages/"
cp "$srcdir/packaging/debian/tests/send" "$root/send"
inside useradd --system mysql
inside install -d -o mysql /var/lib/mysql
inside mariadb-install-db --user=mysql --skip-test-db >"$root/install-db.log" 2>&1 || { cat "$root/install-db.log"; exit 1; }

inside sh -c 'dpkg --install /packages/*.deb'
expect '[ "$(stat -c %U:%G:%a /var/spool/posthouse)" = posthouse:posthouse:700 ]'
expect '[ "$(stat -c %U:%G:%a /etc/posthouse/secret)" = root:posthouse:640 ]'
# A unit starts where the operator has enabled it; an upgrade leaves the old programs to the operator, and a removal ends them.
expect 'cd /var/lib/dpkg/info && [ "$(grep -c was-enabled posthouse.postinst)" = 3 ] && ! grep -q "invoke restart" posthouse.postinst'
expect 'cd /var/lib/dpkg/info && [ "$(grep -c "invoke stop" posthouse.prerm)" = 3 ] && ! grep -qs invoke posthouse.preinst'
inside_alone /send
inside dpkg --remove posthouse posthouse-dashboard posthouse-doc
expect '[ -e /etc/posthouse/secret ] && ! command -v posthouse'
inside dpkg --purge posthouse
expect '! getent passwd posthouse && ! getent group posthouse'
expect 'left=$(find / -xdev -name "*posthouse*" -not -path "/packages/*" -not -path "/var/lib/mysql/*"); echo $left; [ -z "$left" ]'
