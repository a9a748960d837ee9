/* SPDX-License-Identifier: MIT */
/* Verifies the DKIM signatures of a message that came in: RFC 6376 with rsa-sha256, RFC 8463 with
   ed25519-sha256. Makes no DNS queries. */
#ifndef MAIL_DKIM_VERIFY_H
#define MAIL_DKIM_VERIFY_H

#include <glib.h>
#include <stdbool.h>

/* In the words of RFC 8601 section 2.7.1. */
enum mail_dkim_result {
	MAIL_DKIM_NONE,
	MAIL_DKIM_PASS,
	MAIL_DKIM_FAIL,
	MAIL_DKIM_TEMPERROR, /* DNS gave no answer */
	MAIL_DKIM_PERMERROR, /* signature or key cannot be used */
};

/* The word of a result in Authentication-Results (RFC 8601). A constant. */
const char *mail_dkim_result_name(enum mail_dkim_result result);

/* A signature of a message. */
struct mail_dkim_signature {
	char *domain;	/* of d=, in lower case */
	char *key_name; /* the name at which DNS has the key; NULL: result is decided already */
	enum mail_dkim_result result;
	/* for this file */
	GHashTable *tags;
	GString *hashed; /* the signed fields, canonical */
	GBytes *bytes;	 /* of b= */
	bool is_rsa;
};

/* The signatures of a message, from the top, at most most, as an array of struct
   mail_dkim_signature; those with l= are left out, and all of a header of more than
   LIMIT_RECEIVED_HEADER_BYTES. The hash of the body is compared already. The caller owns the
   array. */
GPtrArray *mail_dkim_signatures(const void *data, gsize size, guint most);

/* Sets the result by the TXT records at key_name. known: DNS has answered. now: epoch s. */
void mail_dkim_signature_verify(struct mail_dkim_signature *signature, const char *const *records,
    guint count, bool known, gint64 now);

#endif
