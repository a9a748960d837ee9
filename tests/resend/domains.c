/* SPDX-License-Identifier: MIT */
/* /resend/domains */
#include <criterion/criterion.h>
#include <string.h>

#include "db/statement.h"
#include "store/domain/domain.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"
#include "tests/resend/unserved.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(resend_domains, 900);

/* Registers a domain, and returns its id, which the caller owns. */
static char *
domains_add(const char *name)
{
	g_autofree char *body = g_strdup_printf("{'name':'%s'}", name);
	const struct exchange exchange = {name, "POST", "/resend/domains", body, 201};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	return g_strdup(answer_text(answer, "id"));
}

/* Expects the domains of a list to have these names, separated by blanks, and has_more. */
static void
domains_expect_list(const char *query, const char *names, bool has_more)
{
	g_autofree char *path = g_strconcat("/resend/domains", query, NULL);
	const struct exchange exchange = {path, "GET", path, .want_status = 200,
	    .want = {"object = 'list'", has_more ? "has_more = true" : "has_more = false"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const struct json *data = answer_at(answer, "data");
	g_autoptr(GString) got = g_string_new(NULL);

	for (gsize i = 0; i < json_array_length(data); i++)
		g_string_append_printf(got, "%s%s", i > 0 ? " " : "",
		    json_string(json_member_get(json_array_at(data, i), "name"), NULL));
	cr_expect_str_eq(got->str, names, "%s: got %s, want %s", path, got->str, names);
}

Test(resend_domains, are_listed)
{
	g_autofree char *c = domains_add("c.example.net");
	g_autofree char *b = domains_add("b.example.net");
	g_autofree char *a = domains_add("a.example.net");
	g_autofree char *after_a = g_strconcat("?limit=2&after=", a, NULL);
	g_autofree char *after_b = g_strconcat("?after=", b, NULL);
	g_autofree char *before_c = g_strconcat("?limit=1&before=", c, NULL);
	g_autofree char *before_b = g_strconcat("?limit=1&before=", b, NULL);
	g_autofree char *gone = g_strconcat("/v1/domains/", b, NULL);
	const struct exchange delete = {"delete b", "DELETE", gone, .want_status = 200};

	domains_expect_list("", "a.example.net b.example.net c.example.net " FIXTURE_DOMAIN, false);
	domains_expect_list("?limit=2", "a.example.net b.example.net", true);
	domains_expect_list(
	    "?limit=4", "a.example.net b.example.net c.example.net " FIXTURE_DOMAIN, false);
	domains_expect_list(after_a, "b.example.net c.example.net", true);
	domains_expect_list(after_b, "c.example.net " FIXTURE_DOMAIN, false);
	domains_expect_list(before_c, "b.example.net", true);
	domains_expect_list(before_b, "a.example.net", false);
	answer_free(exchange_expect(fixture, &delete));
	domains_expect_list(after_b, "c.example.net " FIXTURE_DOMAIN, false);
	domains_expect_list(before_b, "a.example.net", false);
}

#define INVALID(field, text)                                                                       \
	"{'statusCode':422,'name':'validation_error','message':'Invalid `" field "` field. " text  \
	".'}"
#define LIMIT INVALID("limit", "limit must be a number from 1 to 100")

Test(resend_domains, are_listed_within_limits)
{
	const struct exchange exchanges[] = {
	    {"0", "GET", "/resend/domains?limit=0", .want_status = 422, .want_body = LIMIT},
	    {"1", "GET", "/resend/domains?limit=1", .want_status = 200},
	    {"100", "GET", "/resend/domains?limit=100", .want_status = 200},
	    {"101", "GET", "/resend/domains?limit=101", .want_status = 422, .want_body = LIMIT},
	    {"a word", "GET", "/resend/domains?limit=all", .want_status = 422, .want_body = LIMIT},
	    {"empty", "GET", "/resend/domains?limit=", .want_status = 422, .want_body = LIMIT},
	    {"no UUID", "GET", "/resend/domains?after=x", .want_status = 422,
		.want_body = INVALID("after", "after must be a valid UUID")},
	    {"both", "GET", "/resend/domains?after=" UNKNOWN "&before=" UNKNOWN, .want_status = 422,
		.want_body = INVALID("before", "after and before cannot both be given")},
	    {"unknown", "GET", "/resend/domains?limt=7&nothing=1", .want_status = 200},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_domains, are_shown)
{
	g_autofree char *id = domains_add("d.example.net");
	g_autofree char *path = g_strconcat("/resend/domains/", id, NULL);
	const struct exchange exchanges[] = {
	    {"whole", "GET", path, .want_status = 200,
		.want = {"object = 'domain'", "id : string", "name = 'd.example.net'",
		    "status = 'not_started'", "created_at : string", "region = 'us-east-1'",
		    "open_tracking = false", "click_tracking = false", "tracking_subdomain : null",
		    "capabilities = {'sending':'enabled','receiving':'disabled'}",
		    "records[0].record = 'SPF'", "records[0].type = 'MX'",
		    "records[0].name = 'send.d'", "records[0].ttl = 'Auto'",
		    "records[0].priority = 10", "records[0].status = 'not_started'",
		    "records[1].record = 'SPF'", "records[1].type = 'TXT'",
		    "records[1].priority : absent", "records[2].record = 'DKIM'",
		    "records[2].type = 'TXT'", "records[3].record = 'DKIM'", "records[4] : null"}},
	    {"unknown", "GET", "/resend/domains/" UNKNOWN, .want_status = 404,
		.want_body = "{'statusCode':404,'name':'not_found',"
			     "'message':'Domain not found'}"},
	    {"no UUID", "GET", "/resend/domains/d.example.net", .want_status = 422,
		.want_body = "{'statusCode':422,'name':'invalid_parameter',"
			     "'message':'The `id` must be a valid UUID.'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

#define REFUSED(member) UNSERVED("The `" member "` field asks for what this service does not have.")
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"

Test(resend_domains, are_registered)
{
	const struct exchange exchanges[] = {
	    {"name alone", "POST", "/resend/domains", "{'name':'E.example.net'}", 201,
		.want = {"object : absent", "id : string", "name = 'e.example.net'",
		    "status = 'not_started'", "region = 'us-east-1'", "open_tracking = false",
		    "click_tracking = false", "tracking_subdomain : null",
		    "capabilities = {'sending':'enabled','receiving':'disabled'}",
		    "created_at : string", "records[0].name = 'send.e'", "records[1].type = 'TXT'",
		    "records[2].record = 'DKIM'", "records[3].record = 'DKIM'",
		    "records[4] : null"}},
	    {"all that is there", "POST", "/resend/domains",
		"{'name':'f.example.net','region':'eu-west-1','open_tracking':true,"
		"'click_tracking':true,'custom_return_path':'send','tls':'opportunistic',"
		"'tracking_subdomain':null,'capabilities':{'sending':'enabled',"
		"'receiving':'disabled'},'dkim_selector':7}",
		201,
		.want = {"region = 'eu-west-1'", "open_tracking = true", "click_tracking = true"}},
	    {"nulls", "POST", "/resend/domains",
		"{'name':'g.example.net','region':null,'open_tracking':null,'tls':null}", 201},
	    {"again", "POST", "/resend/domains", "{'name':'E.example.net'}", 403,
		FAILURE(403, "validation_error",
		    "The e.example.net domain has been registered already.")},
	    {"no name", "POST", "/resend/domains", "{}", 422,
		FAILURE(422, "missing_required_field", "Missing `name` field.")},
	    {"no body", "POST", "/resend/domains", NULL, 422,
		FAILURE(422, "missing_required_field", "Missing `name` field.")},
	    {"an empty name", "POST", "/resend/domains", "{'name':''}", 422,
		FAILURE(422, "missing_required_field", "Missing `name` field.")},
	    {"a number", "POST", "/resend/domains", "{'name':7}", 422,
		INVALID("name", "name must be a string")},
	    {"no domain", "POST", "/resend/domains", "{'name':'a_b.example.net'}", 422,
		INVALID("name", "name must be a valid domain name")},
	    {"an array", "POST", "/resend/domains", "[]", 400,
		FAILURE(400, "validation_error", "The request body must be a JSON object.")},
	    {"no JSON", "POST", "/resend/domains", "{", 400,
		.want = {"name = 'validation_error'", "statusCode = 400"}},
	    {"another region", "POST", "/resend/domains",
		"{'name':'h.example.net','region':'eu-west-2'}", 422,
		.want = {"name = 'invalid_region'", "statusCode = 422"}},
	    {"another return path", "POST", "/resend/domains",
		"{'name':'h.example.net','custom_return_path':'Bounces','tls':'enforced'}", 201,
		.want = {"custom_return_path = 'bounces'", "tls = 'enforced'",
		    "tracking_subdomain : null", "records[0].name = 'bounces.h'",
		    "records[1].name = 'bounces.h'", "records[4] : null"}},
	    {"no label", "POST", "/resend/domains",
		"{'name':'k.example.net','custom_return_path':'a.b'}", 422,
		INVALID("custom_return_path", "custom_return_path must be a label of a host name")},
	    {"no TLS", "POST", "/resend/domains", "{'name':'h.example.net','tls':'none'}", 422,
		INVALID("tls", "tls must be opportunistic or enforced")},
	    {"a host for links", "POST", "/resend/domains",
		"{'name':'h.example.net','tracking_subdomain':'links'}", 422,
		INVALID("tracking_subdomain", "tracking_subdomain needs [service] tracking_host")},
	    {"no labels", "POST", "/resend/domains",
		"{'name':'m.example.net','tracking_subdomain':'a_b'}", 422,
		INVALID("tracking_subdomain", "tracking_subdomain must be labels of a host name")},
	    {"receiving", "POST", "/resend/domains",
		"{'name':'j.example.net','capabilities':{'receiving':'enabled'}}", 201,
		.want = {"capabilities = {'sending':'enabled','receiving':'enabled'}",
		    "records[4].record = 'Receiving'", "records[4].type = 'MX'",
		    "records[4].name = 'j'", "records[4].priority = 10"}},
	    {"no sending", "POST", "/resend/domains",
		"{'name':'h.example.net','capabilities':{'sending':'disabled'}}", 501,
		REFUSED("capabilities")},
	    {"another word", "POST", "/resend/domains",
		"{'name':'h.example.net','capabilities':{'sending':true}}", 422,
		INVALID("capabilities", "capabilities.sending must be enabled or disabled")},
	};

	EXPECT_ALL(fixture, exchanges);
	domains_expect_list("?limit=1", "j.example.net", true);
}

Test(resend_domains, are_changed_and_removed)
{
	g_autofree char *id = domains_add("i.example.net");
	g_autofree char *path = g_strconcat("/resend/domains/", id, NULL);
	g_autofree char *done = g_strdup_printf("{'object':'domain','id':'%s'}", id);
	g_autofree char *gone = g_strdup_printf("{'object':'domain','id':'%s','deleted':true}", id);
	const struct exchange exchanges[] = {
	    {"one", "PATCH", path, "{'open_tracking':true,'name':'x.example.net'}", 200, done},
	    {"is kept", "GET", path, .want_status = 200,
		.want = {"open_tracking = true", "click_tracking = false",
		    "name = 'i.example.net'"}},
	    {"the other", "PATCH", path, "{'open_tracking':null,'click_tracking':true}", 200, done},
	    {"both", "GET", path, .want_status = 200,
		.want = {"open_tracking = true", "click_tracking = true"}},
	    {"nothing", "PATCH", path, NULL, 200, done},
	    {"a text", "PATCH", path, "{'open_tracking':'yes'}", 422,
		INVALID("open_tracking", "open_tracking must be a boolean")},
	    {"TLS", "PATCH", path, "{'tls':'enforced'}", 200, done},
	    {"is enforced", "GET", path, .want_status = 200, .want = {"tls = 'enforced'"}},
	    {"TLS if any", "PATCH", path, "{'tls':'OPPORTUNISTIC'}", 200},
	    {"is not", "GET", path, .want_status = 200, .want = {"tls = 'opportunistic'"}},
	    {"TLS of Java", "PATCH", path, "{'tls':'ENFORCED'}", 200, done},
	    {"a region", "PATCH", path, "{'region':'sa-east-1'}", 200, done},
	    {"is shown", "GET", path, .want_status = 200, .want = {"region = 'sa-east-1'"}},
	    {"no region", "PATCH", path, "{'region':'x'}", 422,
		.want = {"name = 'invalid_region'"}},
	    {"the return path", "PATCH", path, "{'custom_return_path':'send'}", 200, done},
	    {"another one", "PATCH", path, "{'custom_return_path':'bounces'}", 422,
		INVALID("custom_return_path", "custom_return_path cannot be changed")},
	    {"a host for links", "PATCH", path, "{'tracking_subdomain':'l'}", 422,
		INVALID("tracking_subdomain", "tracking_subdomain needs [service] tracking_host")},
	    {"none", "PATCH", path, "{'tracking_subdomain':null}", 200, done},
	    {"has none", "GET", path, .want_status = 200,
		.want = {"tracking_subdomain : null", "records[4] : null"}},
	    {"unknown", "PATCH", "/resend/domains/" UNKNOWN, "{}", 404,
		FAILURE(404, "not_found", "Domain not found")},
	    {"no UUID", "PATCH", "/resend/domains/x", "{}", 422,
		FAILURE(422, "invalid_parameter", "The `id` must be a valid UUID.")},
	    {"claims", "POST", "/resend/domains/claim", "{'name':'x.org'}", 501,
		UNSERVED("domains.claims.create is not implemented by this service.")},
	    {"verify an unknown one", "POST", "/resend/domains/" UNKNOWN "/verify",
		.want_status = 404, .want_body = FAILURE(404, "not_found", "Domain not found")},
	    {"remove", "DELETE", path, .want_status = 200, .want_body = gone},
	    {"again", "DELETE", path, .want_status = 404,
		.want_body = FAILURE(404, "not_found", "Domain not found")},
	    {"not there", "GET", path, .want_status = 404},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_domains, of_others_are_not_there)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *id = domains_add("j.example.net");
	g_autofree char *path = g_strconcat("/resend/domains/", id, NULL);
	const struct exchange exchanges[] = {
	    {"get", "GET", path, .want_status = 404},
	    {"change", "PATCH", path, "{'open_tracking':true}", 404},
	    {"remove", "DELETE", path, .want_status = 404},
	};

	EXPECT_ALL(other, exchanges);
}

#define FINDINGS                                                                                   \
	"{\"MX send.k.example.net\":{\"status\":\"found\",\"found\":null},"                        \
	"\"TXT send.k.example.net\":{\"status\":\"missing\",\"found\":null}}"

/* Runs a statement with this value for the domain. */
static void
domains_set(const char *id, const char *sql, struct db_value value)
{
	g_autoptr(GError) error = NULL;
	struct base_id domain;

	cr_assert(base_id_parse(id, &domain));
	cr_assert(db_run(fixture->db, sql, DB_VALUES(value, db_id(&domain)), NULL, &error), "%s",
	    error ? error->message : "");
}

/* The words for the status of a domain and of its records. */
Test(resend_domains, tell_their_status)
{
	static const struct {
		int status;
		const char *want, *want_missing;
	} cases[] = {
	    {DOMAIN_NOT_STARTED, "not_started", "pending"},
	    {DOMAIN_PENDING, "pending", "pending"},
	    {DOMAIN_SUCCESS, "verified", "pending"},
	    {DOMAIN_FAILED, "failed", "failed"},
	    {DOMAIN_TEMPORARY_FAILURE, "partially_failed", "temporary_failure"},
	};
	g_autofree char *id = domains_add("k.example.net");
	g_autofree char *path = g_strconcat("/resend/domains/", id, NULL);

	domains_set(
	    id, "UPDATE domain_check SET findings = ? WHERE domain_id = ?", db_text(FINDINGS));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *status = g_strdup_printf("status = '%s'", cases[i].want);
		g_autofree char *missing =
		    g_strdup_printf("records[1].status = '%s'", cases[i].want_missing);
		const struct exchange exchange = {status, "GET", path, .want_status = 200,
		    .want = {status, "records[0].status = 'verified'", missing,
			"records[2].status = 'not_started'"}};

		domains_set(
		    id, "UPDATE domain SET status = ? WHERE id = ?", db_int(cases[i].status));
		answer_free(exchange_expect(fixture, &exchange));
	}
}
