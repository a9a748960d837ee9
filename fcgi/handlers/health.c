/* For monitors and load balancers. */
#include "fcgi/handlers/health.h"

#include "core/core.h"
#include "fcgi/call.h"
#include "store/schema.h"

bool
health_get(struct call *call, GError **error)
{
	if (!core_ensure(call->core, error) || !store_schema_check(call->core->db, error))
		return false;
	reply_json_text(call->reply, 200, g_strdup("{\"status\":\"ok\"}"));
	return true;
}
