/* SPDX-License-Identifier: MIT */
/* Attachments under /resend: the forms of their contents, their list, and their downloads. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "tests/http/arrival.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

#define UNKNOWN "01a1f8d1-2ace-718f-96bc-82c241916947"

FIXTURE_SUITE(resend_attachments, 900);

/* Sends an email with these attachments. The caller owns the id. */
static char *
send_with(const char *attachments)
{
	g_autofree char *body =
	    g_strdup_printf("{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S',"
			    "'html':'<img src=cid:logo>','text':'T','attachments':%s}",
		attachments);
	const struct exchange exchange = {"send", "POST", "/resend/emails", body, 200};
	AUTO(answer) answer = exchange_expect(fixture, &exchange);

	return g_strdup(answer_text(answer, "id"));
}

/* GET of the email's attachments, with a rest of the path. The caller owns the answer. */
static struct answer *
attachments_get(const char *id, const char *rest, guint status)
{
	g_autofree char *path = g_strdup_printf("/resend/emails/%s/attachments%s", id, rest);
	const struct exchange exchange = {path, "GET", path, .want_status = status};

	return exchange_expect(fixture, &exchange);
}

#define FORMS                                                                                      \
	"[{'filename':'a.txt','content':'aGVsbG8='},"                                              \
	"{'filename':'b.pdf','content':[104,101,108,108,111]},"                                    \
	"{'filename':'c.bin','content':{'type':'Buffer','data':[0,255]},'content_type':'x/y'},"    \
	"{'filename':'l.png','content':'QQ==','content_id':'logo'},"                               \
	"{'filename':'m.png','content':'QUE=','inline_content_id':'<other>','path':null}]"

Test(resend_attachments, have_three_forms)
{
	g_autofree char *id = send_with(FORMS);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	gsize size;

	/* text, html, the one that html names, then the files. */
	g_autofree char *logo = arrival_content(arrival, 2, NULL);
	g_autofree char *a = arrival_content(arrival, 3, NULL);
	g_autofree char *b = arrival_content(arrival, 4, NULL);
	g_autofree char *c = arrival_content(arrival, 5, &size);
	cr_expect_str_eq(logo, "A");
	cr_expect_str_eq(a, "hello");
	cr_expect_str_eq(b, "hello");
	cr_expect(size == 2 && memcmp(c, "\0\377", 2) == 0);
}

Test(resend_attachments, are_listed_in_their_order)
{
	g_autofree char *id = send_with(FORMS);
	AUTO(answer) list = attachments_get(id, "", 200);
	static const struct {
		const char *filename, *type, *disposition, *content_id;
		gint64 size;
	} want[] = {
	    {"a.txt", "text/plain", "attachment", NULL, 5},
	    {"b.pdf", "application/pdf", "attachment", NULL, 5},
	    {"c.bin", "x/y", "attachment", NULL, 2},
	    {"l.png", "image/png", "inline", "logo", 1},
	    {"m.png", "image/png", "inline", "other", 2},
	};
	const struct json *data = answer_at(list, "data");

	cr_expect_str_eq(answer_text(list, "object"), "list");
	cr_expect_not(json_boolean(answer_at(list, "has_more")));
	cr_assert_eq(json_array_length(data), G_N_ELEMENTS(want));
	for (gsize i = 0; i < G_N_ELEMENTS(want); i++) {
		const struct json *row = json_array_at(data, i);
		const char *content_id = json_string(json_member_get(row, "content_id"), NULL);

		cr_expect_str_eq(
		    json_string(json_member_get(row, "filename"), NULL), want[i].filename);
		cr_expect_str_eq(
		    json_string(json_member_get(row, "content_type"), NULL), want[i].type);
		cr_expect_str_eq(json_string(json_member_get(row, "content_disposition"), NULL),
		    want[i].disposition);
		cr_expect_eq(g_strcmp0(content_id, want[i].content_id), 0, "%s", content_id);
		cr_expect_eq(json_member_has(row, "content_id"), want[i].content_id != NULL);
		cr_expect_eq(json_integer(json_member_get(row, "size")), want[i].size);
		cr_expect_not(json_member_has(row, "object"));
	}
	g_autofree char *after =
	    g_strdup_printf("?limit=2&after=%s", answer_text(list, "data[0].id"));
	g_autofree char *before =
	    g_strdup_printf("?limit=2&before=%s", answer_text(list, "data[3].id"));
	AUTO(answer) next = attachments_get(id, after, 200);
	AUTO(answer) last = attachments_get(id, before, 200);
	cr_expect_str_eq(answer_text(next, "data[0].filename"), "b.pdf");
	cr_expect_str_eq(answer_text(next, "data[1].filename"), "c.bin");
	cr_expect(json_boolean(answer_at(next, "has_more")));
	cr_expect_str_eq(answer_text(last, "data[0].filename"), "b.pdf");
	cr_expect_str_eq(answer_text(last, "data[1].filename"), "c.bin");
	cr_expect(json_boolean(answer_at(last, "has_more")));
}

