/* SPDX-License-Identifier: MIT */
/* The days of a made-up year: who comes, what is sent, and who opens, clicks and bounces. */
#include "cli/demo.h"

#include <string.h>

#include "base/clock.h"
#include "broadcast/draft.h"
#include "broadcast/schedule.h"
#include "broadcast/start.h"
#include "db/connection.h"
#include "db/transaction.h"
#include "email/figures.h"
#include "import/import.h"
#include "json/strict.h"
#include "json/value.h"
#include "link/engagement.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/broadcast/part.h"
#include "store/domain/domain.h"
#include "store/email/email.h"

#define MINUTE_MS (60LL * 1000)
#define HOUR_MS (60 * MINUTE_MS)
#define READERS 35 /* percent of the people */
#define AGENT "Mozilla/5.0 (X11; Linux x86_64; rv:128.0) Gecko/20100101 Firefox/128.0"

static bool
chance(struct cli_demo *demo, gint percent)
{
	return g_rand_int_range(demo->rand, 0, 100) < percent;
}

static guint
below(struct cli_demo *demo, guint most)
{
	return (guint)g_rand_int_range(demo->rand, 0, (gint32)most);
}

/* Emails of one transaction, and what became of them. */
struct batch {
	struct cli_demo *demo;
	GPtrArray *emails; /* of struct store_email */
	GArray *events;	   /* of struct store_event, with borrowed texts */
	GArray *bounced;   /* of struct person_suppress_addition */
	GPtrArray *reads;  /* of struct link_engagement */
};

static void
batch_begin(struct batch *batch, struct cli_demo *demo)
{
	*batch = (struct batch){demo, g_ptr_array_new_with_free_func(store_email_destroy),
	    g_array_new(FALSE, FALSE, sizeof(struct store_event)),
	    g_array_new(FALSE, FALSE, sizeof(struct person_suppress_addition)),
	    g_ptr_array_new_with_free_func(link_engagement_destroy)};
}

static void
batch_clear(struct batch *batch)
{
	g_ptr_array_unref(batch->emails);
	g_array_unref(batch->events);
	g_array_unref(batch->bounced);
	g_ptr_array_unref(batch->reads);
}

/* Adds an open or, with a link, a click. */
static void
add_read(struct batch *batch, const struct store_event *of, gint64 time, const char *link)
{
	const struct link_token token = {
	    link ? TOKEN_CLICK : TOKEN_OPEN, of->email_id, of->recipient, 2};

	g_ptr_array_add(batch->reads, link_engagement_new(&token, time, "192.0.2.10", AGENT, link));
}

static void
demo_year_add_event(
    struct batch *batch, struct store_event event, enum store_event_status status, gint64 after)
{
	event.status = status;
	event.timestamp += after;
	g_array_append_val(batch->events, event);
}

static const char *const links[] = {
    "https://acorn.example/spades", "https://acorn.example/seeds", "https://acorn.example/journal"};

/* Adds what became of a message that was sent at of->timestamp to somebody. */
static void
add_fate(struct batch *batch, const struct store_event *of, bool reads)
{
	struct cli_demo *demo = batch->demo;
	struct store_event bounce = *of;
	gint64 opened = of->timestamp + 3 * MINUTE_MS + below(demo, 3 * 60) * MINUTE_MS;

	demo_year_add_event(batch, *of, EVENT_SENT, 0);
	if (chance(demo, 1)) {
		bounce.smtp_response = "550 5.1.1 No such user";
		bounce.enhanced_code = "5.1.1";
		bounce.bounce_type = BOUNCE_PERMANENT;
		const struct person_suppress_addition addition = {
		    of->workspace_id, of->email_id, of->address, SUPPRESSION_BOUNCED};
		g_array_append_val(batch->bounced, addition);
		demo_year_add_event(batch, bounce, EVENT_BOUNCED, 2000);
		return;
	}
	demo_year_add_event(batch, *of, EVENT_DELIVERED, 1500);
	if (!chance(demo, reads ? 70 : 12))
		return;
	add_read(batch, of, opened, NULL);
	if (chance(demo, 30))
		add_read(batch, of, opened + MINUTE_MS, links[below(demo, G_N_ELEMENTS(links))]);
}

/* Inside a transaction: stores the events, and suppresses those who bounced. */
static bool
demo_year_write_events(struct db *db, const struct batch *batch, GError **error)
{
	return store_event_insert(db, (struct store_event *)(void *)batch->events->data,
		   batch->events->len, error) &&
	       person_suppress_put_all(batch->demo->call->service,
		   (const struct person_suppress_addition *)(void *)batch->bounced->data,
		   batch->bounced->len, error);
}

