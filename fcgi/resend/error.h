/* SPDX-License-Identifier: MIT */
/* The errors of the front /resend, and the form of all its replies. */
#ifndef FCGI_RESEND_ERROR_H
#define FCGI_RESEND_ERROR_H

#include <glib.h>
#include <stdbool.h>

/* The domain of errors that carry a status and a name of their own. Functions of other rooms give
   PH_ERROR, which becomes: INVALID and CONFLICT RESEND_INVALID, NOT_FOUND RESEND_NOT_FOUND, and so
   on (error.c). */
#define FCGI_RESEND_ERROR fcgi_resend_error_quark()
GQuark fcgi_resend_error_quark(void);

/* The codes of that domain, each a status and a name of the type ErrorResponse. */
enum fcgi_resend_error {
	RESEND_MISSING_KEY,	   /* 401 missing_api_key */
	RESEND_INVALID_KEY,	   /* 403 invalid_api_key */
	RESEND_RESTRICTED,	   /* 401 restricted_api_key: the scope is too small */
	RESEND_NOT_FOUND,	   /* 404 not_found */
	RESEND_METHOD,		   /* 405 method_not_allowed */
	RESEND_NO_JSON,		   /* 400 validation_error: no JSON, or another container */
	RESEND_TOO_LARGE,	   /* 413 validation_error */
	RESEND_MISSING_FIELD,	   /* 422 missing_required_field */
	RESEND_INVALID,		   /* 422 validation_error: a field, or what the state forbids */
	RESEND_FORBIDDEN,	   /* 403 validation_error: a domain */
	RESEND_INVALID_FROM,	   /* 422 invalid_from_address */
	RESEND_INVALID_ATTACHMENT, /* 422 invalid_attachment */
	RESEND_INVALID_PARAMETER,  /* 422 invalid_parameter: an id in the path */
	RESEND_INVALID_ACCESS,	   /* 422 invalid_access */
	RESEND_INVALID_REGION,	   /* 422 invalid_region */
	RESEND_IDEMPOTENCY_KEY,	   /* 400 invalid_idempotency_key */
	RESEND_OTHER_REQUEST,	   /* 409 invalid_idempotent_request */
	RESEND_CONCURRENT,	   /* 409 concurrent_idempotent_requests */
	RESEND_IN_USE,		   /* 409 validation_error: something else needs it */
	RESEND_RATE,		   /* 429 rate_limit_exceeded */
	RESEND_QUOTA,		   /* 429 daily_quota_exceeded */
	RESEND_NOT_IMPLEMENTED,	   /* 501 application_error: clients know this name */
	RESEND_FAULT,		   /* 500 internal_server_error */
	RESEND_UNAVAILABLE,	   /* 503 application_error */
};

/* Sets an error with a formatted sentence. Returns false. */
bool fcgi_resend_fail(GError **error, enum fcgi_resend_error code, const char *format, ...)
    G_GNUC_PRINTF(3, 4);

/* Sets NOT_FOUND "<thing> not found" and returns false. thing: "Email". */
bool fcgi_resend_missing(GError **error, const char *thing);

/* Sets NOT_IMPLEMENTED for a known member of the body that asks for what the service does not have.
   Returns false. */
bool fcgi_resend_refuse(GError **error, const char *member);

/* Writes the members statusCode, name and message of an error into an object, and returns the
   status. NOT_IMPLEMENTED has the message as error, too. Adds the headers that the error has to the
   reply. */
struct fcgi_reply;
struct json_writer;
guint fcgi_resend_error_write(
    struct json_writer *writer, struct fcgi_reply *reply, const GError *error);

/* Replies {statusCode, name, message}. */
extern const struct fcgi_form fcgi_resend_form;

#endif
