/* SPDX-License-Identifier: MIT */
/* Attachments: those that are refused, and those that arrive byte by byte. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/email.h"
#include "tests/mail/parsed.h"

FIXTURE_SUITE(email_attachments, 900);

#define EITHER(n) "attachments[" #n "] must have either path or content"
#define NO_BASE64(n) "attachments[" #n "].content must be a valid base64 encoded string"
#define NO_URL(n) "attachments[" #n "].path must be a valid URL"
#define NO_NAME(n) "attachments[" #n "].filename is required"
#define NO_TYPE "attachments[0].content_type must be a media type like text/plain"
#define NO_ID "attachments[0].content_id must be printable ASCII without spaces, < and >"
#define CONTROLS "attachments[0].filename must not contain control characters"

#define ONE(members) "'attachments':[{'filename':'a'," members "}]"

Test(email_attachments, are_checked)
{
	static const struct refusal refusals[] = {
	    {"no filename", "'attachments':[{'content':'YQ=='}]", NO_NAME(0)},
	    {"filename null", "'attachments':[{'filename':null,'content':'YQ=='}]", NO_NAME(0)},
	    {"filename empty", "'attachments':[{'filename':'','content':'YQ=='}]", NO_NAME(0)},
	    {"the second", "'attachments':[{'filename':'a','content':'YQ=='},{}]", NO_NAME(1)},
	    {"neither", "'attachments':[{'filename':'a'}]", EITHER(0)},
	    {"neither, null", ONE("'path':null,'content':null"), EITHER(0)},
	    {"both", ONE("'path':'https://example.org/a','content':'YQ=='"), EITHER(0)},
	    {"both, empty", ONE("'path':'','content':''"), EITHER(0)},
	    {"the third",
		"'attachments':[{'filename':'a','content':''},{'filename':'b','content':''},"
		"{'filename':'c'}]",
		EITHER(2)},
	    {"padded too much", ONE("'content':'YQ==='"), NO_BASE64(0)},
	    {"one digit too much", ONE("'content':'YWFhY'"), NO_BASE64(0)},
	    {"an id twice",
		"'attachments':[{'filename':'a','content':'','content_id':'l'},"
		"{'filename':'b','content':'','content_id':'L'},"
		"{'filename':'c','content':'','content_id':'l'}]",
		"attachments[2].content_id is given twice"},
	    {"padding inside", ONE("'content':'YQ==YQ=='"), NO_BASE64(0)},
	    {"stray bits", ONE("'content':'YR=='"), NO_BASE64(0)},
	    {"of URLs", ONE("'content':'-_-_'"), NO_BASE64(0)},
	    {"data URL", ONE("'content':'data:text/plain;base64,YQ=='"), NO_BASE64(0)},
	    {"no base64 at all", ONE("'content':'Hello!'"), NO_BASE64(0)},
	    {"path empty", ONE("'path':''"), NO_URL(0)},
	    {"path relative", ONE("'path':'/etc/passwd'"), NO_URL(0)},
	    {"path without a scheme", ONE("'path':'example.org/a'"), NO_URL(0)},
	    {"path without a host", ONE("'path':'http://'"), NO_URL(0)},
	    {"path of a file", ONE("'path':'file:///etc/passwd'"), NO_URL(0)},
	    {"path by ftp", ONE("'path':'ftp://example.org/a'"), NO_URL(0)},
	    {"path with a password", ONE("'path':'https://a:b@example.org/'"), NO_URL(0)},
	    {"path with a line break", ONE("'path':'https://example.org/\\r\\nX: y'"), NO_URL(0)},
	    {"path with a space", ONE("'path':'https://example.org/a b'"), NO_URL(0)},
	    {"content type without a slash", ONE("'content':'','content_type':'text'"), NO_TYPE},
	    {"content type empty", ONE("'content':'','content_type':''"), NO_TYPE},
	    {"content type with a line break",
		ONE("'content':'','content_type':'text/plain\\r\\nX: y'"), NO_TYPE},
	    {"content type with more", ONE("'content':'','content_type':'text/plain, text/html'"),
		NO_TYPE},
	    {"content id in brackets", ONE("'content':'','content_id':'<a>'"), NO_ID},
	    {"content id with a space", ONE("'content':'','content_id':'a b'"), NO_ID},
	    {"content id with a line break", ONE("'content':'','content_id':'a\\r\\nX: y'"), NO_ID},
	    {"content id empty", ONE("'content':'','content_id':''"),
		"attachments[0].content_id must be 1 to 128 characters"},
	    {"filename with line breaks", "'attachments':[{'filename':'a\\r\\nX: y','content':''}]",
		CONTROLS},
	    {"filename with LF", "'attachments':[{'filename':'a\\nb','content':''}]", CONTROLS},
	    {"filename with NEL", "'attachments':[{'filename':'a\\u0085b','content':''}]",
		CONTROLS},
	    {"filename with DEL", "'attachments':[{'filename':'a\\u007fb','content':''}]",
		CONTROLS},
	};

	REFUSE_ALL(fixture, refusals);
}

/* The part of a message for one file. */
static const struct {
	const char *name, *members; /* of the attachment but for content */
	const char *bytes;
	gsize size;
	const char *want_type, *want_filename, *want_id;
	bool want_inline;
} files[] = {
    {"plain", "'filename':'a.txt','content_type':'text/plain'", "Hello", 5, "text/plain", "a.txt"},
    {"no type", "'filename':'a.pdf'", "%PDF", 4, "application/octet-stream", "a.pdf"},
    {"empty", "'filename':'empty'", "", 0, "application/octet-stream", "empty"},
    {"line ends of all kinds", "'filename':'l','content_type':'text/plain'", "a\nb\r\nc\rd\n", 9,
	"text/plain", "l"},
    {"dots", "'filename':'d','content_type':'text/plain'", ".\r\n.\r\n..\r\n", 10, "text/plain",
	"d"},
    {"bytes", "'filename':'b'", "\0\1\2\xff\xfe\0", 6, "application/octet-stream", "b"},
    {"looks like a boundary", "'filename':'m','content_type':'text/plain'", "\r\n--=_a\r\n", 10,
	"text/plain", "m"},
    {"parameter", "'filename':'p','content_type':'text/csv; charset=utf-8'", "a,\xc3\xa9", 4,
	"text/csv", "p"},
    {"other script", "'filename':'\u5c71\u7530.pdf'", "x", 1, "application/octet-stream",
	"\u5c71\u7530.pdf"},
    {"quotes", "'filename':'a \\u0022b\\u0022; c=d.txt'", "x", 1, "application/octet-stream",
	"a \"b\"; c=d.txt"},
    {"backslash and slash", "'filename':'../a\\\\b'", "x", 1, "application/octet-stream",
	"../a\\b"},
    {"looks like an encoded word", "'filename':'=?utf-8?q?a?='", "x", 1, "application/octet-stream",
	"=?utf-8?q?a?="},
    {"inline", "'filename':'i.png','content_type':'image/png','content_id':'logo@x'", "\x89PNG", 4,
	"image/png", "i.png", "logo@x", true},
};

