/* SPDX-License-Identifier: MIT */
/* One worker of the spool: claims and delivers due emails in batches, steps workflows, and checks
 * domains. */
#include "spool/worker.h"

#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sysexits.h>

#include "automation/engine.h"
#include "base/clock.h"
#include "broadcast/send_step.h"
#include "config/log.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "delivery/delivery.h"
#include "delivery/recover.h"
#include "domain/dns_check.h"
#include "email/watched.h"
#include "feedback/broadcast_health.h"
#include "import/contacts.h"
#include "relay/relay.h"
#include "service/heartbeat.h"
#include "service/journal.h"
#include "service/metrics.h"
#include "service/service.h"
#include "start/look.h"
#include "start/run.h"
#include "start/tick.h"
#include "store/outbox/outbox.h"
#include "upkeep/retention.h"
#include "webhook/send.h"

#define IDLE_MS 500	/* between two searches when nothing is due */
#define TROUBLE_MS 5000 /* after an error of the database */
#define RESTING_MS 1000 /* between two batches while no relay takes mail */
#define RECOVER_MS 10000
#define NOTE_MS 10000
#define TIDY_MS 60000
#define TIDY_BATCHES 50
#define START_MS 500   /* between searches for starts of workflows */
#define IMPORT_MS 1000 /* between two searches for imports when none is due */
#define IMPORT_TURN_MS 500
#define VERIFY_MS 1000
#define VERIFY_BUSY_MS 30000 /* while emails wait, since DNS answers may be slow */
/* With --once, end after two searches that found nothing:
   1. Another worker's search locks, for a moment, the first row that is not due yet at its time.
   2. Our search starts a moment later, when the row is due, but SKIP LOCKED hides it from us.
   3. The second search finds the row. */
#define LAST_SEARCHES 2
#define LOCKED_MS 10	    /* until a locked broadcast is looked for again, */
#define LOCKED_SEARCHES 500 /* with --once, so often */
#define LOW_WATER_MS 5000   /* how long searches may begin where the previous one ended */

static const int stop_signals[] = {SIGTERM, SIGINT};

void
spool_worker_block_signals(void)
{
	sigset_t signals;

	sigemptyset(&signals);
	for (gsize i = 0; i < G_N_ELEMENTS(stop_signals); i++)
		sigaddset(&signals, stop_signals[i]);
	sigprocmask(SIG_BLOCK, &signals, NULL);
}

/* Returns whether a stop signal is pending. It stays pending, so the result stays true. */
static bool
worker_is_told_to_stop(void)
{
	sigset_t pending;

	config_log_line_reopen();
	sigpending(&pending);
	for (gsize i = 0; i < G_N_ELEMENTS(stop_signals); i++)
		if (sigismember(&pending, stop_signals[i]))
			return true;
	return false;
}

/* The due_at at which the next search begins. It returns to 0 from time to time, to find rows
   that were added below it. A batch that takes turns between workspaces has rows of any age and
   does not change it. */
struct low_water {
	gint64 due_at;
	gint64 reset_at;
	struct store_turn turn;
	bool is_bulk; /* it is of the messages of broadcasts that are tried again */
};

/* The searches of this worker. */
struct searches {
	struct low_water mail, bulk;
	bool new_next;	/* the next batch of broadcasts is one of new recipients */
	gint64 paced;	/* messages wait for their turns until then */
	bool has_stuck; /* the last step of a broadcast failed */
};

static gint64
worker_low_of(struct low_water *low)
{
	gint64 now = base_clock_boot();

	if (now >= low->reset_at) {
		low->due_at = 0;
		low->reset_at = now + LOW_WATER_MS;
	}
	return low->due_at;
}

static enum delivery_pace
pace(const void *context)
{
	const struct spool_worker_plan *plan = context;

	if (worker_is_told_to_stop())
		return DELIVER_LEAVE;
	return plan->until && base_clock_boot() >= plan->until ? DELIVER_BEGIN_NONE : DELIVER_GO_ON;
}

static bool
worker_is_over(const struct spool_worker_plan *plan)
{
	return pace(plan) != DELIVER_GO_ON;
}

/* Sleeps in short steps, to notice a signal or the plan's end soon. */
static void
pause_for(const struct spool_worker_plan *plan, gint64 ms)
{
	gint64 end = base_clock_boot() + ms;

	for (gint64 left; !worker_is_over(plan) && (left = end - base_clock_boot()) > 0;)
		g_usleep((gulong)MIN(left, 100) * 1000);
}

/* Whether a broadcast is due, which another worker has locked for a moment. Waits a little. */
static bool
awaits_broadcast(
    const struct spool_worker_plan *plan, struct service *service, const struct searches *searches)
{
	if (searches->has_stuck || !relay_is_any_free(service->settings, true, NULL) ||
	    !service_ensure(service, NULL) || !broadcast_is_due(service))
		return false;
	pause_for(plan, LOCKED_MS);
	return true;
}

