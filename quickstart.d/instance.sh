# SPDX-License-Identifier: MIT
# One instance: the folder DIR and what runs in it, besides the web server.
#   options set       what the last start was told: port and server; settings
#   posthouse.conf    apache/posthouse.conf with the settings of this instance
#   secret key env    the secret of posthouse.conf, the API key, what others need to know
#   done/             what was done once for all
#   database maildir spool server bin dashboard log pids tmp

domain=posthouse.example

# Makes DIR, or opens it again, alone: a second quickstart waits here. Sets dir and short.
instance_open() {
	mkdir -p "$dir" 2>/dev/null || die 73 "$dir cannot be made; name another folder with --dir."
	dir=$(cd "$dir" && pwd -P)
	[[ -O $dir ]] || die 77 "$dir belongs to another user; name another folder with --dir."
	exec {lock}>"$dir/lock"
	flock -w 300 "$lock" || die 75 "Another quickstart is at work in $dir."
	mkdir -p "$dir"/{log,pids,done,spool,tmp}
	instance_shorten
}

# Sets short: DIR by a path without spaces that leaves room for the name of a socket, whose path has 107 bytes at most.
instance_shorten() {
	local LC_ALL=C # a letter may be several bytes
	short=$dir
	[[ ${#dir} -gt 70 || $dir == *[[:space:]]* ]] || return 0
	short=/tmp/posthouse-$EUID-$(cksum <<<"$dir" | tr -d ' ')
	ln -sT "$dir" "$short" 2>/dev/null || [[ $(readlink "$short") == "$dir" && $(stat -c %u "$short") == "$EUID" ]] ||
		die 73 "$short, which stands for $dir, is in the way; remove it."
}

# Sets what was not given from the start before.
instance_options() {
	local known_port='' known_server='' known_smtp='' setting line lines kept
	if [[ -e $dir/options ]]; then
		{ read -r known_port && read -r known_server && read -r known_smtp; } <"$dir/options" || true
	fi
	server=${server:-${known_server:-lighttpd}}
	if [[ $port == 0 ]]; then
		port=${known_port:-0}
		[[ $port == auto:* ]] || port=auto:0
	fi
	port=${port:-${known_port:-8025}}
	smtp_port=${smtp_port:-${known_smtp:-2525}}
	touch "$dir/set"
	cp "$dir/set" "$dir/set.accepted"
	mapfile -t lines <"$dir/set"
	for setting in "${settings[@]}"; do
		kept=()
		for line in "${lines[@]}"; do [[ $line == "${setting%%=*}="* ]] || kept+=("$line"); done
		lines=("${kept[@]}")
		[[ ! ${setting#*=} ]] || lines+=("$setting")
	done
	[[ ${#lines[@]} == 0 ]] || printf '%s\n' "${lines[@]}" >"$dir/set.new"
	[[ ${#lines[@]} -gt 0 ]] || : >"$dir/set.new"
	mv "$dir/set.new" "$dir/set"
}

instance_remember() { printf '%s\n' "$port" "$server" "$smtp_port" >"$dir/options"; }

# once NAME COMMAND... : if it was not done before in this instance
once() {
	[[ -e $dir/done/$1 ]] || {
		"${@:2}"
		touch "$dir/done/$1"
	}
}

catcher_start() {
	local port
	! process_alive catcher || return 0
	process_stop catcher
	port=$(cat "$dir/catcher.port" 2>/dev/null) || true
	rm -f "$dir/catcher.port"
	process_start catcher /usr/bin/python3 "$top/quickstart.d/mail-catcher" maildir catcher.port "${port:-0}"
}

database_start() {
	local user=()
	! process_alive database || return 0
	process_stop database
	[[ $EUID != 0 ]] || user=(--user=root)
	[[ -d $dir/database ]] || database_make
	rm -f "$short/database.socket"
	process_start database mariadbd --no-defaults "${user[@]}" --datadir="$short/database" \
		--socket="$short/database.socket" --pid-file="$short/database/pid" --tmpdir="$short/tmp" --skip-networking \
		--innodb-buffer-pool-size=64M --innodb-log-file-size=32M --performance-schema=0 \
		--key-buffer-size=1M --aria-pagecache-buffer-size=1M
	process_wait database MariaDB database_ready
	chmod 600 "$short/database.socket" # DIR may be a folder that others can enter
	once database_user mariadb --no-defaults -S "$short/database.socket" -u root -e "
		CREATE DATABASE IF NOT EXISTS posthouse CHARACTER SET utf8mb4;
		CREATE USER IF NOT EXISTS posthouse@localhost;
		GRANT ALL ON posthouse.* TO posthouse@localhost;"
}

database_make() {
	local free
	free=$(df -Pm "$dir" | awk 'END { print $4 }')
	[[ $free -ge 300 ]] || die 73 "There are $free MB left on the disk of $dir, and an instance needs 300; name another folder with --dir."
	rm -rf "$dir/database.new" "$dir"/done/*
	# A server that starts removes the temporary tables of all that share its folder for them.
	TMPDIR=$short/tmp mariadb-install-db --no-defaults "${user[@]}" --datadir="$short/database.new" \
		--innodb-log-file-size=32M --innodb-flush-method=nosync --auth-root-authentication-method=normal \
		--skip-test-db >"$dir/log/database.log" 2>&1 ||
		die_with_log 70 "$dir/log/database.log" 'The database could not be made.'
	mv "$dir/database.new" "$dir/database"
}

database_ready() {
	[[ -S $short/database.socket ]] &&
		mariadb --no-defaults -S "$short/database.socket" -u root -e 'SELECT 1' >/dev/null 2>&1
}

# Writes posthouse.conf: our own values, then those of --set.
settings_write() {
	local secret=$dir/secret sample=$build/apache/posthouse.conf
	# A folder of programs alone has no sample: then the settings stand without its comments.
	[[ -e $sample ]] || sample=/dev/null
	[[ -s $secret ]] || head -c 48 /dev/urandom | base64 -w 0 >"$secret"
	{
		cat <<-END
			database.socket=$short/database.socket
			database.user=posthouse
			service.url=$(server_url)
			service.secret_file=$secret
			spool.dir=$dir/spool
		END
		grep -q '^relay ' "$dir/set" || cat <<-END
			smtp.host=127.0.0.1
			smtp.port=$(<"$dir/catcher.port")
			smtp.tls=none
			smtp.final=yes
		END
		cat "$dir/set"
	} | awk '
		FILENAME == "-" { split($0, part, "="); value[part[1]] = substr($0, length(part[1]) + 2); next }
		# A section may be called "pace example.com", and another "pace example.com.au".
		function rest(key, name) {
			for (key in value) {
				name = substr(key, length(section) + 2)
				if (index(key, section ".") == 1 && name !~ /\./) set(name)
			}
		}
		function set(key) { print key " = " value[section "." key]; delete value[section "." key] }
		match($0, /^\[[a-z_]+\]/) { rest(); section = substr($0, 2, RLENGTH - 2) }
		match($0, /^#?[a-z_]+ = /) {
			key = substr($0, 1, RLENGTH - 3)
			sub(/^#/, "", key)
			if (section "." key in value) { set(key); next }
		}
		{ print }
		END {
			rest()
			for (key in value) {
				if (!(key in value)) continue # rest() was there
				section = key; sub(/\.[^.]*$/, "", section)
				print "\n[" section "]"; rest()
			}
		}' - "$sample" >"$dir/posthouse.conf.new"
	mv "$dir/posthouse.conf.new" "$dir/posthouse.conf"
}

# The admin program; what it says goes to its log, and is shown where it fails. Settings that it refuses are not
# remembered.
posthouse() {
	local status=0
	POSTHOUSE_CONFIG=$dir/posthouse.conf "$build/posthouse" "$@" >"$dir/log/posthouse.log" 2>&1 || status=$?
	[[ $status != 78 ]] || cp "$dir/set.accepted" "$dir/set"
	[[ $status == 0 ]] || die_with_log 70 "$dir/log/posthouse.log" "posthouse $1 $2 failed."
}

accounts_create() {
	posthouse schema migrate
	once workspace posthouse workspace create Quickstart --from "hello@$domain"
	once user posthouse user add "you@$domain" --workspace Quickstart
	once key key_create
	once domain posthouse domain add "$domain"
	once trust posthouse domain trust "$domain"
	once template posthouse template put welcome --html "$top/quickstart.d/welcome.html" --subject 'Welcome, {{name}}'
}

key_create() {
	posthouse key create --user "you@$domain" --name quickstart
	grep -o 'ph_[A-Za-z0-9_-]*' "$dir/log/posthouse.log" >"$dir/key" || die 70 "posthouse key create printed no key."
	: >"$dir/log/posthouse.log"
}

spool_start() {
	local signature
	signature=$(signature_of posthouse-spool)
	if [[ $spool == yes ]] && process_alive spool && [[ $signature == "$(cat "$dir/spool.signature" 2>/dev/null)" ]]; then
		return
	fi
	process_stop spool
	[[ $spool == yes ]] || return 0
	process_start spool env POSTHOUSE_CONFIG="$dir/posthouse.conf" \
		bash -c 'while :; do "$0" --for 0; sleep 1; done' "$build/posthouse-spool"
	printf '%s\n' "$signature" >"$dir/spool.signature"
}

# The SMTP door, at its port or at any that is free.
smtp_start() {
	local signature
	# An earlier version, or a folder of some programs alone, has none.
	[[ -x $build/posthouse-smtpd ]] || smtp=no
	[[ $smtp == no ]] || signature=$(signature_of posthouse-smtpd)
	if [[ $smtp == yes ]] && process_alive smtpd &&
		[[ $(cat "$dir/smtpd.signature" 2>/dev/null) == "$signature $smtp_port" ]]; then
		return
	fi
	process_stop smtpd
	[[ $smtp == yes ]] || return 0
	while ! smtp_launch; do smtp_port=$((10000 + RANDOM % 22000)); done
	instance_remember
	printf '%s %s\n' "$signature" "$smtp_port" >"$dir/smtpd.signature"
}

# Fails where another program has the port.
smtp_launch() {
	[[ $smtp_port != 0 ]] && ! smtp_answers || return 1
	process_start smtpd env POSTHOUSE_CONFIG="$dir/posthouse.conf" \
		"$build/posthouse-smtpd" --listen "127.0.0.1:$smtp_port"
	while process_alive smtpd && ! smtp_answers; do sleep 0.02; done
	process_alive smtpd || grep -q 'cannot listen' "$dir/log/smtpd.log" || die_with_log 69 "$dir/log/smtpd.log" 'The SMTP door did not come up.'
	process_alive smtpd
}

smtp_answers() { (exec 3<>"/dev/tcp/127.0.0.1/$smtp_port") 2>/dev/null; }

# Changes when a program has to be started again: other settings, or another program.
signature_of() { # PROGRAM
	cksum <"$dir/posthouse.conf"
	stat -L -c '%n %Y %s' "$build/$1"
}

# Assignments that any shell reads.
env_write() {
	{
		env_line POSTHOUSE_URL "$(server_url)"
		env_line POSTHOUSE_KEY "$(<"$dir/key")"
		env_line POSTHOUSE_CONFIG "$dir/posthouse.conf"
		env_line POSTHOUSE_DOMAIN "$domain"
		env_line POSTHOUSE_MAILDIR "$dir/maildir"
		env_line POSTHOUSE_BIN "$build"
		[[ $smtp == no ]] || env_line POSTHOUSE_SMTP "127.0.0.1:$smtp_port"
	} >"$dir/env.new"
	mv "$dir/env.new" "$dir/env"
}

env_line() { printf "%s='%s'\n" "$1" "${2//\'/\'\\\'\'}"; } # NAME VALUE

instance_stop() {
	local name
	server_stop
	for name in smtpd spool catcher database; do process_stop "$name"; done
	[[ $short == "$dir" ]] || rm -f "$short"
}

# Programs of a build with sanitizers report their faults there. Every test that runs an instance ends with "quickstart stop".
instance_faults() {
	! grep -h -s -A 30 -E '(Address|Leak|Thread|UndefinedBehavior)Sanitizer|runtime error:' "$dir"/log/* >&2 ||
		die 70 "A sanitizer reports the faults above, in $dir/log."
}
