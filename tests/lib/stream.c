/* SPDX-License-Identifier: MIT */
#include "delivery/stream.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "person/suppress.h"
#include "service/metrics.h"
#include "store/outbox/stream.h"
#include "tests/lib/posting.h"
#include "tests/support/db.h"
#include "tests/support/smtp_server.h"
#include "tests/support/steps.h"
#include "upkeep/metrics_text.h"

#define HOUR_MS ((gint64)3600 * 1000)
#define NOON ((gint64)20833 * 24 * HOUR_MS + 12 * HOUR_MS)

static const struct smtp_script good = {.extensions = NULL};

static void
stream_set(struct fixture *fixture, enum store_stream stream, bool paused, gint64 per_hour)
{
	const struct store_stream_change change = {&paused, &per_hour, false, NULL};
	g_autoptr(GError) error = NULL;

	cr_assert(store_stream_change(fixture->db, &fixture->key.workspace_id, stream, &change,
		      base_clock_now(), &error),
	    "%s", error ? error->message : "");
}

/* Stores an email of a stream to these addresses, separated by blanks. */
static struct base_id
stream_submit(struct fixture *fixture, enum store_stream stream, const char *addresses)
{
	struct email_submission submission = fixture_submission();
	g_auto(GStrv) to = g_strsplit(addresses, " ", -1);

	submission.to = (const char **)to;
	submission.stream = store_stream_name(stream);
	return posting_store(fixture, &submission);
}

static gint64
stream_sent(struct fixture *fixture)
{
	return test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 1");
}

static void
stream_expect_sent(struct fixture *fixture, gint64 want)
{
	posting_deliver(fixture);
	gint64 got = stream_sent(fixture);
	cr_expect_eq(got, want, "got %d, want %d", (int)got, (int)want);
}

static void
stream_expect_events(struct fixture *fixture, const struct base_id *email, const char *want)
{
	g_autofree char *got = fixture_events(fixture, email);

	cr_expect_str_eq(got, want, "got\n%swant\n%s", got, want);
}

Test(stream, that_is_paused_waits_without_attempt_and_event)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);

	base_clock_set(NOON);
	stream_set(fixture, STREAM_BROADCAST, true, 0);
	struct base_id id = stream_submit(fixture, STREAM_BROADCAST, "a@x.org b@x.org");
	struct base_id other = stream_submit(fixture, STREAM_AUTOMATION, "a@x.org");
	stream_expect_sent(fixture, 1);
	stream_expect_events(fixture, &other, "0 sent\n");
	stream_expect_events(fixture, &id, "");
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM outbox WHERE owner IS NULL AND token IS NULL"
			 " AND reason = 'paused: the stream broadcast is paused'"),
	    1);
	/* It is due again when it goes on, and fails no earlier for the time that it waited. */
	base_clock_set(NOON + 50 * HOUR_MS);
	stream_expect_sent(fixture, 1);
	stream_set(fixture, STREAM_BROADCAST, false, 0);
	cr_expect_geq(test_db_number(fixture->db, "SELECT since FROM outbox"), NOON + 50 * HOUR_MS);
	stream_expect_sent(fixture, 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 3);
	cr_expect_eq(test_db_number(fixture->db, "SELECT stream_limits FROM workspace"), 0);
}

Test(stream, that_is_paused_has_what_was_claimed_before_leave)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);

	stream_submit(fixture, STREAM_TRANSACTIONAL, "a@x.org");
	struct delivery *delivery = posting_start(fixture);
	stream_set(fixture, STREAM_TRANSACTIONAL, true, 0);
	cr_assert(delivery_wait(delivery, 0));
	delivery_free(delivery);
	cr_expect_eq(stream_sent(fixture), 1);
}

