/* SPDX-License-Identifier: MIT */
/* Checks that each relay would take our mail, and that each route has its relays. Sends no mail. */
#include "cli/doctor.h"

#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "link/return_path.h"
#include "relay/relay.h"
#include "service/service.h"
#include "smtp/probe.h"
#include "smtp/session.h"
#include "store/common/server.h"
#include "store/email/email.h"

#define ANSWER_S 30
#define SILENCE_S 3 /* then a silent relay is tried with TLS */
#define TLS_S 5
#define DAY_MS (24 * 60 * 60 * 1000LL)
#define CERTIFICATE_DAYS 21

/* The check of a relay. */
struct relay_check {
	struct cli_doctor *doctor;
	const struct config_relay *settings;
	struct smtp_relay relay; /* with the time limits of a check */
	char *section;		 /* of the settings, where the relay stands */
	char *sender, *recipient;
	struct cli_faults faults;
};

/* The first domain that may send by this relay, else the first that may send at all; or NULL. */
static const struct store_server_domain *
sending_domain(const struct relay_check *check)
{
	const GPtrArray *domains = check->doctor->domains;
	const struct store_server_domain *first = NULL;

	for (guint i = 0; domains && i < domains->len; i++) {
		const struct store_server_domain *domain = domains->pdata[i];

		if (domain->may_send && relay_is_on(check->settings, domain->route))
			return domain;
		if (domain->may_send && !first)
			first = domain;
	}
	return first;
}

/* Sets sender and recipient. If no domain may send, the sender is <>, and the recipient is that of
   --to alone. */
static void
address(struct relay_check *check)
{
	const struct store_server_domain *domain = sending_domain(check);
	const char *to = check->doctor->to;
	struct store_email email = {.id = base_id_new()};

	if (*check->settings->return_path)
		check->sender = g_strdup(check->settings->return_path);
	else if (domain) {
		email.domain = domain->name;
		check->sender =
		    link_return_path(check->doctor->service, &email, RETURN_PATH_SHARED);
	} else
		check->sender = g_strdup("");
	check->recipient = to	    ? g_strdup(to)
			   : domain ? g_strdup_printf("postmaster@%s", domain->name)
				    : NULL;
}

/* Adds a failure. In remedy, SECTION stands for the section of the settings. */
static void
advise(struct relay_check *check, const char *text, const char *remedy)
{
	g_auto(GStrv) parts = g_strsplit(remedy, "SECTION", -1);
	g_autofree char *advice = g_strjoinv(check->section, parts);

	cli_faults_add(&check->faults, STATE_FAIL, advice, "%s", text);
}

/* Tells why there is no session. */
static void
tell_failure(struct relay_check *check, const struct smtp_probe *probe, const char *text)
{
	static const char *const remedies[] = {
	    [DIALOGUE_CONNECT] =
		"Correct host and port in section SECTION; or a firewall, here or of "
		"the hoster, blocks the port.",
	    [DIALOGUE_GREETING] =
		"Correct host and port in section SECTION; or ask the relay's operator "
		"whether this machine may connect.",
	    [DIALOGUE_HELLO] = "Correct helo in section SECTION, or ask the relay's operator.",
	    [DIALOGUE_STARTTLS] = "Correct tls in section SECTION, or ask the relay's operator.",
	    [DIALOGUE_HANDSHAKE] =
		"Correct tls, tls_name, tls_ca or tls_cert in section SECTION, or have the "
		"relay's certificate mended.",
	    [DIALOGUE_AUTH] = "Correct user, password and auth in section SECTION.",
	};
	enum smtp_dialogue_step step = probe->step;

	if (strcmp(probe->enhanced, "4.7.5") == 0)
		step = DIALOGUE_HANDSHAKE;
	else if (strcmp(probe->enhanced, "4.7.8") == 0)
		step = DIALOGUE_AUTH;
	bool is_unusable = step == DIALOGUE_CONNECT && !*probe->enhanced;
	if (step < G_N_ELEMENTS(remedies) && !is_unusable)
		advise(check, text, remedies[step]);
	else
		advise(check, text, "Correct section SECTION of the settings, or the relay.");
}

/* Tells of a relay that refuses MAIL or RCPT. If there is no domain of ours, the sender is <>,
   which some relays refuse; then only the replies count that ask for a login. */
static void
check_relay_tell_refusal(struct relay_check *check, const struct smtp_probe *probe)
{
	bool asks_login = probe->refusal == 530 || probe->refusal == 535 || probe->refusal == 538;

	if (asks_login)
		advise(check, probe->refused,
		    "The relay wants a login: set user and password in section SECTION.");
	else if (*check->sender || strstr(probe->refused, "refused RCPT"))
		advise(check, probe->refused,
		    "Register the domain with the relay's operator, or let the relay accept mail "
		    "of this machine; correct user or return_path in section SECTION.");
}