static void
judge_file(gsize i, GMimeObject *part)
{
	gsize size;
	g_autofree char *bytes = parsed_content(part, &size);
	GMimeContentType *type = g_mime_object_get_content_type(part);
	g_autofree char *mime = g_mime_content_type_get_mime_type(type);
	const char *filename = g_mime_part_get_filename(GMIME_PART(part));
	const char *place = g_mime_object_get_disposition(part);
	const char *id = g_mime_object_get_content_id(part);

	cr_expect(size == files[i].size && memcmp(bytes, files[i].bytes, size) == 0,
	    "%s: got %zu other bytes", files[i].name, size);
	cr_expect_str_eq(mime, files[i].want_type, "%s: got %s", files[i].name, mime);
	cr_expect(g_strcmp0(filename, files[i].want_filename) == 0, "%s: got %s, want %s",
	    files[i].name, filename, files[i].want_filename);
	cr_expect(g_strcmp0(id, files[i].want_id) == 0, "%s: got id %s", files[i].name, id);
	cr_expect_str_eq(place, files[i].want_inline ? "inline" : "attachment", "%s: got %s",
	    files[i].name, place);
}

Test(email_attachments, arrive_as_they_were)
{
	for (gsize i = 0; i < G_N_ELEMENTS(files); i++) {
		g_autofree char *content =
		    g_base64_encode((const guchar *)files[i].bytes, files[i].size);
		g_autofree char *change = g_strdup_printf(
		    "'html':'<img src=cid:logo@x>','attachments':[{%s,'content':'%s'}]",
		    files[i].members, content);
		g_autofree char *id = email_send(fixture, change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);

		cr_assert_eq(arrival->leaves->len, 3, "%s: got %u parts", files[i].name,
		    arrival->leaves->len);
		judge_file(i, arrival->leaves->pdata[2]);
	}
}

