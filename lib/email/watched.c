/* SPDX-License-Identifier: MIT */
/* Notes which broadcasts have new results, and whose messages lacked a link. */
#include "email/watched.h"

#include "store/email/event.h"

static bool
matters(const struct store_event *event)
{
	return event->type == EMAIL_BROADCAST &&
	       (event->status == EVENT_SENT || event->status == EVENT_BOUNCED ||
		   event->status == EVENT_FAILED || event->status == EVENT_COMPLAINED);
}

struct email_watch *
email_watch_new(void)
{
	struct email_watch *watch = g_new(struct email_watch, 1);

	watch->results = g_array_new(FALSE, FALSE, sizeof(struct email_watched));
	watch->lacking = g_array_new(FALSE, FALSE, sizeof(struct email_lacking));
	return watch;
}

void
email_watch_free(struct email_watch *watch)
{
	g_array_unref(watch->results);
	g_array_unref(watch->lacking);
	g_free(watch);
}

static void
watch_add_result(struct email_watch *watch, const struct email_watched *watched)
{
	for (guint i = watch->results->len; i > 0; i--)
		if (base_id_equal(
			&g_array_index(watch->results, struct email_watched, i - 1).email_id,
			&watched->email_id))
			return;
	g_array_append_val(watch->results, *watched);
}

void
email_watch_add(struct email_watch *watch, const struct store_event *events, guint count)
{
	for (guint i = 0; i < count; i++) {
		const struct email_watched watched = {events[i].workspace_id, events[i].email_id};

		if (matters(&events[i]))
			watch_add_result(watch, &watched);
	}
}

void
email_watch_lack(
    struct email_watch *watch, const struct base_id *workspace, const struct base_id *broadcast)
{
	const struct email_lacking lacking = {*workspace, *broadcast};

	for (guint i = 0; i < watch->lacking->len; i++)
		if (base_id_equal(
			&g_array_index(watch->lacking, struct email_lacking, i).broadcast_id,
			broadcast))
			return;
	g_array_append_val(watch->lacking, lacking);
}

void
email_watch_join(struct email_watch *watch, const struct email_watch *other)
{
	for (guint i = 0; i < other->results->len; i++)
		watch_add_result(watch, &g_array_index(other->results, struct email_watched, i));
	for (guint i = 0; i < other->lacking->len; i++) {
		const struct email_lacking *lacking =
		    &g_array_index(other->lacking, struct email_lacking, i);

		email_watch_lack(watch, &lacking->workspace_id, &lacking->broadcast_id);
	}
}
