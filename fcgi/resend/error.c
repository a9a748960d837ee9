/* SPDX-License-Identifier: MIT */
/* Errors under /resend: their names and statuses, and the form of the replies. */
#include "fcgi/resend/error.h"

#include <stdarg.h>
#include <string.h>

#include "base/error.h"
#include "email/draft.h"
#include "fcgi/http/reply.h"
#include "json/writer.h"
#include "store/workspace/idempotency.h"

G_DEFINE_QUARK(fcgi - resend - error, fcgi_resend_error)

static const struct {
	guint status;
	const char *name;
} kinds[] = {
    [RESEND_MISSING_KEY] = {401, "missing_api_key"},
    [RESEND_INVALID_KEY] = {403, "invalid_api_key"},
    [RESEND_RESTRICTED] = {401, "restricted_api_key"},
    [RESEND_NOT_FOUND] = {404, "not_found"},
    [RESEND_METHOD] = {405, "method_not_allowed"},
    [RESEND_NO_JSON] = {400, "validation_error"},
    [RESEND_TOO_LARGE] = {413, "validation_error"},
    [RESEND_MISSING_FIELD] = {422, "missing_required_field"},
    [RESEND_INVALID] = {422, "validation_error"},
    [RESEND_FORBIDDEN] = {403, "validation_error"},
    [RESEND_INVALID_FROM] = {422, "invalid_from_address"},
    [RESEND_INVALID_ATTACHMENT] = {422, "invalid_attachment"},
    [RESEND_INVALID_PARAMETER] = {422, "invalid_parameter"},
    [RESEND_INVALID_ACCESS] = {422, "invalid_access"},
    [RESEND_INVALID_REGION] = {422, "invalid_region"},
    [RESEND_IDEMPOTENCY_KEY] = {400, "invalid_idempotency_key"},
    [RESEND_OTHER_REQUEST] = {409, "invalid_idempotent_request"},
    [RESEND_CONCURRENT] = {409, "concurrent_idempotent_requests"},
    [RESEND_IN_USE] = {409, "validation_error"},
    [RESEND_RATE] = {429, "rate_limit_exceeded"},
    [RESEND_QUOTA] = {429, "daily_quota_exceeded"},
    [RESEND_NOT_IMPLEMENTED] = {501, "application_error"},
    [RESEND_FAULT] = {500, "internal_server_error"},
    [RESEND_UNAVAILABLE] = {503, "application_error"},
};

/* The codes of other rooms' errors. */
static const enum fcgi_resend_error codes[] = {
    [PH_ERROR_INVALID] = RESEND_INVALID,
    [PH_ERROR_UNAUTHORIZED] = RESEND_INVALID_KEY,
    [PH_ERROR_FORBIDDEN] = RESEND_FORBIDDEN,
    [PH_ERROR_NOT_FOUND] = RESEND_NOT_FOUND,
    [PH_ERROR_CONFLICT] = RESEND_INVALID,
    [PH_ERROR_CHANGED] = RESEND_INVALID,
    [PH_ERROR_TOO_LARGE] = RESEND_TOO_LARGE,
    [PH_ERROR_LIMITED] = RESEND_RATE,
    [PH_ERROR_TEMPORARY] = RESEND_UNAVAILABLE,
    [PH_ERROR_UNCERTAIN] = RESEND_UNAVAILABLE,
    [PH_ERROR_FAILED] = RESEND_FAULT,
};

bool
fcgi_resend_fail(GError **error, enum fcgi_resend_error code, const char *format, ...)
{
	va_list arguments;

	va_start(arguments, format);
	g_propagate_error(
	    error, g_error_new_valist(FCGI_RESEND_ERROR, (gint)code, format, arguments));
	va_end(arguments);
	return false;
}

bool
fcgi_resend_missing(GError **error, const char *thing)
{
	return fcgi_resend_fail(error, RESEND_NOT_FOUND, "%s not found", thing);
}

bool
fcgi_resend_refuse(GError **error, const char *member)
{
	return fcgi_resend_fail(error, RESEND_NOT_IMPLEMENTED,
	    "The `%s` field asks for what this service does not have.", member);
}

static void
error_write_members(struct json_writer *writer, enum fcgi_resend_error code, const char *message)
{
	json_writer_integer(writer, "statusCode", kinds[code].status);
	json_writer_string(writer, "name", kinds[code].name);
	json_writer_string(writer, "message", message);
	/* Resend's client for PHP looks for this member in a body without a status that it knows.
	 */
	if (code == RESEND_NOT_IMPLEMENTED)
		json_writer_string(writer, "error", message);
}

