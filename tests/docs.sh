#!/bin/sh
# SPDX-License-Identifier: MIT
# Each source file that a document names is there, or the source FILE.in that it is made from, each test that SECURITY.md names,
# in README.md each resource of the API, each folder and each room of the code, and in the samples of web servers each beginning of a path.
set -eu

cd "${srcdir:-$(dirname "$0")/..}"
missing=$(cat README.md CONTRIBUTING.md SECURITY.md doc/*.md |
	grep -oE '`(lib|fcgi|spool|smtpd|cli|schema|apache|tests|doc|quickstart\.d)/[A-Za-z0-9_./-]+\.(c|h|sh|py|md|mk|conf|sql|svg|awk|json)`' |
	tr -d '`' | sort -u | while read -r path; do [ -e "$path" ] || [ -e "$path.in" ] || echo "$path"; done)
[ -z "$missing" ] || {
	printf 'documents name files that are not there:\n%s\n' "$missing"
	exit 1
}

unknown=$(grep -oE '`[a-z_]+/[a-z0-9_]+`' SECURITY.md | tr -d '`' | sort -u | while IFS=/ read -r suite name; do
	case $suite in
	tests) continue ;;
	hostile) grep -qE "^def $name\(" tests/hostile/*.py ;;
	*) grep -rqE --include '*.c' "^Test\($suite, $name[,)]" tests ;;
	esac || echo "$suite/$name"
done)
[ -z "$unknown" ] || {
	printf 'SECURITY.md names tests that are not there:\n%s\n' "$unknown"
	exit 1
}

for resource in $(grep -hoE '^    "/v1/[a-z_-]+' api/*.json | tr -d ' "' | sort -u); do
	grep -qF "$resource" README.md || {
		echo "README.md does not name $resource"
		exit 1
	}
done

for folder in $(printf '%s/\n' $(sed -n 's/^room\t\([^\t]*\).*/\1/p' tests/rooms) api apache contrib dashboard doc man packaging quickstart.d schema tests); do
	sed -n '/^## Find your way/,$p' README.md | grep -qF "\`$folder\`" || {
		echo "README.md has no $folder in its map"
		exit 1
	}
done

# A sample for a host that is shared with other things names each beginning of a path.
for begin in v1 resend $(grep -hoE '^    "/[a-z0-9-]+(\.json)?' api/*.json | tr -d ' "/' | sort -u); do
	for sample in htaccess-cgi htaccess-fcgi lighttpd.conf mod_fcgid.conf mod_proxy_fcgi.conf nginx.conf; do
		tr -d '\\' <"apache/$sample" | grep -qE "[(|/]$begin([|),.: ]|\$)" || {
			echo "apache/$sample does not name /$begin"
			exit 1
		}
	done
done
