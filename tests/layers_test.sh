#!/bin/sh
# SPDX-License-Identifier: MIT
# Shows that tests/layers.sh finds what it is there to find, in small trees, and accepts a clean one.
set -eu
LC_ALL=C
export LC_ALL

layers=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)/tests/layers.sh
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
failures=0

# A tree in which all is well.
clean() {
	rm -rf "$dir/tree"
	mkdir -p "$dir/tree/tests"
	cd "$dir/tree"
	mkdir -p lib/base lib/db lib/dbx lib/store fcgi spool smtpd cli
	cat >tests/rooms <<-END
		# a comment
		room	lib/base
		room	lib/db	lib/base
		room	lib/dbx	lib/base
		room	lib/store	lib/base lib/db
		room	fcgi	lib/base lib/store
		door	mysql.h	lib/db
		door	openssl/	lib/base fcgi/tls.c
	END
	: >lib/base/error.h
	put lib/base/error.c '"base/error.h"' '<openssl/evp.h>' '<string.h>'
	put lib/db/connection.h '"base/error.h"'
	put lib/db/connection.c '"db/connection.h"' '<mysql.h>' '"base/error.h"'
	put lib/store/email.c '"db/connection.h"'
	put fcgi/tls.c '<openssl/ssl.h>'
	put fcgi/main.c '"fcgi/route.h"' '"schema/steps.h"'
	put fcgi/route.h '"base/error.h"'
}

# put FILE HEADER...: a file with these includes.
put() {
	file=$1
	shift
	for header; do echo "#include $header"; done >"$file"
}

says() {
	if [ -z "$1" ]; then [ -z "$said" ]; else echo "$said" | grep -qF -- "$1"; fi
}

# expect NAME STATUS TEXT: runs layers.sh on the tree; TEXT stands in what it says, "" is silence.
expect() {
	status=0
	srcdir=$dir/tree "$layers" >"$dir/said" 2>&1 || status=1
	said=$(cat "$dir/said")
	if [ "$status" != "$2" ] || ! says "$3"; then
		echo "$1: got status $status and '$said', want status $2 and '$3'"
		failures=$((failures + 1))
	fi
}

clean
expect 'clean tree' 0 ''

clean
put lib/base/up.c '<stdio.h>' '"db/connection.h"'
expect 'arrow up' 1 'lib/base/up.c:2: includes db/connection.h, which lib/base may not'

clean
put fcgi/deep.c '"db/connection.h"'
expect 'arrow past a room' 1 'fcgi/deep.c:1: includes db/connection.h, which fcgi may not'

clean
put lib/dbx/beside.c '"db/connection.h"'
expect 'arrow to a neighbour' 1 'lib/dbx/beside.c:1: includes db/connection.h'

clean
put lib/store/program.c '"fcgi/route.h"'
expect 'arrow into a program' 1 'lib/store/program.c:1: includes fcgi/route.h'

clean
printf '  #  include   "fcgi/route.h"\n' >lib/store/blanks.h
expect 'blanks in the line' 1 'lib/store/blanks.h:1: includes fcgi/route.h'

clean
echo 'apart	fcgi/old	fcgi/new' >>tests/rooms
mkdir fcgi/old fcgi/new
put fcgi/old/a.h '"fcgi/route.h"'
put fcgi/new/b.c '"fcgi/old/a.h"'
expect 'one front in another' 1 'fcgi/new/b.c:1: includes fcgi/old/a.h, from which fcgi/new is kept apart'
put fcgi/new/b.c '"fcgi/route.h"'
put fcgi/old/a.c '"fcgi/new/b.h"'
expect 'the other in the one' 1 'fcgi/old/a.c:1: includes fcgi/new/b.h, from which fcgi/old is kept apart'

clean
put lib/store/sql.c '<mysql.h>'
expect 'library outside its door' 1 'lib/store/sql.c:1: includes <mysql.h>, whose door is lib/db'

clean
put lib/store/sql.c '<mariadb/mysql.h>'
expect 'library by its long name' 1 'lib/store/sql.c:1: includes <mariadb/mysql.h>'

clean
put lib/dbx/sql.c '<mysql.h>'
expect 'door whose name begins the same' 1 'lib/dbx/sql.c:1: includes <mysql.h>'

clean
put fcgi/hash.c '<openssl/evp.h>'
expect 'door of one file' 1 'fcgi/hash.c:1: includes <openssl/evp.h>'

clean
echo 'call	(^|[^_a-z])(qsort|bsearch)\(	lib/base/sort.h' >>tests/rooms
echo '	qsort(first, count, size, compare);' >lib/base/sort.h
echo '	base_qsort(first, count, size, compare);' >lib/store/sorted.c
expect 'call in its wrapper' 0 ''
echo '	qsort(rows, count, size, compare);' >>lib/store/sorted.c
expect 'call that has a wrapper' 1 'lib/store/sorted.c:2: has code that stands in lib/base/sort.h alone'

clean
mkdir lib/attic
put lib/attic/old.c '<stdio.h>'
expect 'room that is not listed' 1 'lib/attic/old.c:1: stands in no room'

clean
put lib/db/a.h '"db/b.h"'
put lib/db/b.h '"db/c.h"'
put lib/db/c.c '"db/c.h"' '"db/a.h"'
: >lib/db/c.h
expect 'loop of files' 1 'loop'

clean
echo 'room	lib/base	lib/store' >>tests/rooms
expect 'loop of rooms' 1 'loop'

clean
rm -r lib fcgi spool smtpd cli
mkdir lib fcgi spool smtpd cli
expect 'no source' 1 'no source found'

exit $((failures > 0))
