/* SPDX-License-Identifier: MIT */
/* Requests of providers: the first line is the value of each header field, and the rest is the
   body, which each of the forms of provider/provider.h verifies and reads. */
#include "provider/provider.h"

#include <string.h>

#include "json/strict.h"
#include "json/value.h"
#include "provider/sns.h"
#include "tests/fuzz/fuzz.h"

#define SENDGRID_KEY                                                                               \
	"MFkwEwYHKoZIzj0CAQYIKoZIzj0DAQcDQgAE83T4O/n84iotIvIW4mdBgQ/7dAfSmpqIM8kF9mN1flpVKS3GRqe6" \
	"2gw+2fNNRaINXvVpiglSI8eNEc6wEA3F+g=="

static const char *const secrets[] = {
    [PROVIDER_SES] = "-----BEGIN CERTIFICATE-----\n-----END CERTIFICATE-----\n",
    [PROVIDER_MAILGUN] = "key-0123456789abcdef",
    [PROVIDER_POSTMARK] = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0",
    [PROVIDER_SENDGRID] = SENDGRID_KEY,
    [PROVIDER_BREVO] = "c2VjcmV0LXNlY3JldC1zZWNyZXQtc2VjcmV0",
    [PROVIDER_RESEND] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
    [PROVIDER_GENERIC] = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw",
};

static const char *
provider_fuzzer_header(const void *context, const char *name)
{
	const char *line = context;

	return *line ? line : NULL;
}

static void
provider_fuzzer_check_event(const struct provider_event *event)
{
	const char *const texts[] = {event->key, event->recipient, event->reply_id,
	    event->header_id, event->metadata_id, event->message_id, event->response,
	    event->enhanced, event->link, event->ip, event->user_agent};

	g_assert(event->kind <= PROVIDER_UNSUBSCRIBED);
	g_assert(event->key && event->time >= 0);
	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		g_assert(!texts[i] || g_utf8_validate(texts[i], -1, NULL));
}

static void
try_form(enum provider_name provider, const struct provider_request *request)
{
	GError *error = NULL;
	AUTO(provider_batch) batch = provider_read(provider, request, &error);

	if (!batch)
		fuzz_check_error(error);
	for (guint i = 0; batch && i < batch->events->len; i++)
		provider_fuzzer_check_event(batch->events->pdata[i]);
	g_assert(provider_verify(provider, request, secrets[provider]) != PROVIDER_GENUINE);
}

/* No other host than Amazon's is trusted. */
static void
try_sns(const struct json *json, const char *line)
{
	static const char *const hosts[] = {NULL};
	const char *url = provider_sns_certificate(json);
	bool ours;

	provider_sns_confirmation(json);
	provider_sns_topic(json);
	provider_sns_type(json);
	if (!url)
		url = line;
	if (provider_sns_is_trusted(url, hosts, true, &ours))
		g_assert(
		    !ours && g_str_is_ascii(url) && g_ascii_strncasecmp(url, "https:", 6) == 0);
	g_assert(!provider_sns_is_certificate(line, 1));
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	const guint8 *end = memchr(data, '\n', size);
	gsize first = end ? (gsize)(end - data) : size;
	g_autofree char *line = fuzz_text(data, first);
	const char *body = (const char *)data + MIN(first + 1, size);
	gsize rest = size - MIN(first + 1, size);
	AUTO(json) json = json_parse_any(body, rest, NULL);
	const struct provider_request request = {.body = body,
	    .size = rest,
	    .json = json,
	    .header = provider_fuzzer_header,
	    .context = line,
	    .now = 1};

	g_free(provider_reply_id(line));
	if (!json)
		return -1;
	for (guint i = PROVIDER_SES; i < G_N_ELEMENTS(secrets); i++)
		try_form((enum provider_name)i, &request);
	try_sns(json, line);
	return 0;
}
