# SPDX-License-Identifier: MIT
# The packages of dashboard/package-lock.json, which both tests of this room use; sourced after check.sh and npm.sh.

# Sets folder, where node_modules is. The tests may run side by side: one of them gets the packages.
packages_get() {
	local lock
	folder=${builddir:?}/tests/dashboard/packages
	mkdir -p "$folder"
	exec {lock}>"$folder/lock"
	flock "$lock"
	npm_get "$top/dashboard" "$folder"
	exec {lock}>&-
}
