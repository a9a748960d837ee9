/* SPDX-License-Identifier: MIT */
/* Adds endpoints of providers, and takes their requests. */
#include "feedback/provider.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/fetch.h"
#include "base/limits/report.h"
#include "base/secret.h"
#include "config/settings.h"
#include "feedback/provider_record.h"
#include "fetch/transfer.h"
#include "fetch/url.h"
#include "json/strict.h"
#include "json/value.h"
#include "provider/sns.h"
#include "service/service.h"

#define TOKEN_BYTES 32

void
feedback_provider_added_clear(struct feedback_provider_added *added)
{
	g_clear_pointer(&added->url, g_free);
	g_clear_pointer(&added->secret, g_free);
}

/* The URL of an endpoint. Postmark sends the user and password that stand in it. */
static char *
make_url(const struct service *service, enum provider_name provider, const char *secret,
    const char *token)
{
	const char *base = config_settings_text(service->settings, SETTING_SERVICE_URL),
		   *host = strstr(base, "://") + strlen("://");
	g_autofree char *scheme = g_strndup(base, (gsize)(host - base));
	g_autofree char *user =
	    provider == PROVIDER_POSTMARK ? g_strdup_printf("posthouse:%s@", secret) : g_strdup("");

	return g_strdup_printf(
	    "%s%s%s/in/%s/%s", scheme, user, host, provider_word(provider), token);
}

static bool
choose_secret(enum provider_name provider, const char *given, char **secret_r, GError **error)
{
	const char *word = provider_word(provider);

	*secret_r = NULL;
	switch (provider_secret_source(provider)) {
	case PROVIDER_SECRET_NONE:
		return !given || base_invalid(error, "%s has no secret", word);
	case PROVIDER_SECRET_MADE:
		if (given)
			return base_invalid(error, "the secret of %s is made, not given", word);
		break;
	case PROVIDER_SECRET_GIVEN:
		if (!given)
			return base_invalid(error, "%s needs a secret", word);
		break;
	case PROVIDER_SECRET_EITHER:
		break;
	}
	if (given && !provider_secret_check(provider, given, error))
		return false;
	*secret_r = given ? g_strdup(given) : provider_secret_new(provider);
	return true;
}

bool
feedback_provider_add(struct service *service, enum provider_name provider, const char *relay,
    const char *secret, struct feedback_provider_added *added_r, GError **error)
{
	AUTO(store_provider) endpoint = g_new0(struct store_provider, 1);
	guint8 bytes[TOKEN_BYTES], digest[SHA256_SIZE];

	*added_r = (struct feedback_provider_added){.id = base_id_new()};
	if (!choose_secret(provider, secret, &added_r->secret, error))
		return false;
	base_secret_random(bytes, sizeof(bytes));
	g_autofree char *token = base_secret_base64url(bytes, sizeof(bytes));
	base_secret_sha256(token, strlen(token), digest);
	endpoint->id = added_r->id;
	endpoint->provider = provider;
	endpoint->relay = g_strdup(relay);
	endpoint->created = base_clock_now();
	if (added_r->secret) {
		g_autoptr(GBytes) plain = g_bytes_new(added_r->secret, strlen(added_r->secret));
		endpoint->secret = base_secret_encrypt(config_settings_secret(service->settings),
		    plain, &endpoint->id, sizeof(endpoint->id));
	}
	added_r->url = make_url(service, provider, added_r->secret, token);
	return store_provider_create(service->db, endpoint, digest, error);
}

struct store_provider *
feedback_provider_find(
    struct service *service, const char *provider, const char *token, GError **error)
{
	enum provider_name name = provider_by_word(provider);
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(token);
	guint8 digest[SHA256_SIZE];

	if (name == PROVIDER_NONE || !bytes || g_bytes_get_size(bytes) != TOKEN_BYTES) {
		base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
		return NULL;
	}
	if (!service_ensure(service, error))
		return NULL;
	base_secret_sha256(token, strlen(token), digest);
	AUTO(store_provider) endpoint = store_provider_find(service->db, digest, error);
	if (endpoint && endpoint->provider == (int)name)
		return g_steal_pointer(&endpoint);
	if (endpoint)
		base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
	return NULL;
}

static bool
provider_refuse(GError **error)
{
	return base_fail(error, PH_ERROR_FORBIDDEN, "Signature is not valid");
}

/* Fetches a file of SNS, without following to another place. The caller owns it; NULL: TEMPORARY,
   where *is_none_r is true for good: it is not there, or too large. */
static char *
provider_fetch(
    const struct service *service, const char *url, bool ours, bool *is_none_r, GError **error)
{
	static const char *const anywhere[] = {"0.0.0.0/0", "::/0", NULL};
	const struct config_settings *settings = service->settings;
	struct fetch_rules rules = {config_settings_list(settings, SETTING_FETCH_ALLOW), NULL};
	gint64 now = base_clock_boot();
	g_autofree char *address = fetch_url_parse(url);
	g_autofree char *location = NULL;
	g_autoptr(GBytes) body = NULL;
	g_autoptr(GError) local = NULL;

	*is_none_r = false;
	if (ours)
		rules.allow = anywhere;
	const struct fetch_limits limits = {
	    &rules, LIMIT_PROVIDER_FETCH_BYTES, now, now + LIMIT_PROVIDER_FETCH_MS, NULL};
	if (!address) {
		base_fail(error, PH_ERROR_TEMPORARY, "an address of SNS is malformed");
		return NULL;
	}
	if (!fetch_transfer_run(address, &limits, &body, &location, &local) || !body) {
		/* The log gets this, and the query of a confirmation has its token. */
		address[strcspn(address, "?")] = '\0';
		*is_none_r = g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND) ||
			     g_error_matches(local, PH_ERROR, PH_ERROR_TOO_LARGE);
		base_fail(error, PH_ERROR_TEMPORARY, "%s could not be fetched: %s", address,
		    local ? local->message : "it leads elsewhere");
		return NULL;
	}
	gsize size;
	const char *bytes = g_bytes_get_data(body, &size);
	return g_strndup(bytes ? bytes : "", size);
}