static void
check_relay_judge(struct relay_check *check, const struct smtp_probe *probe)
{
	const struct config_relay *relay = check->settings;
	gint64 left = probe->certificate_end - base_clock_now();
	char end[CLOCK_ISO_SIZE];

	if (probe->refused) {
		check_relay_tell_refusal(check, probe);
		return;
	}
	if (probe->certificate_end > 0 && left < CERTIFICATE_DAYS * DAY_MS)
		cli_faults_add(&check->faults, STATE_WARN,
		    relay->verifies
			? "Have the relay's certificate renewed: no mail goes to it afterwards."
			: "Have the relay's certificate renewed.",
		    "relay %s (%s:%u): its certificate ends on %.10s", relay->name, relay->host,
		    relay->port, base_clock_format(probe->certificate_end, end));
	if (relay->dsn && !relay->final && !probe->dsn) {
		g_autofree char *remedy = g_strdup_printf(
		    "Ask its operator for DSN (RFC 3461), or set dsn = no in section %s.",
		    check->section);
		cli_faults_add(&check->faults, STATE_WARN, remedy,
		    "relay %s (%s:%u) offers no delivery reports, so no email becomes delivered",
		    relay->name, relay->host, relay->port);
	}
}

/* The settings alone decide this, so the warning does not wait for the relay's answer. */
static void
judge_settings(struct relay_check *check)
{
	g_autofree char *remedy = g_strdup_printf(
	    "Name the file of its CA as tls_ca in section %s, and take tls_verify = no out.",
	    check->section);

	if (check->settings->unverified && *check->settings->user)
		cli_faults_add(&check->faults, STATE_WARN, remedy,
		    "tls_verify = no: its name is not checked before it gets the password");
}

/* Whether the relay speaks TLS from the first byte. Sends no password. */
static bool
speaks_tls(const struct relay_check *check)
{
	struct smtp_relay relay = check->relay;
	struct smtp_probe probe = {.sender = ""};
	g_autoptr(GError) error = NULL;

	relay.tls = TLS_IMPLICIT;
	relay.verifies = relay.unverified = false;
	relay.user = relay.password = "";
	relay.timeout_s = MIN(relay.timeout_s, TLS_S);
	smtp_session_probe(&relay, &probe, &error);
	smtp_probe_clear(&probe);
	return probe.secured;
}

/* Runs the probe. A relay that stays silent for a moment is tried with TLS, and then waited for;
 *implicit_r tells whether it speaks TLS at once. */
static bool
check_relay_ask(
    struct relay_check *check, struct smtp_probe *probe, bool *implicit_r, GError **error)
{
	struct smtp_relay hasty = check->relay;
	const struct smtp_probe fresh = *probe;
	gint64 begun = base_clock_boot();
	g_autoptr(GError) first = NULL;

	*implicit_r = false;
	if (hasty.tls == TLS_IMPLICIT)
		return smtp_session_probe(&check->relay, probe, error);
	hasty.timeout_s = MIN(hasty.timeout_s, SILENCE_S);
	if (smtp_session_probe(&hasty, probe, &first))
		return true;
	*implicit_r = probe->silent && speaks_tls(check);
	/* A relay that has answered is not asked again: it may count refused logins. */
	bool has_answered = base_clock_boot() - begun < (gint64)SILENCE_S * 1000;
	bool is_whole = hasty.timeout_s == check->relay.timeout_s;
	if (*implicit_r || is_whole || has_answered || probe->step == DIALOGUE_CONNECT) {
		g_propagate_error(error, g_steal_pointer(&first));
		return false;
	}
	smtp_probe_clear(probe);
	*probe = fresh;
	return smtp_session_probe(&check->relay, probe, error);
}

static void
check_relay_run(struct relay_check *check)
{
	struct smtp_probe probe = {.sender = check->sender, .recipient = check->recipient};
	g_autoptr(GError) error = NULL;
	bool is_implicit;

	if (check_relay_ask(check, &probe, &is_implicit, &error))
		check_relay_judge(check, &probe);
	else if (is_implicit)
		advise(check, error->message,
		    "Set tls = implicit in section SECTION: this port speaks TLS at once.");
	else
		tell_failure(check, &probe, error->message);
	judge_settings(check);
	g_autofree char *name = g_strdup_printf("relay %s", check->settings->name);
	if (check->faults.state == STATE_FAIL)
		g_ptr_array_add(check->doctor->failures, g_strdup(check->settings->name));
	if (!cli_faults_tell(&check->faults, check->doctor, name))
		cli_check_ok(check->doctor, name, "it answers%s%s%s",
		    probe.secured ? ", has TLS" : "", *check->relay.user ? ", lets us in" : "",
		    probe.dsn ? ", has delivery reports" : "");
	smtp_probe_clear(&probe);
}

