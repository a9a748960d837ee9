/* SPDX-License-Identifier: MIT */
/* Pauses broadcasts that fare badly, and tells the users of their workspaces; warns of those whose
   messages lack a link. */
#include "core/broadcast_watch.h"

#include "config/log.h"
#include "config/log_line.h"
#include "config/settings.h"
#include "core/core.h"
#include "core/user_notice.h"
#include "core/watched.h"
#include "db/transaction.h"
#include "store/broadcast.h"
#include "store/broadcast_mark.h"
#include "text/width.h"

/* A look at one broadcast. */
struct watch {
	struct core *core;
	const struct base_id *workspace, *email; /* email: a part of it */
	GError *trouble; /* why the users are not told; NULL: they are, or there was no need */
};

/* Whether a number of those tried is more than the percentage of a setting. */
static bool
is_over(const struct core *core, enum config_setting setting, gint64 number, gint64 tried)
{
	gint64 thousandths =
	    (gint64)(g_ascii_strtod(config_settings_text(core->settings, setting), NULL) * 1000 +
		     0.5);

	return number * 100000 > thousandths * tried;
}

/* Why the broadcast has to pause; 0: it has not. */
static enum store_broadcast_pause
judge(const struct core *core, const struct store_broadcast_health *health)
{
	if (health->tried < config_settings_number(core->settings, SETTING_MAILINGS_PAUSE_AFTER))
		return 0;
	if (is_over(core, SETTING_MAILINGS_PAUSE_BOUNCES, health->bounced, health->tried))
		return BROADCAST_PAUSED_BOUNCES;
	if (is_over(core, SETTING_MAILINGS_PAUSE_COMPLAINTS, health->complained, health->tried))
		return BROADCAST_PAUSED_COMPLAINTS;
	return 0;
}

static bool
tell(struct watch *watch, const struct store_broadcast_health *health,
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

	return core_user_notice(
	    watch->core, watch->workspace, subject, html, &watch->trouble, error);
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
	reason = health ? judge(watch->core, health) : 0;
	if (!reason)
		return true;
	const struct store_broadcast broadcast = {
	    .id = health->id, .workspace_id = *watch->workspace};
	return store_broadcast_pause(db, &broadcast, reason, error) &&
	       tell(watch, health, reason, error);
}

static void
look(struct core *core, const struct core_watched *watched)
{
	struct watch watch = {core, &watched->workspace_id, &watched->email_id, NULL};
	AUTO(store_broadcast_health) health = NULL;

	if (store_broadcast_health(core->db, watch.workspace, watch.email, false, &health, NULL) &&
	    health && judge(core, health) && db_transact(core->db, pause_broadcast, &watch, NULL) &&
	    watch.trouble)
		config_log(
		    "users are not told that a broadcast is paused: %s", watch.trouble->message);
	g_clear_error(&watch.trouble);
}

/* One process of all warns of a broadcast: the one that notes it first. */
static void
warn(struct core *core, struct core_lacking *lacking)
{
	struct config_log_line line;
	bool is_first;

	if (lacking->is_told)
		return;
	lacking->is_told = store_broadcast_warn(
	    core->db, &lacking->workspace_id, &lacking->broadcast_id, &is_first, NULL);
	if (!lacking->is_told || !is_first ||
	    !config_log_line_begin(&line, LEVEL_WARNING, "broadcast"))
		return;
	config_log_line_id(&line, "workspace", &lacking->workspace_id);
	config_log_line_id(&line, "broadcast", &lacking->broadcast_id);
	config_log_line_text(&line, "text", STORE_BROADCAST_LACKS);
	config_log_line_end(&line);
}

void
core_broadcast_watch(struct core *core)
{
	for (guint i = 0; core->lacking && i < core->lacking->len; i++)
		warn(core, &g_array_index(core->lacking, struct core_lacking, i));
	for (guint i = 0; core->watched && i < core->watched->len; i++)
		look(core, &g_array_index(core->watched, struct core_watched, i));
	if (core->watched)
		g_array_set_size(core->watched, 0);
}
