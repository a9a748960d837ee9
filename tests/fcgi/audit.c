/* SPDX-License-Identifier: MIT */
/* What the audit calls the changes of each route, and the role that each needs. */
#include "fcgi/audit.h"

#include <criterion/criterion.h>

#include "fcgi/routes.h"

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
	    {{METHOD_POST, "/v1/broadcasts/{id}/send", KEY_FULL}, "broadcast", "changed"},
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

Test(audit, knows_the_role_that_a_route_needs)
{
	static const struct {
		struct fcgi_route route;
		enum store_role want;
	} cases[] = {
	    {{METHOD_GET, "/a", KEY_READ}, ROLE_VIEWER},
	    {{METHOD_GET, "/a", KEY_FULL}, ROLE_VIEWER},
	    {{METHOD_POST, "/a/simulate", KEY_READ}, ROLE_VIEWER},
	    {{METHOD_POST, "/a", KEY_SEND}, ROLE_MEMBER},
	    {{METHOD_DELETE, "/a", KEY_FULL}, ROLE_MEMBER},
	    {{METHOD_GET, "/a", KEY_FULL, .right = RIGHT_OWNER}, ROLE_OWNER},
	    {{METHOD_DELETE, "/a", KEY_READ, .right = RIGHT_SESSION}, ROLE_VIEWER},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(fcgi_route_role(&cases[i].route), cases[i].want, "%zu", i);
}