/* Whether results about this relay, or about routes, are wanted. */
static bool
check_relay_is_wanted(const struct cli_doctor *doctor, const struct config_relay *relay)
{
	g_autofree char *name = g_strdup_printf("relay %s", relay->name);

	return cli_check_is_wanted(doctor, name) || cli_check_is_wanted(doctor, "route");
}

void
cli_check_relays(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	g_autoptr(GPtrArray) relays = relay_list(doctor->settings);
	for (guint i = 0; i < relays->len; i++) {
		struct relay_check check = {
		    .doctor = doctor,
		    .settings = config_settings_relay(doctor->settings, i),
		    .relay = *(const struct smtp_relay *)relays->pdata[i],
		};

		if (!check_relay_is_wanted(doctor, check.settings))
			continue;
		check.relay.timeout_s = MIN(check.settings->timeout_s, ANSWER_S);
		check.section = config_settings_has_relays(doctor->settings)
				    ? g_strdup_printf("[relay %s]", check.settings->name)
				    : g_strdup("[smtp]");
		address(&check);
		check_relay_run(&check);
		g_free(check.section);
		g_free(check.sender);
		g_free(check.recipient);
	}
}

/* The relays of a route that the settings do not have, or those that failed; "" for none. The
   caller owns the list. */
static char *
list_bad(const struct cli_doctor *doctor, const char *route, bool is_failed)
{
	g_auto(GStrv) names = g_strsplit(route, " ", -1);
	g_autoptr(GPtrArray) bad = g_ptr_array_new();

	for (char **name = names; *name; name++) {
		bool is_known = false, fails = g_ptr_array_find_with_equal_func(
					   doctor->failures, *name, g_str_equal, NULL);

		for (guint i = 0; i < config_settings_relay_count(doctor->settings); i++)
			is_known =
			    is_known ||
			    strcmp(config_settings_relay(doctor->settings, i)->name, *name) == 0;
		if (is_failed ? fails : !is_known)
			g_ptr_array_add(bad, *name);
	}
	g_ptr_array_add(bad, NULL);
	return g_strjoinv(", ", (char **)bad->pdata);
}

/* Checks a route. False when it has a fault. */
static bool
check_route(struct cli_doctor *doctor, const struct store_server_route *route)
{
	g_autofree char *missing = list_bad(doctor, route->names, false);
	g_autofree char *failing = list_bad(doctor, route->names, true);

	if (*missing)
		cli_check_bad(doctor, "route", STATE_FAIL,
		    "Name others with posthouse domain relay or posthouse workspace relay, or add "
		    "their sections [relay NAME] to the settings.",
		    "the route of %s names %s, which the settings do not have", route->whose,
		    missing);
	else if (*failing)
		cli_check_bad(doctor, "route", STATE_WARN,
		    "See the result of that relay, or name others with posthouse domain relay or "
		    "posthouse workspace relay.",
		    "the route of %s names %s, which fails", route->whose, failing);
	return !*missing && !*failing;
}

/* The first domain that may send and has no relay to send by, or NULL. */
static const struct store_server_domain *
stranded_domain(const struct cli_doctor *doctor)
{
	for (guint i = 0; i < config_settings_relay_count(doctor->settings); i++)
		if (config_settings_relay(doctor->settings, i)->is_default)
			return NULL;
	for (guint i = 0; doctor->domains && i < doctor->domains->len; i++) {
		const struct store_server_domain *domain = doctor->domains->pdata[i];

		if (domain->may_send && !domain->route)
			return domain;
	}
	return NULL;
}

void
cli_check_routes(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;
	bool is_good = true;

	if (!doctor->settings || !doctor->db)
		return;
	g_autoptr(GPtrArray) routes = store_server_routes(doctor->db, &error);
	if (!routes) {
		cli_check_failed(doctor, "route", error);
		return;
	}
	for (guint i = 0; i < routes->len; i++)
		is_good = check_route(doctor, routes->pdata[i]) && is_good;
	const struct store_server_domain *stranded = stranded_domain(doctor);
	if (stranded)
		cli_check_bad(doctor, "route", STATE_FAIL,
		    "Set default = yes in a section [relay NAME], or give the domain a route with "
		    "posthouse domain relay.",
		    "no relay: %s has no route, and no relay of the settings is default = yes",
		    stranded->name);
	else if (is_good)
		cli_check_ok(doctor, "route", "routes of domains and workspaces: %u", routes->len);
}