/* Pauses when nothing is due: until the next message is, where messages wait for their turns. */
static void
pause_idle(
    const struct spool_worker_plan *plan, struct service *service, const struct searches *searches)
{
	gint64 now = base_clock_now(), next = 0;

	if (awaits_broadcast(plan, service, searches))
		return;
	if (now < searches->paced && service_ensure(service, NULL) &&
	    store_outbox_next(service->db, &next, NULL) && next > 0)
		pause_for(plan, CLAMP(next - now, 1, IDLE_MS));
	else
		pause_for(plan, IDLE_MS);
}

static enum store_outbox_takeover
worker_ask(const char *owner, void *context)
{
	static const enum store_outbox_takeover answers[] = {
	    [OWNER_LIVES] = TAKEOVER_WAIT,
	    [OWNER_GONE] = TAKEOVER_CLAIM,
	    [OWNER_FOREIGN] = TAKEOVER_DOUBT,
	};
	const struct service *service = context;

	return answers[service_journal_ask(
	    config_settings_text(service->settings, SETTING_SPOOL_DIR), owner)];
}

/* Room for entries of the outbox, and the entries that were claimed. */
struct batch {
	struct store_outbox_entry *entries;
	guint limit, count;
};

/* Claims a batch of outbox entries. */
static bool
claim_batch(struct service *service, struct low_water *low, struct store_outbox_claim *claim_r,
    struct batch *batch, GError **error)
{
	bool takes_turns = low->turn.next;
	struct store_outbox_search search = {
	    .low = worker_low_of(low),
	    .now = base_clock_now(),
	    .limit = batch->limit,
	    .lease = config_settings_number(service->settings, SETTING_SPOOL_LEASE) * 1000,
	    .ask = worker_ask,
	    .context = service,
	    .turn = &low->turn,
	    .is_bulk = low->is_bulk,
	};

	if (!service_ensure(service, error) || !service_ensure_journal(service, error))
		return false;
	*claim_r = delivery_claim(service);
	if (!store_outbox_claim(
		service->db, claim_r, &search, batch->entries, &batch->count, error)) {
		/* The COMMIT may have stored the claim. Close the journal, so that recovery can
		   take the claim over while this process lives on. */
		service_journal_close(g_steal_pointer(&service->process->journal));
		return false;
	}
	if (batch->count > 0 && !takes_turns)
		low->due_at = batch->entries[batch->count - 1].due_at;
	return true;
}

/* Delivers claimed entries. */
static void
worker_deliver(const struct spool_worker_plan *plan, struct service *service,
    const struct store_outbox_claim *claim, const struct store_outbox_entry *entries, guint count,
    struct searches *searches)
{
	struct delivery *delivery = delivery_start(service, claim, entries, count, NULL);

	delivery_work(delivery, pace, plan);
	if (delivery_trouble(delivery))
		config_log("%s", delivery_trouble(delivery)->message);
	feedback_broadcast_health(service, delivery_watch(delivery));
	searches->paced = MAX(searches->paced, delivery_waits(delivery));
	delivery_free(delivery);
	if (!plan->once && !relay_is_any_free(service->settings, false, NULL))
		pause_for(plan, RESTING_MS);
}

/* Does one step of a broadcast, and delivers the part that it makes. Returns whether there was
   something to do. */
static bool
leave_broadcast(const struct spool_worker_plan *plan, struct service *service,
    const struct batch *room, struct searches *searches)
{
	struct broadcast_step step = {room->entries, room->limit, 0, false};
	g_autoptr(GError) error = NULL;

	if (!relay_is_any_free(service->settings, true, NULL) || !service_ensure(service, NULL) ||
	    !service_ensure_journal(service, NULL))
		return false;
	struct store_outbox_claim claim = delivery_claim(service);
	searches->has_stuck = !broadcast_send_step(service, &claim, &step, &error);
	if (searches->has_stuck) {
		config_log("%s", error->message);
		/* As in claim_batch. */
		service_journal_close(g_steal_pointer(&service->process->journal));
		return false;
	}
	if (step.count > 0)
		worker_deliver(plan, service, &claim, step.entries, step.count, searches);
	return step.worked;
}

/* Logs an error, which with --once is the reason why the program ends. */
static void
worker_tell(const struct spool_worker_plan *plan, const GError *error)
{
	if (plan->once)
		config_log_end(error->message);
	else
		config_log("%s", error->message);
}

/* Claims and delivers a batch. Returns false when the claim failed. */
static bool
deliver_batch(const struct spool_worker_plan *plan, struct service *service, struct batch *batch,
    struct searches *searches, struct low_water *low)
{
	g_autoptr(GError) error = NULL;
	struct store_outbox_claim claim;

