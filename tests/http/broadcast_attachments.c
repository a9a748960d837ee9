/* SPDX-License-Identifier: MIT */
/* Attachments of broadcasts: by content and by id, stored once, in every copy. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/broadcast.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/support/db.h"

FIXTURE_SUITE(broadcast_attachments, 900);

#define UNKNOWN "01994f3e-7b6a-7c1d-9c43-4d0f6f2f8a11"
#define HI "{'filename':'a.txt','content':'aGk='}"
#define LINK "<a href={{unsubscribe_url}}>-</a>"

static struct answer *
broadcast_attachments_expect(const char *name, const char *method, const char *path,
    const char *body, guint status, const char *want)
{
	const struct exchange exchange = {name, method, path, body, status, .want = {want}};

	return exchange_expect(fixture, &exchange);
}

/* Writes a draft, and returns its path, which the caller owns. */
static char *
broadcast_attachments_draft(const char *body)
{
	AUTO(answer) answer =
	    broadcast_attachments_expect(body, "POST", "/v1/broadcasts", body, 200, "id : string");

	return g_strconcat("/v1/broadcasts/", answer_text(answer, "id"), NULL);
}

static void
broadcast_attachments_change(const char *path, const char *body, const char *want)
{
	answer_free(broadcast_attachments_expect(body, "PATCH", path, body, 200, want));
}

/* The id of an attachment. The caller owns it. */
static char *
broadcast_attachments_id_of(const char *path, guint number)
{
	g_autofree char *place = g_strdup_printf("attachments[%u].id", number);
	AUTO(answer) answer =
	    broadcast_attachments_expect(path, "GET", path, NULL, 200, "id : string");

	return g_strdup(answer_text(answer, place));
}

#define BODIES "SELECT COUNT(*) FROM body WHERE workspace_id = @workspace"
#define ROWS "SELECT COUNT(*) FROM broadcast_attachment WHERE workspace_id = @workspace"

Test(broadcast_attachments, come_back_without_content)
{
	g_autofree char *path =
	    broadcast_attachments_draft("{'attachments':[" HI ",{'filename':'l.png','content':"
					"'aGk=','content_type':'image/png','content_id':'logo'}]}");
	const struct exchange exchanges[] = {
	    {"get", "GET", path, NULL, 200,
		.want = {"attachments[0].filename = 'a.txt'",
		    "attachments[0].content_type = 'application/octet-stream'",
		    "attachments[0].content_id = null", "attachments[0].size = 2",
		    "attachments[0].id : string", "attachments[0].content : absent",
		    "attachments[1].filename = 'l.png'",
		    "attachments[1].content_type = 'image/png'",
		    "attachments[1].content_id = 'logo'", "attachments[2] : null"}},
	    {"list", "GET", "/v1/broadcasts", NULL, 200,
		.want = {"broadcasts[0].attachments[0].filename = 'a.txt'",
		    "broadcasts[0].attachments[1].size = 2"}},
	    {"other fields", "PATCH", path, "{'subject':'S'}", 200,
		.want = {"attachments[1].filename = 'l.png'"}},
	};

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(test_db_number(fixture->db, ROWS), 2);
	cr_expect_eq(test_db_number(fixture->db, BODIES), 1, "stored once");
}

