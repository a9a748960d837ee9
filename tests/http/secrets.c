/* SPDX-License-Identifier: MIT */
/* Secrets in answers: no reader gets one, by any operation of any front. */
#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"
#include "fcgi/api/routes.h"
#include "fcgi/resend/front.h"
#include "tests/http/arrival.h"
#include "tests/http/audience.h"
#include "tests/http/confirmation.h"
#include "tests/http/email.h"
#include "tests/http/openapi_path.h"
#include "tests/http/person.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

FIXTURE_SUITE(secrets, 900);

#define UNKNOWN "0199c1a2-7f00-7000-8000-000000000001"
#define SIGNED "whsec_[A-Za-z0-9+/]{24,}"

/* Forms of secrets. */
static const char *const forms[] = {
    SIGNED,
    "ph_[A-Za-z0-9_-]{43}",
    "PRIVATE KEY",
    "/t/[suar]/[A-Za-z0-9_-]{36}",
    "u\\+[0-9a-f]{54}@",
    "signin#[A-Za-z0-9_-]{43}",
};

/* The readers. */
struct reader {
	const char *name;
	char *headers[2]; /* lines */
	bool writes, owns;
};

enum { READER_FULL, READER_READ, READER_SEND, READER_METRICS, READER_DOMAIN };
#define READERS 8

/* The things that the walk needs. */
struct walk {
	struct reader readers[READERS];
	GPtrArray *known;   /* secrets as they are, of char * */
	GHashTable *made;   /* pattern → path */
	char *mailing;	    /* an email with a link to unsubscribe */
	char *confirmation; /* an email with a link to confirm */
	guint reads;
};

static void
know(struct walk *walk, char *secret)
{
	g_ptr_array_add(walk->known, secret);
}

/* Adds a key, and the forms of its hash. */
static void
secrets_add_key(struct walk *walk, guint i, const char *name, char *key, bool writes)
{
	guint8 hash[SHA256_SIZE];

	walk->readers[i] = (struct reader){name, {g_strconcat("Authorization: Bearer ", key, NULL)},
	    .writes = writes, .owns = writes};
	base_secret_sha256(key, strlen(key), hash);
	know(walk, g_base64_encode(hash, sizeof(hash)));
	know(walk, base_secret_base64url(hash, sizeof(hash)));
	know(walk, g_compute_checksum_for_string(G_CHECKSUM_SHA256, key, -1));
	know(walk, key);
}

static void
add_person(struct walk *walk, guint i, const char *role)
{
	g_autofree char *email = g_strdup_printf("%s@example.com", role);
	AUTO(person) person = person_open(fixture, email, role);

	walk->readers[i] =
	    (struct reader){role, {g_strdup("Authorization:"), g_strdup(person->cookie)},
		.writes = strcmp(role, "viewer") != 0, .owns = strcmp(role, "owner") == 0};
	know(walk, g_strdup(person->token));
}

static char *
secrets_make(const char *path, const char *body, const char *place)
{
	const struct exchange exchange = {path, "POST", path, body};
	AUTO(answer) answer = exchange_ask(fixture, &exchange);

	cr_assert_eq(
	    answer->status / 100, 2, "%s %s: %u %s", path, body, answer->status, answer->body);
	return g_strdup(answer_text(answer, place));
}

static char *
domain_key(void)
{
	g_autofree char *id = secrets_make("/v1/domains", "{'name':'own.example'}", "id");
	g_autofree char *body = g_strdup_printf("{'name':'n','scope':'send','domain_id':'%s'}", id);

	return secrets_make("/v1/keys", body, "key");
}

static void
secrets_add_readers(struct walk *walk)
{
	secrets_add_key(walk, READER_FULL, "full", g_strdup(fixture->key), true);
	secrets_add_key(walk, READER_READ, "read", fixture_new_key(fixture, "read", NULL), false);
	secrets_add_key(walk, READER_SEND, "send", fixture_new_key(fixture, "send", NULL), false);
	secrets_add_key(
	    walk, READER_METRICS, "metrics", fixture_new_key(fixture, "metrics", NULL), false);
	secrets_add_key(walk, READER_DOMAIN, "domain", domain_key(), false);
	add_person(walk, READER_DOMAIN + 1, "viewer");
	add_person(walk, READER_DOMAIN + 2, "member");
	add_person(walk, READER_DOMAIN + 3, "owner");
}

static void
add_emails(struct walk *walk)
{
	confirmation_prepare(fixture);
	walk->mailing =
	    email_send(fixture, "'html':'<p><a href=\\u0022{{unsubscribe_url}}\\u0022>out</a></p>',"
				"'attachments':[{'filename':'a.txt','content':'YQ=='}]");
	AUTO(arrival) arrival = arrival_wait(fixture, walk->mailing);
	g_autofree char *html = tracking_html(arrival);
	g_autofree char *out = tracking_path(fixture, html, "a href", "/t/u/");
	know(walk, g_strdup(out + strlen("/t/u/")));

	g_autofree char *audience = audience_new(fixture, "A");
	audience_expect(
	    fixture, "PUT", "{'required':true}", 200, NULL, "/v1/audiences/%s/opt-in", audience);
	g_free(audience_add(fixture, audience, "{'email':'ann@example.net'}"));
	g_autofree char *confirm = confirmation_link(fixture, "ann@example.net", 1);
	know(walk, g_strdup(confirm + strlen("/t/s/")));
	const struct exchange list = {"", "GET", "/v1/emails?to=ann@example.net", NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &list);
	walk->confirmation = g_strdup(answer_text(answer, "emails[0].id"));
}

