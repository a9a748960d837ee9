/* SPDX-License-Identifier: MIT */
/* Runs a session: the side of the server that is not protocol. */
#include "smtpd/session.h"

#include <stdlib.h>
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/fault.h"
#include "base/limits/email.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "intake/session.h"
#include "service/large.h"
#include "service/metrics.h"
#include "service/service.h"
#include "smtpd/login.h"
#include "smtpd/tls.h"
#include "smtpd/transaction.h"
#include "smtpd/wire.h"

#define STRANGERS 100 /* recipients of a client that has not logged in */
#define REPLY_CODE 3

struct session {
	const struct smtpd_house *house;
	struct service *service;
	struct smtpd_wire wire;
	const char *hostname;
	struct smtpd_login login;
	struct smtpd_receipt *receipt;
	struct service_large large;
	gint64 begun; /* of the transaction, on base_clock_boot_ns; 0: none */
};

static gssize
smtpd_session_read(void *context, void *bytes, gsize size, const struct intake_place *place)
{
	struct session *session = context;

	return smtpd_wire_read(&session->wire, bytes, size, place);
}

static bool
smtpd_session_write(void *context, const char *bytes, gsize size)
{
	struct session *session = context;

	return smtpd_wire_write(&session->wire, bytes, size);
}

static bool
smtpd_session_waits(void *context)
{
	struct session *session = context;

	return smtpd_wire_waits(&session->wire);
}

static bool
smtpd_session_start_tls(void *context)
{
	struct session *session = context;

	session->login.is_done = false;
	return smtpd_wire_start_tls(&session->wire, smtpd_tls_context(session->house->tls));
}

/* Logs a transaction or a failed login. */
static void
smtpd_session_log(const struct session *session, const char *reply, gint64 begun,
    const struct smtpd_outcome *outcome, guint recipients, gsize size)
{
	static const struct base_id none;
	enum config_setting_level level = *reply == '2' ? LEVEL_INFO : LEVEL_WARNING;
	struct config_log_line line;

	if (!config_log_line_begin(&line, level, "smtp"))
		return;
	config_log_line_text(
	    &line, "address", session->wire.has_address ? session->wire.address_text : NULL);
	config_log_line_text(
	    &line, "tls", session->wire.ssl ? SSL_get_version(session->wire.ssl) : NULL);
	if (session->login.is_done) {
		config_log_line_id(&line, "key", &session->login.key.id);
		config_log_line_id(&line, "workspace", &session->login.key.workspace_id);
	}
	if (outcome && !base_id_equal(&outcome->email, &none))
		config_log_line_id(&line, "email", &outcome->email);
	if (outcome && !base_id_equal(&outcome->received, &none))
		config_log_line_id(&line, "received", &outcome->received);
	if (outcome) {
		config_log_line_number(&line, "recipients", recipients);
		config_log_line_number(&line, "size", (gint64)size);
	}
	config_log_line_number(&line, "code", atoi(reply));
	config_log_line_masked(&line, "reply", reply, strlen(reply));
	config_log_line_number(&line, "ms", (base_clock_boot_ns() - begun) / 1000000);
	config_log_line_end(&line);
}

static void
smtpd_session_login(void *context, const char *password, GString *reply)
{
	struct session *session = context;
	gint64 begun = base_clock_boot_ns();

	smtpd_login(session->service, &session->wire, password, &session->login, reply);
	if (!session->login.is_done)
		smtpd_session_log(session, reply->str, begun, NULL, 0, 0);
}

static void
smtpd_session_recipient(void *context, const char *address, GString *reply)
{
	struct session *session = context;

	smtpd_receipt_add(session->receipt, address, reply);
}

static void
smtpd_session_forget(void *context)
{
	struct session *session = context;

	smtpd_receipt_forget(session->receipt);
}

static bool
smtpd_session_enter_large(void *context)
{
	struct session *session = context;

	return service_large_enter(&session->large, NULL);
}

static void
smtpd_session_leave_large(void *context)
{
	struct session *session = context;

	service_large_leave(&session->large);
}

static void
smtpd_session_count(
    const struct session *session, const char *kind, const char *reply, gint64 begun)
{
	service_metrics_add(METRIC_SMTP_MESSAGES, 1, *reply == '2' ? kind : "refused", NULL);
	service_metrics_observe(
	    session->service, METRIC_SMTP_SECONDS, "", (base_clock_boot_ns() - begun) / 1000);
}

