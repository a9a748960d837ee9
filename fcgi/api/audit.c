/* SPDX-License-Identifier: MIT */
/* Derives from routes and replies what was changed, and stores it in the audit. */
#include "fcgi/api/audit.h"

#include <string.h>

#include "config/log.h"
#include "config/log_line.h"
#include "db/transaction.h"
#include "fcgi/api/context.h"
#include "fcgi/api/routes.h"
#include "json/strict.h"
#include "json/value.h"
#include "service/service.h"

#define REPLY_MAX (64 * 1024) /* a reply that names what was made is shorter */
#define ID_MAX 64
#define VERSIONS "versions" /* are a part of what they are versions of */
#define SCHEDULED "scheduled"

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

static bool
is_plural(const char *word)
{
	return g_str_has_suffix(word, "s") || strcmp(word, "people") == 0;
}

/* "audiences" → "audience", "properties" → "property", "people" → "person", "api-keys" → "key". The
 * caller owns it. */
static char *
singular(const char *word)
{
	const char *name = g_str_has_prefix(word, "api-") ? word + strlen("api-") : word;
	gsize length = strlen(name);

	if (strcmp(name, "people") == 0)
		return g_strdup("person");
	if (g_str_has_suffix(name, "ies"))
		return g_strdup_printf("%.*sy", (int)length - 3, name);
	return g_strndup(name, is_plural(name) ? length - 1 : length);
}

/* The last word of a pattern that is a collection or, if there is none, the last word at all: what
   the route is about. *is_last_r: nothing follows. */
static const char *
resource_of(char *const *segments, bool *is_last_r)
{
	const char *found = NULL;

	for (char *const *segment = segments; *segment; segment++) {
		if (**segment == '{' || !**segment || strcmp(*segment, VERSIONS) == 0)
			continue;
		if (!found || is_plural(*segment) || !is_plural(found))
			found = *segment;
		*is_last_r = found == *segment && !segment[1];
	}
	return found;
}

/* Whether a route is about what one contact belongs to: the contact is changed, even by DELETE. */
static bool
is_part_of_contact(const char *pattern)
{
	return g_str_has_prefix(pattern, "/contacts/{") &&
	       (strstr(pattern, "/segments") || strstr(pattern, "/topics"));
}

/* The word for an operation that the last segment of a pattern names; NULL: it names none that has
   a word of its own. */
static const char *
deed_of(const char *resource, const char *last, bool is_main)
{
	static const char *const deeds[][2] = {{"send", SCHEDULED}, {"unschedule", "unscheduled"},
	    {"pause", "paused"}, {"resume", "resumed"}, {"cancel", "cancelled"}};

	if (strcmp(last, "restore") == 0)
		return "restored";
	if (strcmp(resource, "broadcasts") != 0)
		return NULL;
	/* Under /resend it makes a draft of one that is scheduled. */
	if (!is_main && strcmp(last, "cancel") == 0)
		return "unscheduled";
	for (gsize i = 0; i < G_N_ELEMENTS(deeds); i++)
		if (strcmp(deeds[i][0], last) == 0)
			return deeds[i][1];
	return NULL;
}

