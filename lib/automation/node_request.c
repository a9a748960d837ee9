/* SPDX-License-Identifier: MIT */
/* Checks the data of request nodes. */
#include "automation/node_request.h"

#include <string.h>

#include "automation/node.h"
#include "base/error.h"
#include "base/limits/webhook.h"
#include "content/text.h"
#include "fetch/fetch.h"
#include "json/value.h"

#define SECRET_PREFIX "secret."

static const char *const methods[] = {"GET", "POST", "PUT", "PATCH", "DELETE", NULL};

/* Headers that are ours; those that end in - begin the names of such. */
static const char *const ours[] = {
    "Host", "Connection", "Content-Length", "Transfer-Encoding", "webhook-", "svix-", NULL};

struct names_secret {
	bool (*take)(const char *header, const char *secret, void *context, GError **error);
	const char *header;
	void *context;
	GError **error;
	bool goes_on;
};

static void
node_request_take_name(const char *name, void *context)
{
	struct names_secret *names = context;

	if (names->goes_on && g_str_has_prefix(name, SECRET_PREFIX))
		names->goes_on = names->take(
		    names->header, name + strlen(SECRET_PREFIX), names->context, names->error);
}

/* Calls take with each secret of a template. */
static bool
node_request_each_of(const char *text, const char *header,
    bool (*take)(const char *header, const char *secret, void *context, GError **error),
    void *context, GError **error)
{
	struct names_secret names = {take, header, context, error, true};

	content_text_names(text, node_request_take_name, &names);
	return names.goes_on;
}

bool
automation_node_request_each_secret(const struct automation_node_request *request,
    bool (*take)(const char *header, const char *secret, void *context, GError **error),
    void *context, GError **error)
{
	struct json_iterator members = json_members(request->headers);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value))
		if (!node_request_each_of(json_string(value, NULL), name, take, context, error))
			return false;
	return true;
}

/* For members that must not name a secret: header is the member. */
static bool
node_request_refuse_secret(const char *header, const char *secret, void *context, GError **error)
{
	return base_invalid(error, "data.%s must not name a secret", header);
}

/* The length of the URL up to its path. */
static gsize
node_request_base_length(const char *url)
{
	const char *authority = strstr(url, "://");
	const char *begin = authority ? authority + strlen("://") : url;

	return (gsize)(begin - url) + strcspn(begin, "/?#");
}

char *
automation_node_request_base(const struct automation_node_request *request)
{
	return g_strndup(request->url, node_request_base_length(request->url));
}

static bool
node_request_check_url(const char *url, GError **error)
{
	const char *variable = strstr(url, "{{");

	if (!g_utf8_validate(url, -1, NULL) || strlen(url) > LIMIT_WEBHOOK_URL_BYTES)
		return base_invalid(error, "data.url must be an absolute http or https URL");
	if (!node_request_each_of(url, "url", node_request_refuse_secret, NULL, error))
		return false;
	if (variable && (gsize)(variable - url) < node_request_base_length(url))
		return base_invalid(error, "data.url must not have variables before its path");
	g_autofree char *base = g_strndup(url, node_request_base_length(url));
	if (!fetch_url_valid(base))
		return base_invalid(error, "data.url must be an absolute http or https URL");
	return content_text_is_plain(url) ||
	       base_invalid(error, "data.url must have no tags but variables, such as {{id}}");
}

static bool
node_request_is_token(const char *name)
{
	static const char others[] = "!#$%&'*+-.^_`|~";

	for (const char *c = name; *c; c++)
		if (!g_ascii_isalnum(*c) && !strchr(others, *c))
			return false;
	return *name;
}

static bool
node_request_is_ours(const char *name)
{
	for (guint i = 0; ours[i]; i++) {
		gsize length = strlen(ours[i]);

		if (ours[i][length - 1] == '-' ? g_ascii_strncasecmp(name, ours[i], length) == 0
					       : g_ascii_strcasecmp(name, ours[i]) == 0)
			return true;
	}
	return false;
}

static bool
node_request_check_headers(const struct json *headers, GError **error)
{
	struct json_iterator members = json_members(headers);
	const struct json *value;
	const char *name;

	while (json_iterator_next(&members, &name, &value)) {
		gsize size;
		const char *text = json_string(value, &size);

		if (!node_request_is_token(name))
			return base_invalid(error, "data.headers.%s is no name of a header", name);
		if (node_request_is_ours(name))
			return base_invalid(error, "data.headers.%s cannot be set", name);
		if (!text)
			return base_invalid(error, "data.headers.%s must be a string", name);
		for (gsize i = 0; i < size; i++)
			if ((guchar)text[i] < ' ' || text[i] == 127)
				return base_invalid(error,
				    "data.headers.%s must not have control characters", name);
	}
	return true;
}

static bool
node_request_check_body(const struct json *body, GError **error)
{
	struct json_iterator members = json_members(body);
	const struct json *value;
	const char *name, *text = json_string(body, NULL);

	if (text)
		return node_request_each_of(text, "body", node_request_refuse_secret, NULL, error);
	while (json_iterator_next(&members, &name, &value))
		if (!node_request_check_body(value, error))
			return false;
	for (gsize i = 0; i < json_array_length(body); i++)
		if (!node_request_check_body(json_array_at(body, i), error))
			return false;
	return true;
}

bool
automation_node_request_check(struct automation_node_request *request, GError **error)
{
	if (!request->method || !*request->method)
		request->method = "POST";
	if (!g_strv_contains(methods, request->method))
		return base_invalid(
		    error, "data.method must be one of GET, POST, PUT, PATCH, DELETE");
	return node_request_check_url(request->url, error) &&
	       node_request_check_headers(request->headers, error) &&
	       node_request_check_body(request->body, error);
}
