/* SPDX-License-Identifier: MIT */
#include "core/submission.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "core/core.h"
#include "json/strict.h"
#include "mail/address.h"
#include "mail/header.h"
#include "store/email.h"
#include "tests/support/http_server.h"
#include "tests/support/settings.h"

#define TEXTS(...) ((const char *[]){__VA_ARGS__, NULL})

/* The lists, as they are stored, and the recipients: "to: ... | cc: ... | 0 to a@x.org". */
static char *
show(const struct store_email *email)
{
	static const char *const kinds[] = {
	    [RECIPIENT_TO] = "to", [RECIPIENT_CC] = "cc", [RECIPIENT_BCC] = "bcc"};
	GString *text = g_string_new(NULL);

	g_string_append_printf(text, "from %s", email->sender);
	g_string_append_printf(text, "; to %s", email->to);
	if (email->cc)
		g_string_append_printf(text, "; cc %s", email->cc);
	if (email->bcc)
		g_string_append_printf(text, "; bcc %s", email->bcc);
	if (email->reply_to)
		g_string_append_printf(text, "; reply_to %s", email->reply_to);
	for (guint i = 0; i < email->recipients->len; i++) {
		const struct store_email_recipient *recipient = email->recipients->pdata[i];
		g_string_append_printf(
		    text, " | %s %s", kinds[recipient->kind], recipient->address);
	}
	return g_string_free(text, FALSE);
}

static char *
read_envelope(const struct core_submission *submission)
{
	AUTO(store_email) email = store_email_new();
	AUTO(mail_address) from = NULL;
	g_autoptr(GError) error = NULL;

	if (!core_submission_read_addresses(submission, email, &from, &error))
		return g_strdup(error->message);
	cr_expect(from);
	return show(email);
}

#define FROM .from = "f@e.org"

