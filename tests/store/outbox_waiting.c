/* SPDX-License-Identifier: MIT */
/* What waits in the outbox: which it is, and what it costs to see it. */
#include <string.h>

#include "tests/store/copies.h"
#include "tests/store/letters.h"

PLACE_SUITE(outbox_waiting);

#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

/* A copy of a new email to these, for the recipients of these numbers. */
static struct base_id
put(const struct base_id *workspace, const char *const *to, const char *numbers, gint64 ready_at)
{
	struct store_outbox_entry copy = copies_make(place, 'x', 0);

	copy.email_id = letter_send(place, workspace, to);
	copy.workspace_id = *workspace;
	for (; *numbers; numbers++)
		copy.recipients[copy.count++] = (guint16)(*numbers - '0');
	MUST(store_outbox_insert(place->db, &copy, 1, ready_at, NULL, &error));
	return copy.email_id;
}

static void
delay(const struct base_id *email, guint recipient, gint64 time, const char *response,
    const char *code)
{
	struct store_event event = {.workspace_id = place->workspace,
	    .email_id = *email,
	    .recipient = recipient,
	    .status = EVENT_DELAYED,
	    .timestamp = time,
	    .smtp_response = response,
	    .enhanced_code = code};

	MUST(store_event_insert(place->db, &event, 1, &error));
}

/* Each as "workspace +ready attempts recipients: reason", in lines. */
static char *
print(const GPtrArray *waiting)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < waiting->len; i++) {
		const struct store_outbox_waiting *one = waiting->pdata[i];

		g_string_append_printf(text, "%s %+d%s %u", one->workspace,
		    one->ready_at ? (int)(one->ready_at - NOW) : -1, one->claimed ? "!" : "",
		    one->attempts);
		for (guint r = 0; r < one->recipients->len; r++)
			g_string_append_printf(text, " %s", (char *)one->recipients->pdata[r]);
		g_string_append_printf(text, ": %s\n", one->reason ? one->reason : "-");
		cr_expect_eq(one->since, NOW);
	}
	return g_string_free(text, FALSE);
}

static char *
list(guint limit)
{
	g_autoptr(GPtrArray) waiting =
	    MUST_GIVE(store_outbox_list_waiting(place->db, limit, &error));

	return print(waiting);
}

Test(outbox_waiting, is_listed_with_the_last_reason)
{
	static const char all[] = "other -9 0 c@x.org: -\n"
				  "one +0 0 a@x.org b@x.org: 452 later\n"
				  "one +5 2 e@x.org: 4.4.1\n";
	struct store_outbox_claim by = copies_claim_by("us", 9);

	g_autofree char *nothing = list(9);
	cr_expect_str_eq(nothing, "");
	struct base_id late = put(&place->workspace, TO("d@x.org", "e@x.org"), "1", NOW + 5);
	struct base_id due =
	    put(&place->workspace, TO("a@x.org", "b@x.org", "gone@x.org"), "01", NOW);
	put(&place->other, TO("c@x.org"), "0", NOW - 9);
	copies_put(place, 'c', 0, &by);
	copies_put(place, 'h', NOW, NULL);
	test_db_plain(place->db, "UPDATE outbox SET ready_at = NULL WHERE email_id LIKE 'h%'");
	test_db_plain(place->db, "UPDATE outbox SET attempts = 2 WHERE ready_at = 1800000000005");
	delay(&due, 0, NOW - 1, "452 later", "4.2.2");
	delay(&due, 1, NOW - 2, "451 before", NULL);
	delay(&due, 2, NOW, "450 of another", NULL);
	delay(&late, 1, NOW, NULL, "4.4.1");
	g_autofree char *got = list(9), *first = list(1);
	cr_expect_str_eq(got, all, "got\n%s", got);
	cr_expect_str_eq(first, "other -9 0 c@x.org: -\n", "got\n%s", first);
}

/* However much waits, only what is shown is read: its copy, workspace, recipient and event. */
Test(outbox_waiting, costs_what_it_shows)
{
	const guint shown = 5;

	put(&place->workspace, TO("a@x.org"), "0", NOW);
	test_db_plain(place->db,
	    "INSERT INTO outbox (id, workspace_id, email_id, recipients, attempts, since, ready_at)"
	    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id, email_id, recipients, attempts,"
	    " since, ready_at + seq FROM outbox, seq_1_to_2000");
	test_db_plain(place->db, "ANALYZE TABLE outbox, email, recipient, event");
	g_free(list(shown)); /* prepares */
	place_work(place);
	g_free(list(shown));
	struct place_work work = place_work(place);
	cr_expect_leq(work.read, 12 * shown, "read %d rows", (int)work.read);
	cr_expect_leq(work.sorted, shown, "sorted %d rows", (int)work.sorted);
}

static char *
list_of(const struct base_id *workspace, const struct base_id *email)
{
	g_autoptr(GPtrArray) copies =
	    MUST_GIVE(store_outbox_list_of(place->db, workspace, email, &error));

	return print(copies);
}

/* In whatever state they are: held, claimed, waiting. */
Test(outbox_waiting, is_told_of_one_email)
{
	struct base_id email =
	    put(&place->workspace, TO("a@x.org", "b@x.org", "c@x.org"), "0", NOW + 5);
	struct store_outbox_claim by = copies_claim_by("us", 9);
	struct store_outbox_entry copy = copies_make(place, 'x', 1);

	put(&place->workspace, TO("d@x.org"), "0", NOW);
	copy.email_id = email;
	copy.recipients[0] = 1;
	MUST(store_outbox_insert(place->db, &copy, 1, 0, &by, &error));
	copy.id = base_id_new();
	copy.recipients[0] = 2;
	MUST(store_outbox_insert(place->db, &copy, 1, NOW - 1, NULL, &error));
	test_db_plain(
	    place->db, "UPDATE outbox SET ready_at = NULL WHERE ready_at = 1799999999999");
	g_autofree char *got = list_of(&place->workspace, &email);
	cr_expect_str_eq(got,
	    "one -1 0 c@x.org: -\none +5 0 a@x.org: -\none +600000! 0 b@x.org: -\n", "got\n%s",
	    got);
	g_autofree char *theirs = list_of(&place->other, &email);
	cr_expect_str_eq(theirs, "");
}
