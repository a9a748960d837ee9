#!/bin/bash
# SPDX-License-Identifier: MIT
# Gets a certificate for a tracking host by acme.sh, and lets Apache serve the host (tracking-apache.conf): tracking-acme.sh HOST…
# Set these in the environment where they differ:
#   POSTHOUSE_ASK      where this machine reaches Posthouse without TLS: it says which hosts may have a certificate
#   POSTHOUSE_WEBROOT  the folder of tracking-apache.conf
#   POSTHOUSE_HOSTS    a file that Apache includes behind tracking-apache.conf; this script adds a line for each host
set -euo pipefail
export LC_ALL=C # in Turkish, a to z has no i
ask=${POSTHOUSE_ASK:-http://127.0.0.1} webroot=${POSTHOUSE_WEBROOT:-/var/www/posthouse-links}
hosts=${POSTHOUSE_HOSTS:-/etc/apache2/posthouse-links.conf}
reload='apachectl graceful'

[[ $# -gt 0 ]] || { echo "usage: ${0##*/} HOST…" >&2; exit 64; }
for host in "$@"; do
	if [[ ! $host =~ ^[a-z0-9]([a-z0-9.-]*[a-z0-9])?$ ]] || ! curl -fsS -o /dev/null "$ask/tls-ask?domain=$host"; then
		echo "$host is no tracking host whose record was found" >&2
		exit 65
	fi
	folder=${POSTHOUSE_CERTIFICATES:-/etc/posthouse-links}/$host
	certificate=$folder/fullchain.pem key=$folder/privkey.pem
	install -d -m 0700 "$folder"
	acme.sh --issue -d "$host" -w "$webroot" || [[ $? == 2 ]] # 2: it is not due
	acme.sh --install-cert -d "$host" --fullchain-file "$certificate" --key-file "$key" --reloadcmd "$reload"
	line="Use PosthouseLinks $host $certificate $key"
	grep -qxF "$line" "$hosts" 2>/dev/null || echo "$line" >>"$hosts"
done
$reload