Test(envelope, takes_lists_and_arrays_and_each_address_once)
{
	const struct {
		const char *name;
		struct core_submission submission;
		const char *want;
	} cases[] = {
	    {"one", {FROM, .to = TEXTS("a@x.org")}, "from f@e.org; to a@x.org | to a@x.org"},
	    {"names", {.from = "\"F, G\" <f@E.org>", .to = TEXTS("Ann <a@X.org>")},
		"from \"F, G\" <f@e.org>; to Ann <a@x.org> | to a@x.org"},
	    {"a list", {FROM, .to = TEXTS("a@x.org, Bo <b@x.org>")},
		"from f@e.org; to a@x.org, Bo <b@x.org> | to a@x.org | to b@x.org"},
	    {"an array of lists", {FROM, .to = TEXTS("a@x.org, b@x.org", "c@x.org")},
		"from f@e.org; to a@x.org, b@x.org, c@x.org | to a@x.org | to b@x.org | to "
		"c@x.org"},
	    {"all lists",
		{FROM, .to = TEXTS("a@x.org"), .cc = TEXTS("b@x.org"), .bcc = TEXTS("c@x.org"),
		    .reply_to = TEXTS("d@x.org", "e@x.org")},
		"from f@e.org; to a@x.org; cc b@x.org; bcc c@x.org; reply_to d@x.org, e@x.org"
		" | to a@x.org | cc b@x.org | bcc c@x.org"},
	    {"each once, in any case",
		{FROM, .to = TEXTS("Ann@x.org, ann@X.ORG"), .cc = TEXTS("ANN@x.org, b@x.org"),
		    .bcc = TEXTS("B@x.org", "c@x.org")},
		"from f@e.org; to Ann@x.org, ann@x.org; cc ANN@x.org, b@x.org; bcc B@x.org, "
		"c@x.org | to Ann@x.org | cc b@x.org | bcc c@x.org"},
	    {"a domain in another script", {FROM, .to = TEXTS("a@B\303\274cher.example")},
		"from f@e.org; to a@xn--bcher-kva.example | to a@xn--bcher-kva.example"},
	    {"a line break", {FROM, .to = TEXTS("a@x.org\r\nBcc: b@x.org")},
		"to must be a valid email address: \"a@x.org??Bcc: b@x.org\" has control "
		"characters or "
		"line breaks"},
	    {"no from", {.from = "nobody", .to = TEXTS("a@x.org")},
		"from must be a valid email address: \"nobody\" has no domain"},
	    {"two in from", {.from = "a@e.org, b@e.org", .to = TEXTS("a@x.org")},
		"from must be a valid email address: \"a@e.org, b@e.org\" is a list"},
	    {"no to", {FROM}, "to is required"},
	    {"an empty array", {FROM, .to = (const char *[]){NULL}}, "to is required"},
	    {"an empty text", {FROM, .to = TEXTS("")},
		"to must be a valid email address: \"\" is empty"},
	    {"a bad one", {FROM, .to = TEXTS("foo")},
		"to must be a valid email address: \"foo\" has no domain"},
	    {"a bad one in a list", {FROM, .to = TEXTS("a@x.org, foo")},
		"to must be a valid email address: \"foo\" has no domain"},
	    {"a bad one in an array", {FROM, .to = TEXTS("a@x.org", "b@x.org", "foo")},
		"to[2] must be a valid email address: \"foo\" has no domain"},
	    {"quotes that say nothing", {FROM, .to = TEXTS("\"ann\"@x.org")},
		"from f@e.org; to ann@x.org | to ann@x.org"},
	    {"a quoted local part", {FROM, .to = TEXTS("a@x.org", "\"a b\"@x.org")},
		"to[1] must be a valid email address: \"\"a b\"@x.org\" has a local part (before "
		"the @) that needs quotes; such local parts cannot be sent"},
	    {"a bad cc", {FROM, .to = TEXTS("a@x.org"), .cc = TEXTS("a@x.org", "foo")},
		"cc[1] must be a valid email address: \"foo\" has no domain"},
	    {"a bad bcc", {FROM, .to = TEXTS("a@x.org"), .bcc = TEXTS("foo")},
		"bcc must be a valid email address: \"foo\" has no domain"},
	    {"a bad reply_to", {FROM, .to = TEXTS("a@x.org"), .reply_to = TEXTS("foo")},
		"reply_to must be a valid email address: \"foo\" has no domain"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = read_envelope(&cases[i].submission);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got\n%s\nwant\n%s", cases[i].name, got, cases[i].want);
	}
}

/* count addresses, the first ones in one text, the last of each in a text of its own. */
static char **
texts(guint count, guint in_first)
{
	GPtrArray *texts = g_ptr_array_new();
	GString *first = g_string_new(NULL);

	for (guint i = 0; i < count; i++) {
		if (i < in_first)
			g_string_append_printf(first, "%sa%u@x.org", i ? ", " : "", i);
		else
			g_ptr_array_add(texts, g_strdup_printf("a%u@x.org", i));
	}
	if (in_first > 0)
		g_ptr_array_insert(texts, 0, g_string_free(first, FALSE));
	else
		g_string_free(first, TRUE);
	g_ptr_array_add(texts, NULL);
	return (char **)g_ptr_array_free(texts, FALSE);
}

Test(envelope, has_at_most_50_in_each_list)
{
	static const char *const fields[] = {"to", "cc", "bcc", "reply_to"};
	static const guint in_first[] = {0, 1, 49, 50, 51};

	for (gsize field = 0; field < G_N_ELEMENTS(fields); field++) {
		for (gsize i = 0; i < G_N_ELEMENTS(in_first); i++) {
			for (guint count = 50; count <= 51; count++) {
				g_auto(GStrv) given = texts(count, MIN(in_first[i], count));
				struct core_submission submission = {FROM, .to = TEXTS("z@x.org")};
				const char ***const lists[] = {&submission.to, &submission.cc,
				    &submission.bcc, &submission.reply_to};
				*lists[field] = (const char **)given;
				g_autofree char *got = read_envelope(&submission);
				g_autofree char *want = g_strdup_printf(
				    "%s must have at most 50 addresses", fields[field]);
				cr_expect_eq(g_strcmp0(got, want) == 0, count == 51,
				    "%s, %u of %u in the first text: %s", fields[field],
				    in_first[i], count, got);
				cr_expect_eq(
				    g_str_has_prefix(got, "from "), count == 50, "%s", got);
			}
		}
	}
}

/* Elements and bytes of all texts of a list together, whatever is in them. */
Test(envelope, limits_lists_of_many_texts)
{
	g_autofree char *commas = g_strnfill(24, ',');
	g_autofree char *half = g_strconcat(commas, "a@x.org", NULL);
	g_autofree char *more = g_strconcat(",", half, NULL);
	g_autofree char *blanks = g_strnfill(LIMIT_ADDRESS_LIST_BYTES - 16, ' ');
	g_autofree char *most = g_strconcat("a@x.org", blanks, NULL);
	g_autofree char *past = g_strconcat(most, " ", NULL);
	g_autofree const char **million = g_new0(const char *, 1000001);
	const struct {
		const char *name;
		const char **texts;
		const char *want; /* NULL: taken */
	} cases[] = {
	    {"elements at the limit", TEXTS(half, half), NULL},
	    {"elements past it", TEXTS(half, more), "cc must have at most 50 addresses"},
	    {"bytes at the limit", TEXTS(most, "b@x.org"), NULL},
	    {"bytes past it", TEXTS(past, "b@x.org"), "cc must be at most 65536 bytes"},
	    {"a million empty texts", million, "cc must be at most 65536 bytes"},
	};

	for (guint i = 0; i < 1000000; i++)
		million[i] = "";
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct core_submission submission = {
		    FROM, .to = TEXTS("z@x.org"), .cc = cases[i].texts};
		g_autofree char *got = read_envelope(&submission);
		const char *want = cases[i].want ? cases[i].want : "from f@e.org; to z@x.org; cc ";

		cr_expect(g_str_has_prefix(got, want), "%s: got %s", cases[i].name, got);
	}
}

