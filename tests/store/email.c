/* SPDX-License-Identifier: MIT */
#include "store/email/email.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits/email.h"
#include "base/limits/unit.h"
#include "db/note.h"
#include "store/domain/domain.h"
#include "tests/store/emails.h"

#define NOW 1800000000000
#define TO(...) ((const char *const[]){__VA_ARGS__, NULL})

static struct fixture *fixture;

static void
email_begin(void)
{
	fixture = fixture_open();
	base_clock_set(NOW);
}

static void
email_end(void)
{
	fixture_close(fixture);
}

TestSuite(email, .init = email_begin, .fini = email_end);

static void
email_add_part(struct store_email *email, enum store_email_part_role role, GBytes *data,
    const char *filename, const char *content_id)
{
	store_email_add_part(email, role, data, g_strdup(filename),
	    g_strdup(filename ? "image/png" : NULL), g_strdup(content_id));
	g_bytes_unref(data);
}

/* An email with every field set. */
static struct store_email *
make_full(void)
{
	struct store_domain domain = {.workspace_id = fixture->workspace,
	    .name = (char *)"example.com",
	    .status = DOMAIN_SUCCESS};
	struct store_email *email = email_new(&fixture->workspace, TO("b@x.org"));

	MUST(store_domain_create(
	    fixture->db, &domain, &(struct store_domain_creation){NULL, NULL, 0, 0}, &error));
	email->domain_id = domain.id;
	email->type = EMAIL_AUTOMATION;
	email->cc = g_strdup("Grüße <c@x.org>");
	email->bcc = g_strdup("d@x.org");
	email->reply_to = g_strdup("e@x.org");
	email->template_id = g_strdup("welcome");
	email->variables = g_strdup("{\"a\":\"b\"}");
	email->headers = g_strdup("{\"X-A\":\"b\"}");
	email->tags = g_strdup("{\"t\":\"u\"}");
	email->scheduled_at = NOW + 60000;
	store_email_add_recipient(email, RECIPIENT_CC, g_strdup("c@x.org"));
	store_email_add_recipient(email, RECIPIENT_BCC, g_strdup("d@x.org"));
	email_add_part(email, PART_TEXT, g_bytes_new_static("Hello", 5), NULL, NULL);
	email_add_part(email, PART_ATTACHMENT, fixture_bytes(LIMIT_MIB + 1, 1), "a.png", "cid1");
	email_add_part(email, PART_ATTACHMENT, fixture_bytes(0, 1), "empty.png", NULL);
	email_store(fixture, email);
	return email;
}

static void
expect_same_text(const char *name, const char *got, const char *want)
{
	cr_expect_str_eq(
	    got ? got : "NULL", want ? want : "NULL", "%s: got %s, want %s", name, got, want);
}

static void
email_expect_same(const struct store_email *got, const struct store_email *want)
{
	const struct {
		const char *name, *got, *want;
	} texts[] = {
	    {"sender", got->sender, want->sender},
	    {"to", got->to, want->to},
	    {"cc", got->cc, want->cc},
	    {"bcc", got->bcc, want->bcc},
	    {"reply_to", got->reply_to, want->reply_to},
	    {"subject", got->subject, want->subject},
	    {"template_id", got->template_id, want->template_id},
	    {"variables", got->variables, want->variables},
	    {"headers", got->headers, want->headers},
	    {"tags", got->tags, want->tags},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(texts); i++)
		expect_same_text(texts[i].name, texts[i].got, texts[i].want);
	cr_expect(base_id_equal(&got->id, &want->id));
	cr_expect(base_id_equal(&got->workspace_id, &want->workspace_id));
	cr_expect(base_id_equal(&got->domain_id, &want->domain_id));
	cr_expect_eq(got->type, want->type);
	cr_expect_eq(got->created, want->created);
	cr_expect_eq(got->scheduled_at, want->scheduled_at);
	cr_expect_eq(got->sent, 0);
	cr_expect_eq(got->cancelled, 0);
	cr_assert_eq(got->recipients->len, want->recipients->len);
	for (guint i = 0; i < got->recipients->len; i++) {
		const struct store_email_recipient *g = got->recipients->pdata[i],
						   *w = want->recipients->pdata[i];

		cr_expect_eq(g->kind, w->kind, "recipient %u", i);
		expect_same_text("recipient", g->address, w->address);
		cr_expect_eq(g->status, EVENT_NONE);
		cr_expect_eq(g->status_at, 0);
	}
}