static bool
write_batch(struct db *db, void *context, GError **error)
{
	struct batch *batch = context;

	return store_email_insert(db, (const struct store_email *const *)batch->emails->pdata,
		   batch->emails->len, error) &&
	       demo_year_write_events(db, batch, error);
}

/* Records who read something. */
static bool
write_reads(struct batch *batch, GError **error)
{
	return batch->reads->len == 0 ||
	       link_engagement_record(batch->demo->call->service,
		   (struct link_engagement **)batch->reads->pdata, batch->reads->len, error);
}

/* The kinds of single emails, with how often they are sent. */
static const struct {
	const char *template_id, *subject, *sentence;
	guint share;
} kinds[] = {
    {"order", "Your order A-%u", "Thank you. Order A-%u is on its way.", 5},
    {"receipt", "Receipt for A-%u", "The receipt for order A-%u.", 4},
    {"password", "Set a new password", "Somebody asked for a new password.", 2},
    {"welcome", "Welcome to Acorn", "Good that you are here.", 1},
};

static guint
choose_kind(struct cli_demo *demo)
{
	guint number = below(demo, 12), kind = 0;

	while (number >= kinds[kind].share)
		number -= kinds[kind++].share;
	return kind;
}

static GBytes *
take_bytes(char *text)
{
	return g_bytes_new_take(text, strlen(text));
}

/* Makes an email of one kind to somebody, at a time. */
static struct store_email *
demo_year_make_email(struct cli_demo *demo, const struct cli_demo_person *person, gint64 time)
{
	struct store_email *email = store_email_new();
	guint kind = choose_kind(demo), order = 1000 + below(demo, 9000);
	bool is_numbered = strchr(kinds[kind].subject, '%');
	g_autofree char *number = g_strdup_printf("A-%u", order);
	g_auto(GStrv) subject = g_strsplit(kinds[kind].subject, "A-%u", -1);
	g_auto(GStrv) sentence = g_strsplit(kinds[kind].sentence, "A-%u", -1);
	g_autofree char *words = is_numbered ? g_strjoinv(number, sentence) : g_strdup(sentence[0]);

	email->workspace_id = *demo->workspace;
	email->domain_id = demo->domain->id;
	email->type = EMAIL_TRANSACTIONAL;
	email->tracking = TRACK_OPENS | TRACK_CLICKS;
	email->sender = g_strdup_printf("Acorn <orders@%s>", demo->domain->name);
	email->to =
	    g_strdup_printf("%s %s <%s>", person->first_name, person->last_name, person->email);
	email->subject = is_numbered ? g_strjoinv(number, subject) : g_strdup(subject[0]);
	email->template_id = g_strdup(kinds[kind].template_id);
	email->tags = g_strdup_printf("{\"kind\":\"%s\"}", kinds[kind].template_id);
	email->created = time;
	g_autoptr(GBytes) html = take_bytes(
	    g_strdup_printf("<h1>Hello %s</h1><p>%s</p>"
			    "<p><a href=\"https://acorn.example/journal\">Journal</a></p>",
		person->first_name, words));
	g_autoptr(GBytes) text =
	    take_bytes(g_strdup_printf("Hello %s\n\n%s\n", person->first_name, words));
	store_email_add_own(email, PART_HTML, html);
	store_email_add_own(email, PART_TEXT, text);
	store_email_add_recipient(email, RECIPIENT_TO, g_strdup(person->email));
	return email;
}

static bool
send_emails(struct cli_demo *demo, guint count, GError **error)
{
	g_autofree struct store_figure_origin *origins = g_new(struct store_figure_origin, count);
	struct service *service = demo->call->service;
	struct batch batch;
	bool done = true;

	batch_begin(&batch, demo);
	for (guint i = 0; i < count && done; i++) {
		const struct cli_demo_person *person = &g_array_index(
		    demo->people, struct cli_demo_person, below(demo, demo->people->len));
		gint64 time = base_clock_now() + (gint64)i * 12 * HOUR_MS / count;
		struct store_email *email = demo_year_make_email(demo, person, time);
		g_ptr_array_add(batch.emails, email);
		done = email_figures_set_tags(service, email, error);
		origins[i] = store_email_origin(email);
		const struct store_event event = {.workspace_id = email->workspace_id,
		    .email_id = email->id,
		    .type = email->type,
		    .timestamp = time + 400,
		    .domain = demo->domain->name,
		    .origin = &origins[i],
		    .address = person->email};
		add_fate(&batch, &event, person->reads);
	}
	done = done && db_transact(service->db, write_batch, &batch, error) &&
	       write_reads(&batch, error);
	demo->emails += count;
	batch_clear(&batch);
	return done;
}