Test(envelope, has_50_in_all_lists_at_once)
{
	g_auto(GStrv) to = texts(50, 0);
	struct core_submission submission = {FROM, .to = (const char **)to};
	g_auto(GStrv) cc = texts(50, 0);
	g_auto(GStrv) bcc = texts(50, 0);

	for (guint i = 0; i < 50; i++) {
		cc[i][0] = 'b';
		bcc[i][0] = 'c';
	}
	submission.cc = (const char **)cc;
	submission.bcc = (const char **)bcc;
	AUTO(store_email) email = store_email_new();
	AUTO(mail_address) from = NULL;
	cr_assert(core_submission_read_addresses(&submission, email, &from, NULL));
	cr_expect_eq(email->recipients->len, 150);
}

Test(envelope, shows_the_addresses_of_a_stored_list)
{
	static const struct {
		const char *list, *want;
	} cases[] = {
	    {NULL, ""},
	    {"a@x.org", "a@x.org"},
	    {"\"A, B\" <a@x.org>, b@x.org", "a@x.org b@x.org"},
	    {"\"a b\"@x.org", "\"a b\"@x.org"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autoptr(GPtrArray) got = core_envelope_addresses(cases[i].list, &error);

		cr_assert(got, "%s", error ? error->message : "");
		g_ptr_array_add(got, NULL);
		g_autofree char *joined = g_strjoinv(" ", (char **)got->pdata);
		cr_expect_str_eq(joined, cases[i].want, "got %s, want %s", joined, cases[i].want);
	}
	cr_expect_not(core_envelope_addresses("damaged", NULL));
}

#define BIG (LIMIT_ATTACHMENTS_BYTES / 2)

static GMutex gate; /* locked: /wait does not answer yet */

/* Answers by the path: /text, /wait, /half (of the whole limit), /missing. */
static void
serve(struct http_peer *peer, const char *request, void *data)
{
	static const char missing[] = "HTTP/1.1 404 Not Found\r\nContent-Length: 0\r\n\r\n";
	static const char text[] = "HTTP/1.1 200 OK\r\nContent-Length: 5\r\n\r\nfetch";

	if (g_str_has_prefix(request, "GET /wait")) {
		g_mutex_lock(&gate);
		http_peer_send(peer, text, strlen(text));
		g_mutex_unlock(&gate);
	} else if (g_str_has_prefix(request, "GET /text")) {
		http_peer_send(peer, text, strlen(text));
	} else if (g_str_has_prefix(request, "GET /half")) {
		g_autofree char *head =
		    g_strdup_printf("HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n", BIG);
		g_autofree char *body = g_malloc0(BIG);
		if (http_peer_send(peer, head, strlen(head)))
			http_peer_send(peer, body, BIG);
	} else {
		http_peer_send(peer, missing, strlen(missing));
	}
}

static char *dir;
static struct base_settings *settings;
static struct core *core;
static struct http_server *server;

static void
begin(void)
{
	dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);
	settings = test_settings_load(dir, "attach", "[fetch]\nallow = 127.0.0.1/32\n");
	core = core_open(settings);
	server = http_server_start("127.0.0.1", NULL, serve, NULL);
}

