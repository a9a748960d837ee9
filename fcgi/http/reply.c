/* SPDX-License-Identifier: MIT */
/* Answers, and how errors look in them. */
#include "fcgi/http/reply.h"

#include <stdbool.h>
#include <string.h>

#include <glib.h>

#include "base/error.h"
#include "config/log.h"
#include "fcgi/http/io.h"
#include "json/writer.h"
#include "submit/sign_in.h"
#include "text/hostname.h"

#define HEAD_BYTES 768 /* room for all header lines of an ordinary reply */

static void
reply_append_encoded(GString *out, const char *text, gsize size)
{
	for (gsize i = 0; i < size; i++) {
		guchar c = (guchar)text[i];

		if (c <= ' ' || c >= 0x7f)
			g_string_append_printf(out, "%%%02X", c);
		else
			g_string_append_c(out, (char)c);
	}
}

/* user@host:port */
static void
reply_append_authority(GString *out, const char *text, gsize size)
{
	g_autofree char *authority = g_strndup(text, size);
	char *at = strrchr(authority, '@');
	char *host = at ? at + 1 : authority;
	gsize length = strcspn(host, ":");
	g_autofree char *name = g_strndup(host, length);
	g_autofree char *ascii = g_str_is_ascii(name) ? NULL : text_hostname_host(name);

	reply_append_encoded(out, authority, (gsize)(host - authority));
	reply_append_encoded(out, ascii ? ascii : name, strlen(ascii ? ascii : name));
	reply_append_encoded(out, host + length, strlen(host + length));
}

/* The URL as a Location header takes it (RFC 9110 section 10.2.2): ASCII that leads to the same
   place. A host in another script becomes A-labels; controls, spaces and bytes beyond ASCII are
   percent-encoded; the rest stays as it is. The caller owns it. */
static char *
location_of(const char *url)
{
	GString *out = g_string_new(NULL);
	const char *colon = strstr(url, "://");
	const char *authority = colon ? colon + 3 : url;
	gsize size = colon ? strcspn(authority, "/\\?#") : 0;

	reply_append_encoded(out, url, (gsize)(authority - url));
	reply_append_authority(out, authority, size);
	reply_append_encoded(out, authority + size, strlen(authority + size));
	return g_string_free(out, FALSE);
}

const struct fcgi_failure fcgi_failure_message = {.error = NULL};

static const struct {
	guint status;
	const char *reason;
} reasons[] = {
    {200, "OK"},
    {201, "Created"},
    {202, "Accepted"},
    {302, "Found"},
    {400, "Bad Request"},
    {401, "Unauthorized"},
    {403, "Forbidden"},
    {404, "Not Found"},
    {405, "Method Not Allowed"},
    {409, "Conflict"},
    {412, "Precondition Failed"},
    {413, "Content Too Large"},
    {422, "Unprocessable Content"},
    {429, "Too Many Requests"},
    {500, "Internal Server Error"},
    {501, "Not Implemented"},
    {503, "Service Unavailable"},
};

/* For each error code. hidden: the text that replaces the error's own sentence, which is logged. */
static const struct {
	guint status;
	const char *hidden;
	gint64 retry_after; /* the least Retry-After in seconds; 0: no such header */
} kinds[] = {
    [PH_ERROR_INVALID] = {400, NULL, 0},
    [PH_ERROR_UNAUTHORIZED] = {401, NULL, 0},
    [PH_ERROR_FORBIDDEN] = {403, NULL, 0},
    [PH_ERROR_NOT_FOUND] = {404, NULL, 0},
    [PH_ERROR_CONFLICT] = {409, NULL, 0},
    [PH_ERROR_CHANGED] = {412, NULL, 0},
    [PH_ERROR_TOO_LARGE] = {413, NULL, 0},
    [PH_ERROR_LIMITED] = {429, NULL, 1},
    [PH_ERROR_TEMPORARY] = {503, "The service is not available at the moment", 5},
    [PH_ERROR_UNCERTAIN] = {503, "The service is not available at the moment", 5},
    [PH_ERROR_FAILED] = {500, "Internal server error", 0},
};

static const char *
reply_reason_of(guint status)
{
	for (gsize i = 0; i < G_N_ELEMENTS(reasons); i++)
		if (reasons[i].status == status)
			return reasons[i].reason;
	return "Unknown";
}

void
fcgi_reply_init(struct fcgi_reply *reply, const struct fcgi_form *form)
{
	*reply = (struct fcgi_reply){.form = form,
	    .status = 500,
	    .headers = g_string_new(NULL),
	    .content_type = form->content_type,
	    .cache = "no-store"};
}

