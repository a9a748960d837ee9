/* SPDX-License-Identifier: MIT */
/* Logs clients in, and counts the failures. */
#include "smtpd/login.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "config/settings.h"
#include "service/key.h"
#include "service/key_use.h"
#include "service/metrics.h"
#include "service/rates.h"
#include "service/service.h"
#include "smtpd/wire.h"
#include "store/workspace/sign_in.h"

#define AWAY "454 4.3.0 The database cannot be reached"
#define RESEND_PREFIX "re_"
#define KNOWN_MS 5000

/* The network of a client as a subject of attempts: 24 bits of an IPv4 address, 64 of an IPv6
   address. False for loopback, which is none. */
static bool
login_subject(
    const struct service *service, const struct smtpd_wire *wire, guint8 subject_r[SHA256_SIZE])
{
	bool is_short = wire->address.size == 4;

	if (smtpd_wire_is_loopback(wire))
		return false;
	base_secret_sign(config_settings_secret(service->settings),
	    is_short ? "smtp login 4" : "smtp login 6", wire->address.bytes, is_short ? 3 : 8,
	    subject_r, SHA256_SIZE);
	return true;
}

enum outcome { LOGIN_OK, LOGIN_FAILED, LOGIN_FORBIDDEN, LOGIN_LIMITED, LOGIN_AWAY };

static const struct {
	const char *result; /* label of the metric */
	const char *reply;
} outcomes[] = {
    [LOGIN_OK] = {"ok", "235 2.7.0 Authenticated"},
    [LOGIN_FAILED] = {"failed", "535 5.7.8 Invalid API key"},
    [LOGIN_FORBIDDEN] = {"failed", "535 5.7.8 This API key may not send"},
    [LOGIN_LIMITED] = {"limited", "454 4.7.0 Too many failed logins. Try again later"},
    [LOGIN_AWAY] = {"unavailable", AWAY},
};

static enum outcome
login_find(struct service *service, const char *password, struct smtpd_login *login)
{
	g_autoptr(GError) error = NULL;

	/* Clients of Resend may ask for keys that begin with re_. */
	if (g_str_has_prefix(password, RESEND_PREFIX SERVICE_KEY_PREFIX))
		password += strlen(RESEND_PREFIX);
	base_secret_sha256(password, strlen(password), login->hash);
	if (!store_key_find(
		service->db, login->hash, base_clock_now(), &login->key, &login->limits, &error))
		return g_error_matches(error, PH_ERROR, PH_ERROR_NOT_FOUND) ? LOGIN_FAILED
									    : LOGIN_AWAY;
	if (login->key.scope != KEY_FULL && login->key.scope != KEY_SEND)
		return LOGIN_FORBIDDEN;
	return LOGIN_OK;
}

static enum outcome
login_try(struct service *service, const struct smtpd_wire *wire, const char *password,
    struct smtpd_login *login)
{
	gint64 most = config_settings_number(service->settings, SETTING_SMTPD_ATTEMPTS);
	gint64 now = base_clock_now(), count = 0, begun;
	guint8 subject[SHA256_SIZE];
	bool counts = login_subject(service, wire, subject);

	if (!service_ensure(service, NULL) ||
	    (counts && !store_sign_in_attempts(service->db, subject, now, &count, NULL)))
		return LOGIN_AWAY;
	if (count >= most)
		return LOGIN_LIMITED;
	enum outcome outcome = login_find(service, password, login);
	if (counts && (outcome == LOGIN_FAILED || outcome == LOGIN_FORBIDDEN) &&
	    !store_sign_in_count(service->db, subject, now, &count, &begun, NULL))
		return LOGIN_AWAY;
	return outcome;
}

void
smtpd_login(struct service *service, const struct smtpd_wire *wire, const char *password,
    struct smtpd_login *login, GString *reply)
{
	enum outcome outcome = login_try(service, wire, password, login);

	login->is_done = outcome == LOGIN_OK;
	if (login->is_done)
		service_key_use(service, &login->key, true);
	service_metrics_add(METRIC_SMTP_LOGINS, 1, outcomes[outcome].result, NULL);
	g_string_append(reply, outcomes[outcome].reply);
}

static bool
login_refuse(GError **error)
{
	return base_fail(error, PH_ERROR_UNAUTHORIZED, "Invalid API key");
}

bool
smtpd_login_check(struct service *service, struct service_rates *rates, struct smtpd_login *login,
    struct service **guarded_r, GError **error)
{
	const gint64 now = base_clock_boot();
	g_autoptr(GError) failure = NULL;
	struct service_rates_taken taken;
	bool is_known = now < login->until;

	*guarded_r = NULL;
	if (!is_known && !store_key_find(service->db, login->hash, base_clock_now(), &login->key,
			     &login->limits, &failure)) {
		if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
			return login_refuse(error);
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	if (!is_known)
		login->until = now + KNOWN_MS;
	if (!service_rates_take(rates, &login->key, &login->limits, &taken, error))
		return false;
	if (is_known)
		*guarded_r = service_guarded(
		    service, store_key_guard(service->db, login->hash, 1, base_clock_now()));
	return true;
}

bool
smtpd_login_confirm(const struct service *guarded, struct smtpd_login *login, GError **error)
{
	g_autoptr(GError) failure = NULL;

	if (store_key_confirm(guarded->db, &failure))
		return true;
	login->until = 0;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return login_refuse(error);
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}
