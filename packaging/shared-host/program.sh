#!/bin/sh
# SPDX-License-Identifier: MIT
# Starts the program of this name in libexec, with the settings of this folder.
program=$0
while [ -L "$program" ]; do
	link=$(readlink "$program")
	case $link in /*) program=$link ;; *) program=${program%/*}/$link ;; esac
done
folder=$(cd "${program%/*}/.." && pwd)
: "${POSTHOUSE_CONFIG:=$folder/data/posthouse.conf}"
: "${MARIADB_PLUGIN_DIR:=$folder/lib/mariadb}"
# Where the system keeps the certificates that are trusted; the libraries of this folder look in Debian's place.
if [ -z "${SSL_CERT_FILE:-}" ]; then
	for file in /etc/ssl/certs/ca-certificates.crt /etc/pki/tls/certs/ca-bundle.crt /etc/ssl/ca-bundle.pem /etc/ssl/cert.pem; do
		[ ! -r "$file" ] || { SSL_CERT_FILE=$file; break; }
	done
fi
export POSTHOUSE_CONFIG MARIADB_PLUGIN_DIR SSL_CERT_FILE
exec "$folder/libexec/${program##*/}" "$@"
