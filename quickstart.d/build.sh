# SPDX-License-Identifier: MIT
# Builds the programs, and runs the test suite.

# Dies where make cannot build this source in a folder of its own.
build_place() {
	[[ $top != *[[:space:]\"\#\$\&\'\`\\]* ]] || die 70 "make takes no path with spaces, quotes, #, \$, & or \\: move this folder, $top."
	[[ ! -e $top/config.status ]] || die 70 "This source is configured in place, and takes no second build: make distclean, and configure in a folder of its own."
}

# build_programs FOLDER CONFIGURE-OPTION... : what is out of date there
build_programs() {
	local folder=$1 log
	(umask 022 && mkdir -p "$folder")
	log=$folder/quickstart.log
	[[ -e $folder/posthouse ]] || say 'Building (a minute or two)'
	(umask 022 && build_run "$@") >"$log" 2>&1 </dev/null || die_with_log 70 "$log" 'The build failed.'
}

build_run() { # FOLDER CONFIGURE-OPTION...
	local folder=$1
	shift
	if [[ ! -e $top/configure ]]; then (cd "$top" && autoreconf -fi) || return; fi
	if [[ ! -e $folder/Makefile ]]; then (cd "$folder" && "$top/configure" "$@") || return; fi
	make -C "$folder" -j "$(nproc)"
}

# ASAN=1 runs the suite under AddressSanitizer and UBSan.
check() {
	local build=$top/build-check status=0 target=check options=()
	[[ -z ${ASAN:-} ]] || build=$top/build-check-asan target=check-asan options=(--enable-asan 'CFLAGS=-g -O1')
	build_place
	packages_install build run check
	# One test starts a Postfix, by sudo: ask for the password now, while somebody looks on.
	[[ $EUID == 0 ]] || ! command -v sudo >/dev/null || [[ ! -t 0 ]] || sudo -v
	# The directories of packaging/debian/rules: one test makes packages of these programs.
	build_programs "$build" --enable-werror --prefix=/usr --sysconfdir=/etc --libexecdir=/usr/lib --localstatedir=/var "${options[@]}"
	find "$build" -name '*.trs' -delete
	say 'Running the test suite'
	# One more than there are processors: some programs wait for timeouts most of their time.
	CRITERION_VERBOSITY_LEVEL=1 make -s --no-print-directory -C "$build" -j "$(($(nproc) + 1))" -k "$target" </dev/null || status=$?
	check_summary "$build" "$status"
}

# Adds up what the tests left behind: a Criterion program counts as many tests as its log says, any other as one.
# Criterion only warns of a crash in a suite's end; here it is a failure.
check_summary() { # FOLDER STATUS-OF-MAKE
	local trs log result counts tested ok crashed passed=0 failed=0 skipped=0
	while read -r trs; do
		log=${trs%.trs}.log
		result=$(sed -n 's/^:global-test-result: //p' "$trs")
		counts=$(sed -n 's/.*Synthesis: Tested: \([0-9]*\) | Passing: \([0-9]*\) |.*/\1 \2/p' "$log")
		read -r tested ok <<<"${counts:-1 $([[ $result != PASS ]]; echo $?)}"
		if [[ $result == SKIP ]]; then
			skipped=$((skipped + 1)) tested=0 ok=0
		elif [[ $result != PASS && $ok == "$tested" ]]; then
			ok=$((tested - 1)) # it failed as a whole
		fi
		skipped=$((skipped + $(grep -c '^\[SKIP\]' "$log" || true)))
		crashed=$(grep -c 'crashed during its setup or teardown' "$log" || true)
		passed=$((passed + ok)) failed=$((failed + tested - ok + crashed))
		[[ $result == PASS && $crashed == 0 ]] || { say "$result: $log"; check_excerpt "$log"; }
	done < <(find "$1" -name '*.trs' | LC_ALL=C sort)
	say '' "$passed passed, $failed failed$([[ $skipped == 0 ]] || echo ", $skipped skipped")"
	[[ $2 == 0 && $failed == 0 && $skipped == 0 && $passed -gt 0 ]] || die 1 'The test suite did not pass.'
}

# What a log says of failures: those of a Criterion program, or the end of any other's.
check_excerpt() { # LOG
	grep -E '^\[(FAIL|CRASH|TIMEOUT|SKIP|----)\]' "$1" | grep -v '^\[----\] Criterion v' | head -n 60 && return
	tail -n 30 "$1"
}