Test(resend_attachments, are_found_by_their_ids)
{
	g_autofree char *id = send_with(FORMS);
	AUTO(answer) list = attachments_get(id, "", 200);
	g_autofree char *own = g_strconcat("/", answer_text(list, "data[1].id"), NULL);
	AUTO(answer) one = attachments_get(id, own, 200);
	AUTO(answer) unknown = attachments_get(id, "/" UNKNOWN, 404);
	AUTO(answer) no_uuid = attachments_get(id, "/x", 422);
	AUTO(answer) no_email = attachments_get(UNKNOWN, own, 404);

	cr_expect_str_eq(answer_text(one, "object"), "attachment");
	cr_expect_str_eq(answer_text(one, "filename"), "b.pdf");
	cr_expect_str_eq(answer_text(unknown, "message"), "Attachment not found");
	cr_expect_str_eq(answer_text(no_uuid, "name"), "invalid_parameter");
	cr_expect_str_eq(answer_text(no_email, "message"), "Email not found");
}

/* The path of a URL of this service. */
static const char *
attachments_path_of(const char *url)
{
	const char *path = strstr(url, "/t/a/");

	cr_assert(path, "%s", url);
	return path;
}

Test(resend_attachments, can_be_downloaded_for_an_hour)
{
	g_autofree char *id = send_with("[{'filename':'\303\274 \\'.txt','content':'aGVsbG8='}]");
	gint64 now = g_get_real_time() / 1000, end;
	AUTO(answer) list = attachments_get(id, "", 200);
	const char *path = attachments_path_of(answer_text(list, "data[0].download_url"));
	g_autofree char *other = g_strconcat(path, "0", NULL);
	g_autofree char *bare = g_strndup(path, strcspn(path, "?"));
	const struct exchange exchanges[] = {
	    {"good", "GET", path, .headers = {"Authorization:"}},
	    {"HEAD", "HEAD", path, .want_status = 200, .headers = {"Authorization:"}},
	    {"another end", "GET", other, .want_status = 404, .headers = {"Authorization:"},
		.want_body = "{'message':'Not found'}"},
	    {"no end", "GET", bare, .want_status = 404, .headers = {"Authorization:"}},
	    {"no token", "GET", "/t/a/x?e=9999999999999", .want_status = 404,
		.headers = {"Authorization:"}},
	};

	for (gsize i = 1; i < G_N_ELEMENTS(exchanges); i++)
		answer_free(exchange_expect(fixture, &exchanges[i]));
	AUTO(answer) file = exchange_ask(fixture, &exchanges[0]);
	g_autofree char *disposition = answer_header(file, "Content-Disposition");
	cr_expect_eq(file->status, 200);
	cr_expect_str_eq(disposition, "attachment; filename*=UTF-8''%C3%BC%20%22.txt");
	cr_expect_str_eq(file->body, "hello");
	cr_assert(base_clock_parse(answer_text(list, "data[0].expires_at"), &end));
	cr_expect(end >= now + 3600000 && end < now + 3660000);
}

Test(resend_attachments, may_come_from_a_url_that_can_be_fetched)
{
	const struct exchange exchange = {"fetch", "POST", "/resend/emails",
	    "{'from':'a@" FIXTURE_DOMAIN "','to':'b@example.net','subject':'S','text':'T',"
	    "'attachments':[{'path':'http://127.0.0.1:1/a.txt'}]}",
	    422, .want = {"name = 'invalid_attachment'"}};

	answer_free(exchange_expect(fixture, &exchange));
}
