/* SPDX-License-Identifier: MIT */
/* The endpoints at which the providers of relays report what became of the mail (/in). */
#include "fcgi/handlers/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "core/provider.h"
#include "fcgi/call.h"
#include "fcgi/request.h"
#include "json/writer.h"

/* Gives a header by its own name. */
static const char *
header(const void *context, const char *name)
{
	g_autofree char *upper = g_ascii_strup(name, -1);
	g_autofree char *cgi = g_strconcat("HTTP_", g_strdelimit(upper, "-", '_'), NULL);

	return fcgi_request_header(context, cgi);
}

/* Tells that the name and the password of the URL are missing. */
static void
ask(struct fcgi_reply *reply)
{
	fcgi_reply_header(reply, "WWW-Authenticate", "Basic realm=\"Posthouse\"");
}

static void
answer(struct fcgi_reply *reply, const struct core_provider_result *result)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_integer(writer, "received", result->received);
	json_writer_integer(writer, "recorded", result->recorded);
	json_writer_end_object(writer);
	fcgi_reply_json(reply, 200, writer);
}

bool
fcgi_providers_take(struct fcgi_call *call, GError **error)
{
	struct core_provider_result result;
	g_autoptr(GError) local = NULL;

	AUTO(store_provider) endpoint =
	    core_provider_find(call->core, call->arguments[0], call->arguments[1], error);
	if (!endpoint)
		return false;
	g_autoptr(GBytes) body = fcgi_request_body(call->request, LIMIT_PROVIDER_BYTES, error);
	if (!body)
		return false;
	struct provider_request request = {
	    .header = header, .context = call->request, .now = base_clock_now()};
	request.body = g_bytes_get_data(body, &request.size);
	call->body_size = request.size;
	if (core_provider_take(call->core, endpoint, &request, &result, &local)) {
		answer(call->reply, &result);
		return true;
	}
	if (g_error_matches(local, PH_ERROR, PH_ERROR_UNAUTHORIZED))
		ask(call->reply);
	g_propagate_error(error, g_steal_pointer(&local));
	return false;
}