/* How the first {name} of a path of /resend is made. */
static const struct {
	const char *pattern, *path, *body;
} makers[] = {
    {"/domains/", "/resend/domains", "{'name':'two.example'}"},
    {"/templates/", "/resend/templates", "{'name':'T','html':'<p>Hi'}"},
    {"/suppressions/", "/resend/suppressions", "{'email':'s@example.net'}"},
    {"/webhooks/", "/resend/webhooks",
	"{'endpoint':'https://hook.example.com/','events':['email.sent']}"},
    {"/events/", "/resend/events", "{'name':'declared.one'}"},
    {"/automations/", "/resend/automations",
	"{'name':'A','steps':[{'key':'t','type':'trigger','config':{'event_name':'e'}}],"
	"'connections':[]}"},
    {"/segments/", "/resend/segments", "{'name':'S'}"},
    {"/audiences/", "/resend/audiences", "{'name':'S2'}"},
    {"/contacts/", "/resend/contacts", "{'email':'c@example.net'}"},
    {"/contact-properties/", "/resend/contact-properties", "{'key':'k','type':'string'}"},
    {"/topics/", "/resend/topics", "{'name':'T','default_subscription':'opt_in'}"},
};

static char *
secrets_make_broadcast(void)
{
	g_autofree char *segment = secrets_make("/resend/segments", "{'name':'B'}", "id");
	g_autofree char *body =
	    g_strdup_printf("{'segment_id':'%s','from':'Me <me@" FIXTURE_DOMAIN ">',"
			    "'subject':'News','html':'<p>{{{RESEND_UNSUBSCRIBE_URL}}}'}",
		segment);

	return secrets_make("/resend/broadcasts", body, "id");
}

static char *
make_resend(struct walk *walk, const char *pattern)
{
	if (g_str_has_prefix(pattern, "/emails/receiving/")) {
		g_autofree char *path = openapi_path_make(fixture, "GET", "/v1/received/{id}");
		return g_strdup(path + strlen("/v1/received/"));
	}
	if (g_str_has_prefix(pattern, "/emails/"))
		return g_strdup(walk->mailing);
	if (g_str_has_prefix(pattern, "/broadcasts/"))
		return secrets_make_broadcast();
	if (g_str_has_prefix(pattern, "/domains/claims/"))
		return g_strdup(UNKNOWN);
	for (gsize i = 0; i < G_N_ELEMENTS(makers); i++)
		if (g_str_has_prefix(pattern, makers[i].pattern))
			return secrets_make(makers[i].path, makers[i].body, "id");
	return g_strdup(UNKNOWN);
}

/* The pattern's path; *is_whole_r: all that it names is there. */
static char *
secrets_path_of(
    struct walk *walk, const struct fcgi_front *front, const char *pattern, bool *is_whole_r)
{
	const char *brace = strchr(pattern, '{');

	*is_whole_r = true;
	if (!*front->prefix && g_str_has_prefix(pattern, "/v1/emails/{id}"))
		return g_strconcat("/v1/emails/", walk->mailing, strchr(brace, '}') + 1, NULL);
	if (!*front->prefix || !brace)
		return *front->prefix ? g_strconcat(front->prefix, pattern, NULL)
				      : openapi_path_make(fixture, "GET", pattern);
	/* One thing is made for all paths that begin so. */
	g_autofree char *noun = g_strndup(pattern, brace - pattern);
	if (!g_hash_table_contains(walk->made, noun))
		g_hash_table_insert(walk->made, g_strdup(noun), make_resend(walk, pattern));
	const char *id = g_hash_table_lookup(walk->made, noun);
	const char *rest = strchr(brace, '}') + 1;
	*is_whole_r = strcmp(id, UNKNOWN) != 0 && strcmp(noun, "/contacts/imports/") != 0 &&
		      !strchr(rest, '{');
	GString *path = g_string_new(front->prefix);
	g_string_append_printf(path, "%s%s", noun, id);
	while ((brace = strchr(rest, '{'))) {
		g_string_append_len(path, rest, brace - rest);
		g_string_append(path, UNKNOWN);
		rest = strchr(brace, '}') + 1;
	}
	g_string_append(path, rest);
	if (strcmp(rest, "/recipients") == 0)
		g_string_append(path, "?type=delivered");
	return g_string_free(path, FALSE);
}

static bool
secrets_matches(const char *form, const char *text)
{
	return g_regex_match_simple(form, text, 0, 0);
}

/* Whether the answer may have a secret of this form: the URLs of attachments, for who may read
   them, and what signs a webhook's requests, for who may change it. */
