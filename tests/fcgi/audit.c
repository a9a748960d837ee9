/* SPDX-License-Identifier: MIT */
/* The action that the audit has of each route, and the role that each needs. */
#include "fcgi/api/audit.h"

#include <criterion/criterion.h>

#include "fcgi/api/routes.h"
#include "fcgi/resend/front.h"
#include "fcgi/resend/handlers.h"

TestSuite(audit, .timeout = 900);

static const struct fcgi_front *const fronts[] = {&fcgi_front_main, &fcgi_resend_front};

Test(audit, has_the_action_of_a_route)
{
	static const struct {
		enum fcgi_method method;
		const char *path, *want;
		guint want_target;
	} cases[] = {
	    {METHOD_POST, "/v1/domains", "domain.created"},
	    {METHOD_PATCH, "/v1/domains/x", "domain.changed"},
	    {METHOD_DELETE, "/v1/domains/x", "domain.deleted"},
	    {METHOD_POST, "/v1/domains/x/verify", "domain.changed"},
	    {METHOD_PATCH, "/v1/audiences/x", "audience.changed"},
	    {METHOD_PUT, "/v1/audiences/x/opt-in", "audience.changed"},
	    {METHOD_POST, "/v1/audiences/x/contacts", "contact.created"},
	    {METHOD_DELETE, "/v1/audiences/x/contacts/y", "contact.deleted"},
	    {METHOD_DELETE, "/v1/automation/contacts/x", "contact.deleted"},
	    {METHOD_POST, "/v1/webhooks/x/deliveries/y/replay", "delivery.changed"},
	    {METHOD_PATCH, "/v1/workspace", "workspace.changed"},
	    {METHOD_POST, "/v1/properties", "property.created"},
	    {METHOD_PATCH, "/v1/session", "session.changed"},
	    {METHOD_POST, "/v1/broadcasts/x/send", "broadcast.scheduled"},
	    {METHOD_POST, "/v1/broadcasts/x/unschedule", "broadcast.unscheduled"},
	    {METHOD_POST, "/v1/broadcasts/x/pause", "broadcast.paused"},
	    {METHOD_POST, "/v1/broadcasts/x/resume", "broadcast.resumed"},
	    {METHOD_POST, "/v1/broadcasts/x/cancel", "broadcast.cancelled"},
	    {METHOD_POST, "/v1/broadcasts/x/winner", "broadcast.changed"},
	    {METHOD_POST, "/v1/broadcasts/x/versions/1/restore", "broadcast.restored", 1},
	    {METHOD_POST, "/v1/templates/x/versions/1/restore", "template.restored", 1},
	    {METHOD_POST, "/v1/workflows/x/versions/1/restore", "workflow.restored", 1},
	    {METHOD_POST, "/v1/executions/x/cancel", "execution.changed"},
	    {METHOD_POST, "/v1/broadcasts/x/duplicate", "broadcast.created"},
	    {METHOD_POST, "/v1/people", "person.created"},
	    {METHOD_PATCH, "/v1/people/x", "person.changed"},
	    {METHOD_POST, "/v1/users", "user.added"},
	    {METHOD_GET, "/v1/domains", NULL},
	    {METHOD_POST, "/v1/workflows/simulate", NULL},
	    {METHOD_POST, "/v1/emails", NULL},
	    {METHOD_PATCH, "/v1/emails/x", NULL},
	    {METHOD_POST, "/v1/events", NULL},
	    {METHOD_POST, "/v1/segments/preview", NULL},
	    {METHOD_PUT, "/v1/session/notes/template/new", NULL},
	    {METHOD_POST, "/t/u/x", NULL},
	    {METHOD_POST, "/resend/api-keys", "key.created"},
	    {METHOD_POST, "/resend/contacts/x/segments/y", "contact.changed", 1},
	    {METHOD_DELETE, "/resend/contacts/x/segments/y", "contact.changed", 1},
	    {METHOD_PATCH, "/resend/contacts/x/topics", "contact.changed"},
	    {METHOD_DELETE, "/resend/contacts/x", "contact.deleted"},
	    {METHOD_POST, "/resend/suppressions/batch/add", "suppression.changed"},
	    {METHOD_POST, "/resend/broadcasts/x/send", "broadcast.scheduled"},
	    {METHOD_POST, "/resend/broadcasts/x/cancel", "broadcast.unscheduled"},
	    {METHOD_DELETE, "/resend/events/x", NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct fcgi_front *front =
		    fronts[g_str_has_prefix(cases[i].path, "/resend") ? 1 : 0];
		struct fcgi_route_match match =
		    fcgi_route_find(front, cases[i].path, cases[i].method);

		cr_assert(match.route, "%s: no route", cases[i].path);
		cr_expect(g_strcmp0(match.route->audit, cases[i].want) == 0, "%s: got %s",
		    cases[i].path, match.route->audit);
		cr_expect_eq(match.route->target, cases[i].want_target, "%s", cases[i].path);
		fcgi_route_match_clear(&match);
	}
}

/* Beginnings and whole patterns of the operations that write and that the audit has nothing of:
   they work on emails and events, or only try something. */
static const char *const unknown[] = {"/v1/emails", "/v1/templates/render",
    "/v1/templates/{id}/render", "/v1/broadcasts/{id}/test", "/v1/broadcasts/{id}/check",
    "/v1/segments/preview", "/v1/received/{id}/forward", "/emails", "/events",
    "/webhooks/{id}/events"};

static bool
audit_is_unknown(const char *pattern)
{
	for (gsize i = 0; i < G_N_ELEMENTS(unknown); i++)
		if (g_str_has_prefix(pattern, unknown[i]))
			return true;
	return false;
}

/* An operation that changes something has an action, of a form by which GET /v1/audit finds it. */
Test(audit, has_an_action_for_each_change)
{
	for (gsize k = 0; k < G_N_ELEMENTS(fronts); k++)
		for (guint i = 0; i < fronts[k]->count; i++) {
			const struct fcgi_route *route =
			    (const struct fcgi_route *)((const guint8 *)fronts[k]->routes +
							i * fronts[k]->row_size);

			if (route->audit)
				cr_expect(g_regex_match_simple("^[a-z-]+\\.(created|changed|"
							       "deleted|added|removed|ended|"
							       "restored|scheduled|unscheduled|"
							       "paused|resumed|cancelled)$",
					      route->audit, 0, 0),
				    "%s: %s", route->pattern, route->audit);
			else if (route->scope == KEY_FULL && route->method != METHOD_GET &&
				 route->handler != fcgi_resend_never)
				cr_expect(audit_is_unknown(route->pattern), "%s: no action",
				    route->pattern);
		}
}

/* v m o: a session as viewer, member, owner; f s r x: a key of scope full, send, read, metrics. */
Test(audit, knows_who_may_use_a_route)
{
	static const struct {
		struct fcgi_route route;
		const char *want;
	} cases[] = {
	    {{METHOD_GET, "/a", KEY_READ}, "vmofr"},
	    {{METHOD_GET, "/a", KEY_FULL}, "mof"},
	    {{METHOD_GET, "/a", KEY_METRICS}, "x"},
	    {{METHOD_GET, "/a", ROUTE_ANY}, "vmofsr"},
	    {{METHOD_POST, "/a/simulate", KEY_READ}, "vmofr"},
	    {{METHOD_POST, "/a", KEY_SEND}, "mofs"},
	    {{METHOD_DELETE, "/a", KEY_FULL}, "mof"},
	    {{METHOD_GET, "/a", KEY_FULL, .right = RIGHT_OWNER}, "of"},
	    {{METHOD_GET, "/a", KEY_READ, .right = RIGHT_OWNER}, "ofr"},
	    {{METHOD_DELETE, "/a", KEY_READ, .right = RIGHT_SESSION}, "vmo"},
	};
	static const struct {
		char letter;
		enum store_role role;
		enum store_key_scope scope;
	} all[] = {
	    {'v', ROLE_VIEWER, 0},
	    {'m', ROLE_MEMBER, 0},
	    {'o', ROLE_OWNER, 0},
	    {'f', 0, KEY_FULL},
	    {'s', 0, KEY_SEND},
	    {'r', 0, KEY_READ},
	    {'x', 0, KEY_METRICS},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) got = g_string_new(NULL);

		for (gsize k = 0; k < G_N_ELEMENTS(all); k++) {
			const struct store_key key = {.is_session = !all[k].scope,
			    .scope =
				all[k].scope ? all[k].scope : fcgi_route_scope_of(all[k].role)};
			enum fcgi_denial denial;

			if (fcgi_route_allows(&cases[i].route, &key, all[k].role, &denial))
				g_string_append_c(got, all[k].letter);
		}
		cr_expect_str_eq(got->str, cases[i].want, "%zu: got %s", i, got->str);
	}
}
