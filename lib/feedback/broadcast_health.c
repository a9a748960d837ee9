/* SPDX-License-Identifier: MIT */
/* Pauses broadcasts that fare badly, and tells the users of their workspaces; warns of those whose
   messages lack a link. */
#include "feedback/broadcast_health.h"

#include "config/log.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "db/transaction.h"
#include "email/watched.h"
#include "service/service.h"
#include "store/broadcast/broadcast.h"
#include "store/broadcast/mark.h"
#include "submit/user_notice.h"
#include "text/width.h"

#define WARNED_MOST 100 /* broadcasts that a process remembers */

/* A broadcast whose messages lacked a link. */
struct warned {
	struct email_lacking lacking;
	bool is_done;
};

/* A look at one broadcast. */
struct watch {
	struct service *service;
	const struct base_id *workspace, *email; /* email: a part of it */
	GError *trouble; /* why the users are not notified; NULL: they are, or there was no need */
};

/* Whether a number of those tried is more than the percentage of a setting. */
static bool
broadcast_health_is_over(
    const struct service *service, enum config_setting setting, gint64 number, gint64 tried)
{
	gint64 thousandths =
	    (gint64)(g_ascii_strtod(config_settings_text(service->settings, setting), NULL) * 1000 +
		     0.5);

	return number * 100000 > thousandths * tried;
}

/* Why the broadcast has to pause; 0: it has not. */
static enum store_broadcast_pause
broadcast_health_judge(const struct service *service, const struct store_broadcast_health *health)
{
	if (health->tried < config_settings_number(service->settings, SETTING_MAILINGS_PAUSE_AFTER))
		return 0;
	if (broadcast_health_is_over(
		service, SETTING_MAILINGS_PAUSE_BOUNCES, health->bounced, health->tried))
		return BROADCAST_PAUSED_BOUNCES;
	if (broadcast_health_is_over(
		service, SETTING_MAILINGS_PAUSE_COMPLAINTS, health->complained, health->tried))
		return BROADCAST_PAUSED_COMPLAINTS;
	return 0;
}

static bool
broadcast_health_tell(struct watch *watch, const struct store_broadcast_health *health,
    enum store_broadcast_pause reason, GError **error)
{
	bool bounces = reason == BROADCAST_PAUSED_BOUNCES;
	g_autofree char *line = text_width_line(health->name);
	g_autofree char *subject = g_strdup_printf("Broadcast paused: %s", line);
	g_autofree char *name = g_markup_escape_text(health->name, -1);
	char id[ID_TEXT_SIZE];
	g_autofree char *html =
	    g_strdup_printf("<p>The broadcast %s, %s, is paused: of %" G_GINT64_FORMAT
			    " messages that were tried, %" G_GINT64_FORMAT " %s.</p>\n"
			    "<p>Look for the reason before you resume it, or cancel it.</p>\n",
		base_id_format(&health->id, id), name, health->tried,
		bounces ? health->bounced : health->complained,
		bounces ? "have bounced" : "were complained about");

	return submit_user_notice(
	    watch->service, watch->workspace, subject, html, &watch->trouble, error);
}

/* Inside a transaction: pauses the broadcast, if it still has to pause. */
static bool
pause_broadcast(struct db *db, void *context, GError **error)
{
	struct watch *watch = context;
	AUTO(store_broadcast_health) health = NULL;
	enum store_broadcast_pause reason;

	g_clear_error(&watch->trouble);
	if (!store_broadcast_health(db, watch->workspace, watch->email, true, &health, error))
		return false;
	reason = health ? broadcast_health_judge(watch->service, health) : 0;
	if (!reason)
		return true;
	const struct store_broadcast broadcast = {
	    .id = health->id, .workspace_id = *watch->workspace};
	return store_broadcast_pause(db, &broadcast, reason, error) &&
	       broadcast_health_tell(watch, health, reason, error);
}

static void
broadcast_health_look(struct service *service, const struct email_watched *watched)
{
	struct watch watch = {service, &watched->workspace_id, &watched->email_id, NULL};
	AUTO(store_broadcast_health) health = NULL;

	if (store_broadcast_health(
		service->db, watch.workspace, watch.email, false, &health, NULL) &&
	    health && broadcast_health_judge(service, health) &&
	    db_transact(service->db, pause_broadcast, &watch, NULL) && watch.trouble)
		config_log(
		    "users are not told that a broadcast is paused: %s", watch.trouble->message);
	g_clear_error(&watch.trouble);
}

/* One process of all warns of a broadcast: the one that notes it first. */
static void
broadcast_health_warn(struct service *service, struct warned *warned)
{
	const struct email_lacking *lacking = &warned->lacking;
	struct config_log_line line;
	bool is_first;

	if (warned->is_done)
		return;
	warned->is_done = store_broadcast_warn(
	    service->db, &lacking->workspace_id, &lacking->broadcast_id, &is_first, NULL);
	if (!warned->is_done || !is_first ||
	    !config_log_line_begin(&line, LEVEL_WARNING, "broadcast"))
		return;
	config_log_line_id(&line, "workspace", &lacking->workspace_id);
	config_log_line_id(&line, "broadcast", &lacking->broadcast_id);
	config_log_line_text(&line, "text", STORE_BROADCAST_LACKS);
	config_log_line_end(&line);
}

static void *
warned_new(void)
{
	return g_array_new(FALSE, FALSE, sizeof(struct warned));
}

static void
warned_free(void *known)
{
	g_array_unref(known);
}

static void
warned_add(GArray *known, const struct email_lacking *lacking)
{
	const struct warned warned = {*lacking, false};

	for (guint i = 0; i < known->len; i++)
		if (base_id_equal(&g_array_index(known, struct warned, i).lacking.broadcast_id,
			&lacking->broadcast_id))
			return;
	if (known->len == WARNED_MOST)
		g_array_remove_index(known, 0);
	g_array_append_val(known, warned);
}

void
feedback_broadcast_health(struct service *service, const struct email_watch *watch)
{
	GArray *known = service_cache(service, SERVICE_CACHE_WARNED, warned_new, warned_free);

	for (guint i = 0; i < watch->lacking->len; i++)
		warned_add(known, &g_array_index(watch->lacking, struct email_lacking, i));
	for (guint i = 0; i < known->len; i++)
		broadcast_health_warn(service, &g_array_index(known, struct warned, i));
	for (guint i = 0; i < watch->results->len; i++)
		broadcast_health_look(
		    service, &g_array_index(watch->results, struct email_watched, i));
}