static void
error_write_error(struct fcgi_reply *reply, enum fcgi_resend_error code, const char *message)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	error_write_members(writer, code, message);
	json_writer_end_object(writer);
	fcgi_reply_json(reply, kinds[code].status, writer);
}

static void
lost(struct fcgi_reply *reply, bool has_methods)
{
	if (has_methods)
		error_write_error(
		    reply, RESEND_METHOD, "The method is not allowed for this endpoint.");
	else
		error_write_error(
		    reply, RESEND_NOT_FOUND, "The requested endpoint does not exist.");
}

static void
denied(struct fcgi_reply *reply, enum fcgi_denial denial)
{
	static const struct {
		enum fcgi_resend_error code;
		const char *message;
	} denials[] = {
	    [DENIAL_MISSING] = {RESEND_MISSING_KEY, "Missing API key in the authorization header."},
	    [DENIAL_INVALID] = {RESEND_INVALID_KEY, "API key is invalid."},
	    [DENIAL_SEND_ONLY] = {RESEND_RESTRICTED,
		"This API key is restricted to only send emails."},
	    [DENIAL_READ_ONLY] = {RESEND_RESTRICTED, "This API key is restricted to only read."},
	    [DENIAL_METRICS_ONLY] = {RESEND_RESTRICTED,
		"This API key is restricted to only read the metrics."},
	};

	if (denial >= DENIAL_HTTPS) {
		fcgi_form_message.denied(reply, denial);
		return;
	}
	if (denial == DENIAL_MISSING)
		fcgi_reply_header(reply, "WWW-Authenticate", "Bearer");
	error_write_error(reply, denials[denial].code, denials[denial].message);
}

static bool
exceeds_quota(const struct fcgi_reply *reply)
{
	return reply->limit_count > 0 && reply->limits[reply->limit_count - 1].is_quota;
}

/* The code of an error of another room. */
static enum fcgi_resend_error
error_code_of(const struct fcgi_reply *reply, const GError *error)
{
	if (error->domain != PH_ERROR || (guint)error->code >= G_N_ELEMENTS(codes))
		return RESEND_FAULT;
	if (error->code == PH_ERROR_LIMITED && exceeds_quota(reply))
		return RESEND_QUOTA;
	if (strcmp(error->message, STORE_IDEMPOTENCY_OTHER) == 0)
		return RESEND_OTHER_REQUEST;
	if (strcmp(error->message, STORE_IDEMPOTENCY_BUSY) == 0)
		return RESEND_CONCURRENT;
	if (g_str_has_prefix(error->message, EMAIL_DRAFT_OTHER_DOMAIN))
		return RESEND_RESTRICTED;
	return codes[error->code];
}

guint
fcgi_resend_error_write(struct json_writer *writer, struct fcgi_reply *reply, const GError *error)
{
	bool own = error->domain == FCGI_RESEND_ERROR;
	enum fcgi_resend_error code =
	    own ? (enum fcgi_resend_error)error->code : error_code_of(reply, error);

	error_write_members(
	    writer, code, own ? error->message : fcgi_reply_fault(reply, error).message);
	return kinds[code].status;
}

static void
error_failed(struct fcgi_reply *reply, const struct fcgi_failure *failure, const GError *error)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	guint status = fcgi_resend_error_write(writer, reply, error);
	json_writer_end_object(writer);
	fcgi_reply_json(reply, status, writer);
}

/* Tells the rate that has the least left. A quota is no rate. */
static void
limits(const struct fcgi_reply *reply, GString *lines)
{
	const struct fcgi_reply_limit *least = NULL;

	for (guint i = 0; i < reply->limit_count; i++) {
		const struct fcgi_reply_limit *limit = &reply->limits[i];

		if (!limit->is_quota && (!least || limit->left < least->left))
			least = limit;
	}
	if (!least)
		return;
	g_string_append_printf(lines,
	    "ratelimit-limit: %" G_GINT64_FORMAT "\r\nratelimit-remaining: %" G_GINT64_FORMAT
	    "\r\nratelimit-reset: %" G_GINT64_FORMAT "\r\n",
	    least->burst, least->left, least->reset_s);
	g_string_append_printf(lines,
	    "ratelimit-policy: %" G_GINT64_FORMAT ";w=%" G_GINT64_FORMAT "\r\n", least->burst,
	    least->window_s);
}

const struct fcgi_form fcgi_resend_form = {
    "application/json; charset=utf-8", lost, denied, error_failed, limits};
