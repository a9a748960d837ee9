/* SPDX-License-Identifier: MIT */
/* Verifies and reads the requests of Resend and of our own form, which are Standard Webhooks. */
#include <string.h>

#include "base/error.h"
#include "base/secret.h"
#include "json/value.h"
#include "provider/forms.h"
#include "provider/signature.h"

#define AGE_MS ((gint64)5 * 60 * 1000)
#define PREFIX "whsec_"
#define KEY_BYTES 32

/* The key of a secret; NULL: it is none. */
static GBytes *
standard_key_of(const char *secret)
{
	gsize prefix = strlen(PREFIX);
	GBytes *key = g_str_has_prefix(secret, PREFIX)
			  ? base_secret_base64_decode(secret + prefix, strlen(secret) - prefix)
			  : NULL;

	if (key && g_bytes_get_size(key) > 0)
		return key;
	g_clear_pointer(&key, g_bytes_unref);
	return NULL;
}

bool
provider_standard_check(const char *secret, GError **error)
{
	g_autoptr(GBytes) key = standard_key_of(secret);

	return key || base_invalid(error, "the secret must be " PREFIX " and base64 behind it");
}

char *
provider_standard_new(void)
{
	guint8 key[KEY_BYTES];

	base_secret_random(key, sizeof(key));
	g_autofree char *text = g_base64_encode(key, sizeof(key));
	return g_strconcat(PREFIX, text, NULL);
}

/* The header under its own name or Svix's. */
static const char *
standard_header(const struct provider_request *request, const char *name)
{
	g_autofree char *own = g_strconcat("webhook-", name, NULL);
	g_autofree char *svix = g_strconcat("svix-", name, NULL);
	const char *value = request->header(request->context, own);

	return value ? value : request->header(request->context, svix);
}

const char *
provider_standard_id(const struct provider_request *request)
{
	return standard_header(request, "id");
}

static bool
standard_is_among(const char *signatures, const char *want)
{
	g_auto(GStrv) given = g_strsplit(signatures, " ", -1);
	bool found = false;

	for (char **one = given; *one; one++)
		found |= g_str_has_prefix(*one, "v1,") && provider_signature_equal(*one + 3, want);
	return found;
}

enum provider_verdict
provider_standard_verify(const struct provider_request *request, const char *secret)
{
	const char *id = standard_header(request, "id"),
		   *timestamp = standard_header(request, "timestamp"),
		   *signatures = standard_header(request, "signature");
	const struct provider_part parts[] = {{id, -1}, {".", 1}, {timestamp, -1}, {".", 1},
	    {request->body, (gssize)request->size}, {NULL}};
	g_autoptr(GBytes) key = standard_key_of(secret);
	guint8 digest[SHA256_SIZE];
	gsize size;

	if (!key || !id || !timestamp || !signatures)
		return PROVIDER_FORGED;
	const void *bytes = g_bytes_get_data(key, &size);
	provider_signature_hmac(bytes, size, parts, digest);
	g_autofree char *want = g_base64_encode(digest, sizeof(digest));
	return standard_is_among(signatures, want) &&
		       provider_signature_is_fresh(
			   provider_signature_time(timestamp), request->now, AGE_MS)
		   ? PROVIDER_GENUINE
		   : PROVIDER_FORGED;
}

static enum provider_kind
standard_kind_of(const struct json *json, const struct json *data)
{
	static const struct provider_word types[] = {
	    {"email.delivered", PROVIDER_DELIVERED},
	    {"email.delivery_delayed", PROVIDER_DELAYED},
	    {"email.delayed", PROVIDER_DELAYED},
	    {"email.bounced", PROVIDER_BOUNCED},
	    {"email.suppressed", PROVIDER_SUPPRESSED},
	    {"email.failed", PROVIDER_FAILED},
	    {"email.complained", PROVIDER_COMPLAINED},
	    {"email.opened", PROVIDER_OPENED},
	    {"email.clicked", PROVIDER_CLICKED},
	    {"email.unsubscribed", PROVIDER_UNSUBSCRIBED},
	    {NULL},
	};
	static const struct provider_word bounces[] = {
	    {"Permanent", PROVIDER_BOUNCED},
	    {"Transient", PROVIDER_BOUNCED_NOW},
	    {"Undetermined", PROVIDER_BOUNCED_NOW},
	    {NULL},
	};
	enum provider_kind kind = provider_kind_of(types, provider_text(json, "type"));
	const char *bounce = provider_text(data, "bounce/type");

	return kind == PROVIDER_BOUNCED && bounce ? provider_kind_of(bounces, bounce) : kind;
}

/* A time in ISO 8601, or in milliseconds. */
static gint64
standard_time_of(const struct json *value)
{
	return json_kind(value) == JSON_INTEGER ? json_integer(value)
						: provider_time_iso(json_string(value, NULL));
}

static void
standard_read_reader(struct provider_event *event, const struct json *reader)
{
	event->link = provider_text(reader, "link");
	event->ip = provider_text(reader, "ip");
	if (!event->ip)
		event->ip = provider_text(reader, "ipAddress");
	event->user_agent = provider_text(reader, "user_agent");
	if (!event->user_agent)
		event->user_agent = provider_text(reader, "userAgent");
}

static void
read_response(struct provider_batch *batch, struct provider_event *event, const struct json *data)
{
	const char *text = provider_text(data, "bounce/message");

	if (!text && event->kind == PROVIDER_FAILED)
		text = provider_text(data, "failed/reason");
	provider_event_respond(batch, event, provider_text(data, "bounce/code"), text);
}

static void
standard_read_one(struct provider_batch *batch, const struct json *json)
{
	struct provider_event *event = provider_event_add(batch);
	const struct json *data = provider_value(json, "data"), *to = provider_value(data, "to"),
			  *time = provider_value(json, "timestamp");

	event->kind = standard_kind_of(json, data);
	event->recipient = provider_text(data, "recipient");
	if (!event->recipient && json_array_length(to) == 1)
		event->recipient = json_string(json_array_at(to, 0), NULL);
	event->reply_id = provider_text(data, "email_id");
	event->header_id = provider_field(provider_value(data, "headers"), "X-Posthouse-Id");
	event->metadata_id = provider_member(provider_value(data, "metadata"), "posthouse-id");
	event->message_id = provider_field(provider_value(data, "headers"), "Message-ID");
	event->time = standard_time_of(time ? time : provider_value(json, "created_at"));
	standard_read_reader(
	    event, provider_value(data, event->kind == PROVIDER_CLICKED ? "click" : "open"));
	read_response(batch, event, data);
}

bool
provider_standard_read(struct provider_batch *batch, const struct json *json)
{
	return provider_each(batch, json, standard_read_one);
}