/* Expects the contents up to this role, and no others. */
static void
expect_contents(const struct store_email *got, const struct store_email *want,
    enum store_email_part_role contents)
{
	cr_assert_eq(got->parts->len, want->parts->len);
	for (guint i = 0; i < got->parts->len; i++) {
		const struct store_email_part *g = got->parts->pdata[i], *w = want->parts->pdata[i];

		cr_expect_eq(g->role, w->role, "part %u", i);
		expect_same_text("filename", g->filename, w->filename);
		expect_same_text("content_type", g->content_type, w->content_type);
		expect_same_text("content_id", g->content_id, w->content_id);
		cr_expect_eq(g->body.is_own, w->body.is_own, "part %u", i);
		if (g->body.data || !g->body.is_own)
			cr_expect_arr_eq(g->body.hash, w->body.hash, SHA256_SIZE);
		if (g->role <= contents)
			cr_expect(g->body.data && g_bytes_equal(g->body.data, w->body.data),
			    "part %u with contents to %d", i, (int)contents);
		else
			cr_expect_null(
			    g->body.data, "part %u with contents to %d", i, (int)contents);
	}
}

Test(email, comes_back_as_it_was)
{
	AUTO(store_email) email = make_full();

	for (int contents = 0; contents <= PART_ATTACHMENT; contents++) {
		AUTO(store_email) got = MUST_GIVE(store_email_get(fixture->db, &fixture->workspace,
		    &email->id, (enum store_email_part_role)contents, &error));

		email_expect_same(got, email);
		cr_expect_str_eq(got->domain, "example.com");
		expect_contents(got, email, (enum store_email_part_role)contents);
	}
}

Test(email, may_have_next_to_nothing)
{
	AUTO(store_email) email = email_new(&fixture->workspace, TO("b@x.org"));

	email_store(fixture, email);
	AUTO(store_email) got = MUST_GIVE(
	    store_email_get(fixture->db, &fixture->workspace, &email->id, PART_TEXT, &error));
	email_expect_same(got, email);
	expect_contents(got, email, PART_ATTACHMENT);
	cr_expect_null(got->domain, "its domain is gone");
	cr_expect_not_null(store_email_body(got, PART_HTML));
	cr_expect_null(store_email_body(got, PART_TEXT));
}

/* An answer shows html and text, and no attachment. */
Test(email, is_shown_with_its_texts)
{
	AUTO(store_email) full = make_full();
	AUTO(store_email) small = email_new(&fixture->workspace, TO("b@x.org"));
	const struct store_email *const emails[] = {full, small};

	email_store(fixture, small);
	for (gsize i = 0; i < G_N_ELEMENTS(emails); i++) {
		struct store_event_history *histories;
		AUTO(store_email) got = MUST_GIVE(store_email_show(
		    fixture->db, NULL, &fixture->workspace, &emails[i]->id, &histories, &error));

		for (guint role = PART_HTML; role <= PART_ATTACHMENT; role++) {
			const struct store_body *want =
			    role == PART_ATTACHMENT ? NULL : store_email_body(emails[i], role);
			const struct store_body *body = store_email_body(got, role);
			cr_expect_eq(!body, !want, "%zu: role %u", i, role);
			cr_expect(!body || g_bytes_equal(body->data, want->data));
		}
		cr_expect_str_eq(got->sender, emails[i]->sender);
		cr_expect_eq(got->created, emails[i]->created);
		cr_expect_eq(got->recipients->len, emails[i]->recipients->len);
		store_event_history_clear(histories, got->recipients->len);
		g_free(histories);
		MUST_FAIL(store_email_show(fixture->db, NULL, &fixture->other, &emails[i]->id,
			      &histories, &error),
		    PH_ERROR_NOT_FOUND);
	}
}

