/* SPDX-License-Identifier: MIT */
/* Checks the time of scheduled emails, moves it, and cancels scheduled emails. */
#include "email/schedule.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/email.h"
#include "db/transaction.h"
#include "service/service.h"
#include "store/outbox/schedule.h"
#include "store/webhook/enqueue.h"

/* Whether a time is in seconds by mistake. Taken as milliseconds it would be in January 1970, and
   the email would leave at once. */
static bool
is_in_seconds(gint64 time, gint64 now)
{
	return time < now / 100 && time > now / 1000;
}

bool
email_schedule_check(gint64 time, GError **error)
{
	gint64 now = base_clock_now();

	if (is_in_seconds(time, now))
		return base_invalid(error, "scheduled_at must be in milliseconds, not in seconds");
	if (time > now + LIMIT_SCHEDULE_MS)
		return base_invalid(error, "scheduled_at must be at most 30 days ahead");
	return true;
}

/* A change of a scheduled email. */
struct change {
	const struct base_id *workspace, *id;
	gint64 time; /* the new one; 0: it is cancelled */
};

static bool
conflict(GError **error, const char *text)
{
	return base_fail(error, PH_ERROR_CONFLICT, "%s", text);
}

static bool
check_state(const struct store_schedule *schedule, bool moves, GError **error)
{
	if (schedule->cancelled)
		return conflict(error, "Email is cancelled already");
	if (!schedule->scheduled_at)
		return conflict(error, "Email is not scheduled");
	if (schedule->waiting == 0 || (moves && schedule->has_begun))
		return conflict(error, "Email has left already");
	return true;
}

static bool
change(struct db *db, void *context, GError **error)
{
	const struct change *change = context;
	struct store_schedule schedule;

	if (!store_schedule_lock(db, change->workspace, change->id, &schedule, error) ||
	    !check_state(&schedule, change->time, error))
		return false;
	bool done =
	    change->time
		? store_schedule_move(db, change->workspace, change->id, change->time, error)
		: store_schedule_cancel(db, change->workspace, change->id, base_clock_now(), error);
	return done && store_webhook_enqueue_email(db, change->workspace, change->id,
			   change->time ? WEBHOOK_EMAIL_SCHEDULED : WEBHOOK_EMAIL_CANCELLED, error);
}

bool
email_schedule_move(struct service *service, const struct base_id *workspace,
    const struct base_id *email, gint64 time, gint64 *moved_r, GError **error)
{
	struct change moving = {workspace, email, MAX(time, base_clock_now())};

	*moved_r = moving.time;
	return email_schedule_check(time, error) &&
	       db_transact(service->db, change, &moving, error);
}

bool
email_schedule_cancel(struct service *service, const struct base_id *workspace,
    const struct base_id *email, GError **error)
{
	struct change cancellation = {workspace, email, 0};

	return db_transact(service->db, change, &cancellation, error);
}
