/* SPDX-License-Identifier: MIT */
/* Takes messages of clients that have not logged in, for the recipients that lead here. */
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/report.h"
#include "config/log.h"
#include "config/settings.h"
#include "consent/unsubscribe.h"
#include "dmarc/record.h"
#include "feedback/report.h"
#include "intake/host.h"
#include "link/own_address.h"
#include "link/return_path.h"
#include "mail/address.h"
#include "process/isolate.h"
#include "received/door.h"
#include "received/reader.h"
#include "service/metrics.h"
#include "service/service.h"
#include "smtpd/transaction.h"
#include "store/domain/domain.h"
#include "store/domain/settings.h"
#include "smtpd/wire.h"

#define UNKNOWN "550 5.1.1 No such address here"
#define DENIED "550 5.7.1 Relaying denied"
#define AWAY "451 4.3.0 The database cannot be reached"
#define OK "250 2.1.5 OK"

/* The child that reads a report (process/isolate.h). */
#define REPORT_MS 10000
#define REPORT_CPU_S 10
#define REPORT_BYTES (256L * 1024 * 1024)

struct smtpd_receipt {
	struct service *service;
	const char *hostname; /* ours */
	GPtrArray *reports;   /* char *: recipients whose mail is a report */
	GPtrArray *domains;   /* char *: those whose mail is a report about a domain */
	GPtrArray *others;    /* char *: keys of all others (mail/address.h), each once, */
	GPtrArray *routes;    /* struct received_route: and theirs */
	struct received_reader *reader;
};

static void
receipt_free_route(void *route)
{
	received_route_free(route);
}

struct smtpd_receipt *
smtpd_receipt_new(struct service *service, const char *hostname)
{
	struct smtpd_receipt *receipt = g_new0(struct smtpd_receipt, 1);

	receipt->service = service;
	receipt->hostname = hostname;
	receipt->reports = g_ptr_array_new_with_free_func(g_free);
	receipt->domains = g_ptr_array_new_with_free_func(g_free);
	receipt->others = g_ptr_array_new_with_free_func(g_free);
	receipt->routes = g_ptr_array_new_with_free_func(receipt_free_route);
	receipt->reader = received_reader_new(service);
	return receipt;
}

void
smtpd_receipt_forget(struct smtpd_receipt *receipt)
{
	g_ptr_array_set_size(receipt->reports, 0);
	g_ptr_array_set_size(receipt->domains, 0);
	g_ptr_array_set_size(receipt->others, 0);
	g_ptr_array_set_size(receipt->routes, 0);
}

void
smtpd_receipt_free(struct smtpd_receipt *receipt)
{
	g_ptr_array_unref(receipt->reports);
	g_ptr_array_unref(receipt->domains);
	g_ptr_array_unref(receipt->others);
	g_ptr_array_unref(receipt->routes);
	received_reader_free(receipt->reader);
	g_free(receipt);
}

/* Whether an address is of the form x+TOKEN. */
static bool
receipt_has_form(const char *address)
{
	return strrchr(address, '@') && address[1] == '+';
}

/* Whether the host of an address is that of return paths of a domain. One with the usual label
   needs no question to the database, which may be away. */
static bool
receipt_is_own_host(struct service *service, const char *host)
{
	g_autofree char *lower = g_ascii_strdown(host, -1);
	bool is;

	return g_str_has_prefix(lower, STORE_DOMAIN_RETURN_PATH ".") ||
	       (service_ensure(service, NULL) &&
		   store_domain_host_returns(service->db, lower, &is, NULL) && is);
}

/* Whether an address is b+TOKEN, c+TOKEN or u+TOKEN at a host of return paths, with an authentic
   token. */
static bool
receipt_is_own(struct service *service, const char *address)
{
	const char *at = strrchr(address, '@');
	struct link_return_path path;
	struct link_token token;

	if (!receipt_has_form(address))
		return false;
	switch (g_ascii_tolower(*address)) {
	case 'b':
		return link_return_path_read(service, address, &path) &&
		       receipt_is_own_host(service, at + 1);
	case 'c':
		return link_return_path_find_complaint(service, address, &path) &&
		       receipt_is_own_host(service, at + 1);
	case 'u':
		return consent_unsubscribe_read(service, address, &token) &&
		       receipt_is_own_host(service, at + 1);
	default:
		return false;
	}
}

/* Whether an address is one of the server's own name, which leads nowhere: only those of the
   postmaster do, where the settings have one. */
static bool
receipt_is_nobody(const struct config_settings *settings, const char *hostname, const char *address)
{
	const char *at = strrchr(address, '@');
	g_autofree char *local = g_ascii_strdown(address, at - address);

	return g_ascii_strcasecmp(at + 1, hostname) == 0 &&
	       (!*config_settings_text(settings, SETTING_SMTPD_POSTMASTER) ||
		   (strcmp(local, "postmaster") != 0 && strcmp(local, "abuse") != 0));
}

static void
receipt_add_route(struct smtpd_receipt *receipt, const char *address, GString *reply)
{
	struct service *service = receipt->service;
	struct received_route *route = NULL;
	g_autofree char *refusal = NULL, *key = mail_address_key(address);

	if (g_ptr_array_find_with_equal_func(receipt->others, key, g_str_equal, NULL)) {
		g_string_append(reply, OK);
		return;
	}
	switch (service_ensure(service, NULL)
		    ? received_route_find(service, address, &route, &refusal, NULL)
		    : RECEIVED_FAILED) {
	case RECEIVED_ROUTE:
		g_ptr_array_add(receipt->others, g_steal_pointer(&key));
		g_ptr_array_add(receipt->routes, route);
		g_string_append(reply, OK);
		break;
	case RECEIVED_REFUSED:
		g_string_append(reply, refusal);
		break;
	case RECEIVED_STRANGE:
		g_string_append(reply, DENIED);
		break;
	case RECEIVED_FAILED:
		g_string_append(reply, AWAY);
		break;
	}
}

