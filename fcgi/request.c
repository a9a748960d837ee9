/* One request: method, path, query, headers, body. */
#include "fcgi/request.h"

#include <stdlib.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "fcgi/io.h"

static const char *const method_names[] = {
    [METHOD_GET] = "GET",
    [METHOD_POST] = "POST",
    [METHOD_PATCH] = "PATCH",
    [METHOD_DELETE] = "DELETE",
};

const char *
request_method_name(enum method method)
{
	return method_names[method];
}

static enum method
method_of(const char *name)
{
	for (guint i = 0; i < G_N_ELEMENTS(method_names); i++)
		if (g_strcmp0(method_names[i], name) == 0)
			return (enum method)i;
	return METHOD_OTHER;
}

static bool
is_path(const char *path)
{
	if (strlen(path) > LIMIT_PATH_BYTES || !g_utf8_validate(path, -1, NULL))
		return false;
	for (const char *p = path; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)))
			return false;
	return true;
}

bool
request_read(struct request *request_r, struct io *io)
{
	const char *method = io_param(io, "REQUEST_METHOD");
	const char *path = io_param(io, "PATH_INFO");

	*request_r = (struct request){.io = io};
	request_r->head = g_strcmp0(method, "HEAD") == 0;
	request_r->method = request_r->head ? METHOD_GET : method_of(method);
	if (!path || !is_path(path))
		return false;
	request_r->path = g_strdup(path);
	gsize length = strlen(path);
	if (length > 1 && path[length - 1] == '/')
		request_r->path[length - 1] = '\0';
	return true;
}

void
request_clear(struct request *request)
{
	g_clear_pointer(&request->path, g_free);
	g_clear_pointer(&request->query, g_hash_table_unref);
}

const char *
request_header(const struct request *request, const char *name)
{
	return io_param(request->io, name);
}

bool
request_query(struct request *request, const char *name, const char **value_r, GError **error)
{
	const char *text = io_param(request->io, "QUERY_STRING");

	if (!request->query && text)
		request->query = g_uri_parse_params(text, -1, "&", G_URI_PARAMS_WWW_FORM, NULL);
	if (!request->query && text && *text) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "The query string is malformed");
		return false;
	}
	*value_r = request->query ? g_hash_table_lookup(request->query, name) : NULL;
	return true;
}

static void
too_large(gsize limit, GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_TOO_LARGE,
	    "The request body is larger than %" G_GSIZE_FORMAT " bytes", limit);
}

static void
forget_rest(struct io *io)
{
	char buffer[65536];

	while (io_read(io, buffer, sizeof(buffer)) > 0)
		;
}

GBytes *
request_body(struct request *request, gsize limit, GError **error)
{
	const char *length = io_param(request->io, "CONTENT_LENGTH");
	guint64 announced = length && *length ? g_ascii_strtoull(length, NULL, 10) : 0;
	gsize room = announced && announced <= limit ? (gsize)announced : MIN(limit, 65536);
	gsize size = 0, got;

	if (announced > limit) {
		forget_rest(request->io);
		too_large(limit, error);
		return NULL;
	}
	/* One byte more than announced: that a body ends there is seen without growing. */
	char *body = g_malloc(room + 1);
	while (!(announced && size == announced) &&
	       (got = io_read(request->io, body + size, room + 1 - size)) > 0) {
		size += got;
		if (size > limit) {
			g_free(body);
			forget_rest(request->io);
			too_large(limit, error);
			return NULL;
		}
		if (size == room + 1) {
			room = MIN(room * 2, limit);
			body = g_realloc(body, room + 1);
		}
	}
	return g_bytes_new_take(body, size);
}