Test(email, reads_and_forgets_its_contents)
{
	AUTO(store_email) email = make_full();
	AUTO(store_email) got = MUST_GIVE(store_email_get(
	    fixture->db, &fixture->workspace, &email->id, (enum store_email_part_role)0, &error));

	for (int again = 0; again < 2; again++) {
		MUST(store_email_read_contents(fixture->db, got, &error));
		MUST(store_email_read_contents(fixture->db, got, &error));
		expect_contents(got, email, PART_ATTACHMENT);
		store_email_forget_contents(got);
		expect_contents(got, email, (enum store_email_part_role)0);
	}
}

Test(email, belongs_to_its_workspace)
{
	struct base_id id = email_send(fixture, &fixture->workspace, TO("b@x.org")),
		       unknown = base_id_new();

	MUST_FAIL(store_email_get(fixture->db, &fixture->other, &id, PART_TEXT, &error),
	    PH_ERROR_NOT_FOUND);
	MUST_FAIL(store_email_get(fixture->db, &fixture->workspace, &unknown, PART_TEXT, &error),
	    PH_ERROR_NOT_FOUND);
}

Test(email, holds_its_contents)
{
	AUTO(store_email) email = make_full();

	for (guint i = 0; i < email->parts->len; i++) {
		const struct store_email_part *part = email->parts->pdata[i];

		MUST(store_body_drop(fixture->db, &fixture->workspace, part->body.hash, &error));
	}
	AUTO(store_email) got = MUST_GIVE(
	    store_email_get(fixture->db, &fixture->workspace, &email->id, PART_ATTACHMENT, &error));
	expect_contents(got, email, PART_ATTACHMENT);
}

/* Gives an email contents of its own in fixture of the usual ones; -1: none. */
static void
set_own(struct store_email *email, gssize html, gssize text)
{
	const struct {
		enum store_email_part_role role;
		gssize size;
	} parts[] = {{PART_HTML, html}, {PART_TEXT, text}};

	g_ptr_array_set_size(email->parts, 0);
	for (guint i = 0; i < G_N_ELEMENTS(parts); i++) {
		if (parts[i].size < 0)
			continue;
		g_autoptr(GBytes) data = fixture_bytes((gsize)parts[i].size, (guint8)(i + 1));
		store_email_add_own(email, parts[i].role, data);
	}
}

static void
email_expect_shown(const char *name, const struct store_email *want)
{
	struct store_event_history *histories;
	AUTO(store_email) got = MUST_GIVE(store_email_show(
	    fixture->db, NULL, &fixture->workspace, &want->id, &histories, &error));

	for (guint role = PART_HTML; role <= PART_TEXT; role++) {
		const struct store_body *g = store_email_body(got, role),
					*w = store_email_body(want, role);
		cr_expect_eq(!g, !w, "%s: role %u", name, role);
		cr_expect(!g || g_bytes_equal(g->data, w->data), "%s: role %u", name, role);
	}
	store_event_history_clear(histories, got->recipients->len);
	g_free(histories);
}

/* In all ways of reading. Contents of own and shared parts come in any order. */
Test(email, keeps_its_own_contents_beside_it)
{
	static const struct {
		const char *name;
		gssize html, text;
		gint64 rows, parts;
	} cases[] = {
	    {"html and text", 5000, 700, 1, 0},
	    {"text alone", -1, 700, 1, 0},
	    {"empty text", -1, 0, 1, 0},
	    {"the largest", LIMIT_OWN_CONTENT_BYTES, LIMIT_OWN_CONTENT_BYTES, 1, 0},
	    {"one byte more html", LIMIT_OWN_CONTENT_BYTES + 1, -1, 0, 1},
	    {"one byte more in both", LIMIT_OWN_CONTENT_BYTES + 1, LIMIT_OWN_CONTENT_BYTES + 1, 0,
		2},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(store_email) email = email_new(&fixture->workspace, TO("b@x.org"));

		test_db_plain(fixture->db, "DELETE FROM email_content");
		test_db_plain(fixture->db, "DELETE FROM email_part");
		set_own(email, cases[i].html, cases[i].text);
		email_add_part(email, PART_ATTACHMENT, fixture_bytes(100, 1), "a.png", "cid1");
		email_store(fixture, email);
		cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM email_content"),
		    cases[i].rows, "%s", cases[i].name);
		cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM email_part"),
		    cases[i].parts + 1, "%s", cases[i].name);
		for (int contents = 0; contents <= PART_ATTACHMENT; contents++) {
			AUTO(store_email) got =
			    MUST_GIVE(store_email_get(fixture->db, &fixture->workspace, &email->id,
				(enum store_email_part_role)contents, &error));
			expect_contents(got, email, (enum store_email_part_role)contents);
			MUST(store_email_read_contents(fixture->db, got, &error));
			expect_contents(got, email, PART_ATTACHMENT);
		}
		email_expect_shown(cases[i].name, email);
		struct store_email *batch;
		MUST(store_email_get_batch(
		    fixture->db, &fixture->workspace, &email->id, 1, &batch, &error));
		MUST(store_email_read_contents(fixture->db, batch, &error));
		expect_contents(batch, email, PART_ATTACHMENT);
		store_email_free(batch);
	}
}