static void
end(void)
{
	g_autofree char *command = g_strdup_printf("rm -rf '%s'", dir);

	http_server_stop(server);
	core_close(core);
	base_settings_free(settings);
	cr_assert_eq(system(command), 0);
	g_free(dir);
}

TestSuite(attach, .init = begin, .fini = end);

/* Base64 of size zero bytes. */
static char *
zeros(gsize size)
{
	g_autofree guchar *bytes = g_malloc0(MAX(size, 1));

	return g_base64_encode(bytes, size);
}

/* "name type bytes" of each part, or the message. */
static char *
attach(const struct core_submission_attachment *given, guint count)
{
	g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(*given));
	struct core_submission submission = {.attachments = array};
	AUTO(store_email) email = store_email_new();
	g_autoptr(GError) error = NULL;

	g_array_append_vals(array, given, count);
	g_autoptr(GPtrArray) contents = core_submission_decode_attachments(&submission, &error);
	if (!contents ||
	    !core_submission_add_attachments(core, &submission, contents, email, &error)) {
		cr_expect_eq(error->code, PH_ERROR_INVALID);
		return g_strdup(error->message);
	}
	GString *text = g_string_new(NULL);
	for (guint i = 0; i < email->parts->len; i++) {
		const struct store_email_part *part = email->parts->pdata[i];
		gsize size;
		const char *data = g_bytes_get_data(part->body.data, &size);

		g_string_append_printf(
		    text, "%s%s %s ", i > 0 ? ", " : "", part->filename, part->content_type);
		if (part->content_id)
			g_string_append_printf(text, "<%s> ", part->content_id);
		if (size < 100)
			g_string_append_len(text, data ? data : "", (gssize)size);
		else
			g_string_append_printf(text, "%zu bytes", size);
	}
	return g_string_free(text, FALSE);
}

#define NAMED .filename = "a"

/* Returns NULL, or the message of a LIMITED error. */
static char *
fetch_for(const struct base_id *workspace, const char *path)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%d/%s", http_server_port(server), path);
	const struct core_submission_attachment given = {NAMED, .path = url};
	g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(given));
	struct core_submission submission = {.attachments = array};
	AUTO(store_email) email = store_email_new();
	g_autoptr(GError) error = NULL;

	email->workspace_id = *workspace;
	g_array_append_val(array, given);
	g_autoptr(GPtrArray) contents = core_submission_decode_attachments(&submission, NULL);
	if (core_submission_add_attachments(core, &submission, contents, email, &error))
		return NULL;
	cr_expect_eq(error->code, PH_ERROR_LIMITED, "got %s", error->message);
	return g_strdup(error->message);
}

static void *
fetch_and_wait(void *workspace)
{
	return fetch_for(workspace, "wait");
}

/* The default is four requests of a workspace. */
Test(attach, are_fetched_by_so_many_requests_of_a_workspace_at_once, .timeout = 900)
{
	struct base_id workspace = base_id_new(), other = base_id_new();
	GThread *threads[4];

	g_mutex_lock(&gate);
	for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
		threads[i] = g_thread_new("fetch", fetch_and_wait, &workspace);
	while (http_server_count(server) < (int)G_N_ELEMENTS(threads))
		g_usleep(1000);
	g_autofree char *fifth = fetch_for(&workspace, "text");
	cr_expect_str_eq(
	    fifth ? fifth : "", "Too many requests fetch attachments. Try again in 1 s");
	cr_expect_null(fetch_for(&other, "text"), "another workspace");
	g_mutex_unlock(&gate);
	for (gsize i = 0; i < G_N_ELEMENTS(threads); i++)
		cr_expect_null(g_thread_join(threads[i]), "request %zu", i);
	cr_expect_null(fetch_for(&workspace, "text"), "afterwards");
}

