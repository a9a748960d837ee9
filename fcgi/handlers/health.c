/* SPDX-License-Identifier: MIT */
/* For monitors and load balancers. */
#include "fcgi/handlers/health.h"

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