/* A template gives the html, and the request the text; and the other way round. */
Test(email, may_share_html_alone_or_text_alone)
{
	for (int own = PART_HTML; own <= PART_TEXT; own++) {
		AUTO(store_email) email = email_new(&fixture->workspace, TO("b@x.org"));

		set_own(email, own == PART_HTML ? 50 : -1, own == PART_TEXT ? 50 : -1);
		email_add_part(email, own == PART_HTML ? PART_TEXT : PART_HTML,
		    fixture_bytes(60, 3), NULL, NULL);
		email_store(fixture, email);
		AUTO(store_email) got = MUST_GIVE(store_email_get(
		    fixture->db, &fixture->workspace, &email->id, PART_TEXT, &error));
		expect_contents(got, email, PART_TEXT);
		email_expect_shown(own == PART_HTML ? "own html" : "own text", email);
	}
}

/* The others of the batch are read; the email itself is not taken for one without content. */
Test(email, tells_that_its_own_contents_are_damaged)
{
	static const struct {
		const char *name, *sql, *want;
	} cases[] = {
	    {"no header", "UPDATE email_content SET data = '' WHERE email_id = ?",
		"a stored content is damaged"},
	    {"cut off", "UPDATE email_content SET data = LEFT(data, 20) WHERE email_id = ?",
		"a stored content is damaged: "},
	    {"too large",
		"UPDATE email_content SET data = INSERT(data, 2, 1, X'7f') WHERE email_id = ?",
		"a stored content is damaged"},
	    {"gone", "DELETE FROM email_content WHERE email_id = ?",
		"the contents of an email are missing"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct base_id ids[2], workspaces[2] = {fixture->workspace, fixture->workspace};
		struct store_email *emails[2];
		struct store_event_history *histories;
		g_autoptr(GError) fault = NULL;
		bool gone = i + 1 == G_N_ELEMENTS(cases);

		for (guint e = 0; e < 2; e++) {
			AUTO(store_email) email = email_new(&fixture->workspace, TO("b@x.org"));

			set_own(email, 50, 20);
			email_store(fixture, email);
			ids[e] = email->id;
		}
		/* The row goes after the email was read. */
		if (!gone)
			MUST(db_run(
			    fixture->db, cases[i].sql, DB_VALUES(db_id(&ids[0])), NULL, &error));
		MUST(store_email_get_batch(fixture->db, workspaces, ids, 2, emails, &error));
		if (gone) {
			MUST(db_run(
			    fixture->db, cases[i].sql, DB_VALUES(db_id(&ids[0])), NULL, &error));
			store_email_forget_contents(emails[0]);
		}
		cr_expect_not(store_email_read_contents(fixture->db, emails[0], &fault));
		cr_expect(fault && g_str_has_prefix(fault->message, cases[i].want), "%s: %s",
		    cases[i].name, fault ? fault->message : "no error");
		MUST(store_email_read_contents(fixture->db, emails[1], &error));
		cr_expect_not_null(store_email_body(emails[1], PART_HTML));
		for (guint e = 0; e < 2; e++)
			store_email_free(emails[e]);
		if (gone)
			continue;
		MUST_FAIL(
		    store_email_get(fixture->db, &fixture->workspace, &ids[0], PART_TEXT, &error),
		    PH_ERROR_FAILED);
		MUST_FAIL(store_email_show(
			      fixture->db, NULL, &fixture->workspace, &ids[0], &histories, &error),
		    PH_ERROR_FAILED);
	}
}

Test(email, shares_equal_contents)
{
	AUTO(store_email) email = email_new(&fixture->workspace, TO("b@x.org"));
	GBytes *data = fixture_bytes(LIMIT_MIB + 1, 1);

	email_add_part(email, PART_ATTACHMENT, g_bytes_ref(data), "a.png", NULL);
	email_add_part(email, PART_ATTACHMENT, data, "b.png", NULL);
	email_store(fixture, email);
	email_send(fixture, &fixture->workspace, TO("c@x.org"));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM body"), 2);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM email_part"), 4);
}

