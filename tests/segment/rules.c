/* SPDX-License-Identifier: MIT */
#include "segment/rules.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/segment.h"
#include "tests/segment/crowd.h"

#define ID "01980000-0000-7000-8000-000000000000"
#define RULE "{'property':'a','operator':'exists'}"

static const struct {
	const char *name, *rules, *want; /* want NULL: there is no fault */
} cases[] = {
    {"none", "{'rules':[]}", NULL},
    {"all", "{'match':'all','rules':[" RULE "]}", NULL},
    {"any", "{'match':'any','rules':[" RULE "]}", NULL},
    {"no rules", "{'match':'any'}", "rules must be an array"},
    {"match", "{'match':'one','rules':[]}", "match must be all or any"},
    {"a text", "{'rules':['a']}", "rules[0] must be an object"},
    {"of no kind", "{'rules':[" RULE ",{}]}",
	"rules[1] must have one of property, audience, topic, email, event and rules"},
    {"of two kinds", "{'rules':[{'property':'a','email':'sent','operator':'did'}]}",
	"rules[0] must have one of property, audience, topic, email, event and rules"},
    {"nested match", "{'rules':[{'match':1,'rules':[]}]}", "rules[0].match must be all or any"},
    {"nested", "{'rules':[{'rules':[" RULE ",{'rules':1}]}]}",
	"rules[0].rules[1].rules must be an array"},
    {"path", "{'rules':[{'property':'','operator':'exists'}]}",
	"rules[0].property must be the name of a property: 1 to 256 characters, such as plan, "
	"address.city or contact.email"},
    {"contact", "{'rules':[{'property':'contact.id','operator':'exists'}]}",
	"rules[0].property must be one of contact.email, contact.first_name, contact.last_name, "
	"contact.language, contact.time_zone, contact.created, contact.subscribed"},
    {"operator", "{'rules':[{'property':'a','operator':'is'}]}",
	"rules[0].operator must be one of equals, not_equals, greater_than, less_than, contains, "
	"not_contains, begins_with, ends_with, exists, not_exists"},
    {"no value", "{'rules':[{'property':'a','operator':'equals'}]}", "rules[0].value is required"},
    {"null", "{'rules':[{'property':'a','operator':'equals','value':null}]}",
	"rules[0].value is required"},
    {"a list", "{'rules':[{'property':'a','operator':'equals','value':[]}]}",
	"rules[0].value must be a string, a number or a boolean"},
    {"a value of an execution",
	"{'rules':[{'property':'a','operator':'equals','value':{'var':'b'}}]}",
	"rules[0].value must be a string, a number or a boolean"},
    {"audience", "{'rules':[{'audience':'" ID "','operator':'subscribed'}]}", NULL},
    {"audience type", "{'rules':[{'audience':1,'operator':'subscribed'}]}",
	"rules[0].audience must be a string"},
    {"audience id", "{'rules':[{'audience':'x','operator':'subscribed'}]}",
	"rules[0].audience is not an audience"},
    {"audience operator", "{'rules':[{'audience':'" ID "','operator':'did'}]}",
	"rules[0].operator must be one of subscribed, unsubscribed, pending, member, not_member"},
    {"topic", "{'rules':[{'topic':'" ID "','operator':'not_subscribed'}]}", NULL},
    {"topic id", "{'rules':[{'topic':'x','operator':'subscribed'}]}",
	"rules[0].topic is not a topic"},
    {"topic operator", "{'rules':[{'topic':'" ID "'}]}",
	"rules[0].operator must be one of subscribed, not_subscribed"},
    {"email", "{'rules':[{'email':'sent','operator':'did','within_days':730}]}", NULL},
    {"email kind", "{'rules':[{'email':'delivered','operator':'did'}]}",
	"rules[0].email must be one of sent, opened, clicked, bounced"},
    {"email operator", "{'rules':[{'email':'sent','operator':'subscribed'}]}",
	"rules[0].operator must be one of did, did_not"},
    {"broadcast", "{'rules':[{'email':'sent','operator':'did','broadcast':'" ID "'}]}", NULL},
    {"broadcast id", "{'rules':[{'email':'sent','operator':'did','broadcast':'x'}]}",
	"rules[0].broadcast is not a broadcast"},
    {"broadcast type", "{'rules':[{'email':'sent','operator':'did','broadcast':1}]}",
	"rules[0].broadcast must be a string"},
    {"no days", "{'rules':[{'email':'sent','operator':'did','within_days':0}]}",
	"rules[0].within_days must be between 1 and 730"},
    {"days", "{'rules':[{'event':'a','operator':'did','within_days':731}]}",
	"rules[0].within_days must be between 1 and 730"},
    {"half a day", "{'rules':[{'event':'a','operator':'did','within_days':0.5}]}",
	"rules[0].within_days must be an integer"},
    {"event", "{'rules':[{'event':'a','operator':'did_not','at_least':1000,'since':1}]}", NULL},
    {"event since", "{'rules':[{'event':'a','operator':'did','since':'2026-01-01'}]}", NULL},
    {"event name", "{'rules':[{'event':'  ','operator':'did'}]}",
	"rules[0].event must be 1 to 100 characters"},
    {"event type", "{'rules':[{'event':null,'operator':'did'}]}",
	"rules[0].event must be a string"},
    {"at least", "{'rules':[{'event':'a','operator':'did','at_least':0}]}",
	"rules[0].at_least must be between 1 and 1000"},
    {"at least too much", "{'rules':[{'event':'a','operator':'did','at_least':1001}]}",
	"rules[0].at_least must be between 1 and 1000"},
    {"since", "{'rules':[{'event':'a','operator':'did','since':'soon'}]}",
	"rules[0].since must be epoch milliseconds or an ISO 8601 time"},
    {"since a fraction", "{'rules':[{'event':'a','operator':'did','since':1.5}]}",
	"rules[0].since must be epoch milliseconds or an ISO 8601 time"},
    {"both times", "{'rules':[{'event':'a','operator':'did','since':1,'within_days':1}]}",
	"rules[0].since cannot be given with within_days"},
};

