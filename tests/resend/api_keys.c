/* SPDX-License-Identifier: MIT */
/* /resend/api-keys, and keys of one domain. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"
#include "db/statement.h"
#include "store/workspace/key.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define ROWS 1000 /* of a list without limit */
#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"
#define FAILURE(status, name, message)                                                             \
	"{'statusCode':" #status ",'name':'" name "','message':'" message "'}"
#define NAME100                                                                                    \
	"nnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnnn" \
	"nnnnnnnnnnnn"

FIXTURE_SUITE(resend_api_keys, 900);

/* A new key; the header that carries it, and its id. The caller owns both. */
static char *
api_keys_make(const char *body, char **id_r)
{
	const struct exchange exchange = {body, "POST", "/resend/api-keys", body, 201,
	    .want = {"id : string", "token : string", "object : absent"}};

	exchange_next_moment();
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	const char *token = answer_text(answer, "token");
	cr_expect(g_str_has_prefix(token, "ph_"), "%s", token);
	if (id_r)
		*id_r = g_strdup(answer_text(answer, "id"));
	return g_strconcat("Authorization: Bearer ", token, NULL);
}

static void
api_keys_expect(const char *name, const char *header, const char *path, guint status)
{
	const struct exchange exchange = {
	    name, "GET", path, .want_status = status, .headers = {header}};

	answer_free(exchange_expect(fixture, &exchange));
}

Test(resend_api_keys, are_made)
{
	const struct exchange exchanges[] = {
	    {"no name", "POST", "/resend/api-keys", "{}", 422,
		FAILURE(422, "missing_required_field", "Missing `name` field.")},
	    {"100 characters", "POST", "/resend/api-keys", "{'name':'" NAME100 "'}", 201},
	    {"101 characters", "POST", "/resend/api-keys", "{'name':'" NAME100 "n'}", 422,
		FAILURE(422, "validation_error",
		    "Invalid `name` field. name must be at most 100 characters.")},
	    {"another permission", "POST", "/resend/api-keys",
		"{'name':'a','permission':'read_access'}", 422,
		.want = {"name = 'invalid_access'", "statusCode = 422"}},
	    {"a domain of everything", "POST", "/resend/api-keys",
		"{'name':'a','domain_id':'" UNKNOWN "'}", 422,
		.want = {"name = "
			 "'validation_error'"}},
	    {"no UUID", "POST", "/resend/api-keys",
		"{'name':'a','permission':'sending_access','domain_id':'x'}", 422,
		.want = {"name = 'validation_error'"}},
	    {"an unknown domain", "POST", "/resend/api-keys",
		"{'name':'a','permission':'sending_access','domain_id':'" UNKNOWN "'}", 404,
		FAILURE(404, "not_found", "Domain not found")},
	};
	g_autofree char *full = api_keys_make("{'name':''}", NULL);
	g_autofree char *send =
	    api_keys_make("{'name':'sender','permission':'sending_access','domain_id':null}", NULL);
	const struct exchange refused = {"a key of scope send", "POST", "/resend/api-keys",
	    "{'name':'x'}", 401, .headers = {send}};

	EXPECT_ALL(fixture, exchanges);
	api_keys_expect("full", full, "/resend/domains", 200);
	api_keys_expect("send", send, "/resend/domains", 401);
	answer_free(exchange_expect(fixture, &refused));
}

/* A key that ends makes no key that lives longer. */
Test(resend_api_keys, reach_no_further_than_their_maker)
{
	g_autofree char *maker = fixture_new_key(fixture, "full", "2090-01-01T00:00:00Z");
	g_autoptr(GError) error = NULL;

	g_free(fixture->key);
	fixture->key = g_steal_pointer(&maker);
	g_free(api_keys_make("{'name':'child'}", NULL));
	AUTO(db_rows) rows = db_select(fixture->db,
	    "SELECT expires, user_id FROM api_key WHERE workspace_id = ? ORDER BY id DESC LIMIT 2",
	    DB_VALUES(db_id(&fixture->id)), &error);
	cr_assert(rows && db_rows_next(rows));
	cr_expect_eq(db_rows_int(rows, 0), 3786912000000);
}