Test(broadcast_attachments, stay_and_go_by_their_ids)
{
	g_autofree char *path = broadcast_attachments_draft(
	    "{'attachments':[" HI ",{'filename':'b','content':'YmU='}]}");
	g_autofree char *first = broadcast_attachments_id_of(path, 0),
			*second = broadcast_attachments_id_of(path, 1);
	g_autofree char *swapped = g_strdup_printf("{'attachments':[{'id':'%s','filename':'c'},"
						   "{'id':'%s','content_id':'x','size':7}]}",
	    second, first);
	g_autofree char *want = g_strdup_printf(
	    "attachments = [{'id':'%s','filename':'c','content_type':'application/octet-stream',"
	    "'content_id':null,'size':2},{'id':'%s','filename':'a.txt','content_type':"
	    "'application/octet-stream','content_id':'x','size':2}]",
	    second, first);
	g_autofree char *one = g_strdup_printf("{'attachments':[{'id':'%s'}]}", first);
	g_autofree char *twice = g_strdup_printf(
	    "{'attachments':[{'id':'%s'},{'id':'%s','content_id':'y'}]}", first, first);

	broadcast_attachments_change(path, swapped, want);
	cr_expect_eq(test_db_number(fixture->db, BODIES), 2);
	broadcast_attachments_change(path, one, "attachments[1] : null");
	cr_expect_eq(test_db_number(fixture->db, BODIES), 1, "the other content is removed");
	broadcast_attachments_change(path, twice, "attachments[1].content_id = 'y'");
	g_autofree char *copy = broadcast_attachments_id_of(path, 1);
	cr_expect_str_neq(copy, first);
	cr_expect_eq(test_db_number(fixture->db, ROWS), 2);
	broadcast_attachments_change(path, "{'attachments':null}", "attachments = []");
	cr_expect_eq(test_db_number(fixture->db, ROWS), 0);
	cr_expect_eq(test_db_number(fixture->db, BODIES), 0);
	answer_free(broadcast_attachments_expect(
	    "gone", "PATCH", path, one, 400, "message = 'attachments[0].id is not an attachment'"));
}

Test(broadcast_attachments, are_of_other_broadcasts_and_copies_too)
{
	g_autofree char *path = broadcast_attachments_draft("{'name':'N','attachments':[" HI "]}");
	g_autofree char *id = broadcast_attachments_id_of(path, 0);
	g_autofree char *body = g_strdup_printf("{'attachments':[{'id':'%s'}]}", id);
	g_autofree char *other = broadcast_attachments_draft(body);
	g_autofree char *duplicate = g_strconcat(path, "/duplicate", NULL);
	AUTO(answer) answer = broadcast_attachments_expect(
	    "duplicate", "POST", duplicate, NULL, 200, "status = 'draft'");
	g_autofree char *copy = g_strconcat("/v1/broadcasts/", answer_text(answer, "id"), NULL);
	g_autofree char *other_id = broadcast_attachments_id_of(other, 0),
			*copy_id = broadcast_attachments_id_of(copy, 0);

	cr_expect_str_neq(other_id, id);
	cr_expect_str_neq(copy_id, id);
	cr_expect_str_neq(copy_id, other_id);
	cr_expect_eq(test_db_number(fixture->db, ROWS), 3);
	cr_expect_eq(test_db_number(fixture->db, BODIES), 1, "stored once");
	answer_free(broadcast_attachments_expect("deleted", "DELETE", path, NULL, 200, NULL));
	answer_free(broadcast_attachments_expect("of none", "POST", "/v1/broadcasts", body, 400,
	    "message = 'attachments[0].id is not an attachment'"));
	broadcast_attachments_change(copy, "{'subject':'S'}", "attachments[0].filename = 'a.txt'");
}

Test(broadcast_attachments, are_of_one_workspace)
{
	AUTO(fixture) other = fixture_open();
	g_autofree char *path = broadcast_attachments_draft("{'attachments':[" HI "]}");
	g_autofree char *id = broadcast_attachments_id_of(path, 0);
	g_autofree char *body = g_strdup_printf("{'attachments':[{'id':'%s'}]}", id);
	const struct exchange exchange = {"of another workspace", "POST", "/v1/broadcasts", body,
	    400, .want = {"message = 'attachments[0].id is not an attachment'"}};

	answer_free(exchange_expect(other, &exchange));
}

#define NAME_255                                                                                   \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"    \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"    \
	"aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa"