static void
segment_rules_expect(const char *name, const char *text, const char *want)
{
	g_autoptr(GError) error = NULL;
	AUTO(segment_rules) rules = segment_rules_read(text, &error);

	cr_expect_eq(rules != NULL, want == NULL, "%s", name);
	cr_expect_str_eq(error ? error->message : "", want ? want : "", "%s: got %s", name,
	    error ? error->message : "rules");
}

Test(rules, are_read)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = crowd_json(cases[i].rules);

		segment_rules_expect(cases[i].name, text, cases[i].want);
	}
}

/* Rules with so many single rules, of which the last stands on this level. */
static char *
make_rules(guint count, guint levels)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < levels; i++)
		g_string_append(text, "{\"rules\":[");
	for (guint i = 0; i < count; i++)
		g_string_append_printf(
		    text, "%s{\"property\":\"a\",\"operator\":\"exists\"}", i == 0 ? "" : ",");
	for (guint i = 0; i < levels; i++)
		g_string_append(text, "]}");
	return g_string_free(text, FALSE);
}

Test(rules, have_limits)
{
	g_autofree char *many = make_rules(LIMIT_SEGMENT_RULES, LIMIT_SEGMENT_LEVELS);
	g_autofree char *more = make_rules(LIMIT_SEGMENT_RULES + 1, 2);
	g_autofree char *deeper = make_rules(1, LIMIT_SEGMENT_LEVELS + 1);
	g_autofree char *blank = g_strnfill(LIMIT_SEGMENT_BYTES - strlen("{\"rules\":[]}"), ' ');
	g_autofree char *large = g_strconcat("{\"rules\":[]", blank, "}", NULL);
	g_autofree char *larger = g_strconcat("{\"rules\":[]", blank, " }", NULL);

	segment_rules_expect("100 rules, 8 levels", many, NULL);
	segment_rules_expect("101 rules", more, "rules has more than 100 rules");
	segment_rules_expect("9 levels", deeper, "rules is nested deeper than 8 levels");
	segment_rules_expect("64 KiB", large, NULL);
	segment_rules_expect("more", larger, "rules must be at most 65536 bytes");
}

/* Notes that a leaf was asked, which does not hold. */
static bool
rules_ask(guint leaf, void *context)
{
	g_string_append_printf(context, "%u ", leaf);
	return false;
}

Test(rules, ask_what_is_little_work_first)
{
	g_autofree char *text = crowd_json(
	    "{'match':'any','rules':[{'rules':[{'event':'b','operator':'did'}]},"
	    "{'property':'a','operator':'exists'},{'property':'contact.email','operator':'exists'},"
	    "{'event':'a','operator':'did'},{'event':'c','operator':'did'}]}");
	AUTO(segment_rules) rules = segment_rules_read(text, NULL);
	g_autoptr(GString) asked = g_string_new(NULL);

	cr_expect_not(segment_rules_hold(rules, rules_ask, asked));
	cr_expect_str_eq(asked->str, "3 4 2 1 0 ", "got %s", asked->str);
}
