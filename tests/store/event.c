/* SPDX-License-Identifier: MIT */
#include "store/event.h"

#include "tests/store/letters.h"

#define NOW 1800000000000
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct place *place;
static struct base_id email;

static void
begin(void)
{
	place = place_open();
	email = letter_send(place, &place->workspace, TO("b@x.org", "c@x.org"));
}

static void
end(void)
{
	place_close(place);
}

TestSuite(event, .init = begin, .fini = end);

Test(event_name, is_read_back)
{
	for (int status = EVENT_SENT; status <= EVENT_FAILED; status++) {
		const char *name = store_event_name((enum store_event_status)status);

		cr_expect_eq((int)store_event_status(name), status, "%s", name);
	}
	cr_expect_eq(store_event_status("nothing"), EVENT_NONE);
	cr_expect_eq(store_event_status(""), EVENT_NONE);
	cr_expect_null(store_event_name(EVENT_NONE));
}

static const char *
or_none(const char *text)
{
	return text ? text : "none";
}

static void
print(const struct store_event *e, void *context)
{
	cr_expect(base_id_equal(&e->workspace_id, &place->workspace));
	cr_expect(base_id_equal(&e->email_id, &email));
	g_string_append_printf(context, "%u %s +%d %s %s %d %s %s %s\n", e->recipient,
	    store_event_name(e->status), (int)(e->timestamp - NOW), or_none(e->smtp_response),
	    or_none(e->enhanced_code), (int)e->bounce_type, or_none(e->ip), or_none(e->user_agent),
	    or_none(e->link));
}

static char *
list(void)
{
	GString *text = g_string_new(NULL);

	g_autoptr(GPtrArray) events =
	    MUST_GIVE(store_event_page(place->db, &email, NULL, NULL, 1000, &error));
	for (guint i = events->len; i > 0; i--)
		print(events->pdata[i - 1], text);
	return g_string_free(text, FALSE);
}

Test(event, comes_back_as_it_was)
{
	struct store_event events[] = {
	    {.recipient = 0,
		.status = EVENT_CLICKED,
		.timestamp = NOW + 2,
		.ip = "2001:db8::1",
		.user_agent = "Grüße/1.0",
		.link = "https://x.org/"},
	    {.recipient = 1,
		.status = EVENT_BOUNCED,
		.timestamp = NOW + 1,
		.smtp_response = "550 no such user",
		.enhanced_code = "5.1.1",
		.bounce_type = BOUNCE_PERMANENT},
	    {.recipient = 0, .status = EVENT_SENT, .timestamp = NOW},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(events); i++) {
		events[i].workspace_id = place->workspace;
		events[i].email_id = email;
	}
	MUST(store_event_insert(place->db, events, G_N_ELEMENTS(events), &error));
	MUST(store_event_insert(place->db, events, 0, &error));
	letter_event(place, &place->workspace, &(struct base_id){{1}}, 0, EVENT_SENT,
	    NOW); /* of another email */
	g_autofree char *got = list();
	cr_expect_str_eq(got,
	    "0 sent +0 none none 0 none none none\n"
	    "1 bounced +1 550 no such user 5.1.1 1 none none none\n"
	    "0 clicked +2 none none 0 2001:db8::1 Grüße/1.0 https://x.org/\n",
	    "got %s", got);
}

Test(event, of_one_moment_keeps_its_order)
{
	for (int i = 0; i < 5; i++)
		letter_event(place, &place->workspace, &email, 0,
		    (enum store_event_status)(EVENT_SENT + i), NOW);
	g_autofree char *got = list();
	g_auto(GStrv) lines = g_strsplit(got, "\n", -1);
	for (int i = 0; i < 5; i++)
		cr_expect(
		    strstr(lines[i], store_event_name((enum store_event_status)(EVENT_SENT + i))),
		    "line %d: got %s", i, lines[i]);
}

static struct store_email_recipient
recipient_at(guint number)
{
	AUTO(store_email)
	got = MUST_GIVE(store_email_get(
	    place->db, &place->workspace, &email, (enum store_email_part_role)0, &error));

	return *(struct store_email_recipient *)got->recipients->pdata[number];
}

/* Events that come late, a report of yesterday say, do not change what is the case now. */
Test(event, is_the_recipients_latest_unless_a_later_one_is_known)
{
	static const struct {
		const char *name;
		enum store_event_status status;
		gint64 time;
		enum store_event_status want;
		gint64 want_at;
	} cases[] = {
	    {"the first", EVENT_SENT, 10, EVENT_SENT, 10},
	    {"a later one", EVENT_DELIVERED, 20, EVENT_DELIVERED, 20},
	    {"an earlier one", EVENT_DELAYED, 19, EVENT_DELIVERED, 20},
	    {"one of the same moment", EVENT_OPENED, 20, EVENT_OPENED, 20},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		letter_event(place, &place->workspace, &email, 1, cases[i].status, cases[i].time);
		struct store_email_recipient got = recipient_at(1);

		cr_expect_eq(got.status, cases[i].want, "%s: got %s", cases[i].name,
		    store_event_name(got.status));
		cr_expect_eq(got.status_at, cases[i].want_at, "%s", cases[i].name);
	}
	cr_expect_eq(recipient_at(0).status, EVENT_NONE);
}

Test(event, of_several_in_one_call_ends_with_the_last)
{
	struct store_event events[] = {
	    {.email_id = email, .status = EVENT_DELAYED, .timestamp = NOW},
	    {.email_id = email, .status = EVENT_SENT, .timestamp = NOW},
	};

	MUST(store_event_insert(place->db, events, 2, &error));
	cr_expect_eq(recipient_at(0).status, EVENT_SENT);
}

Test(event, copy_owns_its_texts)
{
	char response[] = "250 ok";
	struct store_event event = {.status = EVENT_SENT, .smtp_response = response};
	struct store_event *copy = store_event_copy(&event);

	response[0] = 'x';
	cr_expect_str_eq(copy->smtp_response, "250 ok");
	cr_expect_null(copy->link);
	store_event_free(copy);
}
