# The web server of an instance: what a host's own configuration says, around the sample of apache/ that is on trial.

server_url() { printf 'http://127.0.0.1:%s' "${port#auto:}"; }

# Starts the server, where it does not run already as it should. With an automatic port, another is tried where one is taken.
server_start() {
	local tries
	for ((tries = 0; tries < 10; tries++)); do
		[[ $port != auto:0 ]] || port=auto:$((10000 + RANDOM % 22000))
		settings_write
		if server_current; then return; fi
		server_stop
		if port_taken; then
			[[ $port == auto:* ]] || die 69 "Port $port is taken by another program; choose one with --port N."
			port=auto:0
			continue
		fi
		instance_remember
		server_launch
		server_signature >"$dir/server.signature"
		process_wait server "The web server ($server)" server_ready
		return
	done
	die 69 "No free port was found."
}

server_stop() {
	process_stop server
	process_stop pool
}

server_current() {
	process_alive server && [[ $server != apache-proxy ]] || process_alive pool || return 1
	[[ $(server_signature) == "$(cat "$dir/server.signature" 2>/dev/null)" ]]
}

server_signature() {
	echo "$server $port"
	signature_of posthouse.fcgi
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/${port#auto:}") 2>/dev/null; }

server_ready() { [[ $(curl -s -m 5 -o /dev/null -w '%{http_code}' "$(server_url)/health") == 200 ]]; }

server_launch() {
	local program=$build/posthouse.fcgi config=$dir/posthouse.conf workers=${POSTHOUSE_WORKERS:-4} apache
	rm -rf "$dir/server"
	mkdir -p "$dir/server/www"
	if [[ $server == lighttpd ]]; then
		lighttpd_launch
	else
		apache=$(command -v apache2 || command -v /usr/sbin/apache2) ||
			die 69 "There is no Apache here (packages apache2-bin and libapache2-mod-fcgid)."
		apache_launch
	fi
}

# sample FILE WORD=VALUE... : the sample of apache/ with its @words@ filled in
sample() {
	local text word
	text=$(<"$top/apache/$1")
	shift
	for word; do text=${text//"@${word%%=*}@"/"${word#*=}"}; done
	printf '%s\n' "$text"
}

# The program is named from DIR, where lighttpd is started: a command line in its configuration cannot hold a space.
lighttpd_launch() {
	ln -s "$build" "$dir/server/bin"
	sample lighttpd.conf program=server/bin/posthouse.fcgi config="$config" \
		socket="$sockets/fastcgi.socket" workers="$workers" >"$dir/server/posthouse.conf"
	cat >"$dir/server/lighttpd.conf" <<-END
		server.bind = "127.0.0.1"
		server.port = ${port#auto:}
		server.document-root = "$dir/server/www"
		server.upload-dirs = ( "$dir/server" )
		include "$dir/server/posthouse.conf"
	END
	process_start server "$(command -v lighttpd || echo /usr/sbin/lighttpd)" -D -f "$dir/server/lighttpd.conf"
}

apache_launch() {
	local as_user=() as_invoker='' modules='mpm_event authz_core alias' include="Include \"$dir/server/posthouse.conf\""
	[[ $EUID != 0 ]] || apache_of_root
	case $server in
	apache)
		modules+=' fcgid'
		sample mod_fcgid.conf program="$program" folder="${program%/*}" config="$config" >"$dir/server/posthouse.conf"
		;;
	apache-proxy)
		modules+=' proxy proxy_fcgi'
		sample mod_proxy_fcgi.conf program="$program" folder="${program%/*}" socket="$sockets/pool.socket" \
			>"$dir/server/posthouse.conf"
		sample pool.sh config="'$config'" socket="'$sockets/pool.socket'" program="'$program'" workers="$workers" \
			>"$dir/server/pool.sh"
		rm -f "$sockets/pool.socket"
		process_start pool sh "$dir/server/pool.sh"
		process_wait pool 'The pool' test -S "$sockets/pool.socket"
		;;
	htaccess-*)
		modules+=" rewrite mime $([[ $server == *-fcgi ]] && echo fcgid || echo cgid)"
		sample "$server" >"$dir/server/www/.htaccess"
		wrapper "$dir/server/www/posthouse.${server#*-}"
		include=''
		;;
	esac
	apache_host >"$dir/server/apache.conf"
	process_start server "${as_user[@]}" "$apache" -d "$dir/server" -f "$dir/server/apache.conf" -DFOREGROUND
}

# Apache refuses to serve as root. For an instance of root it runs as www-data, but with the capability to become root
# again, and the program does: pool, spool and admin program have to be one user.
apache_of_root() {
	local caps=+setuid,+setgid,+dac_override
	as_user=(setpriv --reuid=www-data --regid=www-data --clear-groups --inh-caps="$caps" --ambient-caps="$caps")
	as_invoker='setpriv --reuid=0 --regid=0 --clear-groups --inh-caps=-all --ambient-caps=-all '
	[[ $server == apache ]] || return 0
	mkdir "$dir/server/bin"
	wrapper "$dir/server/bin/posthouse.fcgi"
	program=$dir/server/bin/posthouse.fcgi
}

wrapper() { # FILE
	sample wrapper.sh config="'$config'" program="$as_invoker'$program'" >"$1"
	chmod 755 "$1"
}

# The host around Posthouse; for .htaccess, one that leaves its customers free and passes large requests.
apache_host() {
	local module
	for module in $modules; do
		printf 'LoadModule %s_module "%s"\n' "$module" "${APACHE_MODULES:-/usr/lib/apache2/modules}/mod_$module.so"
	done
	cat <<-END
		Listen 127.0.0.1:${port#auto:}
		ServerName localhost
		DefaultRuntimeDir "$sockets"
		PidFile "$dir/server/apache.pid"
		ErrorLog /proc/self/fd/2
		StartServers 1
		MinSpareThreads 1
		DocumentRoot "$dir/server/www"
		<Directory />
			AllowOverride None
			Require all denied
		</Directory>
		<Directory "$dir/server/www">
			AllowOverride All
			Options FollowSymLinks
			Require all granted
		</Directory>
		<IfModule mime_module>
			TypesConfig /dev/null
		</IfModule>
		<IfModule fcgid_module>
			FcgidIPCDir "$sockets/fcgid"
			FcgidProcessTableFile "$dir/server/fcgid.table"
			FcgidMaxRequestLen 1073741824
		</IfModule>
		<IfModule cgid_module>
			ScriptSock "$sockets/cgid.socket"
		</IfModule>
		$include
	END
}