void
fcgi_reply_clear(struct fcgi_reply *reply)
{
	g_string_free(reply->headers, TRUE);
	if (reply->head)
		g_string_free(reply->head, TRUE);
	g_clear_pointer(&reply->body, g_bytes_unref);
}

void
fcgi_reply_reset(struct fcgi_reply *reply)
{
	fcgi_reply_clear(reply);
	fcgi_reply_init(reply, reply->form);
}

void
fcgi_reply_header(struct fcgi_reply *reply, const char *name, const char *value)
{
	g_string_append(reply->headers, name);
	g_string_append(reply->headers, ": ");
	g_string_append(reply->headers, value);
	g_string_append(reply->headers, "\r\n");
}

void
fcgi_reply_limit(struct fcgi_reply *reply, const struct fcgi_reply_limit *limit)
{
	g_assert(reply->limit_count < REPLY_LIMITS);
	reply->limits[reply->limit_count++] = *limit;
}

void
fcgi_reply_json_text(struct fcgi_reply *reply, guint status, char *json)
{
	g_clear_pointer(&reply->body, g_bytes_unref);
	reply->status = status;
	reply->body = g_bytes_new_take(json, strlen(json));
}

void
fcgi_reply_json(struct fcgi_reply *reply, guint status, struct json_writer *writer)
{
	g_clear_pointer(&reply->body, g_bytes_unref);
	reply->status = status;
	reply->body = json_writer_take_bytes(writer);
}

void
fcgi_reply_message(struct fcgi_reply *reply, const char *text)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", text);
	json_writer_end_object(writer);
	fcgi_reply_json(reply, 200, writer);
}

void
fcgi_reply_document(
    struct fcgi_reply *reply, const char *content_type, GBytes *body, const char *cache)
{
	g_clear_pointer(&reply->body, g_bytes_unref);
	reply->status = 200;
	reply->content_type = content_type;
	reply->cache = cache;
	reply->body = body;
}

void
fcgi_reply_redirect(struct fcgi_reply *reply, const char *url)
{
	g_autofree char *location = location_of(url);

	g_clear_pointer(&reply->body, g_bytes_unref);
	reply->status = 302;
	reply->content_type = "text/plain";
	fcgi_reply_header(reply, "Location", location);
}

static void
reply_write_failure(struct json_writer *writer, const struct fcgi_failure *failure, guint status,
    const char *message)
{
	bool missing = failure->missing && status == 404;

	json_writer_begin_object(writer, NULL);
	if (!failure->error)
		json_writer_string(writer, "message", message);
	else
		json_writer_string(writer, "error", missing ? failure->missing : failure->error);
	if (failure->error && !missing && *message)
		json_writer_string(writer, "details", message);
	json_writer_end_object(writer);
}

/* The place of an error among the kinds. */
static guint
reply_kind_of(const GError *error)
{
	bool ours = error->domain == PH_ERROR && (guint)error->code < G_N_ELEMENTS(kinds);

	return ours ? (guint)error->code : PH_ERROR_FAILED;
}

guint
fcgi_reply_status(const GError *error)
{
	return error ? kinds[reply_kind_of(error)].status : 200;
}

struct fcgi_fault
fcgi_reply_fault(struct fcgi_reply *reply, const GError *error)
{
	guint code = reply_kind_of(error);
	const char *hidden = kinds[code].hidden;

	if (hidden)
		config_log("%s", error->message);
	if (kinds[code].retry_after > 0)
		g_string_append_printf(reply->headers, "Retry-After: %" G_GINT64_FORMAT "\r\n",
		    MAX(kinds[code].retry_after, reply->wait_s));
	return (struct fcgi_fault){
	    kinds[code].status, hidden ? hidden : error->message, hidden != NULL};
}

void
fcgi_reply_failure(
    struct fcgi_reply *reply, const struct fcgi_failure *failure, const GError *error)
{
	reply->form->failed(reply, failure, error);
}

static void
write_failed(struct fcgi_reply *reply, const struct fcgi_failure *failure, const GError *error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct fcgi_fault fault = fcgi_reply_fault(reply, error);

	if (failure->write) {
		failure->write(reply, fault.status);
		return;
	}
	if (failure->fault && fault.is_hidden)
		fault.message = failure->fault;
	reply_write_failure(writer, failure, fault.status, fault.message);
	fcgi_reply_json(reply, fault.status, writer);
}

