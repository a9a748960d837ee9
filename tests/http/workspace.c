/* SPDX-License-Identifier: MIT */
/* The workspace, its limits and their use. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/email.h"
#include "base/limits/person.h"
#include "store/workspace/limit.h"
#include "tests/http/email.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/support/db.h"

#define PATH "/v1/workspace"

FIXTURE_SUITE(workspace, 900);

static void
workspace_expect(const char *name, const char *want)
{
	const struct exchange exchange = {name, "GET", PATH, NULL, 200, .want = {want}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(workspace, is_read_by_every_key_but_one_for_metrics)
{
	static const struct {
		const char *scope;
		guint read, change;
	} cases[] = {
	    {"full", 200, 200}, {"read", 200, 403}, {"send", 200, 403}, {"metrics", 403, 403}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *key = fixture_new_key(fixture, cases[i].scope, NULL);
		g_autofree char *header = g_strconcat("Authorization: Bearer ", key, NULL);
		const struct exchange exchanges[] = {
		    {cases[i].scope, "GET", PATH, NULL, cases[i].read, .headers = {header}},
		    {cases[i].scope, "PATCH", PATH, "{}", cases[i].change, .headers = {header}},
		};
		EXPECT_ALL(fixture, exchanges);
	}
}

Test(workspace, is_changed)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *is = g_strdup_printf("id = '%s'", base_id_format(&fixture->id, id));
	g_autofree char *name = g_strdup_printf("name = '%s'", fixture->name);
	g_autofree char *again = g_strdup_printf("{'name':'%s'}", fixture->name);
	g_autofree char *other = g_strdup_printf("{'name':'x %s'}", fixture->name);
	const struct exchange exchanges[] = {
	    {"new", "GET", PATH, NULL, 200,
		.want = {is, name, "default_sender = null", "created : integer", "limits : array"}},
	    {"sender", "PATCH", PATH, "{'default_sender':'Shop <news@example.com>'}", 200,
		.want = {is, name, "default_sender = 'Shop <news@example.com>'",
		    "limits[0].name = 'requests_per_second'"}},
	    {"nothing", "PATCH", PATH, "{}", 200,
		.want = {name, "default_sender = 'Shop <news@example.com>'"}},
	    {"null is not given", "PATCH", PATH, "{'name':null,'default_sender':null}", 200,
		.want = {name, "default_sender = 'Shop <news@example.com>'"}},
	    {"name", "PATCH", PATH, other, 200},
	    {"and back", "PATCH", PATH, again, 200, .want = {name}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workspace, checks_its_fields)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *taken = g_strdup_printf("{'name':'%s'}", other->name);
	/* Names are of the whole installation. */
	g_autofree char *most = g_strnfill(LIMIT_NAME_LENGTH, 'n');
	memcpy(most, fixture->name, strlen(fixture->name));
	g_autofree char *fits = g_strdup_printf("{'name':'%s'}", most);
	g_autofree char *longer = g_strdup_printf("{'name':'%sn'}", most);
	g_autofree char *local = g_strnfill(LIMIT_FROM_LENGTH - strlen("@x.org") - 50, 'a');
	g_autofree char *words = g_strnfill(50 - strlen(" <>"), 'n');
	g_autofree char *sender =
	    g_strdup_printf("{'default_sender':'%s <%s@x.org>'}", words, local);
	g_autofree char *past =
	    g_strdup_printf("{'default_sender':'n%s <%s@x.org>'}", words, local);
	const struct exchange exchanges[] = {
	    {"empty name", "PATCH", PATH, "{'name':''}", 400},
	    {"name of another type", "PATCH", PATH, "{'name':1}", 400,
		"{'message':'name must be a string'}"},
	    {"taken", "PATCH", PATH, taken, 409,
		"{'message':'There is a workspace of this name already'}"},
	    {"longest name", "PATCH", PATH, fits, 200},
	    {"longer name", "PATCH", PATH, longer, 400},
	    {"longest sender", "PATCH", PATH, sender, 200},
	    {"longer sender", "PATCH", PATH, past, 400,
		"{'message':'default_sender must be at most 100 characters'}"},
	    {"no address", "PATCH", PATH, "{'default_sender':'news'}", 400},
	    {"two addresses", "PATCH", PATH, "{'default_sender':'a@x.org, b@x.org'}", 400},
	    {"empty sender", "PATCH", PATH, "{'default_sender':''}", 400},
	    {"sender of another type", "PATCH", PATH, "{'default_sender':[]}", 400,
		"{'message':'default_sender must be a string'}"},
	    {"another method", "DELETE", PATH, NULL, 405,
		.want_header = {"Allow: GET, HEAD, PATCH"}},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(workspace, counts_what_its_limits_count)
{
	const enum config_setting limits[] = {
	    SETTING_LIMITS_DOMAINS, SETTING_LIMITS_EMAILS_PER_DAY};
	const gint64 values[] = {3, 10};
	g_autoptr(GError) error = NULL;

	cr_assert(store_limit_set(fixture->db, &fixture->id, limits, values, 2, &error), "%s",
	    error ? error->message : "");
	const struct exchange exchanges[] = {
	    {"domain", "POST", "/v1/domains", "{'name':'shop.example'}", 200},
	    {"audience", "POST", "/v1/audiences", "{'name':'a'}", 200},
	    {"template", "POST", "/v1/templates", "{'name':'t','html':'h'}", 200},
	    {"workflow", "POST", "/v1/workflows",
		"{'name':'w','status':'active','design':{'nodes':[{'id':'t','type':'trigger',"
		"'data':{'eventName':'e'}}],'edges':[]}}",
		200},
	    {"workflow", "POST", "/v1/workflows", "{'name':'v','design':{'nodes':[],'edges':[]}}",
		200},
	    {"webhook", "POST", "/v1/webhooks", "{'url':'https://nobody.invalid/'}", 200},
	    {"email", "POST", "/v1/emails",
		"{'from':'a@" FIXTURE_DOMAIN "','to':['b@example.net','c@example.net'],"
		"'subject':'s','html':'h'}",
		201},
	    {"use", "GET", PATH, NULL, 200,
		.want = {"limits[0] = {'name':'requests_per_second','value':0,'used':null}",
		    "limits[1].name = 'burst'", "limits[2].name = 'key_requests_per_second'",
		    "limits[3].name = 'key_burst'",
		    "limits[4] = {'name':'emails_per_hour','value':0,'used':null}",
		    "limits[5] = {'name':'emails_per_day','value':10,'used':2}",
		    "limits[6] = {'name':'domains','value':3,'used':2}",
		    "limits[7] = {'name':'audiences','value':0,'used':1}",
		    "limits[8] = {'name':'templates','value':0,'used':1}",
		    "limits[9] = {'name':'workflows','value':1000,'used':2}",
		    "limits[10] = {'name':'webhooks','value':50,'used':1}",
		    "limits[11] = {'name':'workflows_per_event','value':100,'used':1}",
		    "limits[14] = null"}},
	};

	EXPECT_ALL(fixture, exchanges);
	workspace_expect("again", "limits[5].used = 2");
}

static void
rename_to(const struct fixture *who, const char *name, guint status, const char *want)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	const struct exchange exchange = {name, "PATCH", PATH, body, status, want};

	answer_free(exchange_expect(who, &exchange));
}

#define KEPT "{'message':'Another workspace had this name less than a year ago'}"

/* Nobody passes for a workspace by a name that it had: for a year, in any case of letters. */
Test(workspace, keeps_the_name_that_it_left)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *next = g_strconcat("next ", fixture->name, NULL);
	g_autofree char *upper = g_ascii_strup(fixture->name, -1);

	rename_to(fixture, next, 200, NULL);
	rename_to(other, fixture->name, 409, KEPT);
	rename_to(other, upper, 409, KEPT);
	rename_to(fixture, fixture->name, 200, NULL);
	rename_to(
	    other, fixture->name, 409, "{'message':'There is a workspace of this name already'}");
	rename_to(other, next, 409, KEPT);

	/* A year less a minute, and a year. */
	test_db_plain(fixture->db,
	    "UPDATE workspace_name SET left_at = left_at - 365 * 86400000 + 60000"
	    " WHERE workspace_id = @workspace");
	rename_to(other, next, 409, KEPT);
	test_db_plain(fixture->db,
	    "UPDATE workspace_name SET left_at = left_at - 60000 WHERE workspace_id = @workspace");
	rename_to(other, next, 200, NULL);
}
