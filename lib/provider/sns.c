/* SPDX-License-Identifier: MIT */
/* Reads and verifies the messages of Amazon SNS. */
#include "provider/sns.h"

#include <string.h>

#include "json/value.h"
#include "provider/signature.h"

/* SNS repeats a message to an HTTP endpoint for at most 3,600 s, with its first Timestamp ("Amazon
   SNS message delivery retries"). */
#define AGE_MS ((gint64)60 * 60 * 1000)

enum provider_sns_type
provider_sns_type(const struct json *json)
{
	const char *type = provider_text(json, "Type");

	if (g_strcmp0(type, "Notification") == 0)
		return PROVIDER_SNS_NOTIFICATION;
	if (g_strcmp0(type, "SubscriptionConfirmation") == 0)
		return PROVIDER_SNS_SUBSCRIBE;
	return g_strcmp0(type, "UnsubscribeConfirmation") == 0 ? PROVIDER_SNS_UNSUBSCRIBE
							       : PROVIDER_SNS_OTHER;
}

const char *
provider_sns_certificate(const struct json *json)
{
	return provider_text(json, "SigningCertURL");
}

const char *
provider_sns_confirmation(const struct json *json)
{
	return provider_text(json, "SubscribeURL");
}

const char *
provider_sns_topic(const struct json *json)
{
	return provider_text(json, "TopicArn");
}

/* sns.REGION.amazonaws.com, or the same below .cn. */
static bool
is_amazon(const char *host)
{
	static const char *const ends[] = {".amazonaws.com", ".amazonaws.com.cn"};
	gsize region;

	if (!g_str_has_prefix(host, "sns."))
		return false;
	region = strspn(host + 4, "abcdefghijklmnopqrstuvwxyz0123456789-");
	return region > 0 &&
	       (strcmp(host + 4 + region, ends[0]) == 0 || strcmp(host + 4 + region, ends[1]) == 0);
}

static bool
sns_is_listed(const char *const *hosts, const char *host, int port)
{
	g_autofree char *place =
	    g_strdup_printf(strchr(host, ':') ? "[%s]:%d" : "%s:%d", host, port);

	for (; hosts && *hosts; hosts++)
		if (g_ascii_strcasecmp(*hosts, place) == 0)
			return true;
	return false;
}

bool
provider_sns_is_trusted(
    const char *url, const char *const *hosts, bool of_certificate, bool *ours_r)
{
	/* A host may have characters that others read as nothing: Amazon's has none. */
	g_autoptr(GUri) uri =
	    g_str_is_ascii(url) ? g_uri_parse(url, G_URI_FLAGS_HAS_PASSWORD, NULL) : NULL;

	*ours_r = false;
	if (!uri || g_uri_get_userinfo(uri) || !g_uri_get_host(uri))
		return false;
	const char *host = g_uri_get_host(uri);
	bool tls = strcmp(g_uri_get_scheme(uri), "https") == 0;
	int port = g_uri_get_port(uri);
	if (of_certificate && !g_str_has_suffix(g_uri_get_path(uri), ".pem"))
		return false;
	if (tls && port == -1 && is_amazon(host))
		return true;
	*ours_r = (tls || strcmp(g_uri_get_scheme(uri), "http") == 0) && sns_is_listed(hosts, host,
									     port > 0 ? port
									     : tls    ? 443
										      : 80);
	return *ours_r;
}

/* The text that is signed: lines of names and values in this order. A Subject may be missing. */
static char *
signed_text(const struct json *json)
{
	static const char *const of_notification[] = {
	    "Message", "MessageId", "Subject", "Timestamp", "TopicArn", "Type", NULL};
	static const char *const of_confirmation[] = {
	    "Message", "MessageId", "SubscribeURL", "Timestamp", "Token", "TopicArn", "Type", NULL};
	bool notification = provider_sns_type(json) == PROVIDER_SNS_NOTIFICATION;
	GString *text = g_string_new(NULL);

	for (const char *const *name = notification ? of_notification : of_confirmation; *name;
	     name++) {
		gsize size;
		const char *value = json_string(json_member_get(json, *name), &size);

		if (!value)
			continue;
		g_string_append_printf(text, "%s\n", *name);
		g_string_append_len(text, value, (gssize)size);
		g_string_append_c(text, '\n');
	}
	return g_string_free(text, FALSE);
}

bool
provider_sns_is_certificate(const char *pem, gint64 now)
{
	return provider_signature_certificate(pem, now);
}

enum provider_verdict
provider_sns_verify(const struct provider_request *request, const char *certificate)
{
	const char *version = provider_text(request->json, "SignatureVersion"),
		   *signature = provider_text(request->json, "Signature");
	gint64 sent = provider_time_iso(provider_text(request->json, "Timestamp"));
	g_autofree char *text = signed_text(request->json);

	return provider_signature_is_fresh(sent, request->now, AGE_MS) && version && signature &&
		       provider_sns_type(request->json) != PROVIDER_SNS_OTHER &&
		       provider_signature_rsa(certificate, request->now, version, text, signature)
		   ? PROVIDER_GENUINE
		   : PROVIDER_FORGED;
}
