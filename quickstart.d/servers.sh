# SPDX-License-Identifier: MIT
# The web server of an instance: what a host's own configuration says, around the sample of apache/ that is on trial.

server_url() { printf 'http://127.0.0.1:%s' "${port#auto:}"; }

# Makes an automatic port one that is free now.
port_choose() {
	while [[ $port == auto:0 ]]; do
		port=auto:$((10000 + RANDOM % 22000))
		! port_taken || port=auto:0
	done
	instance_remember
}

port_taken() { (exec 3<>"/dev/tcp/127.0.0.1/${port#auto:}") 2>/dev/null; }

# Starts the server, where it does not run already as it should; an automatic port that was taken meanwhile is changed.
server_start() {
	! server_current || return 0
	server_stop
	while port_taken || ! server_launch; do
		[[ $port == auto:* ]] || die 69 "Port $port is taken by another program; choose one with --port N."
		port=auto:0
		port_choose
		settings_write
	done
	server_signature >"$dir/server.signature"
	process_wait server "The web server ($server)" server_ready
}

server_stop() {
	process_stop server
	process_stop pool
	[[ ! -L $dir/server ]] || rm -rf "$(readlink "$dir/server")"
	rm -rf "$dir/server"
}

server_current() {
	process_alive server || return 1
	[[ $server != apache-proxy ]] || process_alive pool || return 1
	[[ $(server_signature) == "$(cat "$dir/server.signature" 2>/dev/null)" ]] && server_ready
}

server_signature() {
	echo "$server $port $(server_host) $(server_bytes)"
	signature_of posthouse.fcgi
}

server_ready() { [[ $(curl -s -m 60 -o /dev/null -w '%{http_code}' "$(server_url)/health") == 200 ]]; }

# What the server reads and makes is in DIR/server, each time anew. Fails where another program took the port.
# mod_fcgid cuts a value of the environment at 128 bytes, so the settings are named by the short path.
server_launch() {
	local site=$short/server program=$build/posthouse.fcgi config=$short/posthouse.conf workers=8
	server_stop
	if [[ $server == lighttpd ]]; then
		mkdir -p "$site/www"
		lighttpd_launch
	else
		apache_launch
	fi
	while process_alive server && ! port_taken; do sleep 0.02; done
	process_alive server || ! grep -qi 'address already in use' "$dir/log/server.log"
}

