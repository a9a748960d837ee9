/* SPDX-License-Identifier: MIT */
/* Tests the attachments of a submission, and how they are fetched. */
#include "email/submission.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "service/service.h"
#include "store/email/email.h"
#include "tests/support/http_server.h"
#include "tests/support/settings.h"

#define BIG (LIMIT_ATTACHMENTS_BYTES / 2)

static GMutex gate; /* locked: /wait does not answer yet */

/* Answers by the path: /text, /wait, /half (of the whole limit), /missing. */
static void
submission_attach_serve(struct http_peer *peer, const char *request, void *data)
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
static struct config_settings *settings;
static struct service *service;
static struct http_server *server;

static void
submission_attach_begin(void)
{
	dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);
	settings = test_settings_load(dir, "attach", "[fetch]\nallow = 127.0.0.1/32\n");
	service = service_open(settings);
	server = http_server_start("127.0.0.1", NULL, submission_attach_serve, NULL);
}

static void
submission_attach_end(void)
{
	http_server_stop(server);
	service_close(service);
	config_settings_free(settings);
	test_folder_remove(dir);
}

TestSuite(attach, .init = submission_attach_begin, .fini = submission_attach_end);

/* Base64 of size zero bytes. */
static char *
submission_attach_zeros(gsize size)
{
	g_autofree guchar *bytes = g_malloc0(MAX(size, 1));

	return g_base64_encode(bytes, size);
}

/* "name type bytes" of each part, or the message. */
static char *
submission_attach_attach(const struct email_submission_attachment *given, guint count)
{
	g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(*given));
	struct email_submission submission = {.attachments = array};
	AUTO(store_email) email = store_email_new();
	g_autoptr(GError) error = NULL;

	g_array_append_vals(array, given, count);
	g_autoptr(GPtrArray) contents =
	    email_submission_decode_attachments(&submission, false, &error);
	if (!contents ||
	    !email_submission_add_attachments(service, &submission, contents, email, &error)) {
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
	const struct email_submission_attachment given = {NAMED, .path = url};
	g_autoptr(GArray) array = g_array_new(FALSE, FALSE, sizeof(given));
	struct email_submission submission = {.attachments = array};
	AUTO(store_email) email = store_email_new();
	g_autoptr(GError) error = NULL;

	email->workspace_id = *workspace;
	g_array_append_val(array, given);
	g_autoptr(GPtrArray) contents =
	    email_submission_decode_attachments(&submission, false, NULL);
	if (email_submission_add_attachments(service, &submission, contents, email, &error))
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
		struct email_submission_attachment given;
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
	    {"no padding", {NAMED, .content = "SGk"}, "a application/octet-stream Hi"},
	    {"base64 with a line break", {NAMED, .content = "SGVs\nbG8="},
		"a application/octet-stream Hello"},
	    {"no base64", {NAMED, .content = "S-k="},
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
		"attachments[0].path could not be fetched: not a public address"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = submission_attach_attach(&cases[i].given, 1);
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].name, got, cases[i].want);
	}
}

Test(attach, names_the_one_that_is_wrong_before_anything_is_fetched)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%d/text", http_server_port(server));
	const struct email_submission_attachment given[] = {
	    {NAMED, .path = url}, {NAMED, .content = "SGk="}, {NAMED, .content = "*"}};
	g_autofree char *got = submission_attach_attach(given, G_N_ELEMENTS(given));

	cr_expect_str_eq(got, "attachments[2].content must be a valid base64 encoded string");
	cr_expect_eq(http_server_count(server), 0);
}

Test(attach, keeps_the_order_of_fetched_and_given_ones)
{
	g_autofree char *url =
	    g_strdup_printf("http://127.0.0.1:%d/text", http_server_port(server));
	const struct email_submission_attachment given[] = {{.filename = "1", .content = "MQ=="},
	    {.filename = "2", .path = url, .content_type = "text/plain"},
	    {.filename = "3", .content = "Mw=="}};
	g_autofree char *got = submission_attach_attach(given, G_N_ELEMENTS(given));

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
	g_autofree char *half = submission_attach_zeros(BIG),
			*more = submission_attach_zeros(BIG + 1),
			*less = submission_attach_zeros(BIG - 5);
	const struct {
		const char *name;
		struct email_submission_attachment given[3];
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
		g_autofree char *got = submission_attach_attach(cases[i].given, cases[i].count);
		cr_expect_eq(
		    strcmp(got, too_large) != 0, cases[i].want, "%s: got %s", cases[i].name, got);
	}
}