static void
write_lost(struct fcgi_reply *reply, bool has_methods)
{
	fcgi_reply_message(reply, has_methods ? "Method not allowed" : "Not found");
	reply->status = has_methods ? 405 : 404;
}

static void
write_denied(struct fcgi_reply *reply, enum fcgi_denial denial)
{
	static const struct {
		guint status;
		const char *message, *code;
	} denials[] = {
	    [DENIAL_MISSING] = {401, "Missing API key", "api_key_missing"},
	    [DENIAL_INVALID] = {403, "Invalid API key", "api_key_invalid"},
	    [DENIAL_SEND_ONLY] = {403, "This API key may only send emails and events",
		"api_key_forbidden"},
	    [DENIAL_READ_ONLY] = {403, "This API key may only read", "api_key_forbidden"},
	    [DENIAL_METRICS_ONLY] = {403, "This API key may only read the metrics",
		"api_key_forbidden"},
	    [DENIAL_NOT_METRICS] = {403, "Only a key of scope metrics may read the metrics",
		"api_key_forbidden"},
	    [DENIAL_HTTPS] = {403, SUBMIT_SIGN_IN_HTTPS, "https_required"},
	    [DENIAL_LINK] = {403, "This link is not valid any more", "link_invalid"},
	    [DENIAL_BROWSER] = {403, "Another browser has asked for this link", "link_browser"},
	    [DENIAL_ENDED] = {401, "Session has ended", "session_ended"},
	    [DENIAL_CSRF] = {403, "X-CSRF-Token or Origin is not that of this session", "csrf"},
	    [DENIAL_ROLE] = {403, "Your role in this workspace does not allow this",
		"role_forbidden"},
	    [DENIAL_WORKSPACE] = {403, "You are not in this workspace", "workspace_forbidden"},
	    [DENIAL_NO_SESSION] = {403, "Only a session may do this, not an API key",
		"session_required"},
	    [DENIAL_LASTING] = {403, "An API key that expires may not make owners",
		"api_key_forbidden"},
	};
	AUTO(json_writer) writer = json_writer_new();

	if (denials[denial].status == 401)
		fcgi_reply_header(reply, "WWW-Authenticate", "Bearer");
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", denials[denial].message);
	json_writer_string(writer, "code", denials[denial].code);
	json_writer_end_object(writer);
	fcgi_reply_json(reply, denials[denial].status, writer);
}

/* draft-ietf-httpapi-ratelimit-headers-08 */
static void
reply_write_limits(const struct fcgi_reply *reply, GString *lines)
{
	g_autoptr(GString) states = g_string_new(NULL);

	g_string_append(lines, "RateLimit-Policy: ");
	for (guint i = 0; i < reply->limit_count; i++) {
		const struct fcgi_reply_limit *limit = &reply->limits[i];
		const char *separator = i > 0 ? ", " : "";

		g_string_append_printf(lines, "%s\"%s\";q=%" G_GINT64_FORMAT ";w=%" G_GINT64_FORMAT,
		    separator, limit->name, limit->burst, limit->window_s);
		g_string_append_printf(states,
		    "%s\"%s\";r=%" G_GINT64_FORMAT ";t=%" G_GINT64_FORMAT, separator, limit->name,
		    limit->left, limit->reset_s);
	}
	g_string_append_printf(lines, "\r\nRateLimit: %s\r\n", states->str);
}

const struct fcgi_form fcgi_form_message = {
    "application/json", write_lost, write_denied, write_failed, reply_write_limits};

void
fcgi_reply_write(struct fcgi_reply *reply, struct fcgi_io *io, bool head)
{
	gsize size = 0;
	const void *body = reply->body ? g_bytes_get_data(reply->body, &size) : NULL;
	GString *lines = reply->head ? reply->head : g_string_sized_new(HEAD_BYTES);

	reply->head = g_string_truncate(lines, 0);
	g_string_append_printf(lines,
	    "Status: %u %s\r\nContent-Type: %s\r\nContent-Length: %" G_GSIZE_FORMAT
	    "\r\nCache-Control: %s\r\nX-Content-Type-Options: nosniff\r\n",
	    reply->status, reply_reason_of(reply->status), reply->content_type, size, reply->cache);
	if (reply->limit_count > 0)
		reply->form->limits(reply, lines);
	g_string_append_len(lines, reply->headers->str, (gssize)reply->headers->len);
	g_string_append(lines, "\r\n");
	fcgi_io_write(io, lines->str, lines->len);
	if (!head && size > 0)
		fcgi_io_write(io, body, size);
}
