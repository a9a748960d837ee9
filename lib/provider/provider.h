/* SPDX-License-Identifier: MIT */
/* The providers that run relays, and report by a request what became of the mail. This room knows
   their forms: how their requests are signed, and how their events read. It is pure. */
#ifndef PROVIDER_PROVIDER_H
#define PROVIDER_PROVIDER_H

#include <glib.h>
#include <stdbool.h>

#include "provider/event.h"
#include "provider/request.h"

/* Stored as number. */
enum provider_name {
	PROVIDER_NONE = 0, /* never stored */
	PROVIDER_SES = 1,
	PROVIDER_MAILGUN = 2,
	PROVIDER_POSTMARK = 3,
	PROVIDER_SENDGRID = 4,
	PROVIDER_BREVO = 5,
	PROVIDER_RESEND = 6,
	PROVIDER_GENERIC = 7,
};

/* The word of the settings for a provider, and the provider of a word, PROVIDER_NONE for an unknown
   one. */
const char *provider_word(enum provider_name provider);
enum provider_name provider_by_word(const char *word);

/* The origin of the secret that verifies the requests. */
enum provider_source {
	PROVIDER_SECRET_NONE,	/* there is none */
	PROVIDER_SECRET_GIVEN,	/* the provider has made it */
	PROVIDER_SECRET_MADE,	/* we make it */
	PROVIDER_SECRET_EITHER, /* we make it where none is given */
};
enum provider_source provider_secret_source(enum provider_name provider);

/* Checks a secret that was given. INVALID with its form. */
bool provider_secret_check(enum provider_name provider, const char *secret, GError **error);

/* A new secret in the provider's form; the caller owns it. */
char *provider_secret_new(enum provider_name provider);

/* The header fields by which a provider tells later which message it means, each with its CRLF; ""
   of PROVIDER_NONE. id: the message's. The caller owns them. */
char *provider_fields(enum provider_name provider, const char *id);

/* Whether the signature is a part of the JSON, which is then parsed before it is verified. */
bool provider_signs_inside(enum provider_name provider);

/* Verifies a request. secret: in the form that provider_secret_check accepts; of PROVIDER_SES the
   certificate in PEM (provider/sns.h). */
enum provider_verdict provider_verify(
    enum provider_name provider, const struct provider_request *request, const char *secret);

/* The text that a request's signature covers where it does not cover the body; NULL: it does. Such
   a text must be good for one body alone. To be called once the request is verified. The caller
   owns it. */
char *provider_signed_alone(enum provider_name provider, const struct provider_request *request);

/* Reads the events out of the request's JSON, from which the batch borrows. INVALID when it has not
   the provider's form. The caller frees the batch. */
struct provider_batch *provider_read(
    enum provider_name provider, const struct provider_request *request, GError **error);

/* The id by which a provider calls a message, out of the text of its reply to the final dot; NULL:
   it tells none. The caller owns it. */
char *provider_reply_id(const char *text);

/* The first word of a text, without <> around it and without a full stop behind it; "" where there
   is none. The caller owns it. */
char *provider_reply_trim(const char *text);

#endif
