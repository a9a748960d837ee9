/* SPDX-License-Identifier: MIT */
/* Writes the headers of workflows' requests, with their secrets and their signature. */
#include "webhook/step_headers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "json/strict.h"
#include "service/secret.h"
#include "service/service.h"
#include "store/automation/step_request.h"
#include "webhook/request.h"

struct webhook_step_keys {
	struct service *service;
	GHashTable *keys; /* id of a workspace, as GBytes → GBytes; NULL: it has none */
};

static void
step_headers_free_key(void *key)
{
	if (key)
		g_bytes_unref(key);
}

struct webhook_step_keys *
webhook_step_keys_new(struct service *service)
{
	struct webhook_step_keys *keys = g_new0(struct webhook_step_keys, 1);

	keys->service = service;
	keys->keys = g_hash_table_new_full(
	    g_bytes_hash, g_bytes_equal, (GDestroyNotify)g_bytes_unref, step_headers_free_key);
	return keys;
}

void
webhook_step_keys_free(struct webhook_step_keys *keys)
{
	g_hash_table_unref(keys->keys);
	g_free(keys);
}

/* Finds the key of a workspace; *key_r is borrowed, and NULL for none. */
static bool
step_headers_find_key(
    struct webhook_step_keys *keys, const struct base_id *workspace, GBytes **key_r, GError **error)
{
	g_autoptr(GBytes) id = g_bytes_new(workspace, sizeof(*workspace));
	g_autoptr(GError) failure = NULL;
	void *known;

	if (!g_hash_table_lookup_extended(keys->keys, id, NULL, &known)) {
		known = service_secret_key(keys->service, workspace, &failure);
		if (failure && !g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		g_hash_table_insert(keys->keys, g_steal_pointer(&id), known);
	}
	*key_r = known;
	return true;
}

/* Appends the parts of a header's value, the secrets among them decrypted. INVALID when one does
   not exist. */
static bool
step_request_append_value(struct service *service, const struct store_step_request *request,
    const char *name, const struct json *parts, GString *line, GError **error)
{
	for (gsize i = 0; i < json_array_length(parts); i++) {
		const struct json *part = json_array_at(parts, i);
		const char *secret = json_string(json_member_get(part, "secret"), NULL);
		g_autoptr(GError) failure = NULL;

		if (!secret) {
			g_string_append(line, json_string(part, NULL));
			continue;
		}
		g_autofree char *value =
		    service_secret_open(service, &request->workspace_id, secret, &failure);
		if (value) {
			g_string_append(line, value);
			continue;
		}
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
			return base_invalid(
			    error, "data.headers.%s: no secret \"%s\"", name, secret);
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_FAILED))
			return base_invalid(error,
			    "data.headers.%s: the secret \"%s\" cannot be read", name, secret);
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	return true;
}

static bool
step_request_names(const GPtrArray *lines, const char *name)
{
	gsize length = strlen(name);

	for (guint i = 0; i < lines->len; i++) {
		const char *line = lines->pdata[i];

		if (g_ascii_strncasecmp(line, name, length) == 0 &&
		    (line[length] == ':' || line[length] == ';'))
			return true;
	}
	return false;
}

static void
step_request_add_default(GPtrArray *lines, const char *name, const char *value)
{
	if (!step_request_names(lines, name))
		g_ptr_array_add(lines, g_strdup_printf("%s: %s", name, value));
}

/* Adds webhook-id, webhook-timestamp and, where the workspace has the key, the signature. */
static bool
step_request_sign(struct webhook_step_keys *keys, const struct store_step_request *request,
    GBytes *body, GPtrArray *lines, GError **error)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *own =
	    g_strdup_printf("%s.%u", base_id_format(&request->execution_id, id), request->sequence);
	g_autofree char *timestamp = g_strdup_printf("%" G_GINT64_FORMAT, base_clock_now() / 1000);
	GBytes *key;

	if (!step_headers_find_key(keys, &request->workspace_id, &key, error))
		return false;
	g_ptr_array_add(lines, g_strdup_printf("webhook-id: %s", own));
	g_ptr_array_add(lines, g_strdup_printf("webhook-timestamp: %s", timestamp));
	if (!key)
		return true;
	g_autoptr(GBytes) nothing = g_bytes_new_static("", 0);
	g_autofree char *signature = webhook_sign(own, timestamp, body ? body : nothing, key);
	g_ptr_array_add(lines, g_strdup_printf("webhook-signature: v1,%s", signature));
	return true;
}

char **
webhook_step_headers(struct webhook_step_keys *keys, const struct store_step_request *request,
    GBytes *body, GError **error)
{
	AUTO(json) headers = json_parse_any(request->headers, strlen(request->headers), error);
	g_autoptr(GPtrArray) lines = g_ptr_array_new_with_free_func(g_free);

	if (!headers)
		return NULL;
	for (gsize i = 0; i < json_array_length(headers); i++) {
		const struct json *header = json_array_at(headers, i);
		const char *name = json_string(json_array_at(header, 0), NULL);
		g_autoptr(GString) value = g_string_new(NULL);

		if (!step_request_append_value(
			keys->service, request, name, json_array_at(header, 1), value, error))
			return NULL;
		/* curl takes "Name:" for none, and "Name;" for an empty one. */
		g_ptr_array_add(lines, value->len > 0 ? g_strdup_printf("%s: %s", name, value->str)
						      : g_strdup_printf("%s;", name));
	}
	if (body)
		step_request_add_default(lines, "Content-Type", "application/json");
	step_request_add_default(lines, "User-Agent", "Posthouse-Workflows/" PACKAGE_VERSION);
	if (!step_request_sign(keys, request, body, lines, error))
		return NULL;
	g_ptr_array_add(lines, NULL);
	return (char **)g_ptr_array_free(g_steal_pointer(&lines), FALSE);
}