Test(stream, reaches_so_many_recipients_in_an_hour)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);

	base_clock_set(NOON + HOUR_MS / 2);
	stream_set(fixture, STREAM_TRANSACTIONAL, false, 4);
	struct base_id split = {{0}};
	for (guint i = 0; i < 4; i++) {
		struct base_id id =
		    stream_submit(fixture, STREAM_TRANSACTIONAL, "a@x.org b@x.org c@x.org");
		if (i == 1)
			split = id;
	}
	stream_expect_sent(fixture, 4);
	stream_expect_events(fixture, &split, "0 sent\n");
	/* Each is due in the hour in which those before it are through. */
	g_autofree char *due = test_db_text(fixture->db,
	    "SELECT GROUP_CONCAT(CONCAT(LENGTH(recipients) DIV 2, ' in ', ready_at DIV 3600000 -"
	    " 499992 - 12) ORDER BY id SEPARATOR ', ') FROM outbox WHERE attempts = 0");
	cr_expect_str_eq(due, "2 in 1, 3 in 1, 3 in 2", "%s", due);
	cr_expect_eq(test_db_number(fixture->db,
			 "SELECT COUNT(*) FROM outbox WHERE reason ="
			 " 'paced: the stream transactional sends at most 4 an hour'"),
	    3);
	/* Nothing more in this hour, whoever makes it due. */
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
	stream_expect_sent(fixture, 4);
	base_clock_set(NOON + HOUR_MS);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
	stream_expect_sent(fixture, 8);
	base_clock_set(NOON + 2 * HOUR_MS - 60000);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
	stream_expect_sent(fixture, 8);
	base_clock_set(NOON + 2 * HOUR_MS);
	test_db_plain(fixture->db, "UPDATE outbox SET ready_at = 1");
	stream_expect_sent(fixture, 12);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event"), 12);
}

Test(stream, has_those_back_who_were_not_tried)
{
	static const struct smtp_script away = {.rules = {REPLY("EHLO*", 0, "421 4.3.2 later")}};
	AUTO(fixture) fixture = fixture_open(&away, NULL);

	base_clock_set(NOON);
	stream_set(fixture, STREAM_TRANSACTIONAL, false, 2);
	stream_submit(fixture, STREAM_TRANSACTIONAL, "a@x.org b@x.org");
	stream_expect_sent(fixture, 0);
	cr_expect_eq(test_db_number(fixture->db, "SELECT used FROM stream"), 0);
	base_clock_set(NOON + 5 * 60 * 1000);
	fixture_renew(fixture, &good, NULL);
	stream_expect_sent(fixture, 2);
	cr_expect_eq(test_db_number(fixture->db, "SELECT used FROM stream"), 2);
}

Test(stream, counts_by_a_clock_that_is_behind_in_the_hour_of_the_others)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);

	base_clock_set(NOON + HOUR_MS);
	stream_set(fixture, STREAM_TRANSACTIONAL, false, 1);
	stream_submit(fixture, STREAM_TRANSACTIONAL, "a@x.org");
	stream_expect_sent(fixture, 1);
	base_clock_set(NOON + HOUR_MS - 60000);
	stream_submit(fixture, STREAM_TRANSACTIONAL, "a@x.org");
	stream_expect_sent(fixture, 1);
	cr_expect_eq(
	    test_db_number(fixture->db, "SELECT ready_at FROM outbox"), NOON + 2 * HOUR_MS);
}

/* Nothing of a suppressed recipient is lost with a message that waits. */
Test(stream, that_is_paused_keeps_all_recipients)
{
	AUTO(fixture) fixture = fixture_open(&good, NULL);

	stream_submit(fixture, STREAM_TRANSACTIONAL, "a@x.org b@x.org");
	stream_set(fixture, STREAM_TRANSACTIONAL, true, 0);
	AUTO(store_suppression)
	entry = person_suppress_add(fixture->service, &fixture->key.workspace_id, "a@x.org",
	    &(struct store_suppression_state){SUPPRESSION_MANUAL, SUPPRESSION_ALL}, &posting_api,
	    NULL);
	cr_assert(entry);
	posting_deliver(fixture);
	cr_expect_eq(test_db_number(fixture->db, "SELECT LENGTH(recipients) FROM outbox"), 4);
	stream_set(fixture, STREAM_TRANSACTIONAL, false, 0);
	stream_expect_sent(fixture, 1);
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM event WHERE status = 8"), 1);
}

#define SOURCES_MOST 32
#define SOURCE "127.0.1.%u"

/* An address of relay "one": its limits, and what it has done. */
struct stream_source {
	const char *warmup;  /* numbers for its days; "" for none */
	gint64 total, today; /* recipients that it has reached */
	guint days;	     /* on which it has sent, with this one */
};

/* The model: the way, the pause and the pace of each stream, and the addresses of relay "one". */
struct stream_model {
	const char *of_workspace[STORE_STREAMS + 1], *of_domain[STORE_STREAMS + 1];
	bool paused[STORE_STREAMS + 1];
	gint64 per_hour[STORE_STREAMS + 1];
	GArray *emails; /* struct stream_sending */
	struct stream_source sources[SOURCES_MOST];
	guint source_count;
	gint64 day,
	    by_one; /* the day of today's numbers; recipients that relay "one" has reached */
};