/* Reads the certificate of a message of SNS: the kept one, or that at its address. */
static char *
provider_read_certificate(
    struct service *service, const struct provider_request *request, GError **error)
{
	const char *url = provider_sns_certificate(request->json);
	const char *const *hosts =
	    config_settings_list(service->settings, SETTING_PROVIDERS_SNS_HOSTS);
	g_autofree char *pem = NULL;
	g_autoptr(GError) failure = NULL;
	guint8 digest[SHA256_SIZE];
	bool ours, is_none;

	if (!url || !provider_sns_is_trusted(url, hosts, true, &ours)) {
		provider_refuse(error);
		return NULL;
	}
	base_secret_sha256(url, strlen(url), digest);
	if (!store_provider_certificate(
		service->db, digest, request->now - LIMIT_PROVIDER_CERTIFICATE_MS, &pem, error))
		return NULL;
	if (pem)
		return g_steal_pointer(&pem);
	pem = provider_fetch(service, url, ours, &is_none, &failure);
	if (!pem && !is_none) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return NULL;
	}
	if (!pem || !provider_sns_is_certificate(pem, request->now)) {
		provider_refuse(error);
		return NULL;
	}
	return store_provider_keep_certificate(service->db, digest, pem, request->now, error)
		   ? g_steal_pointer(&pem)
		   : NULL;
}

/* The secret of an endpoint; of SNS the certificate. The caller owns it. */
static char *
feedback_provider_read_secret(struct service *service, const struct store_provider *endpoint,
    const struct provider_request *request, GError **error)
{
	if (endpoint->provider == PROVIDER_SES)
		return provider_read_certificate(service, request, error);
	g_autoptr(GBytes) plain = base_secret_decrypt(config_settings_secret(service->settings),
	    endpoint->secret, &endpoint->id, sizeof(endpoint->id), error);
	gsize size;

	if (!plain) {
		g_prefix_error(error, "the secret of a provider: ");
		return NULL;
	}
	const char *bytes = g_bytes_get_data(plain, &size);
	return g_strndup(bytes, size);
}

static bool
feedback_provider_verify(struct service *service, const struct store_provider *endpoint,
    const struct provider_request *request, GError **error)
{
	g_autofree char *secret = feedback_provider_read_secret(service, endpoint, request, error);

	if (!secret)
		return false;
	switch (provider_verify((enum provider_name)endpoint->provider, request, secret)) {
	case PROVIDER_GENUINE:
		break;
	case PROVIDER_FORGED:
		return provider_refuse(error);
	case PROVIDER_ANONYMOUS:
		return base_fail(error, PH_ERROR_UNAUTHORIZED,
		    "The user and the password of the URL are missing");
	}
	/* The first topic that is confirmed is the only one. */
	return endpoint->provider != PROVIDER_SES || !endpoint->topic ||
	       g_strcmp0(provider_sns_topic(request->json), endpoint->topic) == 0 ||
	       provider_refuse(error);
}

/* Answers a message of SNS that asks whether we want its topic: fetches its SubscribeURL. */
static bool
provider_confirm(struct service *service, const struct store_provider *endpoint,
    const struct json *json, GError **error)
{
	const char *url = provider_sns_confirmation(json), *topic = provider_sns_topic(json);
	const char *const *hosts =
	    config_settings_list(service->settings, SETTING_PROVIDERS_SNS_HOSTS);
	g_autoptr(GError) local = NULL;
	bool ours, is_none;

	if (!url || !topic || !provider_sns_is_trusted(url, hosts, false, &ours))
		return provider_refuse(error);
	g_autofree char *answer = provider_fetch(service, url, ours, &is_none, error);
	if (!answer)
		return false;
	if (store_provider_confirm(service->db, &endpoint->id, topic, &local))
		return true;
	if (g_error_matches(local, PH_ERROR, PH_ERROR_CONFLICT))
		return provider_refuse(error);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}

static bool
provider_take(struct service *service, const struct store_provider *endpoint,
    struct provider_request *request, struct feedback_provider_result *result, GError **error)
{
	enum provider_name provider = (enum provider_name)endpoint->provider;
	AUTO(json) json = NULL;

	if (provider_signs_inside(provider) &&
	    !(json = json_parse(request->body, request->size, error)))
		return false;
	request->json = json;
	if (!feedback_provider_verify(service, endpoint, request, error))
		return false;
	if (!json && !(json = json_parse_any(request->body, request->size, error)))
		return false;
	request->json = json;
	if (provider == PROVIDER_SES && provider_sns_type(json) == PROVIDER_SNS_SUBSCRIBE)
		return provider_confirm(service, endpoint, json, error);
	g_autofree char *text = provider_signed_alone(provider, request);
	const struct feedback_provider_signed signed_alone = {text, request->body, request->size};
	AUTO(provider_batch) batch = provider_read(provider, request, error);
	return batch &&
	       feedback_provider_record(service, endpoint, batch, &signed_alone, result, error);
}

bool
feedback_provider_take(struct service *service, const struct store_provider *endpoint,
    struct provider_request *request, struct feedback_provider_result *result_r, GError **error)
{
	g_autoptr(GError) local = NULL;

	*result_r = (struct feedback_provider_result){0};
	if (provider_take(service, endpoint, request, result_r, &local))
		return true;
	request->json = NULL;
	*result_r = (struct feedback_provider_result){0};
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
