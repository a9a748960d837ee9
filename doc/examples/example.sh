#!/usr/bin/env bash
# SPDX-License-Identifier: MIT
# Sends an email, or verifies a webhook, with curl and openssl.
#
#	RESEND_BASE_URL=https://mail.example.org/resend RESEND_API_KEY=ph_... example.sh send FROM TO
#	WEBHOOK_SECRET=whsec_... example.sh verify ID TIMESTAMP SIGNATURE <BODY
set -euo pipefail

send() { # FROM TO
	curl -sS --fail-with-body "$RESEND_BASE_URL/emails" -H "Authorization: Bearer $RESEND_API_KEY" \
		-H 'Content-Type: application/json' -d "{\"from\":\"$1\",\"to\":\"$2\",\"subject\":\"Hello\",\"text\":\"From curl\"}"
}

# The three are the request's headers webhook-id, webhook-timestamp and webhook-signature, the body is as it came.
verify() { # ID TIMESTAMP SIGNATURE
	local key age signature
	key=$(base64 -d <<<"${WEBHOOK_SECRET#whsec_}" | od -An -v -tx1 | tr -d ' \n')
	age=$(($(date +%s) - $2))
	[[ ${age#-} -le 300 ]] || { echo 'too old' >&2; return 1; }
	signature=v1,$({ printf '%s.%s.' "$1" "$2"; cat; } |
		openssl dgst -sha256 -mac HMAC -macopt "hexkey:$key" -binary | base64 -w0)
	[[ " $3 " == *" $signature "* ]] || { echo 'wrong signature' >&2; return 1; }
	echo verified
}

"$@"