Test(broadcast_attachments, name_what_is_wrong)
{
	static const char *const cases[][2] = {
	    {"true", "attachments must be an array"},
	    {"[1]", "attachments[0] must be an object"},
	    {"[{}]", "attachments[0].filename is required"},
	    {"[" HI ",{'content':'aGk='}]", "attachments[1].filename is required"},
	    {"[{'filename':'','content':'aGk='}]", "attachments[0].filename is required"},
	    {"[{'filename':'a'}]", "attachments[0] must have either id or content"},
	    {"[{'filename':'a','path':'https://x.org/a'}]",
		"attachments[0] must have either id or content"},
	    {"[{'filename':'a','id':'" UNKNOWN "','content':'aGk='}]",
		"attachments[0] must have either id or content"},
	    {"[{'id':'x'}]", "attachments[0].id is not an attachment"},
	    {"[" HI ",{'id':'" UNKNOWN "'}]", "attachments[1].id is not an attachment"},
	    {"[{'filename':'a','content':'?'}]",
		"attachments[0].content must be a valid base64 encoded string"},
	    {"[{'filename':'a\\nb','content':'aGk='}]",
		"attachments[0].filename must not contain control characters"},
	    {"[{'filename':'" NAME_255 "x','content':'aGk='}]",
		"attachments[0].filename must be at most 255 characters"},
	    {"[{'filename':'a','content':'aGk=','content_type':'x'}]",
		"attachments[0].content_type must be a media type like text/plain"},
	    {"[{'filename':'a','content':'aGk=','content_id':'a b'}]",
		"attachments[0].content_id must be printable ASCII without spaces, < and >"},
	    {"[{'filename':'a','content':'aGk=','content_id':'a'},"
	     "{'filename':'b','content':'aGk=','content_id':'a'}]",
		"attachments[1].content_id is given twice"},
	    {"[" HI "," HI "," HI "," HI "," HI "," HI "," HI "," HI "," HI "," HI "," HI "]",
		"Too many attachments: 11. Max is 10"},
	};
	g_autofree char *path = broadcast_attachments_draft(
	    "{'attachments':[" HI "," HI "," HI "," HI "," HI "," HI "," HI "," HI "," HI
	    ",{'filename':'" NAME_255 "','content':'aGk'}]}");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *body = g_strdup_printf("{'attachments':%s}", cases[i][0]);
		g_autofree char *want = g_strdup_printf("message = '%s'", cases[i][1]);

		answer_free(
		    broadcast_attachments_expect(body, "POST", "/v1/broadcasts", body, 400, want));
		answer_free(broadcast_attachments_expect(body, "PATCH", path, body, 400, want));
	}
	broadcast_attachments_change(path, "{}", "attachments[9].size = 2");
}

/* So many bytes in base64. The caller owns it. */
static char *
broadcast_attachments_zeros(gsize size)
{
	g_autofree guchar *bytes = g_malloc0(size);

	return g_base64_encode(bytes, size);
}

#define MANY "message = 'Total attachments size exceeds maximum of 10MB'"

Test(broadcast_attachments, have_ten_megabytes_together)
{
	g_autofree char *half = broadcast_attachments_zeros(LIMIT_BROADCAST_ATTACHMENTS_BYTES / 2),
			*more =
			    broadcast_attachments_zeros(LIMIT_BROADCAST_ATTACHMENTS_BYTES / 2 + 1);
	g_autofree char *fits = g_strdup_printf("{'attachments':[{'filename':'a','content':'%s'},"
						"{'filename':'b','content':'%s'}]}",
	    half, half);
	g_autofree char *large = g_strdup_printf("{'attachments':[{'filename':'a','content':'%s'},"
						 "{'filename':'b','content':'%s'}]}",
	    half, more);
	const struct exchange first = {
	    "fits", "POST", "/v1/broadcasts", fits, 200, .want = {"attachments[1].size = 5242880"}};
	AUTO(answer) answer = exchange_expect(fixture, &first);
	g_autofree char *path = g_strconcat("/v1/broadcasts/", answer_text(answer, "id"), NULL);
	g_autofree char *kept = broadcast_attachments_id_of(path, 0);
	g_autofree char *beside = g_strdup_printf(
	    "{'attachments':[{'id':'%s'},{'filename':'b','content':'%s'}]}", kept, more);
	g_autofree char *three = g_strdup_printf(
	    "{'attachments':[{'id':'%s'},{'id':'%s'},{'filename':'a','content':'AA=='}]}", kept,
	    kept);
	const struct exchange exchanges[] = {
	    {"one byte more", "POST", "/v1/broadcasts", large, 400, .want = {MANY}},
	    {"one byte more, changed", "PATCH", path, large, 400, .want = {MANY}},
	    {"one byte more beside one that stays", "PATCH", path, beside, 400, .want = {MANY}},
	    {"one byte more beside two that stay", "PATCH", path, three, 400, .want = {MANY}},
	};

	EXPECT_ALL(fixture, exchanges);
	cr_expect_eq(test_db_number(fixture->db, BODIES), 1);
}

