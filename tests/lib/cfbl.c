/* SPDX-License-Identifier: MIT */
/* Tests the address for complaints that each message names (RFC 9477). */
#include <criterion/criterion.h>
#include <string.h>

#include "email/compose.h"
#include "email/draft.h"
#include "json/strict.h"
#include "json/value.h"
#include "link/own_address.h"
#include "link/return_path.h"
#include "store/email/email.h"
#include "tests/lib/fixture.h"

/* The header of the message for its only reader, unfolded, in lower case. The caller owns it. */
static char *
cfbl_header(struct fixture *fixture, const struct store_email *email, guint reader)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GBytes) bytes =
	    email_compose_for(fixture->service, email, COMPOSE_SHARED, reader, NULL, &error);

	cr_assert(bytes, "%s", error ? error->message : "");
	GString *text =
	    g_string_new_len(g_bytes_get_data(bytes, NULL), (gssize)g_bytes_get_size(bytes));
	g_string_truncate(text, (gsize)(strstr(text->str, "\r\n\r\n") - text->str + 2));
	g_string_replace(text, "\r\n\t", "", 0);
	g_string_replace(text, "\r\n ", "", 0);
	return g_string_free(text, FALSE);
}

/* The value of a field; "" without one. The caller owns it. */
static char *
cfbl_field(const char *header, const char *name)
{
	g_autofree char *begin = g_strdup_printf("\r\n%s: ", name);
	const char *at = strstr(header, begin);

	if (!at)
		return g_strdup("");
	at += strlen(begin);
	return g_strndup(at, strcspn(at, "\r"));
}

Test(cfbl, names_email_and_reader)
{
	static const struct {
		const char *name, *settings, *headers;
		guint reader, want;
		bool is_there;
	} cases[] = {
	    {"the first", NULL, "{}", 0, 0, true},
	    {"the second", NULL, "{}", 1, 1, true},
	    {"several", NULL, "{}", COMPOSE_SHARED, RETURN_PATH_SHARED, true},
	    {"on", "[smtp]\ncfbl = yes\n", "{}", 0, 0, true},
	    {"off", "[smtp]\ncfbl = no\n", "{}", 0, 0, false},
	    {"a fixed return path", "[smtp]\nreturn_path = b@example.net\n", "{}", 0, 0, false},
	    {"that of a relay",
		"[relay a]\nhost = 127.0.0.1\n[relay b]\nhost = 127.0.0.1\n"
		"return_path = b@example.net\n",
		"{}", 0, 0, false},
	    {"that of a relay that is not of the route",
		"[relay a]\nhost = 127.0.0.1\n[relay b]\nhost = 127.0.0.1\n"
		"default = no\nreturn_path = b@example.net\n",
		"{}", 0, 0, true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(fixture) fixture = fixture_open(NULL, cases[i].settings);
		struct email_submission submission = fixture_submission();

		submission.to = (const char *[]){"a@x.org", "b@x.org", NULL};
		AUTO(email_draft)
		draft = email_draft_new(
		    fixture->service, &fixture->key.workspace_id, &submission, NULL);
		cr_assert(draft, "%s", cases[i].name);
		g_autofree char *header = cfbl_header(fixture, draft->email, cases[i].reader);
		g_autofree char *address = cfbl_field(header, "CFBL-Address");
		g_autofree char *id = cfbl_field(header, "CFBL-Feedback-ID");
		if (!cases[i].is_there) {
			cr_expect_not(strstr(header, "CFBL-"), "%s: %s", cases[i].name, header);
			continue;
		}
		g_autofree char *want =
		    g_strdup_printf("c+%s@send.%s; report=arf", id, draft->email->domain);
		cr_expect_str_eq(address, want, "%s", cases[i].name);
		cr_expect(strstr(header, "CFBL-Address:CFBL-Feedback-ID:From"),
		    "%s: not signed: %s", cases[i].name, header);
		struct link_return_path path;
		struct link_token token;
		g_autofree char *bare = g_strndup(address, strcspn(address, ";"));
		cr_assert(link_return_path_read_complaint(fixture->service, id, &path));
		cr_expect(base_id_equal(&path.email, &draft->email->id));
		cr_expect_eq(path.recipient, cases[i].want, "%s", cases[i].name);
		cr_assert_eq(link_own_address(fixture->service, bare, &token), LINK_OWN_COMPLAINT);
		cr_expect_eq(token.recipient, cases[i].want, "%s", cases[i].name);
		/* It is no return path. */
		bare[0] = 'b';
		cr_expect_eq(link_own_address(fixture->service, bare, NULL), LINK_OWN_NONE);
		cr_expect_not(link_return_path_read_envid(fixture->service, id, &path));
	}
}

/* A sender who takes complaints elsewhere says so in the message. */
Test(cfbl, leaves_a_field_of_the_sender)
{
	static const char given[] = "{\"cfbl-address\":\"fbl@example.com\"}";
	AUTO(fixture) fixture = fixture_open(NULL, NULL);
	AUTO(json) headers = json_parse(given, strlen(given), NULL);
	struct email_submission submission = fixture_submission();

	submission.headers = headers;
	AUTO(email_draft)
	draft = email_draft_new(fixture->service, &fixture->key.workspace_id, &submission, NULL);
	cr_assert(draft);
	g_autofree char *header = cfbl_header(fixture, draft->email, 0);
	cr_expect(strstr(header, "cfbl-address: fbl@example.com\r\n"), "%s", header);
	cr_expect_not(strstr(header, "\r\nCFBL-"), "%s", header);
}
