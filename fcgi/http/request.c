/* SPDX-License-Identifier: MIT */
/* One request: its method, path, query, headers, body and sender. */
#include "fcgi/http/request.h"

#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits/request.h"
#include "config/settings.h"
#include "fcgi/http/io.h"
#include "service/large.h"

#define FIRST_ROOM 65536 /* the first buffer for a body without a Content-Length */

/* A web server may pass on what it refuses itself, as a GET of this path, below the prefix of a
   front where that is a root (server.error-handler in apache/lighttpd.conf). The status that it
   would answer is then in REDIRECT_STATUS, and the client's path in REQUEST_URI alone. */
#define REFUSED_PATH "/refused"
#define REFUSED_NO_LENGTH 411 /* a POST without Content-Length: one without a body */

static const char *const method_names[] = {
    [METHOD_GET] = "GET",
    [METHOD_POST] = "POST",
    [METHOD_PUT] = "PUT",
    [METHOD_PATCH] = "PATCH",
    [METHOD_DELETE] = "DELETE",
    [METHOD_OPTIONS] = "OPTIONS",
};

const char *
fcgi_request_method_name(enum fcgi_method method)
{
	return method_names[method];
}

static enum fcgi_method
request_method_of(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(method_names); i++)
		if (g_strcmp0(method_names[i], name) == 0)
			return (enum fcgi_method)i;
	return METHOD_OTHER;
}

/* The place of the first byte that is a control or not ASCII, or of the end. */
static const char *
skip_printable(const char *text)
{
	while (*text >= ' ' && *text < 0x7f)
		text++;
	return text;
}

static bool
is_path(const char *path)
{
	if (strlen(path) > LIMIT_PATH_BYTES)
		return false;
	const char *rest = skip_printable(path);
	if (!g_utf8_validate(rest, -1, NULL))
		return false;
	for (const char *p = rest; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			return false;
	return true;
}

/* The status with which the web server has refused the request itself; 0: it has not. */
static guint
request_refusal(struct fcgi_io *io, const char *path)
{
	const char *status = fcgi_io_param(io, "REDIRECT_STATUS");
	guint64 number;

	return path && status && g_str_has_suffix(path, REFUSED_PATH) &&
		       g_ascii_string_to_unsigned(status, 10, 400, 599, &number, NULL)
		   ? (guint)number
		   : 0;
}

/* The path that the client asked for, decoded, below the prefix of the path that it came by; NULL
   when it cannot be decoded. Sets the query string. */
static char *
request_restore_path(struct fcgi_request *request, const char *by)
{
	const char *uri = fcgi_io_param(request->io, "REQUEST_URI");

	if (!uri || *uri != '/')
		return NULL;
	gsize length = strcspn(uri, "?");
	request->text = uri + length + (uri[length] == '?');
	g_autofree char *raw = g_strndup(uri, length);
	g_autofree char *decoded = g_uri_unescape_string(raw, NULL);
	g_autofree char *prefix = g_strndup(by, strlen(by) - strlen(REFUSED_PATH));
	return decoded ? g_strconcat(prefix, decoded, NULL) : NULL;
}

/* A request that the server need not refuse is the client's again. */
static char *
request_take_path(struct fcgi_request *request)
{
	const char *path = fcgi_io_param(request->io, "PATH_INFO");
	guint refusal = request_refusal(request->io, path);

	if (refusal == 0)
		return g_strdup(path);
	if (refusal == REFUSED_NO_LENGTH)
		request->method = METHOD_POST;
	else
		request->refusal = refusal;
	return request_restore_path(request, path);
}

bool
fcgi_request_read(struct fcgi_request *request_r, struct fcgi_io *io)
{
	const char *method = fcgi_io_param(io, "REQUEST_METHOD");

	*request_r = (struct fcgi_request){.io = io};
	request_r->head = g_strcmp0(method, "HEAD") == 0;
	request_r->method = request_r->head ? METHOD_GET : request_method_of(method);
	request_r->path = request_take_path(request_r);
	if (!request_r->path || !is_path(request_r->path)) {
		g_clear_pointer(&request_r->path, g_free);
		return false;
	}
	gsize length = strlen(request_r->path);
	if (length > 1 && request_r->path[length - 1] == '/')
		request_r->path[length - 1] = '\0';
	return true;
}

void
fcgi_request_clear(struct fcgi_request *request)
{
	g_clear_pointer(&request->path, g_free);
	g_clear_pointer(&request->query, g_hash_table_unref);
	g_clear_pointer(&request->names, g_ptr_array_unref);
}

const char *
fcgi_request_header(const struct fcgi_request *request, const char *name)
{
	return fcgi_io_param(request->io, name);
}

static bool
request_is_id(const char *text)
{
	gsize length = strlen(text);

	return length >= 1 && length <= LIMIT_REQUEST_ID_LENGTH &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789._:-") ==
		   length;
}

void
fcgi_request_id(const struct fcgi_request *request, char id_r[REQUEST_ID_SIZE])
{
	const char *given = fcgi_request_header(request, "HTTP_X_REQUEST_ID");
	struct base_id id;

	if (given && request_is_id(given)) {
		g_strlcpy(id_r, given, REQUEST_ID_SIZE);
		return;
	}
	id = base_id_new();
	base_id_format(&id, id_r);
}

/* Decodes a name or a value of the query; NULL when it is malformed or not UTF-8. */
static char *
request_decode(const char *text, gsize length)
{
	g_autofree char *spaced = g_strdelimit(g_strndup(text, length), "+", ' ');
	g_autofree char *decoded = g_uri_unescape_string(spaced, NULL);

	return decoded && g_utf8_validate(decoded, -1, NULL) ? g_steal_pointer(&decoded) : NULL;
}

static bool
request_add_parameter(GHashTable *query, GPtrArray *names, const char *text)
{
	gsize length = strcspn(text, "=");
	g_autofree char *name = request_decode(text, length);
	g_autofree char *value =
	    request_decode(text + length + (text[length] == '='), strlen(text));

	if (!name || !value)
		return false;
	if (!g_hash_table_contains(query, name))
		g_ptr_array_add(names, name);
	/* g_hash_table_insert keeps the old key, to which names points. */
	g_hash_table_insert(query, g_steal_pointer(&name), g_steal_pointer(&value));
	return true;
}

/* Reads the query string as application/x-www-form-urlencoded. A name needs no value. */
static bool
read_query(GHashTable *query, GPtrArray *names, const char *text)
{
	g_auto(GStrv) parameters = NULL;

	if (strlen(text) > LIMIT_QUERY_BYTES)
		return false;
	parameters = g_strsplit(text, "&", -1);
	for (char **parameter = parameters; *parameter; parameter++)
		if (**parameter && !request_add_parameter(query, names, *parameter))
			return false;
	return true;
}

bool
fcgi_request_use_query(struct fcgi_request *request, const char *text, GError **error)
{
	g_autoptr(GHashTable) query =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autoptr(GPtrArray) names = g_ptr_array_new();
	if (!read_query(query, names, text)) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "The query string is malformed");
		return false;
	}
	g_ptr_array_add(names, NULL);
	request->text = text;
	request->query = g_steal_pointer(&query);
	request->names = g_steal_pointer(&names);
	return true;
}