/* Several files keep their order; inline ones stand beside the html. */
Test(email_attachments, have_their_places)
{
	static const struct {
		const char *name, *change, *want;
	} cases[] = {
	    {"none", NULL, "alternative(plain,html)"},
	    {"two",
		"'attachments':[{'filename':'a','content':'YQ==','content_type':'text/csv'},"
		"{'filename':'b','content':'Yg=='}]",
		"mixed(alternative(plain,html),csv,octet-stream)"},
	    {"one inline",
		"'html':'<img src=cid:x>','attachments':[{'filename':'a','content':'YQ==',"
		"'content_type':'image/png','content_id':'x'}]",
		"alternative(plain,related(html,png))"},
	    {"both kinds",
		"'html':'<img src=cid:x>','attachments':[{'filename':'a','content':'YQ=='},"
		"{'filename':'b','content':'Yg==','content_type':'image/png','content_id':'x'}]",
		"mixed(alternative(plain,related(html,png)),octet-stream)"},
	    {"one that html does not name",
		"'html':'<img src=cid:y>','attachments':[{'filename':'a','content':'YQ==',"
		"'content_type':'image/png','content_id':'x'}]",
		"mixed(alternative(plain,html),png)"},
	    {"an invitation",
		"'attachments':[{'filename':'i.ics','content':'YQ==',"
		"'content_type':'text/calendar; method=REQUEST'},"
		"{'filename':'b','content':'Yg=='}]",
		"mixed(alternative(plain,html,calendar),octet-stream)"},
	    {"an invitation that is a file",
		"'attachments':[{'filename':'i.ics','content':'YQ==','alternative':false,"
		"'content_type':'text/calendar; method=REQUEST'}]",
		"mixed(alternative(plain,html),calendar)"},
	    {"a calendar",
		"'attachments':[{'filename':'i.ics','content':'YQ==','alternative':null,"
		"'content_type':'text/calendar'}]",
		"mixed(alternative(plain,html),calendar)"},
	    {"one that is asked for",
		"'html':null,'text':'x','attachments':[{'filename':'i.ics','content':'YQ==',"
		"'content_type':'text/calendar','alternative':true}]",
		"alternative(plain,calendar)"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *id = email_send(fixture, cases[i].change);
		AUTO(arrival) arrival = arrival_wait(fixture, id);
		g_autofree char *got = parsed_structure(arrival->bytes);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

/* Html and part get the same id, with the sender's domain where it has none. */
Test(email_attachments, are_found_by_their_ids)
{
	static const char change[] =
	    "'html':'<img src=\\u0022cid:logo\\u0022><p style=\\u0022background:url(cid:b@x.org)"
	    "\\u0022>{{x|cid:logo}}</p>','attachments':["
	    "{'filename':'a','content':'YQ==','content_type':'image/png','content_id':'logo'},"
	    "{'filename':'b','content':'YWI','content_type':'image/png','content_id':'b@x.org'}]";
	g_autofree char *id = email_send(fixture, change);
	AUTO(arrival) arrival = arrival_wait(fixture, id);
	gsize size;

	cr_assert_eq(arrival->leaves->len, 4);
	g_autofree char *html = parsed_content(arrival->leaves->pdata[1], &size);
	cr_expect(strstr(html, "\"cid:logo@example.com\""), "%s", html);
	cr_expect(strstr(html, "url(cid:b@x.org)"), "%s", html);
	cr_expect(strstr(html, ">cid:logo<"), "%s", html);
	cr_expect_str_eq(
	    g_mime_object_get_content_id(arrival->leaves->pdata[2]), "logo@example.com");
	cr_expect_str_eq(g_mime_object_get_content_id(arrival->leaves->pdata[3]), "b@x.org");
	AUTO(answer) shown = email_get(fixture, id);
	cr_expect(strstr(answer_text(shown, "html"), "\"cid:logo\""), "%s", shown->body);
}