void
smtpd_receipt_add(struct smtpd_receipt *receipt, const char *address, GString *reply)
{
	struct service *service = receipt->service;

	if (receipt_is_own(service, address) || link_own_address_is_fixed(service, address)) {
		g_ptr_array_add(receipt->reports, g_strdup(address));
		g_string_append(reply, OK);
	} else if (receipt_has_form(address) && dmarc_record_is_for(service, address) &&
		   receipt_is_own_host(service, strrchr(address, '@') + 1)) {
		g_ptr_array_add(receipt->domains, g_strdup(address));
		g_string_append(reply, OK);
	} else if (receipt_is_nobody(service->settings, receipt->hostname, address)) {
		g_string_append(reply, UNKNOWN);
	} else {
		receipt_add_route(receipt, address, reply);
	}
}

struct report_work {
	const struct config_settings *settings;
	const struct intake_message *message;
	const GPtrArray *recipients;
};

/* Records the report for each recipient, over a connection of its own. */
static GBytes *
receipt_report(void *context, GError **error)
{
	const struct report_work *work = context;
	AUTO(service) service = service_open(work->settings);
	gsize size = MIN(work->message->size, LIMIT_REPORT_BYTES);

	service_metrics_forget();
	if (!service_ensure(service, error) || !service_confine(service, 0, error))
		return NULL;
	for (guint i = 0; i < work->recipients->len; i++) {
		const char *const envelope[] = {work->recipients->pdata[i], NULL};
		struct feedback_report_result result;

		if (!feedback_report(service, work->message->data, size, envelope, &result, error))
			return NULL;
	}
	service_metrics_flush(service, true);
	return g_bytes_new_static("", 0);
}

/* False where the client is to repeat the message. */
static bool
receipt_take_reports(const struct smtpd_receipt *receipt, const struct intake_message *message)
{
	g_autoptr(GError) error = NULL;
	struct report_work work = {receipt->service->settings, message, receipt->reports};
	const struct process_isolate isolate = {
	    .what = "The report could not be read",
	    .work = receipt_report,
	    .context = &work,
	    .ms = REPORT_MS,
	    .cpu_s = REPORT_CPU_S,
	    .bytes = REPORT_BYTES,
	    .finishes = true,
	};
	g_autoptr(GBytes) done = process_isolate(&isolate, &error);

	if (done)
		return true;
	config_log("%s", error->message);
	/* A message that the child does not survive would not be survived the next time. */
	return g_error_matches(error, PH_ERROR, PH_ERROR_TOO_LARGE);
}

/* The name that a client gave itself, if it can stand in a header field. */
static const char *
receipt_hello(const char *hello)
{
	for (const char *c = hello; c && *c; c++)
		if (!g_ascii_isgraph(*c))
			return NULL;
	return hello && *hello ? hello : NULL;
}

/* The facts of a session that a message came by. */
static struct received_session
receipt_session(const struct smtpd_receipt *receipt, const struct smtpd_wire *wire,
    const struct intake_message *message)
{
	return (struct received_session){
	    .hostname = receipt->hostname,
	    .helo = receipt_hello(message->hello),
	    .is_plain = message->is_plain,
	    .address = wire->has_address ? wire->address_text : NULL,
	    .tls = wire->ssl ? SSL_get_version(wire->ssl) : NULL,
	};
}

/* Records the report about each domain. False where the client is to repeat the message. */
static bool
receipt_take_domains(const struct smtpd_receipt *receipt, const struct smtpd_wire *wire,
    const struct intake_message *message)
{
	const struct received_session session = receipt_session(receipt, wire, message);
	g_autoptr(GError) error = NULL;
	bool done = true;

	for (guint i = 0; done && i < receipt->domains->len; i++) {
		struct dmarc_record_result result = {.why = NULL};

		done = service_ensure(receipt->service, &error) &&
		       dmarc_record(receipt->service, &session, receipt->domains->pdata[i],
			   message->data, message->size, &result, &error);
		g_free(result.why);
	}
	if (!done)
		config_log("%s", error->message);
	return done;
}

static void
receipt_take_mail(const struct smtpd_receipt *receipt, const struct smtpd_wire *wire,
    const struct intake_message *message, GString *reply, struct smtpd_outcome *outcome_r)
{
	struct received_session session = receipt_session(receipt, wire, message);
	g_autoptr(GError) error = NULL;

	session.reader = receipt->reader;
	outcome_r->kind = "received";
	if (service_ensure(receipt->service, &error) &&
	    received_take(receipt->service, &session,
		&(struct received_taking){message->sender,
		    (struct received_route *const *)receipt->routes->pdata, receipt->routes->len,
		    message->data, message->size},
		reply, &outcome_r->received, &error))
		return;
	config_log("%s", error->message);
	g_string_assign(reply, AWAY);
}

void
smtpd_receipt_take(struct smtpd_receipt *receipt, const struct smtpd_wire *wire,
    const struct intake_message *message, GString *reply, struct smtpd_outcome *outcome_r)
{
	outcome_r->kind = "report";
	if ((receipt->reports->len > 0 && !receipt_take_reports(receipt, message)) ||
	    !receipt_take_domains(receipt, wire, message))
		g_string_append(reply, AWAY);
	else if (receipt->routes->len > 0)
		receipt_take_mail(receipt, wire, message, reply, outcome_r);
	else
		g_string_append(reply, "250 2.0.0 recorded");
}
