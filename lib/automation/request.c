/* SPDX-License-Identifier: MIT */
/* Fills in the requests of steps. */
#include "automation/request.h"

#include <string.h>

#include "automation/mailing.h"
#include "automation/node.h"
#include "automation/rules.h"
#include "base/clock.h"
#include "base/error.h"
#include "base/limits/unit.h"
#include "base/limits/webhook.h"
#include "base/secret.h"
#include "content/text.h"
#include "fetch/post.h"
#include "fetch/url.h"
#include "json/value.h"
#include "json/writer.h"
#include "rule/properties.h"
#include "store/automation/execution.h"
#include "store/automation/step_request.h"

#define SECRET_PREFIX "secret."
#define BODY_BYTES LIMIT_MIB
#define NONCE_BYTES 16

/* A request that is being filled in. */
struct filling {
	const struct automation_request_input *input;
	struct automation_mailing_lookup *lookup;
	GStringChunk *texts; /* of values */
	char *nonce;	     /* around the name of a secret in a header; nobody can guess it */
};

/* A value in a URL: percent-encoded. */
static struct content_variables_found
request_find_encoded(const char *name, void *context)
{
	struct filling *filling = context;
	const struct content_variables_found found = automation_mailing_find(name, filling->lookup);
	const char *text = found.text ? found.text : rule_properties_text(found.value);
	g_autofree char *encoded = text ? g_uri_escape_string(text, NULL, FALSE) : NULL;

	return (struct content_variables_found){
	    .text = encoded ? g_string_chunk_insert(filling->texts, encoded) : NULL,
	    .is_default = found.is_default,
	};
}

/* A value in a header: the name of a secret stands for it, within nonces. */
static struct content_variables_found
request_find_secret(const char *name, void *context)
{
	struct filling *filling = context;

	if (!g_str_has_prefix(name, SECRET_PREFIX))
		return automation_mailing_find(name, filling->lookup);
	g_autofree char *marked =
	    g_strconcat(filling->nonce, name + strlen(SECRET_PREFIX), filling->nonce, NULL);
	return (struct content_variables_found){
	    .text = g_string_chunk_insert(filling->texts, marked)};
}

static char *
request_fill_url(struct filling *filling, GError **error)
{
	g_autofree char *filled = content_text_fill(
	    "data.url", filling->input->node->url, false, request_find_encoded, filling, error);
	char *url = filled ? fetch_url_parse(filled) : NULL;

	if (url && strlen(url) <= LIMIT_WEBHOOK_URL_BYTES)
		return url;
	g_free(url);
	if (filled)
		base_invalid(error, "data.url must be an absolute http or https URL");
	return NULL;
}

/* Writes the parts of a filled value: every second one is the name of a secret. */
static void
request_write_parts(struct json_writer *writer, const char *filled, const char *nonce)
{
	g_auto(GStrv) parts = g_strsplit(filled, nonce, -1);

	json_writer_begin_array(writer, NULL);
	for (guint i = 0; parts[i]; i++) {
		if (i % 2 == 0) {
			if (*parts[i])
				json_writer_string(writer, NULL, parts[i]);
			continue;
		}
		json_writer_begin_object(writer, NULL);
		json_writer_string(writer, "secret", parts[i]);
		json_writer_end_object(writer);
	}
	json_writer_end_array(writer);
}

static char *
request_fill_headers(struct filling *filling, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	struct json_iterator members = json_members(filling->input->node->headers);
	const struct json *value;
	const char *name;

	json_writer_begin_array(writer, NULL);
	while (json_iterator_next(&members, &name, &value)) {
		g_autofree char *part = g_strconcat("data.headers.", name, NULL);
		g_autofree char *filled = content_text_fill(
		    part, json_string(value, NULL), true, request_find_secret, filling, error);

		if (!filled)
			return NULL;
		json_writer_begin_array(writer, NULL);
		json_writer_string(writer, NULL, name);
		request_write_parts(writer, filled, filling->nonce);
		json_writer_end_array(writer);
	}
	json_writer_end_array(writer);
	return json_writer_take(writer, NULL);
}

/* Whether a value of a body stands for that of a path, which is then written. */
static bool
request_write_var(
    struct filling *filling, struct json_writer *writer, const char *key, const struct json *value)
{
	const char *path =
	    json_member_count(value) == 1 ? json_string(json_member_get(value, "var"), NULL) : NULL;

	if (path)
		json_writer_value(writer, key, automation_rules_value(path, filling->input->scope));
	return path;
}

static bool
request_write_text(struct filling *filling, struct json_writer *writer, const char *key,
    const char *text, GError **error)
{
	g_autofree char *filled = content_text_fill(
	    "data.body", text, false, automation_mailing_find, filling->lookup, error);

	if (filled)
		json_writer_string(writer, key, filled);
	return filled;
}

