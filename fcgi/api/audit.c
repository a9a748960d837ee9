/* SPDX-License-Identifier: MIT */
/* Stores in the audit what a request has changed: the action that its route names, and what the
   path or the reply says of the thing. */
#include "fcgi/api/audit.h"

#include <string.h>

#include "config/log.h"
#include "config/log_line.h"
#include "db/transaction.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "json/fields.h"
#include "json/strict.h"
#include "json/value.h"
#include "service/service.h"
#include "store/workspace/audit_name.h"

#define REPLY_MAX (64 * 1024) /* a reply that names what was made is shorter */
#define ID_MAX 64
#define BROADCAST_SCHEDULED "broadcast.scheduled"
#define BROADCAST_SENT "broadcast.sent"

struct store_audit
fcgi_audit_client(const struct fcgi_call *call, const char *action, char text_r[ADDRESS_TEXT_SIZE])
{
	bool is_session = call->key.is_session;
	bool has_address = fcgi_request_address(call->request, call->service->settings, text_r);

	return (struct store_audit){
	    .workspace_id = call->key.workspace_id,
	    .actor = is_session ? AUDIT_USER : AUDIT_KEY,
	    .actor_id = is_session ? &call->key.user_id : &call->key.id,
	    .actor_name = is_session ? call->session.email : NULL,
	    .action = action,
	    .address = has_address ? text_r : NULL,
	    .request_id = call->request_id,
	};
}

/* The action that the front writes of a route; NULL: none. */
static const char *
audit_action(const struct fcgi_route *route)
{
	return route->audits ? NULL : route->audit;
}

/* Whether the audit may show an id: a UUID, the chosen id of a template or the key of a property,
   but no address. */