static bool
may_have(const struct reader *reader, const struct fcgi_route *route, const char *form)
{
	return (route->has_downloads && strstr(form, "/t/")) ||
	       (strcmp(form, SIGNED) == 0 && strcmp(route->pattern, "/webhooks/{id}") == 0 &&
		   reader->writes);
}

static void
secrets_look(struct walk *walk, const struct reader *reader, const struct fcgi_route *route,
    const char *path, bool is_whole)
{
	const struct exchange exchange = {
	    path, "GET", path, .headers = {reader->headers[0], reader->headers[1]}};
	AUTO(answer) answer = exchange_ask(fixture, &exchange);
	const char *texts[] = {answer->head, answer->body};

	/* It asks DNS, and nobody answers here. */
	if (strcmp(route->pattern, "/v1/domains/{id}/policy") == 0 && answer->status == 503)
		return;
	walk->reads += answer->status == 200;
	cr_expect(answer->status < 500 || answer->status == 501, "%s %s: %s", reader->name, path,
	    answer->body);
	if (reader->owns && is_whole && route->scope != KEY_METRICS &&
	    (reader->headers[1] || route->right != RIGHT_SESSION))
		cr_expect(answer->status == 200 || answer->status == 501, "%s %s: %u %s",
		    reader->name, path, answer->status, answer->body);
	for (gsize t = 0; t < G_N_ELEMENTS(texts); t++) {
		for (guint i = 0; i < walk->known->len; i++)
			cr_expect_not(strstr(texts[t], walk->known->pdata[i]), "%s %s: %s",
			    reader->name, path, texts[t]);
		for (gsize i = 0; i < G_N_ELEMENTS(forms); i++)
			cr_expect(!secrets_matches(forms[i], texts[t]) ||
				      may_have(reader, route, forms[i]),
			    "%s %s: %s", reader->name, path, texts[t]);
	}
	if (route->has_downloads && is_whole && answer->status == 200)
		cr_expect(secrets_matches(forms[3], answer->body), "%s: %s", path, answer->body);
	if (strcmp(route->pattern, "/webhooks/{id}") == 0 && answer->status == 200)
		cr_expect_eq(secrets_matches(SIGNED, answer->body), reader->writes, "%s: %s",
		    reader->name, answer->body);
}

static void
walk_front(struct walk *walk, const struct fcgi_front *front)
{
	const guint8 *row = (const guint8 *)front->routes;

	for (guint i = 0; i < front->count; i++, row += front->row_size) {
		const struct fcgi_route *route = (const struct fcgi_route *)row;
		bool is_whole;

		if (route->method != METHOD_GET || route->scope == ROUTE_PUBLIC)
			continue;
		g_autofree char *path = secrets_path_of(walk, front, route->pattern, &is_whole);
		for (guint k = 0; k < READERS; k++)
			secrets_look(walk, &walk->readers[k], route, path, is_whole);
	}
}

/* The attack: the token of a content that was read is pressed. */
static void
expect_cut(const struct walk *walk, const char *id, const char *link)
{
	g_autofree char *email = g_strconcat("/v1/emails/", id, NULL);
	g_autofree char *message = g_strconcat(email, "/message", NULL);
	g_autofree char *resend = g_strconcat("/resend/emails/", id, NULL);
	const char *const paths[] = {email, message, resend};

	for (gsize i = 0; i < G_N_ELEMENTS(paths); i++)
		for (guint k = 0; k < READERS; k++) {
			const struct reader *reader = &walk->readers[k];
			const char *path = paths[i];
			const struct exchange exchange = {
			    path, "GET", path, .headers = {reader->headers[0], reader->headers[1]}};
			AUTO(answer) answer = exchange_ask(fixture, &exchange);

			if (answer->status == 200)
				cr_expect(strstr(answer->body, link), "%s %s: %s", reader->name,
				    path, answer->body);
			for (guint s = 0; s < walk->known->len; s++)
				cr_expect_not(strstr(answer->body, walk->known->pdata[s]),
				    "%s %s: %s", reader->name, path, answer->body);
		}
}

Test(secrets, are_in_no_answer_that_is_read)
{
	struct walk walk = {.known = g_ptr_array_new_with_free_func(g_free),
	    .made = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free)};

	add_emails(&walk);
	secrets_add_readers(&walk);
	walk_front(&walk, &fcgi_front_main);
	walk_front(&walk, &fcgi_resend_front);
	cr_expect_gt(walk.reads, 200u, "only %u answers were read", walk.reads);
	expect_cut(&walk, walk.mailing, "/t/u/\xe2\x80\xa6");
	expect_cut(&walk, walk.confirmation, "/t/s/\xe2\x80\xa6");
	for (guint i = 0; i < READERS; i++)
		for (guint k = 0; k < 2; k++)
			g_free(walk.readers[i].headers[k]);
	g_ptr_array_unref(walk.known);
	g_hash_table_unref(walk.made);
	g_free(walk.mailing);
	g_free(walk.confirmation);
}