# sample FILE WORD=VALUE... : the sample of apache/ with its @words@ filled in, and its limits above that of the service
sample() {
	local text word bytes
	text=$(<"$top/apache/$1")
	shift
	for word; do text=${text//"@${word%%=*}@"/"${word#*=}"}; done
	bytes=$(server_bytes)
	text=${text//135266304/$((bytes + 1048576))}
	text=${text//136314880/$((bytes + 2097152))}
	text=${text//size = 132096/size = $((bytes / 1024 + 1024))}
	printf '%s\n' "$text"
}

# The size of a request for which the samples are made, or a larger limits.request_bytes.
server_bytes() {
	local bytes
	bytes=$(sed -n 's/^limits\.request_bytes=//p' "$dir/set" | tail -n 1)
	[[ $bytes =~ ^[0-9]{9,10}$ ]] && ((bytes > 134217728)) && echo "$bytes" || echo 134217728
}

# The host of service.url, which has the dashboard.
server_host() {
	local url host
	url=$(sed -n 's/^service\.url=//p' "$dir/set" | tail -n 1)
	host=${url:-$(server_url)}
	host=${host#*://}
	host=${host%%/*}
	[[ $host == \[* ]] && host=${host%%]*}] || host=${host%%:*}
	# In a regular expression a name of DNS means itself, but for an address in brackets; that one is let in anyway.
	[[ $host =~ ^[A-Za-z0-9._-]+$ ]] && echo "$host" || echo localhost
}

# lighttpd splits bin-path at spaces, and the path of the build may have some.
lighttpd_launch() {
	ln -sfn "$build" "$short/bin"
	"$top/dashboard/place" "$top/dashboard/dist" "$site/dashboard"
	ln -sfn "$site/dashboard" "$short/dashboard"
	ln -sfn "$top/apache" "$short/apache"
	sample lighttpd.conf host="$(server_host)" dashboard="$short/dashboard" program="$short/bin/posthouse.fcgi" config="$config" socket="$site/socket" \
		samples="$short/apache" workers=$((workers / 2)) >"$site/posthouse.conf"
	sample resend-lighttpd.conf host=resend.localhost >>"$site/posthouse.conf"
	cat >"$site/lighttpd.conf" <<-END
		server.bind = "127.0.0.1"
		server.port = ${port#auto:}
		server.document-root = "$site/www"
		server.upload-dirs = ( "$site" )
		include "$site/posthouse.conf"
	END
	process_start server lighttpd -D -f "$site/lighttpd.conf"
}

apache_launch() {
	local apache as_user=() as_invoker='' group resend='' modules='mpm_event authz_core alias deflate filter headers mime' include
	apache=$(command -v apache2) ||
		die 69 'There is no Apache here (packages apache2-bin and libapache2-mod-fcgid).'
	group=$(id -gn)
	[[ $EUID != 0 ]] || apache_of_root
	mkdir -p "$site/www"
	include="Include \"$site/posthouse.conf\""
	"$top/dashboard/place" "$top/dashboard/dist" "$site/www/dashboard"
	case $server in
	apache)
		modules+=' fcgid'
		[[ ! $as_invoker ]] || wrapper "$site/posthouse.fcgi"
		sample mod_fcgid.conf host="$(server_host)" dashboard="$site/www/dashboard" program="$program" folder="${program%/*}" config="$config" >"$site/posthouse.conf"
		resend=$(sample resend-apache.conf program="$program")
		;;
	apache-proxy)
		modules+=' proxy proxy_fcgi'
		pool_start
		touch "$site/posthouse.fcgi" # only its name counts
		sample mod_proxy_fcgi.conf host="$(server_host)" dashboard="$site/www/dashboard" program="$site/posthouse.fcgi" folder="$site" socket="$site/socket" \
			>"$site/posthouse.conf"
		resend=$(sample resend-apache.conf program="$site/posthouse.fcgi")
		;;
	htaccess-*)
		modules+=" rewrite $([[ $server == *-fcgi ]] && echo fcgid || echo cgid)"
		include=''
		{ sample resend-htaccess host=resend.localhost program="posthouse.${server#*-}" && sample "$server"; } >"$site/www/.htaccess"
		wrapper "$site/www/posthouse.${server#*-}"
		;;
	esac
	apache_host >"$site/apache.conf"
	[[ $EUID != 0 ]] || chown -R www-data "$site" "$dir/log/server.log"
	process_start server "${as_user[@]}" "$apache" -d "$site" -f "$site/apache.conf" -DFOREGROUND
}

# Apache refuses to serve as root, but pool, spool and admin program have to be one user. For an instance of root it runs
# as www-data, in a folder of its own since DIR may be out of www-data's reach, and with the capability to become root
# again, which it leaves to its children: the wrapper uses it.
apache_of_root() {
	local caps=+setuid,+setgid
	as_user=(setpriv --reuid=www-data --regid=www-data --clear-groups --inh-caps="$caps" --ambient-caps="$caps")
	as_invoker='setpriv --reuid=0 --regid=0 --clear-groups --inh-caps=-all --ambient-caps=-all '
	group=www-data
	site=$(mktemp -d /tmp/posthouse-server.XXXXXX)
	ln -s "$site" "$dir/server"
	process_log server
}

wrapper() { # FILE : becomes the program that Apache is told of
	sample wrapper.sh config="'$config'" program="$as_invoker'$program'" >"$1"
	chmod 755 "$1"
	program=$1
}

pool_start() {
	sample pool.sh config="'$config'" socket="'$site/socket'" group="'$group'" program="'$program'" workers="$workers" \
		>"$site/pool.sh"
	process_start pool sh "$site/pool.sh"
	process_wait pool 'The pool' test -S "$site/socket"
}

# The host around Posthouse; for .htaccess, one that leaves its customers free and passes large requests.
apache_host() {
	local module
	for module in $modules; do
		printf 'LoadModule %s_module "%s"\n' "$module" "/usr/lib/apache2/modules/mod_$module.so"
	done
	cat <<-END
		Listen 127.0.0.1:${port#auto:}
		ServerName localhost
		DefaultRuntimeDir "$site"
		PidFile "$site/apache.pid"
		ErrorLog /proc/self/fd/2
		StartServers 1
		MinSpareThreads 1
		DocumentRoot "$site/www"
		<Directory />
			AllowOverride None
			Require all denied
		</Directory>
		<Directory "$site/www">
			AllowOverride All
			Options FollowSymLinks
			Require all granted
		</Directory>
		<IfModule mime_module>
			TypesConfig /dev/null
		</IfModule>
		<IfModule fcgid_module>
			FcgidIPCDir "$site/fcgid"
			FcgidProcessTableFile "$site/fcgid.table"
			FcgidSpawnScoreUpLimit 64
			$([[ $server != htaccess-fcgi ]] || echo 'FcgidMaxRequestLen 1073741824')
		</IfModule>
		<IfModule cgid_module>
			ScriptSock "$site/cgid.socket"
		</IfModule>
		<VirtualHost *:${port#auto:}>
			$include
		</VirtualHost>
		<VirtualHost *:${port#auto:}>
			ServerName resend.localhost
			$resend
			$include
		</VirtualHost>
	END
}