static const char *
request_query_text(const struct fcgi_request *request)
{
	return request->text ? request->text : fcgi_io_param(request->io, "QUERY_STRING");
}

static bool
ensure_query(struct fcgi_request *request, GError **error)
{
	const char *text = request_query_text(request);

	return request->query || fcgi_request_use_query(request, text ? text : "", error);
}

bool
fcgi_request_query(
    struct fcgi_request *request, const char *name, const char **value_r, GError **error)
{
	g_assert(!request->known || g_strv_contains(request->known, name));
	if (!ensure_query(request, error))
		return false;
	*value_r = g_hash_table_lookup(request->query, name);
	return true;
}

/* Whether a decoded name of the query is the name, with or without the brackets of PHP. */
static bool
request_is_named(const char *decoded, const char *name)
{
	gsize length = strlen(name);

	return g_str_has_prefix(decoded, name) &&
	       (!decoded[length] || (decoded[length] == '[' && g_str_has_suffix(decoded, "]")));
}

bool
fcgi_request_query_list(
    struct fcgi_request *request, const char *name, char **list_r, GError **error)
{
	g_autoptr(GString) list = g_string_new(NULL);

	*list_r = NULL;
	if (!ensure_query(request, error))
		return false;
	g_auto(GStrv) parameters = g_strsplit(request->text, "&", -1);
	for (char **parameter = parameters; *parameter; parameter++) {
		gsize length = strcspn(*parameter, "=");
		g_autofree char *given = request_decode(*parameter, length);
		g_autofree char *value =
		    (*parameter)[length]
			? request_decode(*parameter + length + 1, strlen(*parameter))
			: NULL;

		if (value && *value && request_is_named(given, name))
			g_string_append_printf(list, "%s%s", list->len > 0 ? "," : "", value);
	}
	if (list->len > 0)
		*list_r = g_string_free(g_steal_pointer(&list), FALSE);
	return true;
}

const char *const *
fcgi_request_parameters(struct fcgi_request *request, GError **error)
{
	static const char *const none[] = {NULL};
	const char *text = request_query_text(request);

	if (!request->query && !(text && *text))
		return none;
	return ensure_query(request, error) ? (const char *const *)request->names->pdata : NULL;
}

static void
discard_rest(struct fcgi_io *io)
{
	char buffer[65536];

	while (fcgi_io_read(io, buffer, sizeof(buffer)) > 0)
		;
}

/* Reads the rest of the body first: a web server that cannot deliver it may not read the reply. A
   client without a key does not get this: a long body would hold the process. */
