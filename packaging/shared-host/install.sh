#!/bin/sh
# SPDX-License-Identifier: MIT
# install.sh: sets up the Posthouse of this folder for one user of a shared host, who is not root. It asks for what the options
# do not say, writes settings, secret and spool to the folder data beside this file, which no web server shows, makes the
# tables, puts the web files into the document root, adds a line to the user's crontab, and ends with posthouse doctor.
#
#   --url URL                      the address of the service, https://mail.example.com
#   --public DIR                   the document root of that address (default: the folder public beside this file)
#   --database NAME                an empty database, --database-user USER, --database-password-file FILE, and
#                                  --database-host HOST or --database-socket PATH
#   --relay HOST[:PORT]            the mail relay; --relay-user USER and --relay-password-file FILE where it wants a login
#   --web fastcgi|cgi|auto         how the web server starts it (default auto: fastcgi, or cgi where that does not answer)
#   --no-cron                      leave the crontab alone
#   --yes                          ask nothing: take the defaults
#
# A newer version is unpacked over this folder; then install.sh --yes migrates the tables and keeps the settings.
# Removed it is by removing this folder, what it put into the document root, and the line of the crontab (crontab -e).
set -eu
umask 077

folder=$(cd "$(dirname "$0")" && pwd)
data=$folder/data
fail() {
	echo "install.sh: $1" >&2
	exit 1
}

url='' public='' web='' cron=yes yes=no
database='' database_user='' database_password_file='' database_host='' database_socket=''
relay='' relay_user='' relay_password_file=''
while [ $# -gt 0 ]; do
	case $1 in
	--no-cron) cron=no ;;
	--yes) yes=yes ;;
	--url | --public | --database | --database-user | --database-password-file | --database-host | --database-socket | \
		--relay | --relay-user | --relay-password-file | --web)
		[ $# -gt 1 ] || fail "$1 needs a value"
		name=$(echo "${1#--}" | tr - _)
		eval "$name=\$2"
		shift
		;;
	*)
		sed -n '3,/^set /{/^#/s/^# \{0,1\}//p}' "$0" >&2
		exit 64
		;;
	esac
	shift
done

# ask NAME QUESTION DEFAULT: sets the variable, where no option has
ask() {
	eval "value=\$$1"
	[ -z "$value" ] || return 0
	value=$3
	if [ $yes = no ]; then
		printf '%s%s: ' "$2" "${3:+ [$3]}" >&2
		[ "${4:-}" != secret ] || stty -echo 2>/dev/null || true
		read -r value || value=
		[ "${4:-}" != secret ] || { stty echo 2>/dev/null || true; echo >&2; }
		value=${value:-$3}
	fi
	eval "$1=\$value"
}

# A program of a newer glibc does not start at all, so the host is asked first.
need=$(cat "$folder/glibc")
have=$(getconf GNU_LIBC_VERSION 2>/dev/null | sed -n 's/^glibc //p')
[ -n "$have" ] || fail "this host has no glibc (musl, say); these programs need glibc $need or newer"
[ "$(printf '%s\n%s\n' "$need" "$have" | sort -V | head -n 1)" = "$need" ] ||
	fail "this host has glibc $have; these programs need glibc $need or newer"