static const char *const first_names[] = {"Ada", "Alan", "Barbara", "Claude", "Donald", "Edsger",
    "Frances", "Grace", "Hedy", "Ida", "Jean", "Katherine", "Leslie", "Mary", "Niklaus", "Olga",
    "Peter", "Radia", "Sophie", "Tim"};
static const char *const last_names[] = {"Abel", "Bauer", "Castro", "Dubois", "Evans", "Fischer",
    "Garcia", "Hansen", "Ito", "Jansen", "Keller", "Lopez", "Martin", "Novak", "Olsen", "Petit",
    "Rossi", "Silva", "Torres", "Weber"};
static const struct {
	const char *language, *zone;
} places[] = {{"en", "Europe/London"}, {"de", "Europe/Berlin"}, {"fr", "Europe/Paris"},
    {"en", "America/New_York"}, {"es", "Europe/Madrid"}};

static void
demo_year_refuse(guint64 line, const char *fault, void *context)
{
	g_string_append_printf(context, "person %" G_GUINT64_FORMAT ": %s", line, fault);
}

/* Lets some people join an audience. */
static bool
demo_year_join(struct cli_demo *demo, guint count, GError **error)
{
	static const char *const keys[] = {"plan", "orders", NULL};
	enum cli_demo_audience into = chance(demo, 60) ? DEMO_NEWSLETTER : DEMO_CUSTOMERS;
	g_autoptr(GString) faults = g_string_new(NULL);
	const struct import_options options = {.existing = EXISTING_UPDATE,
	    .keys = keys,
	    .refuse = demo_year_refuse,
	    .context = faults};
	AUTO(import)
	import = import_new(demo->call->service, demo->workspace, &demo->audiences[into], &options);

	for (guint i = 0; i < count; i++) {
		guint number = demo->people->len, place = below(demo, G_N_ELEMENTS(places));
		struct cli_demo_person person = {
		    .first_name = first_names[below(demo, G_N_ELEMENTS(first_names))],
		    .last_name = last_names[below(demo, G_N_ELEMENTS(last_names))],
		    .reads = chance(demo, READERS)};
		g_autofree char *orders = g_strdup_printf("%u", below(demo, 6));
		const char *properties[] = {chance(demo, 25) ? "pro" : "free", orders};

		person.email = g_strdup_printf("delivered+%s.%s.%u@test.posthouse.invalid",
		    person.first_name, person.last_name, number);
		for (char *at = person.email; *at; at++)
			*at = g_ascii_tolower(*at);
		g_array_append_val(demo->people, person);
		const struct import_contact contact = {
		    .fields = {person.email, person.first_name, person.last_name},
		    .first_name_given = true,
		    .last_name_given = true,
		    .language_given = true,
		    .time_zone_given = true,
		    .language = places[place].language,
		    .time_zone = places[place].zone,
		    .properties = properties,
		    .line = number};
		if (!import_add(import, &contact, error))
			return false;
	}
	return import_flush(import, error);
}

bool
cli_demo_day(struct cli_demo *demo, guint day, GError **error)
{
	bool is_weekend = day % 7 >= 5;
	guint more = day / 30; /* the shop grows */

	if (!demo_year_join(demo, day == 0 ? 40 : is_weekend ? 0 : 1, error))
		return false;
	return send_emails(demo, is_weekend ? 1 + more / 3 : 2 + more / 2 + below(demo, 4), error);
}

/* A broadcast that is sent at once. */
struct leaving {
	struct batch batch;
	struct base_id id;
	struct store_figure_origin origin;
};

