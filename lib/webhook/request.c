/* SPDX-License-Identifier: MIT */
/* Signs requests to webhooks. */
#include "webhook/request.h"

#include <string.h>

#include "base/clock.h"
#include "base/secret.h"

char *
webhook_sign(const char *id, const char *timestamp, GBytes *body, GBytes *key)
{
	gsize key_size, size, digest_size = SHA256_SIZE;
	const guint8 *key_bytes = g_bytes_get_data(key, &key_size);
	const guint8 *bytes = g_bytes_get_data(body, &size);
	g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, key_bytes, key_size);
	guint8 digest[SHA256_SIZE];

	g_hmac_update(hmac, (const guchar *)id, -1);
	g_hmac_update(hmac, (const guchar *)".", 1);
	g_hmac_update(hmac, (const guchar *)timestamp, -1);
	g_hmac_update(hmac, (const guchar *)".", 1);
	g_hmac_update(hmac, bytes, (gssize)size);
	g_hmac_get_digest(hmac, digest, &digest_size);
	return g_base64_encode(digest, digest_size);
}

/* Adds a header under its own name and under Svix's. */
static void
request_add(GPtrArray *headers, const char *name, const char *value)
{
	g_ptr_array_add(headers, g_strdup_printf("webhook-%s: %s", name, value));
	g_ptr_array_add(headers, g_strdup_printf("svix-%s: %s", name, value));
}

char **
webhook_headers(const struct base_id *id, gint64 at, GBytes *body, GBytes *const *keys, guint count)
{
	g_autoptr(GString) signature = g_string_new(NULL);
	GPtrArray *headers = g_ptr_array_new();
	char text[ID_TEXT_SIZE];
	g_autofree char *timestamp = g_strdup_printf("%" G_GINT64_FORMAT, at / 1000);

	base_id_format(id, text);
	for (guint i = 0; i < count; i++) {
		g_autofree char *one = webhook_sign(text, timestamp, body, keys[i]);

		g_string_append_printf(signature, "%sv1,%s", i > 0 ? " " : "", one);
	}
	g_ptr_array_add(headers, g_strdup("Content-Type: application/json"));
	g_ptr_array_add(headers, g_strdup("User-Agent: Posthouse-Webhooks/" PACKAGE_VERSION));
	request_add(headers, "id", text);
	request_add(headers, "timestamp", timestamp);
	request_add(headers, "signature", signature->str);
	g_ptr_array_add(headers, NULL);
	return (char **)g_ptr_array_free(headers, FALSE);
}

GBytes *
webhook_batch_body(const struct base_id *id, const GPtrArray *events)
{
	char text[ID_TEXT_SIZE], timestamp[CLOCK_ISO_SIZE];
	GString *body = g_string_new(NULL);

	g_string_printf(body, "{\"id\":\"%s\",\"type\":\"batch\",\"timestamp\":\"%s\",\"data\":[",
	    base_id_format(id, text), base_clock_format(base_id_time(id), timestamp));
	for (guint i = 0; i < events->len; i++) {
		if (i > 0)
			g_string_append_c(body, ',');
		g_string_append(body, events->pdata[i]);
	}
	g_string_append(body, "]}");
	return g_string_free_to_bytes(body);
}