mkdir -p "$data" "$data/spool"
chmod 700 "$data" "$data/spool"
[ ! -e "$data/public" ] || [ -n "$public" ] || public=$(cat "$data/public")
[ -n "$web" ] || web=$(cat "$data/web" 2>/dev/null || echo auto)
case $web in fastcgi | cgi | auto) ;; *) fail '--web takes fastcgi, cgi or auto' ;; esac
ask public 'Document root of the service' "$folder/public"
mkdir -p "$public"
public=$(cd "$public" && pwd)
case $folder/ in
"$public"/*) fail "this folder lies in the document root $public, where the settings could be read: move it out first" ;;
esac
if [ -e "$public/.htaccess" ] && ! grep -q Posthouse "$public/.htaccess"; then
	fail "$public has an .htaccess of something else: give Posthouse a subdomain with a folder of its own"
fi

if [ ! -e "$data/posthouse.conf" ]; then
	ask url 'Address of the service, https://mail.example.com' ''
	case $url in http://* | https://*) ;; *) fail 'the address begins with https://' ;; esac
	ask database 'Database' "$(id -un)_posthouse"
	ask database_user 'Its user' "$database"
	if [ -z "$database_password_file" ]; then
		database_password=''
		ask database_password 'Its password' '' secret
	else
		database_password=$(cat "$database_password_file")
	fi
	[ -n "$database_socket" ] || ask database_host 'Its host' localhost
	ask relay 'Mail relay, HOST or HOST:PORT' localhost
	[ -n "$relay_user" ] || [ "$relay" = localhost ] || ask relay_user 'User there (empty: no login)' ''
	relay_password=''
	if [ -n "$relay_password_file" ]; then
		relay_password=$(cat "$relay_password_file")
	elif [ -n "$relay_user" ]; then
		ask relay_password 'Password there' '' secret
	fi

	printf '%s\n' "$database_password" >"$data/database.password"
	[ -e "$data/secret" ] || head -c 32 /dev/urandom | od -An -vtx1 | tr -d ' \n' >"$data/secret"
	# A host called localhost is the server's socket, where there is one.
	if [ "$database_host" = localhost ] && [ -z "$database_socket" ]; then
		for file in /run/mysqld/mysqld.sock /var/lib/mysql/mysql.sock /tmp/mysql.sock; do
			[ ! -S "$file" ] || { database_socket=$file; break; }
		done
		database_host=127.0.0.1
	fi
	{
		echo "# posthouse.conf.sample in $folder has all settings."
		echo '[database]'
		if [ -n "$database_socket" ]; then echo "socket = $database_socket"; else echo "host = $database_host"; fi
		printf 'user = %s\nname = %s\n' "$database_user" "$database"
		[ -z "$database_password" ] || echo "password_file = $data/database.password"
		printf '\n[smtp]\nhost = %s\n' "${relay%:*}"
		case $relay in *:*) echo "port = ${relay##*:}" ;; esac
		case $relay in *:465) echo 'tls = implicit' ;; esac
		if [ -n "$relay_user" ]; then
			printf '%s\n' "$relay_password" >"$data/relay.password"
			printf 'user = %s\npassword_file = %s\n' "$relay_user" "$data/relay.password"
		fi
		printf '\n[service]\nurl = %s\nsecret_file = %s\n' "$url" "$data/secret"
		printf '\n[spool]\ndir = %s\n' "$data/spool"
	} >"$data/posthouse.conf.new"
	mv "$data/posthouse.conf.new" "$data/posthouse.conf"
fi
echo "$public" >"$data/public"

"$folder/bin/posthouse" schema migrate

# web_files fastcgi|cgi: what the web server reads. Neither file nor folder may be writable for others, or suEXEC refuses.
web_files() {
	kind=fcgi
	[ "$1" != cgi ] || kind=cgi
	rm -f "$public/posthouse.fcgi" "$public/posthouse.cgi"
	printf '#!/bin/sh\nexec "%s/bin/posthouse.fcgi"\n' "$folder" >"$public/posthouse.$kind"
	cp "$folder/web/htaccess-$kind" "$public/.htaccess"
	chmod 755 "$public/posthouse.$kind"
	chmod 644 "$public/.htaccess"
}

rm -rf "$public/dashboard"
cp -R "$folder/web/dashboard" "$public/dashboard"
chmod -R u+rwX,go+rX,go-w "$public/dashboard"
chmod 755 "$public"
if [ "$web" = auto ]; then
	web_files fastcgi
	web=fastcgi
	status=0
	"$folder/bin/posthouse" doctor --only web >/dev/null 2>&1 || status=$?
	if [ $status -gt 1 ]; then
		web_files cgi
		status=0
		"$folder/bin/posthouse" doctor --only web >/dev/null 2>&1 || status=$?
		if [ $status -gt 1 ]; then web_files fastcgi; else web=cgi; fi
	fi
else
	web_files "$web"
fi
echo "$web" >"$data/web"
echo "The web server starts it by $web."

# One line for this folder; a line of before is replaced.
if [ $cron = yes ]; then
	if command -v crontab >/dev/null; then
		{
			crontab -l 2>/dev/null | grep -vF "$folder/bin/posthouse-spool" || true
			echo "* * * * * '$folder/bin/posthouse-spool' --for 55 2>>'$data/spool.log'"
		} | crontab -
	else
		echo "Let the host's panel run this each minute: '$folder/bin/posthouse-spool' --for 55"
	fi
fi

"$folder/bin/posthouse" doctor || true
cat <<END

Next, with $folder/bin/posthouse:
  workspace create NAME --from ADDRESS
  user add EMAIL
  key create --user EMAIL
  domain add DOMAIN
  user link EMAIL
The last one prints a link that opens the dashboard.
END