	batch->count = 0;
	if (!relay_is_any_free(service->settings, true, &error)) {
		if (error)
			worker_tell(plan, error);
		return !error;
	}
	if (!claim_batch(service, low, &claim, batch, &error)) {
		worker_tell(plan, error);
		return false;
	}
	if (batch->count > 0)
		worker_deliver(plan, service, &claim, batch->entries, batch->count, searches);
	return true;
}

/* Delivers one batch of broadcasts, so that other mail waits for no more: of messages to be tried
   again, or of new ones, in turns as far as there are both. Returns whether there was something to
   do. */
static bool
deliver_bulk(const struct spool_worker_plan *plan, struct service *service,
    const struct batch *room, struct searches *searches)
{
	struct batch batch = *room;

	for (int i = 0; i < 2; i++) {
		searches->new_next = !searches->new_next;
		if (searches->new_next) {
			deliver_batch(plan, service, &batch, searches, &searches->bulk);
			if (batch.count > 0)
				return true;
		} else if (leave_broadcast(plan, service, &batch, searches)) {
			return true;
		}
	}
	return false;
}

/* Whether a search that found nothing has to be done again, for rows below its beginning. */
static bool
goes_back(struct low_water *low, guint found)
{
	bool goes = found == 0 && low->due_at > 0;

	if (goes)
		low->due_at = 0;
	return goes;
}

/* Recovers the claims of processes that died, every RECOVER_MS. */
static void
recover(struct service *service, gint64 *at)
{
	g_autoptr(GError) error = NULL;

	if (base_clock_boot() < *at)
		return;
	*at = base_clock_boot() + RECOVER_MS;
	AUTO(email_watch) watch = email_watch_new();
	if (!delivery_recover(service, watch, &error))
		config_log("%s", error->message);
	if (service->db)
		feedback_broadcast_health(service, watch);
}

/* Notes that the spool works, every NOTE_MS. */
static void
worker_note_run(const struct spool_worker_plan *plan, gint64 *at)
{
	if (base_clock_boot() < *at)
		return;
	*at = base_clock_boot() + NOTE_MS;
	service_heartbeat_note(plan->settings);
}

/* Removes rows beyond their retention, in batches, every TIDY_MS. */
static void
worker_tidy(struct service *service, const struct spool_worker_plan *plan, gint64 *at)
{
	g_autoptr(GError) error = NULL;
	bool more = true;

	if (base_clock_boot() < *at)
		return;
	*at = base_clock_boot() + TIDY_MS;
	for (guint i = 0; more && i < TIDY_BATCHES && !worker_is_over(plan); i++)
		if (!service_ensure(service, &error) || !upkeep_retention(service, &more, &error)) {
			config_log("%s", error->message);
			return;
		}
}

/* Checks some of the domains that are due, and returns their number. *searched: when a search last
   found none. */
static guint
worker_verify(struct service *service, const struct spool_worker_plan *plan, bool busy,
    struct store_turn *turn, gint64 *searched)
{
	g_autoptr(GError) error = NULL, trouble = NULL;
	gint64 now = base_clock_boot(), pause = busy ? VERIFY_BUSY_MS : plan->once ? 0 : VERIFY_MS;
	guint count = 0;

	if (*searched > 0 && now < *searched + pause)
		return 0;
	if (!service_ensure(service, &error) ||
	    !domain_dns_check_due(service, turn, &count, &trouble, &error)) {
		config_log("%s", error->message);
		count = 0;
	}
	if (trouble)
		config_log("%s", trouble->message);
	*searched = count > 0 && !busy ? 0 : now;
	return count;
}

/* Steps workflows, and returns the number of rows processed. *asked: the database could be asked.
 */
static guint
automate(const struct spool_worker_plan *plan, struct automation_engine *engine,
    struct service *service, bool *asked)
{
	g_autoptr(GError) error = NULL, trouble = NULL;
	guint count = 0;

	*asked = service_ensure(service, &error) &&
		 automation_engine_run(engine, &count, &trouble, &error);
	if (trouble)
		config_log("%s", trouble->message);
	if (error)
		worker_tell(plan, error);
	return *asked ? count : 0;
}

/* Works on an import of contacts, if one is due, and returns whether it did. *searched: when a
   search last found none. */
static bool
worker_import_contacts(
    struct service *service, const struct spool_worker_plan *plan, gint64 *searched)
{
	g_autoptr(GError) error = NULL;
	gint64 now = base_clock_boot();
	bool worked = false;

	if (*searched > 0 && now < *searched + (plan->once ? 0 : IMPORT_MS))
		return false;
	if (!service_ensure(service, &error) ||
	    !import_contacts_work(service, now + IMPORT_TURN_MS, &worked, &error))
		config_log("%s", error->message);
	*searched = worked && !error ? 0 : now;
	return worked;
}

