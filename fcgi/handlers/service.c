/* SPDX-License-Identifier: MIT */
/* The service itself: its health. */
#include "fcgi/handlers/handlers.h"

#include "core/core.h"
#include "fcgi/call.h"
#include "store/schema.h"

bool
fcgi_health_get(struct fcgi_call *call, GError **error)
{
	if (!core_ensure(call->core, error) || !store_schema_check(call->core->db, error))
		return false;
	fcgi_reply_json_text(call->reply, 200, g_strdup("{\"status\":\"ok\"}"));
	return true;
}