static void
smtpd_session_take(void *context, const struct intake_message *message, GString *reply)
{
	struct session *session = context;
	gint64 begun = base_clock_boot_ns();
	struct smtpd_outcome outcome = {.kind = "submitted"};

	FAULT("door-taken");
	if (message->is_submission)
		smtpd_submit(session->service, session->house->rates, &session->login, message,
		    reply, &outcome);
	else
		smtpd_receipt_take(session->receipt, &session->wire, message, reply, &outcome);
	FAULT("door-stored");
	smtpd_session_count(session, outcome.kind, reply->str, begun);
	smtpd_session_log(session, reply->str, begun, &outcome,
	    g_strv_length((char **)message->recipients), message->size);
}

static void
smtpd_session_refused(void *context, const char *sender, guint recipients, const char *reply)
{
	static const struct smtpd_outcome none = {.kind = "refused"};
	struct session *session = context;
	gint64 now = base_clock_boot_ns();

	smtpd_session_count(session, "refused", reply, now);
	smtpd_session_log(session, reply, now, &none, recipients, 0);
}

static void
smtpd_session_speak(struct session *session, bool is_tls)
{
	const struct config_settings *settings = session->service->settings;
	const char *const *plain = config_settings_list(settings, SETTING_SMTPD_PLAIN_AUTH);
	static const struct text_network_address loopback = {{127, 0, 0, 1}, 4};
	const struct intake_rules rules = {
	    .hostname = session->hostname,
	    .size = (gsize)config_settings_number(settings, SETTING_SMTPD_SIZE),
	    .recipients = LIMIT_RECIPIENTS,
	    .strangers = STRANGERS,
	    .errors = (guint)config_settings_number(settings, SETTING_SMTPD_ERRORS),
	    .logs_in = config_settings_switch(settings, SETTING_SMTPD_SUBMISSION),
	    .plain_auth = text_network_holds(
		plain, session->wire.has_address ? &session->wire.address : &loopback),
	    .takes_others = config_settings_switch(settings, SETTING_SMTPD_INCOMING),
	    .has_tls = session->house->tls != NULL,
	    .is_tls = is_tls,
	};
	const struct intake_host host = {
	    .read = smtpd_session_read,
	    .write = smtpd_session_write,
	    .take = smtpd_session_take,
	    .context = session,
	    .waits = smtpd_session_waits,
	    .start_tls = smtpd_session_start_tls,
	    .login = smtpd_session_login,
	    .recipient = smtpd_session_recipient,
	    .forget = smtpd_session_forget,
	    .enter_large = smtpd_session_enter_large,
	    .leave_large = smtpd_session_leave_large,
	    .refused = smtpd_session_refused,
	};

	if (!is_tls || smtpd_session_start_tls(session))
		intake_session_run(&rules, &host);
}

void
smtpd_session_end(const struct smtpd_house *house)
{
	if (house->channel >= 0)
		send(house->channel, "", 1, MSG_NOSIGNAL);
}

bool
smtpd_session_run(const struct smtpd_house *house, int fd, bool is_tls)
{
	const struct config_settings *settings = house->service->settings;
	const char *hostname = config_settings_text(settings, SETTING_SMTPD_HOSTNAME);
	struct session session = {.house = house, .service = house->service};

	if (!smtpd_wire_open(&session.wire, fd, house->signals,
		config_settings_number(settings, SETTING_SMTPD_TIMEOUT),
		config_settings_number(settings, SETTING_SMTPD_LONGEST)))
		return false;
	session.hostname = *hostname ? hostname : g_get_host_name();
	session.receipt = smtpd_receipt_new(house->service, session.hostname);
	session.large.settings = settings;
	service_metrics_add(METRIC_SMTP_SESSIONS, 1, NULL);
	smtpd_session_speak(&session, is_tls);
	service_metrics_add(METRIC_SMTP_SESSIONS, -1, NULL);
	service_large_leave(&session.large);
	smtpd_receipt_free(session.receipt);
	smtpd_session_end(house);
	smtpd_wire_close(&session.wire);
	explicit_bzero(&session.login, sizeof(session.login));
	return true;
}