static bool
audit_is_id(const char *text)
{
	gsize length = text ? strlen(text) : 0;

	return length >= 1 && length <= ID_MAX &&
	       strspn(text, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-") ==
		   length;
}

/* The argument of the path that names what is changed; NULL when it is new, or there is none. */
static const char *
audit_argument(const struct fcgi_call *call)
{
	guint count = call->route->target;

	if (g_str_has_suffix(call->route->audit, ".created"))
		return NULL;
	while (call->route->target == 0 && count < ROUTE_ARGUMENTS && call->arguments[count])
		count++;
	return count > 0 ? call->arguments[count - 1] : NULL;
}

/* The answer, if it is an object that may name what was changed. The caller frees it. */
static struct json *
audit_parse(const char *answer, gsize size)
{
	return size > 0 && size <= REPLY_MAX ? json_parse_take(g_memdup2(answer, size), size, NULL)
					     : NULL;
}

static const char *
audit_text_of(const struct json *reply, const char *name)
{
	const struct json *member = reply ? json_member_get(reply, name) : NULL;

	return member && json_kind(member) == JSON_STRING ? json_string(member, NULL) : NULL;
}

/* The id that the answer shows of what was made or changed; NULL: none. */
static const char *
made_of(const struct json *reply, const char *type)
{
	const char *member = strcmp(type, "workflow") == 0   ? "workflow_id"
			     : strcmp(type, "property") == 0 ? "key"
							     : "id";
	const char *made = audit_text_of(reply, member);

	return made ? made : audit_text_of(reply, "id");
}

static bool
audit_has_text(const struct json *body, const char *name)
{
	const struct json *member = body ? json_member_get(body, name) : NULL;

	return member && json_kind(member) != JSON_NULL &&
	       (json_kind(member) != JSON_STRING || *json_string(member, NULL));
}

/* Whether a broadcast leaves at a time that the request names, and not now. */
static bool
is_later(const struct fcgi_call *call)
{
	return audit_has_text(call->json, "scheduled_at") ||
	       audit_has_text(call->json, "local_time");
}

/* The action of a route that was used: sending is another one than scheduling. */
static const char *
audit_action_of(const struct fcgi_call *call)
{
	const char *action = call->route->audit;

	return strcmp(action, BROADCAST_SCHEDULED) == 0 && !is_later(call) ? BROADCAST_SENT
									   : action;
}

void
fcgi_audit_foresee(struct fcgi_call *call)
{
	const char *action = audit_action(call->route);
	g_autoptr(GError) error = NULL;

	if (!action || !g_str_has_suffix(action, ".deleted"))
		return;
	const char *id = audit_argument(call);
	g_autofree char *type = g_strndup(action, strcspn(action, "."));
	if (id && !store_audit_name_get(call->service->db, &call->key.workspace_id, type, id,
		      &call->audit_name, &error))
		config_log("the audit cannot read a name: %s", error->message);
}

/* The name in the body, for answers that have the id alone: of a body that has one, and of no
   person. NULL: none. */
static const char *
audit_name_given(const struct fcgi_call *call, const char *type)
{
	const struct json_table *body = call->route->body;
	bool is_of_person = strcmp(type, "person") == 0 || strcmp(type, "contact") == 0;

	for (gsize i = 0; body && !is_of_person && i < body->count; i++)
		if (strcmp(body->fields[i].name, "name") == 0)
			return audit_text_of(call->json, "name");
	return NULL;
}

/* The name of what was changed. Of a suppression it is a hint at the address. The caller owns it;
   NULL: it has none. */
static char *
audit_name_of(const struct fcgi_call *call, const char *type, const struct json *reply)
{
	const char *address = audit_text_of(reply, "email");

	if (strcmp(type, "suppression") != 0) {
		const char *name =
		    call->audit_name ? call->audit_name : audit_text_of(reply, "name");

		return g_strdup(name ? name : audit_name_given(call, type));
	}
	if (!address)
		address = audit_argument(call);
	return address ? config_log_line_hint(call->service->settings, address) : NULL;
}

static bool
audit_write_change(
    struct db *db, const struct fcgi_call *call, const struct json *reply, GError **error)
{
	const char *action = audit_action_of(call), *argument = audit_argument(call);
	g_autofree char *type = g_strndup(action, strcspn(action, "."));
	const char *made = made_of(reply, type);
	g_autofree char *name = audit_name_of(call, type, reply);
	char address[ADDRESS_TEXT_SIZE];
	struct store_audit audit = fcgi_audit_client(call, action, address);

	audit.target_type = type;
	audit.target_id = audit_is_id(argument) ? argument : audit_is_id(made) ? made : NULL;
	audit.target_name = name;
	return store_audit_add(db, &audit, error);
}

bool
fcgi_audit_write(struct db *db, const struct fcgi_call *call, const char *answer, GError **error)
{
	if (!audit_action(call->route))
		return true;
	AUTO(json) reply = audit_parse(answer, strlen(answer));
	return audit_write_change(db, call, reply, error);
}

static bool
audit_store_one(struct db *db, const struct fcgi_call *call, GError **error)
{
	gsize size = 0;
	const char *body = call->reply->body ? g_bytes_get_data(call->reply->body, &size) : NULL;
	AUTO(json) reply = audit_parse(body, size);

	return audit_write_change(db, call, reply, error);
}

/* Whether a call has changed what the front writes in the audit. */
static bool
audit_has_change(const struct fcgi_call *call)
{
	return call->reply->status / 100 == 2 && audit_action(call->route);
}

struct storing {
	struct fcgi_call *const *calls;
	guint count;
};

static bool
store_all(struct db *db, void *context, GError **error)
{
	const struct storing *storing = context;

	for (guint i = 0; i < storing->count; i++)
		if (audit_has_change(storing->calls[i]) &&
		    !audit_store_one(db, storing->calls[i], error))
			return false;
	return true;
}

void
fcgi_audit_store(struct service *service, struct fcgi_call *const *calls, guint count)
{
	struct storing storing = {calls, count};
	g_autoptr(GError) error = NULL;
	bool has_changes = false;

	for (guint i = 0; i < count; i++)
		has_changes = has_changes || audit_has_change(calls[i]);
	if (has_changes && !db_transact(service->db, store_all, &storing, &error))
		config_log("a change is not in the audit: %s", error->message);
}

static bool
audit_store_own(struct db *db, void *audit, GError **error)
{
	return store_audit_add(db, audit, error);
}

void
fcgi_audit_store_own(struct service *service, struct store_audit *audit)
{
	g_autoptr(GError) error = NULL;

	if (!service_ensure(service, &error) ||
	    !db_transact(service->db, audit_store_own, audit, &error))
		config_log("a change is not in the audit: %s", error->message);
}