/* Sends a part to those whose turn has come. *found_r: there were some. */
static bool
send_part(struct db *db, struct leaving *leaving, const struct store_broadcast *broadcast,
    GPtrArray *turns, GError **error)
{
	struct cli_demo *demo = leaving->batch.demo;
	g_autoptr(GArray) people = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	g_autoptr(GPtrArray) addresses = g_ptr_array_new();
	g_autoptr(GArray) results =
	    g_array_new(FALSE, FALSE, sizeof(struct store_broadcast_result));
	struct store_broadcast_making making = {
	    .broadcast = broadcast, .email_id = base_id_new(), .created = base_clock_now()};

	for (guint i = 0; i < turns->len; i++) {
		const struct store_broadcast_turn *turn = turns->pdata[i];
		const struct store_broadcast_result result = {broadcast->workspace_id,
		    broadcast->id, turn->person_id, 0, FATE_SENT, 0, making.created + 500, true};
		const struct store_event event = {.workspace_id = broadcast->workspace_id,
		    .email_id = making.email_id,
		    .type = EMAIL_BROADCAST,
		    .recipient = i,
		    .mailed = turn->email,
		    .timestamp = making.created + 500,
		    .domain = demo->domain->name,
		    .origin = &leaving->origin,
		    .address = turn->email};

		g_array_append_val(people, turn->person_id);
		g_ptr_array_add(addresses, turn->email);
		g_array_append_val(results, result);
		add_fate(&leaving->batch, &event, chance(demo, READERS));
	}
	making.people = (const struct base_id *)(void *)people->data;
	making.addresses = (const char *const *)addresses->pdata;
	making.count = people->len;
	return store_broadcast_part_make(db, &making, error) &&
	       demo_year_write_events(db, &leaving->batch, error) &&
	       store_broadcast_settle(db,
		   (const struct store_broadcast_result *)(void *)results->data, results->len,
		   error);
}

#define PART 1000 /* people of one part */

/* Does the next step of a broadcast that nobody else sees yet. *more_r: there is another one. */
static bool
demo_year_step(struct db *db, struct leaving *leaving, bool *more_r, GError **error)
{
	struct cli_demo *demo = leaving->batch.demo;
	AUTO(store_broadcast)
	broadcast = store_broadcast_lock(db, demo->workspace, &leaving->id, ~0u, error);

	*more_r = true;
	if (!broadcast)
		return false;
	if (broadcast->status == BROADCAST_SCHEDULED)
		return broadcast_start_begin(demo->call->service, broadcast, error);
	if (broadcast->status == BROADCAST_SENDING && !broadcast->is_complete)
		return broadcast_start_step(demo->call->service, broadcast, error);
	*more_r = false;
	if (broadcast->status != BROADCAST_SENDING)
		return true;
	g_autoptr(GPtrArray) turns =
	    store_broadcast_turns(db, broadcast, 0, base_clock_now(), PART, error);
	return turns && (turns->len == 0 || send_part(db, leaving, broadcast, turns, error)) &&
	       store_broadcast_finish(db, broadcast, error);
}

static bool
demo_year_leave(struct db *db, void *context, GError **error)
{
	struct leaving *leaving = context;
	bool more = true;

	g_array_set_size(leaving->batch.events, 0);
	g_array_set_size(leaving->batch.bounced, 0);
	g_ptr_array_set_size(leaving->batch.reads, 0);
	while (more)
		if (!demo_year_step(db, leaving, &more, error))
			return false;
	return true;
}

/* Writes and schedules the broadcast. */
static bool
demo_year_schedule(struct cli_demo *demo, guint number, struct base_id *id_r, GError **error)
{
	static const char *const subjects[] = {"What grows now", "Tools for the season",
	    "Three beds, one spade", "Seeds that wait for you"};
	const char *subject = subjects[number % G_N_ELEMENTS(subjects)];
	const struct broadcast_time now = {0};
	char audience[ID_TEXT_SIZE], topic[ID_TEXT_SIZE];
	g_autofree char *text =
	    g_strdup_printf("{\"name\":\"Letter %u\",\"from\":\"Acorn <letter@%s>\","
			    "\"subject\":\"%s\",\"template_id\":\"letter\","
			    "\"topic_id\":\"%s\",\"audiences\":[\"%s\"]}",
		number + 1, demo->domain->name, subject, base_id_format(&demo->topic, topic),
		base_id_format(&demo->audiences[DEMO_NEWSLETTER], audience));
	AUTO(json) given = json_parse(text, strlen(text), error);

	return given &&
	       broadcast_create(demo->call->service, demo->workspace, given, NULL, id_r, error) &&
	       broadcast_send(demo->call->service, demo->workspace, id_r, &now, error);
}

bool
cli_demo_broadcast(struct cli_demo *demo, guint number, GError **error)
{
	struct leaving leaving = {.origin = {.domain_id = demo->domain->id,
				      .template_id = (char *)"letter",
				      .has_broadcast = true}};

	batch_begin(&leaving.batch, demo);
	if (!demo_year_schedule(demo, number, &leaving.id, error)) {
		batch_clear(&leaving.batch);
		return false;
	}
	leaving.origin.broadcast_id = leaving.id;
	bool done = db_transact(demo->call->db, demo_year_leave, &leaving, error) &&
		    write_reads(&leaving.batch, error);
	demo->broadcasts++;
	batch_clear(&leaving.batch);
	return done;
}
