#!/bin/bash
# SPDX-License-Identifier: MIT
# The recipes for tracking hosts are valid, and such a host has links alone: Apache with a certificate of the test, with mod_md
# as far as its syntax, certbot and acme.sh as far as what they are asked to do, and Caddy where it is installed.
set -euo pipefail

for program in apache2 openssl curl; do
	PATH=$PATH:/usr/sbin command -v $program >/dev/null || { echo "$program is not installed: skipped" >&2; exit 77; }
done
PATH=$PATH:/usr/sbin
top=$(cd "${srcdir:-$(dirname "$0")/..}" && pwd)
work=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; wait; rm -rf "$work"' EXIT
chmod 0755 "$work"
fail() {
	echo "$1" >&2
	cat "$work"/*.log >&2 || true
	exit 1
}

modules=/usr/lib/apache2/modules
port=$((20000 + RANDOM % 20000)) plain=$((40000 + RANDOM % 20000)) host=links.example.org
mkdir -p "$work/webroot/.well-known/acme-challenge" "$work/dashboard" "$work/folder"
echo proof >"$work/webroot/.well-known/acme-challenge/token"
echo page >"$work/dashboard/index.html"
openssl req -x509 -newkey rsa:2048 -nodes -keyout "$work/key" -out "$work/certificate" -days 2 -subj "/CN=$host" \
	-addext "subjectAltName=DNS:$host" 2>/dev/null

sed "s|@program@|$work/folder/posthouse.fcgi|; s|@folder@|$work/folder|; s|@socket@|$work/nobody|; s|@dashboard@|$work/dashboard|" \
	"$top/apache/mod_proxy_fcgi.conf" >"$work/sample.conf"
: >"$work/folder/posthouse.fcgi"
sed "s|@posthouse@|$work/sample.conf|; s|@webroot@|$work/webroot|; s|\*:443|*:$port|; s|\*:80|*:$plain|" "$top/apache/tracking-apache.conf" \
	>"$work/tracking.conf"

# settings MORE: Apache's settings, with lines behind the recipe.
settings() {
	printf 'ServerRoot %s\nServerName x.example\nPidFile %s/pid\nErrorLog %s/error.log\nListen 127.0.0.1:%s\nListen 127.0.0.1:%s\n' \
		"$work" "$work" "$work" "$port" "$plain"
	for module in mpm_event authz_core alias headers mime deflate filter rewrite macro proxy proxy_fcgi ssl md; do
		[[ ! -e $modules/mod_$module.so ]] || printf 'LoadModule %s_module %s/mod_%s.so\n' "$module" "$modules" "$module"
	done
	printf 'TypesConfig /dev/null\nMutex file:%s default\nMDStoreDir %s/md\nDocumentRoot %s/folder\nInclude %s/tracking.conf\n%s\n' "$work" "$work" "$work" "$work" "$1"
}
settings "Use PosthouseLinks $host $work/certificate $work/key" >"$work/apache.conf"
apache2 -t -f "$work/apache.conf" 2>"$work/syntax.log" || fail "apache: tracking-apache.conf is not valid"

if [[ -e $modules/mod_md.so ]]; then
	sed "s|@contact@|admin@example.org|; s|@host@|$host|; s|\*:443|*:$port|" "$top/apache/tracking-md.conf" >"$work/md.conf"
	settings "Include $work/md.conf" >"$work/apache-md.conf"
	apache2 -t -f "$work/apache-md.conf" 2>"$work/syntax.log" || fail "apache: tracking-md.conf is not valid"
fi

apache2 -DFOREGROUND -f "$work/apache.conf" 2>"$work/apache.log" &
# ask WANT PATH: the status of a path under the host.
ask() {
	local got
	got=$(curl -sS --cacert "$work/certificate" --resolve "$host:$port:127.0.0.1" -o "$work/body" -w '%{http_code}' "https://$host:$port$2" \
		2>>"$work/curl.log" || true)
	[[ $got == "$1" ]] || fail "$2: got $got, want $1"
}
for _ in $(seq 300); do
	curl -s -o /dev/null "http://127.0.0.1:$plain/" && break
	sleep 0.1
done
# Nobody keeps a pool here: what reaches Posthouse is 503.
for path in /t/o/x /f/x /avatar/x.svg /health; do ask 503 "$path"; done
for path in / /v1/domains /resend/domains /dashboard/ /dashboard/index.html /metrics /openapi.json /healthy /tls-ask /in/ses/x; do
	ask 404 "$path"
done
[[ $(curl -s -H "Host: $host" "http://127.0.0.1:$plain/.well-known/acme-challenge/token") == proof ]] || fail 'no proof'
[[ $(curl -s -o /dev/null -w '%{http_code}' -H "Host: $host" "http://127.0.0.1:$plain/v1/domains") == 404 ]] || fail 'the API without TLS'

# The scripts ask Posthouse first, and give Apache one line for each host, however often they run.
mkdir "$work/bin"
for program in curl certbot acme.sh apachectl install; do
	printf '#!/bin/sh\necho "%s $*" >>%s/calls\ncase "$*" in *no.example.org*) exit 22;; esac\n' "$program" "$work" >"$work/bin/$program"
done
chmod +x "$work"/bin/*
for kind in certbot acme; do
	script=$top/apache/tracking-$kind.sh
	export POSTHOUSE_HOSTS=$work/hosts.$kind POSTHOUSE_WEBROOT=$work/webroot
	for _ in 1 2; do PATH=$work/bin:$PATH bash "$script" "$host" 2>"$work/script.log" || fail "$script"; done
	[[ $(grep -c "^Use PosthouseLinks $host /" "$work/hosts.$kind") == 1 ]] || fail "$script: $(cat "$work/hosts.$kind")"
	grep -q "tls-ask?domain=$host" "$work/calls" || fail "$script asks nobody"
	if PATH=$work/bin:$PATH bash "$script" no.example.org 2>/dev/null; then fail "$script takes a strange host"; fi
	if PATH=$work/bin:$PATH bash "$script" 'a b' 2>/dev/null; then fail "$script takes any text"; fi
done

command -v caddy >/dev/null || { echo 'caddy is not installed: its recipe was not run' >&2; exit 0; }
sed "s|@host@|post.example.org|; s|@backend@|127.0.0.1:$plain|" "$top/apache/tracking-caddy" >"$work/Caddyfile"
caddy adapt --adapter caddyfile --config "$work/Caddyfile" >"$work/caddy.json" 2>"$work/caddy.log" || fail 'caddy: tracking-caddy is not valid'
grep -q '"ask":"http://127.0.0.1:'"$plain"'/tls-ask"' "$work/caddy.json" || fail "caddy: no question: $(cat "$work/caddy.json")"

# With certificates of its own and free ports, it serves the host's links, and asks before it does.
front=$((10000 + RANDOM % 9000))
printf '{\n\tadmin off\n\tauto_https disable_redirects\n\thttp_port %s\n\thttps_port %s\n\tlocal_certs\n\tskip_install_trust\n\tstorage file_system %s/caddy\n' \
	$((front + 1)) "$front" "$work" >"$work/run"
sed '0,/^{$/d' "$work/Caddyfile" >>"$work/run"
# The web server behind it says yes to one host.
mkdir "$work/yes"
cat >"$work/yes/server.py" <<'PY'
import http.server, sys
class Handler(http.server.BaseHTTPRequestHandler):
    def do_GET(self):
        known = self.path == "/tls-ask?domain=links.example.org" or not self.path.startswith("/tls-ask")
        self.send_response(200 if known else 404); self.end_headers(); self.wfile.write(self.path.encode())
    def log_message(self, *args): pass
server = http.server.HTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
PY
python3 "$work/yes/server.py" >"$work/yes/port" &
for _ in $(seq 100); do [[ -s $work/yes/port ]] && break; sleep 0.1; done
sed -i "s|127.0.0.1:$plain|127.0.0.1:$(<"$work/yes/port")|" "$work/run"
HOME=$work caddy run --adapter caddyfile --config "$work/run" >"$work/caddy.log" 2>&1 &
front_ask() {
	curl -sk --resolve "$1:$front:127.0.0.1" -o "$work/body" -w '%{http_code}' "https://$1:$front$2" || true
}
for _ in $(seq 300); do
	[[ $(front_ask "$host" /health) == 200 ]] && break
	sleep 0.1
done
[[ $(front_ask "$host" /t/o/x) == 200 ]] || fail 'caddy: no link'
[[ $(front_ask "$host" /v1/domains) == 404 ]] || fail 'caddy: the API'
[[ $(front_ask "$host" /dashboard/) == 404 ]] || fail 'caddy: the dashboard'
[[ $(front_ask strange.example.org /health) == 000 ]] || fail 'caddy: a certificate for a strange host'