struct stream_sending {
	struct base_id id;
	enum store_stream stream;
	guint recipients;
};

static const char *const random_routes[] = {NULL, "one", "two", "one two"};

static const char *
stream_route(const struct stream_model *model, enum store_stream stream)
{
	const char *const routes[] = {model->of_domain[stream], model->of_domain[0],
	    model->of_workspace[stream], model->of_workspace[0], "one"};
	gsize i = 0;

	while (!routes[i])
		i++;
	return routes[i];
}

/* Changes one thing of settings and model alike. */
static void
stream_shake(struct fixture *fixture, struct stream_model *model, GRand *random)
{
	guint stream = (guint)g_rand_int_range(random, 0, STORE_STREAMS + 1);
	const char *route = random_routes[g_rand_int_range(random, 0, 4)];
	bool of_domain = g_rand_boolean(random);

	if (g_rand_int_range(random, 0, 3) == 0) {
		(of_domain ? model->of_domain : model->of_workspace)[stream] = route;
		cr_assert(store_domain_set_relays(fixture->db, &fixture->key.workspace_id,
		    of_domain ? &fixture->domain->id : NULL, stream, route, NULL));
	} else if (stream > 0) {
		model->paused[stream] = g_rand_int_range(random, 0, 3) == 0;
		model->per_hour[stream] = g_rand_int_range(random, 0, 4) * 2;
		stream_set(fixture, stream, model->paused[stream], model->per_hour[stream]);
	}
}

/* The settings of relay "one": 1, 3 or 32 addresses, some of which warm up. The caller owns them.
 */
static char *
stream_sources(struct stream_model *model, GRand *random)
{
	static const guint counts[] = {1, 3, SOURCES_MOST};
	static const char *const lists[] = {"", "1 2 4", "0 3", "2, 2 2 2 8"};
	g_autoptr(GString) list = g_string_new("source =");
	g_autoptr(GString) sections = g_string_new(NULL);

	model->source_count = counts[g_rand_int_range(random, 0, G_N_ELEMENTS(counts))];
	for (guint i = 0; i < model->source_count; i++) {
		const char *warmup = lists[g_rand_int_range(random, 0, G_N_ELEMENTS(lists))];

		model->sources[i].warmup = warmup;
		g_string_append_printf(list, " " SOURCE, i + 1);
		g_string_append_printf(sections, "[source " SOURCE "]\n%s%s\n", i + 1,
		    *warmup ? "warmup = " : "helo = a.example", warmup);
	}
	return g_strconcat(list->str, "\n", sections->str, NULL);
}

/* The most that an address may reach on its day of this number, from 1. */
static gint64
stream_source_limit(const struct stream_source *source, guint day)
{
	const char *p = source->warmup;

	for (guint i = 1; *p; i++) {
		char *end;
		gint64 limit = g_ascii_strtoll(p, &end, 10);

		if (i == day)
			return limit;
		p = end + strspn(end, ", ");
	}
	return G_MAXINT64;
}

/* Expects that no address has reached more than its day allows, and that all mail of relay "one"
   has left by one of them. */
static void
stream_expect_sources(struct fixture *fixture, struct stream_model *model)
{
	gint64 today = base_clock_now() / (24 * HOUR_MS), all = 0;

	service_metrics_flush(fixture->service, true);
	g_autofree char *text = upkeep_metrics_text(fixture->service, NULL);
	for (guint i = 0; i < model->source_count; i++) {
		struct stream_source *source = &model->sources[i];
		g_autofree char *line = g_strdup_printf(
		    "\nposthouse_source_attempts_total{relay=\"one\",source=\"" SOURCE
		    "\",result=\"sent\"} ",
		    i + 1);
		const char *found = strstr(text, line);
		gint64 total = found ? g_ascii_strtoll(found + strlen(line), NULL, 10) : 0;

		if (model->day != today)
			source->today = 0;
		/* A day of 0 is over without a message. */
		if (total > source->total && source->today == 0)
			while (stream_source_limit(source, ++source->days) == 0)
				;
		source->today += total - source->total;
		source->total = total;
		all += total;
		cr_expect(source->today == 0 ||
			      source->today <= stream_source_limit(source, source->days),
		    "address %u has reached %d on its day %u (%s)", i + 1, (int)source->today,
		    source->days, source->warmup);
	}
	model->day = today;
	cr_expect_eq(
	    all, model->by_one, "%d by addresses, %d by the relay", (int)all, (int)model->by_one);
}