/* Makes the starts of schedules, and looks at the next people of a workspace. */
static bool
worker_make_starts(struct service *service, bool *made_r, GError **error)
{
	guint ticks;
	bool looked;

	if (!start_tick_run(service, &ticks, error) || !start_look_run(service, &looked, error))
		return false;
	*made_r = ticks > 0 || looked;
	return true;
}

/* Begins the next people of a start, if there is one, and returns whether it did. A worker that has
   nothing else to do (idle) waits where another one is at it. *searched: when a search last found
   none. */
static bool
worker_begin(struct service *service, const struct spool_worker_plan *plan, bool idle,
    struct base_id *last, gint64 *searched)
{
	g_autoptr(GError) error = NULL;
	gint64 now = base_clock_boot();
	bool worked = false, made = false;

	if (*searched > 0 && now < *searched + (plan->once ? 0 : START_MS))
		return false;
	if (!service_ensure(service, &error) || !worker_make_starts(service, &made, &error) ||
	    !start_run(service, last, idle, &worked, &error))
		config_log("%s", error->message);
	worked |= made;
	*searched = worked && !error ? 0 : now;
	return worked;
}

static void
log_text(const char *text)
{
	config_log("%s", text);
}

/* With --once, when no email waits: has the due deliveries of webhooks sent. Returns whether to go
   on, since a webhook that was switched off has caused emails; else *status_r is the exit
   status. */
static bool
worker_settle(const struct spool_worker_plan *plan, struct webhook_sender *webhooks, int *status_r)
{
	bool worked = false, settled = webhook_sender_settle(webhooks, &worked);

	*status_r = settled || worker_is_over(plan) ? EXIT_SUCCESS : EX_TEMPFAIL;
	return settled && worked;
}

/* Works until the plan ends. Returns an exit status. */
static int
worker_work(const struct spool_worker_plan *plan, struct webhook_sender *webhooks)
{
	guint limit = (guint)config_settings_number(plan->settings, SETTING_SPOOL_BATCH);
	g_autofree struct store_outbox_entry *entries = g_new(struct store_outbox_entry, limit);
	struct batch batch = {entries, limit, 0};
	AUTO(service) service = service_open(plan->settings);
	AUTO(automation_engine) engine = automation_engine_new(service);
	struct searches searches = {.bulk = {.is_bulk = true}};
	struct store_turn checks = {.next = false};
	gint64 recover_at = 0, note_at = 0, tidy_at = 0, searched = 0, imported = 0, begun = 0;
	struct base_id last_start = {{0}};
	guint empty = 0; /* consecutive searches that found nothing */
	int status;

	while (!worker_is_over(plan)) {
		guint checked = 0, stepped = 0, left = 0;

		service_metrics_add(METRIC_LAST_RUN, base_clock_now() / 1000, NULL);
		service_metrics_flush(service, false);
		recover(service, &recover_at);
		bool asked = deliver_batch(plan, service, &batch, &searches, &searches.mail);
		guint count = batch.count;

		/* Other mail goes first. */
		if (asked && goes_back(&searches.mail, count))
			continue;
		if (asked && count < limit)
			left = deliver_bulk(plan, service, &batch, &searches);
		if (asked)
			stepped = automate(plan, engine, service, &asked);
		if (asked)
			worker_note_run(plan, &note_at);
		if (asked && count < limit)
			worker_tidy(service, plan, &tidy_at);
		if (asked && count < limit)
			stepped += worker_import_contacts(service, plan, &imported);
		if (asked && count < limit)
			stepped += worker_begin(service, plan, empty > 0, &last_start, &begun);
		if (asked)
			checked = worker_verify(service, plan, count == limit, &checks, &searched);
		if (plan->once && !asked)
			return EX_TEMPFAIL;
		if (goes_back(&searches.bulk, count + left))
			continue;
		empty = count + checked + stepped + left > 0 ? 0 : empty + 1;
		if (empty == 0 || (plan->once && empty < LAST_SEARCHES) ||
		    (plan->once && empty < LOCKED_SEARCHES &&
			awaits_broadcast(plan, service, &searches)))
			continue;
		if (plan->once) {
			if (!worker_settle(plan, webhooks, &status))
				return status;
			empty = 0;
			continue;
		}
		if (asked)
			pause_idle(plan, service, &searches);
		else
			pause_for(plan, TROUBLE_MS);
	}
	return EXIT_SUCCESS;
}

int
spool_worker_run(const struct spool_worker_plan *plan)
{
	struct webhook_sender *webhooks =
	    webhook_sender_start(plan->settings, pace, plan, log_text, automation_engine_answered);
	int status = worker_work(plan, webhooks);

	webhook_sender_stop(webhooks);
	AUTO(service) service = service_open(plan->settings);
	service_metrics_flush(service, true);
	return status;
}