Test(resend_api_keys, are_listed_renamed_and_removed)
{
	char *ids[2];
	g_autofree char *a = api_keys_make("{'name':'a'}", &ids[0]),
			*b = api_keys_make("{'name':'b'}", &ids[1]);
	g_autofree char *path = g_strconcat("/resend/api-keys/", ids[0], NULL);
	g_autofree char *done = g_strdup_printf("{'object':'api_key','id':'%s'}", ids[0]);
	g_autofree char *gone =
	    g_strdup_printf("{'object':'api_key','id':'%s','deleted':true}", ids[0]);
	g_autofree char *after = g_strconcat("/resend/api-keys?limit=1&after=", ids[1], NULL);
	const struct exchange exchanges[] = {
	    {"newest first", "GET", "/resend/api-keys", .want_status = 200,
		.want = {"object = 'list'", "has_more = false", "data[0].name = 'b'",
		    "data[0].last_used_at : null", "data[0].created_at : string",
		    "data[0].id : string", "data[0].token : absent", "data[1].name = 'a'",
		    "data[2].last_used_at : string", "data[3] : null"}},
	    {"after", "GET", after, .want_status = 200,
		.want = {"has_more = true", "data[0].name = 'a'", "data[1] : null"}},
	    {"no limit", "GET", "/resend/api-keys?limit=0", .want_status = 422},
	    {"rename", "PATCH", path, "{'name':'c','permission':7}", 200, done},
	    {"no name", "PATCH", path, "{}", 422,
		FAILURE(422, "missing_required_field", "Missing `name` field.")},
	    {"used", "GET", "/resend/domains", .want_status = 200, .headers = {a}},
	    {"is kept", "GET", "/resend/api-keys", .want_status = 200,
		.want = {"data[1].name = 'c'", "data[1].last_used_at : string"}},
	    {"remove", "DELETE", path, .want_status = 200, .want_body = gone},
	    {"is over", "GET", "/resend/domains", .want_status = 403, .headers = {a}},
	    {"remove again", "DELETE", path, .want_status = 404,
		.want_body = FAILURE(404, "not_found", "API key not found")},
	    {"rename it", "PATCH", path, "{'name':'d'}", 404,
		FAILURE(404, "not_found", "API key not found")},
	    {"no UUID", "DELETE", "/resend/api-keys/x", .want_status = 422,
		.want = {"name = 'invalid_parameter'"}},
	    {"not listed", "GET", "/resend/api-keys", .want_status = 200,
		.want = {"data[0].name = 'b'", "data[2] : null"}},
	};
	AUTO(fixture) other = fixture_open();
	g_autofree char *foreign = g_strconcat("/resend/api-keys/", ids[1], NULL);
	const struct exchange theirs[] = {
	    {"rename", "PATCH", foreign, "{'name':'x'}", 404},
	    {"remove", "DELETE", foreign, .want_status = 404},
	};

	EXPECT_ALL(fixture, exchanges);
	EXPECT_ALL(other, theirs);
	g_free(ids[0]);
	g_free(ids[1]);
}

#define EMAIL(domain) "{'from':'a@" domain "','to':'b@example.net','subject':'s','text':'t'}"
#define OTHER_DOMAIN                                                                               \
	"{'statusCode':401,'name':'restricted_api_key',"                                           \
	"'message':'This API key is not authorized to send emails from " FIXTURE_DOMAIN "'"

