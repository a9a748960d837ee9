/* SPDX-License-Identifier: MIT */
/* Takes mail that comes in. */
#include "tests/support/incoming.h"

#include <criterion/criterion.h>
#include <string.h>

#include "received/door.h"
#include "received/route.h"
#include "service/service.h"

struct base_id
test_incoming_take(const struct config_settings *settings, const struct base_id *workspace,
    const char *address, const char *message)
{
	AUTO(service) service = service_open(settings);
	const struct received_session session = {.is_pipe = true};
	g_autoptr(GString) reply = g_string_new(NULL);
	AUTO(received_route) route = NULL;
	g_autofree char *refused = NULL;
	struct base_id id;

	cr_assert(service_ensure(service, NULL) &&
		  received_route_find(service, address, &route, &refused, NULL) == RECEIVED_ROUTE);
	for (guint i = route->targets->len; i > 0; i--) {
		const struct received_target *target = route->targets->pdata[i - 1];

		if (!base_id_equal(&target->workspace, workspace))
			g_ptr_array_remove_index(route->targets, i - 1);
	}
	cr_assert(received_take(service, &session,
	    &(struct received_taking){"env@x.org", &route, 1, message, strlen(message)}, reply, &id,
	    NULL));
	cr_assert(g_str_has_prefix(reply->str, "250 2.0.0 stored as "), "got %s", reply->str);
	return id;
}
