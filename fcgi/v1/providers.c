/* SPDX-License-Identifier: MIT */
/* The endpoints at which the providers of relays report what became of the mail (/in). */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/report.h"
#include "config/log_line.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "feedback/provider.h"
#include "json/writer.h"
#include "service/metrics.h"
#include "service/service.h"

/* Gives a header by its own name. */
static const char *
providers_header(const void *context, const char *name)
{
	g_autofree char *upper = g_ascii_strup(name, -1);
	g_autofree char *cgi = g_strconcat("HTTP_", g_strdelimit(upper, "-", '_'), NULL);

	return fcgi_request_header(context, cgi);
}

/* Tells that the name and the password of the URL are missing. */
static void
providers_ask(struct fcgi_reply *reply)
{
	fcgi_reply_header(reply, "WWW-Authenticate", "Basic realm=\"Posthouse\"");
}

static void
providers_answer(struct fcgi_reply *reply, const struct feedback_provider_result *result)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "received", result->received);
	json_writer_integer(writer, "recorded", result->recorded);
	json_writer_end_object(writer);
	fcgi_reply_json(reply, 200, writer);
}

/* Counts the events of a request to an endpoint; one that is refused counts as one. */
static void
count(const struct store_provider *endpoint, const struct feedback_provider_result *result,
    bool refused)
{
	const struct {
		const char *name;
		guint count;
	} results[] = {
	    {"recorded", result->recorded},
	    {"duplicate", result->duplicate},
	    {"unmatched", result->unmatched},
	    {"ignored", result->ignored},
	    {"refused", refused},
	};
	const char *provider = provider_word((enum provider_name)endpoint->provider);

	for (gsize i = 0; i < G_N_ELEMENTS(results); i++)
		if (results[i].count > 0)
			service_metrics_add(METRIC_PROVIDER_EVENTS, results[i].count, provider,
			    endpoint->relay, results[i].name, NULL);
}

/* Tells the log and the metrics what became of a request to an endpoint. */
static void
providers_tell(const struct fcgi_call *call, const struct store_provider *endpoint,
    const struct feedback_provider_result *result, guint status)
{
	struct config_log_line line;

	count(endpoint, result, status / 100 == 4);
	if (!config_log_line_begin(&line, status == 200 ? LEVEL_INFO : LEVEL_WARNING, "provider"))
		return;
	config_log_line_text(&line, "request_id", call->request_id);
	config_log_line_text(
	    &line, "provider", provider_word((enum provider_name)endpoint->provider));
	config_log_line_text(&line, "relay", endpoint->relay);
	config_log_line_number(&line, "status", status);
	if (status == 200) {
		config_log_line_number(&line, "received", result->received);
		config_log_line_number(&line, "recorded", result->recorded);
	}
	config_log_line_end(&line);
}

static bool
providers_take(struct fcgi_call *call, const struct store_provider *endpoint,
    struct feedback_provider_result *result, GError **error)
{
	g_autoptr(GBytes) body = fcgi_request_body(call->request, LIMIT_PROVIDER_BYTES, error);

	if (!body)
		return false;
	struct provider_request request = {
	    .header = providers_header, .context = call->request, .now = base_clock_now()};
	request.body = g_bytes_get_data(body, &request.size);
	call->body_size = request.size;
	return feedback_provider_take(call->service, endpoint, &request, result, error);
}

bool
fcgi_providers_take(struct fcgi_call *call, GError **error)
{
	struct feedback_provider_result result = {0};
	g_autoptr(GError) local = NULL;

	AUTO(store_provider) endpoint =
	    feedback_provider_find(call->service, call->arguments[0], call->arguments[1], error);
	if (!endpoint)
		return false;
	if (providers_take(call, endpoint, &result, &local))
		providers_answer(call->reply, &result);
	else if (g_error_matches(local, PH_ERROR, PH_ERROR_UNAUTHORIZED))
		providers_ask(call->reply);
	providers_tell(call, endpoint, &result, fcgi_reply_status(local));
	if (!local)
		return true;
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