Test(email, takes_as_many_recipients_as_there_can_be)
{
	AUTO(store_email) email = email_new(&fixture->workspace, TO("first@x.org"));

	for (guint i = 1; i < 3 * LIMIT_RECIPIENTS; i++)
		store_email_add_recipient(
		    email, i < 100 ? RECIPIENT_CC : RECIPIENT_BCC, g_strdup_printf("r%u@x.org", i));
	email_store(fixture, email);
	AUTO(store_email) got = MUST_GIVE(
	    store_email_get(fixture->db, &fixture->workspace, &email->id, PART_TEXT, &error));
	email_expect_same(got, email);
}

Test(email, is_stored_whole_or_not_at_all)
{
	AUTO(store_email) email = email_new(&fixture->workspace, TO("b@x.org"));

	store_email_add_recipient(email, RECIPIENT_CC, g_strdup("b@x.org"));
	email_store(fixture, email);
	AUTO(store_email) again = email_new(&fixture->workspace, TO("b@x.org"));
	again->id = email->id;
	MUST_FAIL(db_transact(fixture->db, email_insert, again, &error), PH_ERROR_CONFLICT);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM recipient"), 2);
}

Test(email, was_sent_when_the_relay_first_took_it)
{
	struct base_id ids[] = {email_send(fixture, &fixture->workspace, TO("b@x.org")),
	    email_send(fixture, &fixture->workspace, TO("c@x.org"))};

	MUST(store_email_sent(fixture->db,
	    &(struct store_email_sent){fixture->workspace, ids[0], NOW + 1}, 1, &error));
	MUST(store_email_sent(fixture->db,
	    (struct store_email_sent[]){
		{fixture->workspace, ids[0], NOW + 2}, {fixture->workspace, ids[1], NOW + 2}},
	    2, &error));
	MUST(store_email_sent(fixture->db, NULL, 0, &error));
	for (guint i = 0; i < 2; i++) {
		AUTO(store_email) got = MUST_GIVE(
		    store_email_get(fixture->db, &fixture->workspace, &ids[i], PART_TEXT, &error));
		cr_expect_eq(got->sent, NOW + 1 + i, "email %u", i);
	}
}

