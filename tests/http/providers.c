/* SPDX-License-Identifier: MIT */
/* The endpoints of providers: their answers, and the order of their checks. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/limits/report.h"
#include "feedback/provider.h"
#include "service/service.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

FIXTURE_SUITE(providers, 900);

/* An endpoint of the suite's instance. */
struct endpoint {
	struct feedback_provider_added added;
	char *path;
};

static struct endpoint
providers_add(enum provider_name provider, const char *secret)
{
	AUTO(service) service = service_open(fixture->settings);
	struct endpoint endpoint;
	g_autoptr(GError) error = NULL;

	cr_assert(service_ensure(service, &error), "%s", error ? error->message : "");
	cr_assert(feedback_provider_add(service, provider, "a", secret, &endpoint.added, &error),
	    "%s", error ? error->message : "");
	endpoint.path = g_strdup(strstr(endpoint.added.url, "/in/"));
	return endpoint;
}

static void
providers_clear(struct endpoint *endpoint)
{
	feedback_provider_added_clear(&endpoint->added);
	g_free(endpoint->path);
}

static char *
authorization(const char *scheme, const char *text)
{
	g_autofree char *encoded = *scheme == 'B' && scheme[1] == 'a'
				       ? g_base64_encode((const guchar *)text, strlen(text))
				       : g_strdup(text);

	return g_strdup_printf("Authorization: %s %s", scheme, encoded);
}

#define FORGED "{'message':'Signature is not valid'}"
#define NONE "{'received':1,'recorded':0}"
#define EVENT "{'RecordType':'Delivery','MessageID':'x'}"

Test(providers, answer_in_the_order_of_their_checks)
{
	struct endpoint postmark = providers_add(PROVIDER_POSTMARK, NULL),
			ses = providers_add(PROVIDER_SES, NULL),
			mailgun = providers_add(PROVIDER_MAILGUN, "key");
	g_autofree char *user = g_strconcat("posthouse:", postmark.added.secret, NULL);
	g_autofree char *right = authorization("Basic", user);
	g_autofree char *wrong = authorization("Basic", "posthouse:x");
	g_autofree char *other = g_strconcat("/in/brevo/", strrchr(postmark.path, '/') + 1, NULL);
	g_autofree char *fits = g_strnfill(LIMIT_PROVIDER_BYTES, ' ');
	g_autofree char *over = g_strnfill(LIMIT_PROVIDER_BYTES + 1, ' ');
	const struct exchange exchanges[] = {
	    {"good", "POST", postmark.path, EVENT, 200, NONE, .headers = {right}},
	    {"GET", "GET", postmark.path, NULL, 405, .want_header = {"Allow: POST"}},
	    {"no provider", "POST", "/in/none/x", EVENT, 404, "{'message':'Not found'}"},
	    {"no token", "POST", "/in/postmark/x", EVENT, 404, "{'message':'Not found'}"},
	    {"another's", "POST", other, EVENT, 404, "{'message':'Not found'}", .headers = {right}},
	    {"unknown and large", "POST", other, over, 404, .headers = {right}},
	    {"large", "POST", postmark.path, over, 413, .headers = {"Authorization:"}},
	    {"at the limit", "POST", postmark.path, fits, 400, .headers = {right}},
	    {"nobody", "POST", postmark.path, "{", 401, .headers = {"Authorization:"},
		.want_header = {"WWW-Authenticate: Basic realm=\"Posthouse\""}},
	    {"wrong", "POST", postmark.path, "{", 403, FORGED, .headers = {wrong}},
	    {"not Basic", "POST", postmark.path, EVENT, 403, FORGED},
	    {"no JSON", "POST", postmark.path, "{", 400, .headers = {right}},
	    {"no object", "POST", postmark.path, "[1]", 400,
		"{'message':'body has not the form of postmark'}", .headers = {right}},
	    {"SES without JSON", "POST", ses.path, "{", 400},
	    {"SES unsigned", "POST", ses.path, "{'Type':'Notification'}", 403, FORGED},
	    {"Mailgun without JSON", "POST", mailgun.path, "x", 400},
	    {"Mailgun unsigned", "POST", mailgun.path, "{'event-data':{}}", 403, FORGED},
	};

	EXPECT_ALL(fixture, exchanges);
	providers_clear(&postmark);
	providers_clear(&ses);
	providers_clear(&mailgun);
}

Test(providers, take_a_bearer_token)
{
	struct endpoint brevo = providers_add(PROVIDER_BREVO, NULL);
	g_autofree char *right = authorization("Bearer", brevo.added.secret);
	const struct exchange exchanges[] = {
	    {"good", "POST", brevo.path, "{'event':'delivered','email':'a@x.org'}", 200, NONE,
		.headers = {right}},
	    {"list", "POST", brevo.path, "[{'event':'opened'},{'event':'click'}]", 200,
		"{'received':2,'recorded':0}", .headers = {right}},
	    {"wrong", "POST", brevo.path, "{", 403, FORGED, .headers = {"Authorization: Bearer x"}},
	    {"none", "POST", brevo.path, "{", 403, FORGED, .headers = {"Authorization:"},
		.want_header = {"WWW-Authenticate:"}},
	};

	EXPECT_ALL(fixture, exchanges);
	providers_clear(&brevo);
}

/* The headers of Svix reach the service through the web server. */
Test(providers, take_a_signed_request)
{
	struct endpoint resend =
	    providers_add(PROVIDER_RESEND, "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw");
	g_autofree char *now = g_strdup_printf("%" G_GINT64_FORMAT, base_clock_now() / 1000);
	g_autofree char *text = g_strdup_printf("msg_1.%s.{\"type\":\"email.sent\"}", now);
	gsize key_size, size = 32;
	g_autofree guchar *key = g_base64_decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", &key_size);
	g_autoptr(GHmac) hmac = g_hmac_new(G_CHECKSUM_SHA256, key, key_size);
	guchar digest[32];

	g_hmac_update(hmac, (const guchar *)text, -1);
	g_hmac_get_digest(hmac, digest, &size);
	g_autofree char *tag = g_base64_encode(digest, size);
	g_autofree char *signature = g_strconcat("svix-signature: v1,", tag, NULL);
	g_autofree char *timestamp = g_strconcat("svix-timestamp: ", now, NULL);
	const struct exchange exchanges[] = {
	    {"good", "POST", resend.path, "{'type':'email.sent'}", 200, NONE,
		.headers = {"svix-id: msg_1", timestamp, signature}},
	    {"altered", "POST", resend.path, "{'type':'email.sEnt'}", 403, FORGED,
		.headers = {"svix-id: msg_1", timestamp, signature}},
	    {"another id", "POST", resend.path, "{'type':'email.sent'}", 403, FORGED,
		.headers = {"svix-id: msg_2", timestamp, signature}},
	};

	EXPECT_ALL(fixture, exchanges);
	providers_clear(&resend);
}
