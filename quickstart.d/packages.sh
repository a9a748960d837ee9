# SPDX-License-Identifier: MIT
# Installs what is missing of quickstart.d/packages, and sees to it that this starts no service, now or at the next boot.

# packages_install PURPOSE... : the packages listed for these purposes
packages_install() {
	local missing root=() log
	if ! command -v apt-get >/dev/null; then
		die 69 "This system has no apt-get: install what corresponds to these Debian packages, build, and name the" \
			"build folder in POSTHOUSE_BUILD: $(packages_wanted "$@" | tr '\n' ' ')"
	fi
	packages_missing "$@"
	[[ ${#missing[@]} -gt 0 ]] || return 0
	if [[ $EUID != 0 ]]; then
		command -v sudo >/dev/null && { sudo -n true 2>/dev/null || [[ -t 0 ]]; } ||
			die 77 "Packages are missing, and this user cannot install them (no sudo); have root run:" \
				"apt-get install --no-install-recommends ${missing[*]}"
		root=(sudo)
	fi
	say "Installing packages (${#missing[@]})"
	log=$(mktemp)
	"${root[@]}" apt-get update -q >"$log" 2>&1 || true # a mirror out of order need not matter
	packages_missing "$@"                               # alternatives are chosen from what the lists now hold
	"${root[@]}" bash -c "$packages_as_root" packages "${missing[@]}" >>"$log" 2>&1 </dev/null ||
		die_with_log 69 "$log" "apt-get could not install ${missing[*]}."
	rm -f "$log"
}

# What runs as root, the packages as arguments. A policy-rc.d that answers 101 forbids services to start.
packages_as_root='
set -e
export DEBIAN_FRONTEND=noninteractive
policy=/usr/sbin/policy-rc.d
if [ ! -e $policy ]; then
	trap "rm -f $policy" EXIT
	printf "#!/bin/sh\nexit 101\n" >$policy
	chmod 755 $policy
fi
case " $* " in *" postfix "*)
	echo "postfix postfix/main_mailer_type select No configuration" | debconf-set-selections ;;
esac
services() { ls /etc/init.d 2>/dev/null | LC_ALL=C sort; }
before=$(services)
apt-get install -y -q --no-install-recommends "$@"
for service in $(LC_ALL=C comm -13 <(echo "$before") <(services)); do
	update-rc.d "$service" disable || true
done
'

# Sets the array missing of its caller.
packages_missing() {
	local wanted installed
	wanted=$(packages_wanted "$@")
	installed=$(dpkg-query -W -f='${Package} ${db:Status-Status}\n' $wanted 2>/dev/null | sed -n 's/ installed$//p' || true)
	mapfile -t missing < <(grep -vxF -f <(echo "$installed") <<<"$wanted")
}

# Prints the names, one of each group of alternatives, without those whose command is there.
packages_wanted() {
	local purpose names name
	while read -r purpose names; do
		[[ " $* " == *" $purpose "* ]] || continue
		for name in $names; do
			if [[ $name == *@* ]] && command -v "${name#*@}" >/dev/null; then continue; fi
			package_choose "${name%@*}"
		done
	done <"$top/quickstart.d/packages" | LC_ALL=C sort -u
}

package_choose() {
	local name
	if [[ $1 == *'|'* ]] && command -v apt-cache >/dev/null; then
		for name in ${1//|/ }; do
			[[ -z $(apt-cache madison "$name" 2>/dev/null) ]] || { echo "$name"; return; }
		done
	fi
	echo "${1%%|*}"
}
