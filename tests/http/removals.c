/* SPDX-License-Identifier: MIT */
/* Rows that the spool removes after what they belong to was deleted. It works for all workspaces,
   so no other test may run meanwhile. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/alone.h"
#include "tests/http/audience.h"
#include "tests/support/db.h"

#define MISSING "{'message':'Audience not found'}"

FIXTURE_SUITE(removals, 900);

/* A deleted audience and its contacts are gone at once, and the spool removes their rows. */
Test(removals, of_an_audience_and_its_contacts)
{
	ALONE_SET(fixture, NULL);
	g_autofree char *id = audience_new(fixture, "News"),
			*other = audience_new(fixture, "Other");
	g_autofree char *contact = audience_add(fixture, id, "{'email':'a@x.org'}");
	g_autofree char *kept = audience_add(fixture, other, "{'email':'a@x.org'}");

	audience_expect(
	    fixture, "DELETE", NULL, 200, "{'message':'Audience deleted'}", "/v1/audiences/%s", id);
	audience_expect(fixture, "DELETE", NULL, 404, MISSING, "/v1/audiences/%s", id);
	audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/audiences/%s", id);
	audience_expect(fixture, "GET", NULL, 404, MISSING, "/v1/audiences/%s/contacts", id);
	audience_expect(
	    fixture, "GET", NULL, 404, MISSING, "/v1/audiences/%s/contacts/%s", id, contact);
	audience_expect(fixture, "PATCH", "{'first_name':'A'}", 404, MISSING,
	    "/v1/audiences/%s/contacts/%s", id, contact);
	audience_expect(
	    fixture, "DELETE", NULL, 404, MISSING, "/v1/audiences/%s/contacts/%s", id, contact);
	alone_spool(fixture, 0);
	g_autofree char *rows = fixture_rows(fixture);
	cr_expect(strstr(rows, "audience 1\naudience_counter 16\naudience_removal 0\ncontact 1\n"),
	    "got %s", rows);
	audience_expect(
	    fixture, "GET", NULL, 200, NULL, "/v1/audiences/%s/contacts/%s", other, kept);
}

Test(removals, of_a_broadcast_and_its_recipients)
{
	ALONE_SET(fixture, NULL);
	const struct exchange draft = {"draft", "POST", "/v1/broadcasts", "{}", 200};
	AUTO(answer) made = exchange_expect(fixture, &draft);
	const char *id = answer_text(made, "id");
	g_autofree char *path = g_strconcat("/v1/broadcasts/", id, NULL);
	g_autofree char *add = g_strdup_printf(
	    "INSERT INTO broadcast_recipient (broadcast_id, person_id, workspace_id, variant,"
	    " status, due) SELECT id, UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id, 0, 2, 5"
	    " FROM broadcast, seq_1_to_5001 WHERE id = UNHEX(REPLACE('%s', '-', ''))",
	    id);
	const struct exchange exchanges[] = {
	    {"deleted", "DELETE", path, NULL, 200, .want = {"message = 'Broadcast deleted'"}},
	    {"gone", "GET", path, NULL, 404},
	    {"again", "DELETE", path, NULL, 404},
	    {"list", "GET", "/v1/broadcasts", NULL, 200, .want = {"count = 0"}},
	};

	test_db_plain(fixture->db, add);
	test_db_plain(
	    fixture->db, "UPDATE broadcast SET status = 6 WHERE workspace_id = @workspace");
	EXPECT_ALL(fixture, exchanges);
	for (guint i = 0; i < 100 && test_db_number(fixture->db,
					 "SELECT COUNT(*) FROM broadcast WHERE workspace_id ="
					 " @workspace") > 0;
	     i++)
		alone_spool(fixture, 0);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM broadcast_recipient WHERE workspace_id ="
			 " @workspace"),
	    0);
}