Test(attach, refuses_with_the_documented_messages)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%d/missing", http_server_port(server));
	const struct {
		const char *name;
		struct core_submission_attachment given;
		const char *want;
	} cases[] = {
	    {"content", {NAMED, .content = "SGVsbG8="}, "a application/octet-stream Hello"},
	    {"empty content", {NAMED, .content = ""}, "a application/octet-stream "},
	    {"type", {NAMED, .content = "SGk=", .content_type = "text/plain; charset=utf-8"},
		"a text/plain; charset=utf-8 Hi"},
	    {"inline", {NAMED, .content = "SGk=", .content_id = "logo@x"},
		"a application/octet-stream <logo@x> Hi"},
	    {"a name in another script", {.filename = "\303\274.txt", .content = "SGk="},
		"\303\274.txt application/octet-stream Hi"},
	    {"neither", {NAMED}, "attachments[0] must have either path or content"},
	    {"both", {NAMED, .path = "http://x.org/", .content = "SGk="},
		"attachments[0] must have either path or content"},
	    {"both, one empty", {NAMED, .path = "http://x.org/", .content = ""},
		"attachments[0] must have either path or content"},
	    {"no URL", {NAMED, .path = "x"}, "attachments[0].path must be a valid URL"},
	    {"empty URL", {NAMED, .path = ""}, "attachments[0].path must be a valid URL"},
	    {"a file's URL", {NAMED, .path = "file:///etc/passwd"},
		"attachments[0].path must be a valid URL"},
	    {"no base64", {NAMED, .content = "SGk"},
		"attachments[0].content must be a valid base64 encoded string"},
	    {"base64 with a line break", {NAMED, .content = "SGVs\nbG8="},
		"attachments[0].content must be a valid base64 encoded string"},
	    {"stray bits", {NAMED, .content = "SGl="},
		"attachments[0].content must be a valid base64 encoded string"},
	    {"line break in the name", {.filename = "a\r\nb", .content = "SGk="},
		"attachments[0].filename must not contain control characters"},
	    {"no type", {NAMED, .content = "SGk=", .content_type = "text"},
		"attachments[0].content_type must be a media type like text/plain"},
	    {"a header in the type",
		{NAMED, .content = "SGk=", .content_type = "text/plain\r\nX: y"},
		"attachments[0].content_type must be a media type like text/plain"},
	    {"a bad id", {NAMED, .content = "SGk=", .content_id = "a b"},
		"attachments[0].content_id must be printable ASCII without spaces, < and >"},
	    {"missing", {NAMED, .path = url},
		"attachments[0].path could not be fetched: the server answered 404"},
	    {"a forbidden address", {NAMED, .path = "http://127.0.0.2:1/"},
		"attachments[0].path could not be fetched: the address 127.0.0.2 is not public"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = attach(&cases[i].given, 1);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

Test(attach, names_the_one_that_is_wrong_before_anything_is_fetched)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%d/text", http_server_port(server));
	const struct core_submission_attachment given[] = {
	    {NAMED, .path = url}, {NAMED, .content = "SGk="}, {NAMED, .content = "*"}};
	g_autofree char *got = attach(given, G_N_ELEMENTS(given));

	cr_expect_str_eq(got, "attachments[2].content must be a valid base64 encoded string");
	cr_expect_eq(http_server_count(server), 0);
}

Test(attach, keeps_the_order_of_fetched_and_given_ones)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%d/text", http_server_port(server));
	const struct core_submission_attachment given[] = {{.filename = "1", .content = "MQ=="},
	    {.filename = "2", .path = url, .content_type = "text/plain"},
	    {.filename = "3", .content = "Mw=="}};
	g_autofree char *got = attach(given, G_N_ELEMENTS(given));

	cr_expect_str_eq(got, "1 application/octet-stream 1, 2 text/plain fetch, "
			      "3 application/octet-stream 3");
}