Test(broadcast_attachments, are_in_tests)
{
	g_autofree char *path = broadcast_attachments_draft(
	    "{'from':'a@" FIXTURE_DOMAIN "','subject':'S','html':'<img src=cid:logo alt=L>" LINK
	    "','attachments':[{'filename':'a.txt','content':'aGk=','content_type':'text/plain'},"
	    "{'filename':'l.png','content':'iVBORw0KGgo=','content_type':'image/png',"
	    "'content_id':'logo'}]}");
	g_autofree char *test = g_strconcat(path, "/test", NULL);

	answer_free(broadcast_attachments_expect(
	    "test", "POST", test, "{'to':'t@example.net'}", 200, "message = 'Test sent'"));
	g_autofree char *id = test_db_text(fixture->db,
	    "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8), SUBSTR(HEX(id), 9, 4),"
	    " SUBSTR(HEX(id), 13, 4), SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21))) FROM email"
	    " WHERE workspace_id = @workspace");
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	guint seen = 0;
	for (guint i = 0; i < arrival->leaves->len; i++) {
		GMimeObject *leaf = arrival->leaves->pdata[i];
		const char *name =
		    GMIME_IS_PART(leaf) ? g_mime_part_get_filename(GMIME_PART(leaf)) : NULL;
		g_autofree char *content = arrival_content(arrival, i, NULL);

		if (g_strcmp0(name, "a.txt") == 0 && strcmp(content, "hi") == 0)
			seen |= 1;
		if (g_strcmp0(name, "l.png") == 0 && g_mime_object_get_content_id(leaf))
			seen |= 2;
	}
	cr_expect_eq(seen, 3);
}

/* The bytes that a message has besides html: base64 in lines of 76 characters. */
static gint64
sent(gint64 size)
{
	gint64 digits = (size + 2) / 3 * 4;

	return digits + (digits + 75) / 76 * 2;
}

Test(broadcast_attachments, count_for_the_size_of_a_message)
{
	const gint64 size = 7400000;
	g_autofree char *content = broadcast_attachments_zeros(size);
	g_autofree char *body = g_strdup_printf(
	    "{'subject':'S','attachments':[{'filename':'a','content':'%s'}]}", content);
	const struct exchange exchange = {
	    "draft", "POST", "/v1/broadcasts", body, 200, .want = {"id : string"}};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);
	g_autofree char *path = g_strconcat("/v1/broadcasts/", answer_text(answer, "id"), NULL);
	g_autofree char *check = g_strconcat(path, "/check", NULL);
	gint64 room = LIMIT_BROADCAST_MESSAGE_BYTES - sent(size);

	broadcast_attachments_change(path, "{'html':'" LINK "'}", "id : string");
	AUTO(answer) bare =
	    broadcast_attachments_expect("bare", "POST", check, "{}", 200, "size : integer");
	gint64 around = json_integer(answer_at(bare, "size"));
	cr_assert(around > 0 && around < room);
	for (guint more = 0; more <= 1; more++) {
		g_autofree char *text = g_strnfill(room - around + more, 'x');
		g_autofree char *html = g_strdup_printf("{'html':'" LINK "%s'}", text);

		broadcast_attachments_change(path, html, "id : string");
		AUTO(answer) got = broadcast_attachments_expect(
		    "check", "POST", check, "{}", 200, "size : integer");
		cr_expect_eq(strstr(got->body, "many servers refuse that") != NULL, more == 1, "%s",
		    got->body);
	}
}