static bool
request_write_body(struct filling *filling, struct json_writer *writer, const char *key,
    const struct json *value, GError **error)
{
	struct json_iterator members = json_members(value);
	const char *name, *text = json_string(value, NULL);
	const struct json *member;
	bool done = true;

	if (text)
		return request_write_text(filling, writer, key, text, error);
	if (request_write_var(filling, writer, key, value))
		return true;
	if (json_kind(value) == JSON_ARRAY) {
		json_writer_begin_array(writer, key);
		for (gsize i = 0; done && i < json_array_length(value); i++)
			done = request_write_body(
			    filling, writer, NULL, json_array_at(value, i), error);
		json_writer_end_array(writer);
	} else if (json_kind(value) == JSON_OBJECT) {
		json_writer_begin_object(writer, key);
		while (done && json_iterator_next(&members, &name, &member))
			done = request_write_body(filling, writer, name, member, error);
		json_writer_end_object(writer);
	} else {
		json_writer_value(writer, key, value);
	}
	return done;
}

static void
request_write_object(struct json_writer *writer, const char *key, const struct json *value)
{
	if (value) {
		json_writer_value(writer, key, value);
		return;
	}
	json_writer_begin_object(writer, key);
	json_writer_end_object(writer);
}

static void
request_write_default(struct filling *filling, struct json_writer *writer)
{
	const struct automation_request_input *input = filling->input;
	const struct store_execution *e = input->mailing->execution;
	char id[ID_TEXT_SIZE], time[CLOCK_ISO_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "type", "workflow.request");
	json_writer_string(writer, "timestamp", base_clock_format(input->now, time));
	json_writer_begin_object(writer, "data");
	json_writer_string(writer, "workflow_id", base_id_format(&e->workflow_id, id));
	json_writer_string(writer, "execution_id", base_id_format(&e->id, id));
	json_writer_string(writer, "step_id", e->step_id);
	json_writer_string(writer, "email", e->email);
	request_write_object(writer, "properties", input->mailing->properties);
	request_write_object(writer, "event", input->event);
	json_writer_end_object(writer);
	json_writer_end_object(writer);
}

/* *body_r: NULL for none. */
static bool
request_fill_body(struct filling *filling, char **body_r, GError **error)
{
	const struct automation_node_request *node = filling->input->node;
	AUTO(json_writer) writer = json_writer_new();

	*body_r = NULL;
	if (strcmp(node->method, "GET") == 0 || strcmp(node->method, "DELETE") == 0)
		return true;
	if (!node->body)
		request_write_default(filling, writer);
	else if (!request_write_body(filling, writer, NULL, node->body, error))
		return false;
	*body_r = json_writer_take(writer, NULL);
	return strlen(*body_r) <= BODY_BYTES ||
	       base_invalid(error, "data.body is larger than 1 MiB");
}

static bool
request_fill(struct filling *filling, struct store_step_request *request, GError **error)
{
	return (request->url = request_fill_url(filling, error)) &&
	       (request->host = fetch_post_host(request->url)) &&
	       (request->headers = request_fill_headers(filling, error)) &&
	       request_fill_body(filling, &request->body, error);
}

static char *
request_nonce(void)
{
	guint8 bytes[NONCE_BYTES];
	GString *nonce = g_string_new("~");

	base_secret_random(bytes, sizeof(bytes));
	for (guint i = 0; i < sizeof(bytes); i++)
		g_string_append_printf(nonce, "%02x", bytes[i]);
	return g_string_free(nonce, FALSE);
}

struct store_step_request *
automation_request_make(const struct automation_request_input *input, GError **error)
{
	AUTO(automation_mailing_lookup) lookup = automation_mailing_lookup_new(input->mailing);
	g_autoptr(GStringChunk) texts = g_string_chunk_new(512);
	g_autofree char *nonce = request_nonce();
	struct filling filling = {input, lookup, texts, nonce};
	const struct store_execution *e = input->mailing->execution;
	AUTO(store_step_request) request = g_new0(struct store_step_request, 1);
	g_autoptr(GError) failure = NULL;

	request->execution_id = e->id;
	request->workspace_id = e->workspace_id;
	request->sequence = e->step_count;
	request->method = g_strdup(input->node->method);
	request->timeout = (guint)input->node->timeout;
	request->most = (guint)input->node->attempts;
	request->due = input->now;
	bool filled = request_fill(&filling, request, &failure);
	if (!automation_mailing_lookup_done(lookup, error))
		return NULL;
	if (filled)
		return g_steal_pointer(&request);
	base_invalid(error, "%s", failure ? failure->message : "data.url has no host");
	return NULL;
}