Test(attach, is_40_MB_in_all_after_decoding_and_fetching)
{
	static const char too_large[] = "Total attachments size exceeds maximum of 40MB";
	g_autofree char *half_url =
	    g_strdup_printf("http://127.0.0.1:%d/half", http_server_port(server));
	g_autofree char *text_url =
	    g_strdup_printf("http://127.0.0.1:%d/text", http_server_port(server));
	g_autofree char *half = zeros(BIG), *more = zeros(BIG + 1), *less = zeros(BIG - 5);
	const struct {
		const char *name;
		struct core_submission_attachment given[3];
		guint count;
		bool want;
	} cases[] = {
	    {"given, at the limit", {{NAMED, .content = half}, {NAMED, .content = half}}, 2, true},
	    {"given, one past", {{NAMED, .content = half}, {NAMED, .content = more}}, 2, false},
	    {"fetched, at the limit", {{NAMED, .path = half_url}, {NAMED, .content = half}}, 2,
		true},
	    {"fetched, one past", {{NAMED, .path = half_url}, {NAMED, .content = more}}, 2, false},
	    {"both fetched, at the limit",
		{{NAMED, .content = less}, {NAMED, .path = half_url}, {NAMED, .path = text_url}}, 3,
		true},
	    {"both fetched, past it",
		{{NAMED, .content = half}, {NAMED, .path = half_url}, {NAMED, .path = text_url}}, 3,
		false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = attach(cases[i].given, cases[i].count);
		cr_expect_eq(
		    strcmp(got, too_large) != 0, cases[i].want, "%s: got %s", cases[i].name, got);
	}
}

/* Checks a member of a document. */
static char *
store_member(const struct json *given, bool (*check)(const struct json *, char **, GError **))
{
	g_autoptr(GError) error = NULL;
	char *text = NULL;

	if (!check(given, &text, &error))
		return g_strdup(error->message);
	return text ? text : g_strdup("");
}

/* The stored text, or the message. */
static char *
store(bool (*check)(const struct json *, char **, GError **), const char *given)
{
	AUTO(json) document = json_parse(given, strlen(given), NULL);

	cr_assert(document, "%s", given);
	return store_member(document, check);
}

Test(extras, takes_headers_that_do_no_harm)
{
	static const struct {
		const char *given, *want;
	} cases[] = {
	    {"{}", ""},
	    {"{\"X-A\": \"1\", \"x-b\": \"\303\274\"}", "{\"X-A\":\"1\",\"x-b\":\"\303\274\"}"},
	    {"{\"X-A\": \"\"}", "{\"X-A\":\"\"}"},
	    {"{\"In-Reply-To\": \"<a@x.org>\"}", "{\"In-Reply-To\":\"<a@x.org>\"}"},
	    {"{\"X-A\": 1}", "headers.X-A must be a string"},
	    {"{\"X-A\": null}", "headers.X-A must be a string"},
	    {"{\"X-A\": \"1\", \"x-a\": \"2\"}", "headers.x-a is given twice"},
	    {"{\"X A\": \"1\"}", "headers.X A must have a name of 1 to 76 printable ASCII "
				 "characters without a colon"},
	    {"{\"X-A\": \"a\\r\\nBcc: b@x.org\"}", "headers.X-A must not have a line break in it"},
	    {"{\"X-A\": \"a\\nb\"}", "headers.X-A must not have a line break in it"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = store(core_submission_headers, cases[i].given);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
}

Test(extras, keeps_the_headers_of_the_service)
{
	static const char *const names[] = {"From", "Sender", "To", "Cc", "Bcc", "Reply-To",
	    "Subject", "Date", "Message-ID", "MIME-Version", "Content-Type",
	    "Content-Transfer-Encoding", "content-x", "Return-Path", "Received", "DKIM-Signature",
	    "ARC-Seal", "Authentication-Results", "fRoM"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		g_autofree char *given = g_strdup_printf("{\"%s\": \"x\"}", names[i]);
		g_autofree char *got = store(core_submission_headers, given);
		g_autofree char *want =
		    g_strdup_printf("headers.%s is set by the service", names[i]);
		cr_expect_str_eq(got, want, "got %s, want %s", got, want);
	}
}

static char *
repeat(char c, guint count)
{
	return g_strnfill(count, c);
}

Test(extras, bounds_headers)
{
	for (guint past = 0; past <= 1; past++) {
		g_autofree char *value = repeat('a', LIMIT_HEADER_VALUE_LENGTH + past - 500);
		g_autofree char *rest = repeat('b', 499);
		g_autofree char *given = g_strdup_printf("{\"X-A\": \"%s %s\"}", value, rest);
		g_autofree char *got = store(core_submission_headers, given);
		cr_expect_eq(g_strcmp0(got, "headers.X-A must be at most 998 characters") == 0,
		    past == 1, "value: %s", got);
		g_autofree char *name = repeat('a', LIMIT_HEADER_NAME_LENGTH + past);
		g_autofree char *named = g_strdup_printf("{\"%s\": \"x\"}", name);
		g_autofree char *got_named = store(core_submission_headers, named);
		cr_expect_eq(
		    g_str_has_prefix(got_named, "headers.aaa"), past == 1, "name: %s", got_named);
	}
}

Test(extras, reads_headers_back)
{
	struct json *document;
	g_autoptr(GError) error = NULL;
	g_autoptr(GArray) headers =
	    core_submission_read_headers("{\"X-B\":\"1\",\"X-A\":\"\"}", &document, &error);

	cr_assert(headers, "%s", error ? error->message : "");
	cr_assert_eq(headers->len, 2);
	const struct mail_header *first = &g_array_index(headers, struct mail_header, 0);
	cr_expect_str_eq(first->name, "X-B");
	cr_expect_str_eq(first->value, "1");
	json_free(document);
	g_autoptr(GArray) none = core_submission_read_headers(NULL, &document, &error);
	cr_expect(none && none->len == 0 && !document);
	cr_expect_not(core_submission_read_headers("{", &document, &error));
}

Test(extras, takes_tags)
{
	g_autofree char *fits = repeat('a', LIMIT_TAG_LENGTH);
	g_autofree char *long_name = g_strdup_printf("{\"%sa\": \"x\"}", fits);
	g_autofree char *long_value = g_strdup_printf("{\"a\": \"%sa\"}", fits);
	g_autofree char *both_fit = g_strdup_printf("{\"%s\":\"%s\"}", fits, fits);
	const struct {
		const char *given, *want;
	} cases[] = {
	    {"{}", ""},
	    {"{\"a\": \"1\", \"\303\274\": \"\"}", "{\"a\":\"1\",\"\303\274\":\"\"}"},
	    {both_fit, both_fit},
	    {"{\"a\": 1}", "tags.a must be a string"},
	    {"{\"a\": null}", "tags.a must be a string"},
	    {long_value, "tags.a must be at most 256 characters, in name and value"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = store(core_submission_tags, cases[i].given);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
	g_autofree char *got = store(core_submission_tags, long_name);
	cr_expect(
	    g_str_has_suffix(got, " must be at most 256 characters, in name and value"), "%s", got);
}

Test(extras, takes_tags_in_a_list)
{
	g_autofree char *fits = repeat('a', LIMIT_TAG_LENGTH);
	g_autofree char *long_value =
	    g_strdup_printf("[{\"name\": \"a\", \"value\": \"%sa\"}]", fits);
	g_autofree char *both_fit =
	    g_strdup_printf("[{\"name\": \"%s\", \"value\": \"%s\"}]", fits, fits);
	g_autofree char *both_want = g_strdup_printf("{\"%s\":\"%s\"}", fits, fits);
	const char *const letters =
	    "tags[0] must have 1 to 256 ASCII letters, digits, _ and - in name and value";
	const struct {
		const char *given, *want;
	} cases[] = {
	    {"[]", ""},
	    {"[{\"name\": \"b\", \"value\": \"1_-Z\"}, {\"name\": \"a\", \"value\": \"2\"}]",
		"{\"b\":\"1_-Z\",\"a\":\"2\"}"},
	    {both_fit, both_want},
	    {long_value, letters},
	    {"[{\"name\": \"\", \"value\": \"1\"}]", letters},
	    {"[{\"name\": \"a\", \"value\": \"\"}]", letters},
	    {"[{\"name\": \"a b\", \"value\": \"1\"}]", letters},
	    {"[{\"name\": \"a\", \"value\": \"\303\274\"}]", letters},
	    {"[{\"name\": \"a\"}]", "tags[0] must have a name and a value"},
	    {"[{\"name\": \"a\", \"value\": 1}]", "tags[0] must have a name and a value"},
	    {"[1]", "tags[0] must have a name and a value"},
	    {"[{\"name\": \"a\", \"value\": \"1\"}, {\"name\": \"a\", \"value\": \"2\"}]",
		"tags[1] has a name that is given twice"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *whole = g_strdup_printf("{\"tags\": %s}", cases[i].given);
		AUTO(json) document = json_parse(whole, strlen(whole), NULL);
		cr_assert(document, "%s", whole);
		g_autofree char *got =
		    store_member(json_member_get(document, "tags"), core_submission_tags);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].given, got, cases[i].want);
	}
}