/* One statement stores the times of 25 emails. */
Test(email, of_many_was_sent_when_the_relay_first_took_it)
{
	struct store_email_sent sent[27];

	for (guint i = 0; i < 26; i++)
		sent[i] = (struct store_email_sent){fixture->workspace,
		    email_send(fixture, &fixture->workspace, TO("b@x.org")), NOW + i};
	sent[26] = (struct store_email_sent){fixture->workspace, sent[25].id, NOW + 99};
	MUST(store_email_sent(fixture->db, sent, 25, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM email WHERE sent IS NULL"), 1);
	MUST(store_email_sent(fixture->db, sent, 27, &error));
	for (guint i = 0; i < 26; i++) {
		AUTO(store_email) got = MUST_GIVE(store_email_get(
		    fixture->db, &fixture->workspace, &sent[i].id, PART_TEXT, &error));
		cr_expect_eq(got->sent, NOW + i, "email %u", i);
	}
}

/* The recipients have the time at which the email was sent. Its own row has it where theirs do not,
   and as long as programs of the version before may run, which read it there. */
static const struct {
	const char *name;
	bool finished;
	struct {
		guint recipient;
		enum store_event_status status;
		gint64 time;
	} calls[3][3]; /* the events of each call */
	gint64 want, want_own;
} sent_cases[] = {
    {"one recipient", true, {{{0, EVENT_SENT, 5}}}, 5, 0},
    {"the same, before older programs ended", false, {{{0, EVENT_SENT, 5}}}, 5, 5},
    {"two, the later one first", true, {{{1, EVENT_SENT, 9}}, {{0, EVENT_SENT, 5}}}, 5, 0},
    {"two at once", true, {{{0, EVENT_SENT, 7}, {1, EVENT_SENT, 6}}}, 6, 0},
    {"again", true, {{{0, EVENT_SENT, 5}}, {{0, EVENT_SENT, 8}}}, 5, 0},
    {"then delivered", true, {{{0, EVENT_SENT, 5}}, {{0, EVENT_DELIVERED, 8}}}, 5, 0},
    {"delivered at once", true, {{{0, EVENT_SENT, 5}, {0, EVENT_DELIVERED, 5}}}, 5, 5},
    {"delivered was told first", true, {{{0, EVENT_DELIVERED, 8}}, {{0, EVENT_SENT, 5}}}, 5, 5},
    {"one of two was told first", true,
	{{{0, EVENT_DELIVERED, 8}}, {{0, EVENT_SENT, 5}, {1, EVENT_SENT, 6}}}, 5, 5},
    {"not sent", true, {{{0, EVENT_DELAYED, 5}}, {{0, EVENT_FAILED, 8}}}, 0, 0},
};

Test(email, was_sent_when_its_first_recipient_was)
{
	for (gsize i = 0; i < G_N_ELEMENTS(sent_cases); i++) {
		struct base_id id =
		    email_send(fixture, &fixture->workspace, TO("b@x.org", "c@x.org"));

		*db_note(fixture->db) = (struct db_note){0, 0};
		test_db_plain(fixture->db, sent_cases[i].finished
					       ? "INSERT IGNORE INTO schema_version"
						 " VALUES (490, 'email-sent', 1)"
					       : "DELETE FROM schema_version WHERE version = 490");
		for (gsize c = 0; c < G_N_ELEMENTS(sent_cases[i].calls); c++) {
			struct store_event events[3];
			guint count = 0;

			for (gsize e = 0; e < G_N_ELEMENTS(events); e++)
				if (sent_cases[i].calls[c][e].status)
					events[count++] =
					    (struct store_event){.workspace_id = fixture->workspace,
						.email_id = id,
						.recipient = sent_cases[i].calls[c][e].recipient,
						.status = sent_cases[i].calls[c][e].status,
						.timestamp = NOW + sent_cases[i].calls[c][e].time};
			MUST(store_event_insert(fixture->db, events, count, &error));
		}
		AUTO(store_email) got = MUST_GIVE(
		    store_email_get(fixture->db, &fixture->workspace, &id, PART_TEXT, &error));
		cr_expect_eq(got->sent, sent_cases[i].want ? NOW + sent_cases[i].want : 0,
		    "%s: got %" G_GINT64_FORMAT, sent_cases[i].name, got->sent - NOW);
		AUTO(db_rows) rows = MUST_GIVE(db_select(fixture->db,
		    "SELECT sent FROM email WHERE id = ?", DB_VALUES(db_id(&id)), &error));
		cr_assert(db_rows_next(rows));
		gint64 want = sent_cases[i].want_own ? NOW + sent_cases[i].want_own : 0;
		cr_expect_eq(
		    db_rows_int(rows, DB_ROWS_ONLY), want, "%s: its own row", sent_cases[i].name);
	}
}

Test(email, type_has_a_word)
{
	cr_expect_str_eq(store_email_type_name(EMAIL_TRANSACTIONAL), "transactional");
	cr_expect_str_eq(store_email_type_name(EMAIL_AUTOMATION), "automation");
}