const char *
fcgi_audit_change(const struct fcgi_route *route, char **type_r)
{
	static const char *const words[] = {
	    [METHOD_PUT] = "changed", [METHOD_PATCH] = "changed", [METHOD_DELETE] = "deleted"};
	bool is_last = false;

	*type_r = NULL;
	if (route->method == METHOD_GET || route->scope == ROUTE_PUBLIC || route->audits ||
	    route->scope == KEY_SEND || (route->scope == KEY_READ && route->right != RIGHT_SESSION))
		return NULL;
	g_auto(GStrv) segments = g_strsplit(route->pattern, "/", -1);
	const char *resource = resource_of(segments, &is_last);
	if (!resource)
		return NULL;
	if (strcmp(resource, "emails") == 0 || strcmp(resource, "events") == 0)
		return NULL;
	if (is_part_of_contact(route->pattern)) {
		*type_r = g_strdup("contact");
		return "changed";
	}
	*type_r = singular(resource);
	const char *deed = deed_of(resource, segments[g_strv_length(segments) - 1],
	    g_str_has_prefix(route->pattern, "/v1/"));
	if (deed)
		return deed;
	if (route->method == METHOD_POST)
		return route->creates || (is_last && is_plural(resource)) ? "created" : "changed";
	return words[route->method];
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

/* The argument of the path that names the resource; NULL when there is none. */
static const char *
argument_of(const struct fcgi_call *call, const char *type)
{
	g_auto(GStrv) segments = g_strsplit(call->route->pattern, "/", -1);
	guint arguments = 0;

	for (guint i = 1; segments[i]; i++) {
		if (segments[i][0] != '{')
			continue;
		g_autofree char *name = singular(segments[i - 1]);
		if (strcmp(name, type) == 0)
			return call->arguments[arguments];
		arguments++;
	}
	return NULL;
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

/* The name of what was changed. Of a suppression it is a hint at the address. The caller owns it;
   NULL: it has none. */
static char *
audit_name_of(const struct fcgi_call *call, const char *type, const struct json *reply)
{
	const char *address = audit_text_of(reply, "email");

	if (strcmp(type, "suppression") != 0)
		return g_strdup(audit_text_of(reply, "name"));
	if (!address)
		address = argument_of(call, type);
	return address ? config_log_line_hint(call->service->settings, address) : NULL;
}

static bool
audit_write_change(struct db *db, const struct fcgi_call *call, const char *type, const char *word,
    const struct json *reply, GError **error)
{
	const char *argument = call->route->creates ? NULL : argument_of(call, type);
	const char *made = made_of(reply, type);
	bool is_now = strcmp(word, SCHEDULED) == 0 && !is_later(call);
	g_autofree char *action = g_strdup_printf("%s.%s", type, is_now ? "sent" : word);
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
	g_autofree char *type = NULL;
	const char *word = fcgi_audit_change(call->route, &type);
	AUTO(json) reply = word ? audit_parse(answer, strlen(answer)) : NULL;

	return !word || audit_write_change(db, call, type, word, reply, error);
}

static bool
audit_store_one(
    struct db *db, const struct fcgi_call *call, const char *type, const char *word, GError **error)
{
	gsize size = 0;
	const char *body = call->reply->body ? g_bytes_get_data(call->reply->body, &size) : NULL;
	AUTO(json) reply = audit_parse(body, size);

	return audit_write_change(db, call, type, word, reply, error);
}

/* As fcgi_audit_change, of a call whose reply is successful. */
static const char *
change_of(const struct fcgi_call *call, char **type_r)
{
	*type_r = NULL;
	return call->reply->status / 100 == 2 ? fcgi_audit_change(call->route, type_r) : NULL;
}

struct storing {
	struct fcgi_call *const *calls;
	guint count;
};

static bool
store_all(struct db *db, void *context, GError **error)
{
	const struct storing *storing = context;

	for (guint i = 0; i < storing->count; i++) {
		const struct fcgi_call *call = storing->calls[i];
		g_autofree char *type = NULL;
		const char *word = change_of(call, &type);

		if (word && !audit_store_one(db, call, type, word, error))
			return false;
	}
	return true;
}

void
fcgi_audit_store(struct service *service, struct fcgi_call *const *calls, guint count)
{
	struct storing storing = {calls, count};
	g_autoptr(GError) error = NULL;
	bool has_changes = false;

	for (guint i = 0; i < count; i++) {
		g_autofree char *type = NULL;

		has_changes = change_of(calls[i], &type) != NULL || has_changes;
	}
	if (has_changes && !db_transact(service->db, store_all, &storing, &error))
		config_log("a change is not in the audit: %s", error->message);
}