/* Delivers, and expects of all that left meanwhile that its stream let it. sent: recipients of this
   hour, by stream. */
static void
stream_round(struct fixture *fixture, struct stream_model *model, gint64 *sent)
{
	test_db_plain(fixture->db, "DELETE FROM event");
	posting_deliver(fixture);
	for (guint i = 0; i < model->emails->len; i++) {
		const struct stream_sending *email =
		    &g_array_index(model->emails, struct stream_sending, i);
		g_autoptr(GPtrArray) events =
		    store_event_page(fixture->db, &email->id, NULL, NULL, 100, NULL);

		for (guint e = 0; e < events->len; e++) {
			const struct store_event *event = events->pdata[e];
			const char *route = stream_route(model, email->stream);

			cr_expect_eq(event->status, EVENT_SENT);
			cr_expect(strstr(route, event->relay) != NULL, "%s by %s, not by %s",
			    store_stream_name(email->stream), event->relay, route);
			cr_expect_not(model->paused[email->stream]);
			sent[email->stream]++;
			model->by_one += strcmp(event->relay, "one") == 0;
		}
	}
	stream_expect_sources(fixture, model);
	for (guint s = 1; s <= STORE_STREAMS; s++)
		cr_expect(model->per_hour[s] == 0 || sent[s] <= model->per_hour[s],
		    "%s has sent %d of %d", store_stream_name(s), (int)sent[s],
		    (int)model->per_hour[s]);
}

/* Random routes, pauses, paces and addresses that warm up against the model: nothing leaves by a
   way that its stream does not have, in an hour that has none left for it, or by an address whose
   day is full; and nothing is stuck in the end. */
Test(stream, random_settings, .timeout = 3600)
{
	AUTO(smtp_server) one = smtp_server_start(&good);
	AUTO(smtp_server) two = smtp_server_start(&good);
	struct stream_model model = {
	    .emails = g_array_new(FALSE, FALSE, sizeof(struct stream_sending))};
	guint32 seed = g_random_int();
	g_autoptr(GRand) random = g_rand_new_with_seed(seed);
	g_autofree char *sources = stream_sources(&model, random);
	g_autofree char *text =
	    g_strdup_printf("[relay two]\nhost = 127.0.0.1\nport = %u\ntls = none\ndefault = no\n"
			    "[relay one]\nhost = 127.0.0.1\nport = %u\ntls = none\n%s",
		smtp_server_port(two), smtp_server_port(one), sources);
	base_clock_set(NOON);
	AUTO(fixture) fixture = fixture_open(NULL, text);
	guint recipients = 0;

	fixture->is_altered = true;
	cr_log_info("seed %u", seed);
	for (guint step = 0; step < test_steps(40); step++) {
		gint64 sent[STORE_STREAMS + 1] = {0};

		base_clock_set(NOON + step * HOUR_MS);
		for (guint i = 0; i < 3; i++) {
			enum store_stream stream =
			    (enum store_stream)g_rand_int_range(random, 1, STORE_STREAMS + 1);
			guint count = (guint)g_rand_int_range(random, 1, 4);
			const char *const to[] = {
			    NULL, "a@x.org", "a@x.org b@x.org", "a@x.org b@x.org c@x.org"};
			const struct stream_sending sending = {
			    stream_submit(fixture, stream, to[count]), stream, count};

			g_array_append_val(model.emails, sending);
			recipients += count;
		}
		for (guint i = 0; i < 3; i++)
			stream_shake(fixture, &model, random);
		for (guint i = 0; i < 2; i++) {
			stream_round(fixture, &model, sent);
			base_clock_set(base_clock_now() + HOUR_MS / 4);
		}
	}
	for (guint s = 1; s <= STORE_STREAMS; s++) {
		model.paused[s] = false;
		model.per_hour[s] = 0;
		stream_set(fixture, s, false, 0);
	}
	for (guint i = 0; i < recipients / 50 + 2; i++) {
		gint64 sent[STORE_STREAMS + 1] = {0};

		stream_round(fixture, &model, sent);
		base_clock_set(base_clock_now() + 24 * HOUR_MS);
	}
	cr_expect_eq(test_db_number(fixture->db, "SELECT COUNT(*) FROM outbox"), 0);
	g_array_unref(model.emails);
}