static GBytes *
request_too_large(const struct fcgi_request *request, gsize limit, GError **error)
{
	if (!request->skips_rest)
		discard_rest(request->io);
	g_set_error(error, PH_ERROR, PH_ERROR_TOO_LARGE,
	    "The request body is larger than %" G_GSIZE_FORMAT " bytes", limit);
	return NULL;
}

static GBytes *
request_invalid(const char *text, GError **error)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, text);
	return NULL;
}

void
fcgi_request_discard(struct fcgi_request *request)
{
	discard_rest(request->io);
}

/* Takes a slot when the body is large. If there is none, the rest of the body is read first. */
static bool
may_be_large(struct fcgi_request *request, gsize size, GError **error)
{
	if (size <= LARGE_BYTES || !request->large || service_large_enter(request->large, error))
		return true;
	discard_rest(request->io);
	return false;
}

static GBytes *
read_announced(struct fcgi_request *request, gsize size, GError **error)
{
	if (!may_be_large(request, size, error))
		return NULL;
	struct fcgi_io *io = request->io;
	g_autofree char *body = g_malloc(size);
	gsize at = 0, got;

	while (at < size && (got = fcgi_io_read(io, body + at, size - at)) > 0)
		at += got;
	if (at < size)
		return request_invalid("The request body ends before its Content-Length", error);
	return g_bytes_new_take(g_steal_pointer(&body), size);
}

/* Some web servers pass chunked bodies on without a length. */
static GBytes *
read_to_end(struct fcgi_request *request, gsize limit, GError **error)
{
	struct fcgi_io *io = request->io;
	gsize room = MIN(limit, FIRST_ROOM), size = 0, got;
	g_autofree char *body = g_malloc(room + 1);

	/* One byte more than the limit tells a body at the limit from a longer one, without
	 * growing. */
	while ((got = fcgi_io_read(io, body + size, room + 1 - size)) > 0) {
		size += got;
		if (size > limit)
			return request_too_large(request, limit, error);
		if (!may_be_large(request, size, error))
			return NULL;
		if (size > room) {
			room = MIN(room * 2, limit);
			body = g_realloc(body, room + 1);
		}
	}
	return g_bytes_new_take(g_steal_pointer(&body), size);
}

bool
fcgi_request_announces(const struct fcgi_request *request, gsize *size_r)
{
	const char *length = fcgi_io_param(request->io, "CONTENT_LENGTH");

	if (!length || !*length || length[strspn(length, "0123456789")] != '\0')
		return false;
	/* A number that overflows becomes the largest one. */
	*size_r = g_ascii_strtoull(length, NULL, 10);
	return true;
}

GBytes *
fcgi_request_body(struct fcgi_request *request, gsize limit, GError **error)
{
	const char *length = fcgi_io_param(request->io, "CONTENT_LENGTH");
	gsize size;

	if (!length || !*length)
		return read_to_end(request, limit, error);
	if (!fcgi_request_announces(request, &size))
		return request_invalid("Content-Length must be a number", error);
	if (size > limit)
		return request_too_large(request, limit, error);
	return read_announced(request, size, error);
}

static bool
is_port(const char *text)
{
	return g_ascii_string_to_unsigned(text, 10, 0, G_MAXUINT16, NULL, NULL);
}

/* 192.0.2.1, 192.0.2.1:80, 2001:db8::1, [2001:db8::1], [2001:db8::1]:80. Changes text. */
static bool
request_parse(char *text, struct text_network_address *address_r)
{
	if (text_network_address(text, address_r))
		return true;
	char *bracket = *text == '[' ? strchr(text, ']') : NULL;
	char *rest = bracket ? bracket + 1 : strrchr(text, ':');
	if (!rest || (*rest && (*rest != ':' || !is_port(rest + 1))))
		return false;
	*(bracket ? bracket : rest) = '\0';
	return text_network_address(bracket ? text + 1 : text, address_r);
}

/* Goes through the header from right to left, as long as the address before is a trusted proxy. */
static void
request_trace(const char *header, const char *const *trusted, struct text_network_address *address)
{
	g_auto(GStrv) entries = g_strsplit(header, ",", -1);

	for (guint i = g_strv_length(entries); i-- > 0;) {
		struct text_network_address entry;

		if (!request_parse(g_strstrip(entries[i]), &entry))
			continue;
		*address = entry;
		if (!text_network_holds(trusted, &entry))
			return;
	}
}

bool
fcgi_request_address(const struct fcgi_request *request, const struct config_settings *settings,
    char text_r[ADDRESS_TEXT_SIZE])
{
	const char *const *trusted = config_settings_list(settings, SETTING_SERVICE_TRUST_PROXY);
	const char *peer = fcgi_request_header(request, "REMOTE_ADDR");
	const char *header = fcgi_request_header(request, "HTTP_X_FORWARDED_FOR");
	struct text_network_address address;

	if (!peer || !text_network_address(peer, &address))
		return false;
	if (header && text_network_holds(trusted, &address))
		request_trace(header, trusted, &address);
	return text_network_format(&address, text_r);
}
