/* SPDX-License-Identifier: MIT */
/* What the audit calls the changes of each route, and the role that each needs. */
#include "fcgi/api/audit.h"

#include <criterion/criterion.h>

#include "fcgi/api/routes.h"

TestSuite(audit, .timeout = 900);

Test(audit, names_what_a_route_changes)
{
	static const struct {
		struct fcgi_route route;
		const char *want_type, *want_word;
	} cases[] = {
	    {{METHOD_POST, "/v1/domains", KEY_FULL}, "domain", "created"},
	    {{METHOD_PATCH, "/v1/domains/{id}", KEY_FULL}, "domain", "changed"},
	    {{METHOD_PUT, "/v1/domains/{id}", KEY_FULL}, "domain", "changed"},
	    {{METHOD_DELETE, "/v1/domains/{id}", KEY_FULL}, "domain", "deleted"},
	    {{METHOD_POST, "/v1/domains/{id}/verify", KEY_FULL}, "domain", "changed"},
	    {{METHOD_POST, "/v1/audiences/{id}/contacts", KEY_FULL}, "contact", "created"},
	    {{METHOD_DELETE, "/v1/audiences/{id}/contacts/{contact}", KEY_FULL}, "contact",
		"deleted"},
	    {{METHOD_DELETE, "/v1/automation/contacts/{email}", KEY_FULL}, "contact", "deleted"},
	    {{METHOD_POST, "/v1/webhooks/{id}/deliveries/{delivery}/replay", KEY_FULL}, "delivery",
		"changed"},
	    {{METHOD_PATCH, "/v1/workspace", KEY_FULL}, "workspace", "changed"},
	    {{METHOD_POST, "/v1/properties", KEY_FULL}, "property", "created"},
	    {{METHOD_POST, "/api-keys", KEY_FULL}, "key", "created"},
	    {{METHOD_POST, "/contacts/{contact}/segments/{segment}", KEY_FULL}, "contact",
		"changed"},
	    {{METHOD_DELETE, "/contacts/{contact}/segments/{segment}", KEY_FULL}, "contact",
		"changed"},
	    {{METHOD_PATCH, "/contacts/{contact}/topics", KEY_FULL}, "contact", "changed"},
	    {{METHOD_DELETE, "/contacts/{contact}", KEY_FULL}, "contact", "deleted"},
	    {{METHOD_POST, "/suppressions/batch/add", KEY_FULL}, "suppression", "changed"},
	    {{METHOD_PATCH, "/v1/session", KEY_READ, .right = RIGHT_SESSION}, "session", "changed"},
	    {{METHOD_GET, "/v1/domains", KEY_READ}, NULL, NULL},
	    {{METHOD_POST, "/v1/workflows/simulate", KEY_READ}, NULL, NULL},
	    {{METHOD_POST, "/v1/emails", KEY_SEND}, NULL, NULL},
	    {{METHOD_PATCH, "/v1/emails/{id}", KEY_FULL}, NULL, NULL},
	    {{METHOD_POST, "/v1/emails/{id}/cancel", KEY_FULL}, NULL, NULL},
	    {{METHOD_POST, "/v1/events", KEY_SEND}, NULL, NULL},
	    {{METHOD_DELETE, "/events/{email}", KEY_FULL}, NULL, NULL},
	    {{METHOD_POST, "/t/u/{token}", ROUTE_PUBLIC}, NULL, NULL},
	    {{METHOD_POST, "/v1/users", KEY_FULL, .audits = true}, NULL, NULL},
	    {{METHOD_POST, "/v1/broadcasts/{id}/send", KEY_FULL}, "broadcast", "scheduled"},
	    {{METHOD_POST, "/v1/broadcasts/{id}/unschedule", KEY_FULL}, "broadcast", "unscheduled"},
	    {{METHOD_POST, "/v1/broadcasts/{id}/pause", KEY_FULL}, "broadcast", "paused"},
	    {{METHOD_POST, "/v1/broadcasts/{id}/resume", KEY_FULL}, "broadcast", "resumed"},
	    {{METHOD_POST, "/v1/broadcasts/{id}/cancel", KEY_FULL}, "broadcast", "cancelled"},
	    {{METHOD_POST, "/broadcasts/{id}/cancel", KEY_FULL}, "broadcast", "unscheduled"},
	    {{METHOD_POST, "/broadcasts/{id}/send", KEY_FULL}, "broadcast", "scheduled"},
	    {{METHOD_POST, "/v1/broadcasts/{id}/winner", KEY_FULL}, "broadcast", "changed"},
	    {{METHOD_POST, "/v1/executions/{id}/cancel", KEY_FULL}, "execution", "changed"},
	    {{METHOD_POST, "/v1/templates/{id}/versions/{version}/restore", KEY_FULL}, "template",
		"restored"},
	    {{METHOD_POST, "/v1/workflows/{id}/versions/{version}/restore", KEY_FULL}, "workflow",
		"restored"},
	    {{METHOD_POST, "/v1/broadcasts/{id}/duplicate", KEY_FULL, .creates = true}, "broadcast",
		"created"},
	    {{METHOD_POST, "/v1/people", KEY_FULL}, "person", "created"},
	    {{METHOD_PATCH, "/v1/people/{email}", KEY_FULL}, "person", "changed"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *type = NULL;
		const char *word = fcgi_audit_change(&cases[i].route, &type);

		cr_expect(g_strcmp0(type, cases[i].want_type) == 0 &&
			      g_strcmp0(word, cases[i].want_word) == 0,
		    "%s: got %s.%s", cases[i].route.pattern, type, word);
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