/* Such a key is held to its domain on the other front, too. */
Test(resend_api_keys, of_one_domain_send_from_it_alone)
{
	const struct exchange register_it = {
	    "register", "POST", "/resend/domains", "{'name':'one.example.net'}", 201};
	AUTO(answer) domain = exchange_expect(fixture, &register_it);
	g_autofree char *body =
	    g_strdup_printf("{'name':'n','permission':'sending_access','domain_id':'%s'}",
		answer_text(domain, "id"));
	g_autofree char *key = api_keys_make(body, NULL);
	const struct exchange exchanges[] = {
	    {"another domain", "POST", "/v1/emails", EMAIL(FIXTURE_DOMAIN), 403,
		"{'message':'This API key is not authorized to send emails from " FIXTURE_DOMAIN
		"'}",
		.headers = {key}},
	    {"in a batch", "POST", "/v1/emails/batch", "{'emails':[" EMAIL(FIXTURE_DOMAIN) "]}",
		.headers = {key}, .want_status = 400},
	    {"under /resend", "POST", "/resend/emails", EMAIL(FIXTURE_DOMAIN), 401,
		OTHER_DOMAIN "}", .headers = {key}},
	    {"in a batch under /resend", "POST", "/resend/emails/batch",
		"[" EMAIL(FIXTURE_DOMAIN) "]", 401,
		OTHER_DOMAIN
		",'errors':[{'index':0,'message':'This API key is not authorized to send emails "
		"from " FIXTURE_DOMAIN "'}]}",
		.headers = {key}},
	    {"its own under /resend, without DNS", "POST", "/resend/emails",
		EMAIL("one.example.net"), 403,
		FAILURE(403, "validation_error",
		    "The one.example.net domain is not verified. Please, add and verify your "
		    "domain"),
		.headers = {key}},
	    {"its own, without DNS", "POST", "/v1/emails", EMAIL("one.example.net"), 403,
		"{'message':'Domain one.example.net is not verified'}", .headers = {key}},
	    {"a key of any domain", "POST", "/v1/emails", EMAIL(FIXTURE_DOMAIN), 201},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(resend_api_keys, of_one_domain_send_from_it)
{
	const struct exchange list = {
	    "domains", "GET", "/resend/domains", .want_status = 200, .want = {"data[1] : null"}};
	AUTO(answer) domains = exchange_expect(fixture, &list);
	g_autofree char *body =
	    g_strdup_printf("{'name':'n','permission':'sending_access','domain_id':'%s'}",
		answer_text(domains, "data[0].id"));
	g_autofree char *key = api_keys_make(body, NULL);
	const struct exchange exchanges[] = {
	    {"send", "POST", "/resend/emails", EMAIL(FIXTURE_DOMAIN), 200, .headers = {key}},
	    {"batch", "POST", "/resend/emails/batch", "[" EMAIL(FIXTURE_DOMAIN) "]", 200,
		.headers = {key}},
	    {"in /v1", "POST", "/v1/emails", EMAIL(FIXTURE_DOMAIN), 201, .headers = {key}},
	    {"read", "GET", "/resend/emails", .want_status = 401, .headers = {key}},
	};

	cr_expect_str_eq(answer_text(domains, "data[0].name"), FIXTURE_DOMAIN);
	EXPECT_ALL(fixture, exchanges);
}

/* A list that is asked for without limit has 1,000 rows. */
Test(resend_api_keys, are_listed_up_to_a_thousand)
{
	struct store_key key = {.workspace_id = fixture->id, .scope = KEY_READ};
	const struct exchange list = {
	    "all", "GET", "/resend/api-keys", .want_status = 200, .want = {"has_more = true"}};
	guint8 hash[SHA256_SIZE];

	for (guint i = 0; i < ROWS; i++) {
		g_autoptr(GError) error = NULL;
		base_secret_random(hash, sizeof(hash));
		cr_assert(store_key_create(fixture->db, &key, hash, "n", 0, &error), "%s",
		    error ? error->message : "");
	}
	AUTO(answer) answer = exchange_expect(fixture, &list);
	cr_expect_eq(json_array_length(answer_at(answer, "data")), ROWS);
}
