/* SPDX-License-Identifier: MIT */
/* Records opens and clicks, and marks those made by programs. */
#include "core/engagement.h"

#include <glib.h>
#include <string.h>

#include "base/limits.h"
#include "core/core.h"
#include "db/transaction.h"
#include "store/event.h"
#include "store/reader.h"

/* Parts of the User-Agents of robots, in lower case. */
static const char *const robot_parts[] = {
    /* image proxies of mail providers */
    "googleimageproxy",
    "ggpht.com",
    "yahoomailproxy",
    "yahoocachesystem",
    "imageproxy",
    "image proxy",
    "mailproxy",
    "mail proxy",
    /* link scanners of Outlook and Exchange */
    "microsoft office existence discovery",
    "microsoft-urlanalyzer",
    "safelinks",
    "safe links",
    "bingpreview",
    "microsoftpreview",
    "skypeuripreview",
    /* gateways and scanners */
    "avanan",
    "barracuda",
    "bitdefender",
    "checkpoint",
    "cloudmark",
    "fireeye",
    "forcepoint",
    "fortiguard",
    "fortimail",
    "fortinet",
    "hornetsecurity",
    "ironport",
    "kaspersky",
    "mcafee",
    "messagelabs",
    "mimecast",
    "proofpoint",
    "sonicwall",
    "sophos",
    "spamtitan",
    "symantec",
    "trellix",
    "trend micro",
    "trendmicro",
    "urldefense",
    "vadesecure",
    "virustotal",
    "websense",
    "zscaler",
    /* crawlers, link previews, browsers without a screen */
    "bot/",
    "bot-",
    "crawler",
    "facebookexternalhit",
    "headlesschrome",
    "phantomjs",
    "spider",
    "whatsapp/",
};

/* Complete User-Agents. Apple's Mail Privacy Protection sends only this. */
static const char *const robot_names[] = {"mozilla/5.0"};

bool
core_engagement_is_robot(const char *user_agent)
{
	g_autofree char *lower = g_ascii_strdown(user_agent ? user_agent : "", -1);

	for (gsize i = 0; i < G_N_ELEMENTS(robot_names); i++)
		if (strcmp(lower, robot_names[i]) == 0)
			return true;
	for (gsize i = 0; i < G_N_ELEMENTS(robot_parts); i++)
		if (strstr(lower, robot_parts[i]))
			return true;
	return false;
}

void
core_engagement_free(struct core_engagement *engagement)
{
	g_free(engagement->ip);
	g_free(engagement->user_agent);
	g_free(engagement->link);
	g_free(engagement);
}

/* Makes a text that can be stored and shown. The caller owns it. */
static char *
clean(const char *user_agent)
{
	g_autofree char *text = g_utf8_make_valid(user_agent ? user_agent : "", -1);

	for (char *p = text; *p; p++)
		if (g_ascii_iscntrl(*p))
			*p = ' ';
	g_strstrip(text);
	return g_utf8_substring(text, 0, MIN(g_utf8_strlen(text, -1), LIMIT_USER_AGENT_LENGTH));
}

/* The events around a delivery. */
struct sweep {
	gint64 delivered; /* 0: not recorded yet */
	bool past;	  /* the delivery is too long ago for a sweep */
	GArray *clicks;	  /* struct click */
};

struct click {
	gint64 time;
	char *link;
};

static void
clear_click(void *click)
{
	g_free(((struct click *)click)->link);
}

static void
note(const struct store_event *event, void *context)
{
	struct sweep *sweep = context;
	struct click click = {event->timestamp, NULL};

	if (event->status == EVENT_SENT || event->status == EVENT_DELIVERED)
		sweep->delivered = MAX(sweep->delivered, event->timestamp);
	if (event->status != EVENT_CLICKED || !event->link)
		return;
	click.link = g_strdup(event->link);
	g_array_append_val(sweep->clicks, click);
}

/* Whether all links were followed in time, with this click. */
static bool
is_complete(const struct sweep *sweep, const struct core_engagement *engagement)
{
	g_autoptr(GHashTable) links = g_hash_table_new(g_str_hash, g_str_equal);

	if (sweep->past ||
	    (sweep->delivered != 0 && engagement->time > sweep->delivered + ENGAGEMENT_SWEEP_MS))
		return false;
	if (engagement->link)
		g_hash_table_add(links, engagement->link);
	for (guint i = 0; i < sweep->clicks->len; i++) {
		const struct click *click = &g_array_index(sweep->clicks, struct click, i);

		if (click->time >= sweep->delivered)
			g_hash_table_add(links, click->link);
	}
	return g_hash_table_size(links) >= engagement->token.links;
}

/* Reads all events since a time, and whether the delivery came before it. */
static bool
read_sweep(struct db *db, const struct store_reader *reader, gint64 since, struct sweep *sweep,
    GError **error)
{
	bool sent = false, delivered = false;

	if (!store_reader_recent(db, reader, since, note, sweep, error))
		return false;
	if (sweep->delivered == 0 && reader->latest != 0 &&
	    (!store_reader_has(db, reader, EVENT_SENT, &sent, error) ||
		!store_reader_has(db, reader, EVENT_DELIVERED, &delivered, error)))
		return false;
	sweep->past = sent || delivered;
	return true;
}

/* Finds out whether the engagement belongs to a sweep (*swept_r), and when that began (*since_r).
 */
static bool
find_sweep(struct db *db, const struct store_reader *reader,
    const struct core_engagement *engagement, bool *swept_r, gint64 *since_r, GError **error)
{
	g_autoptr(GArray) clicks = g_array_new(FALSE, FALSE, sizeof(struct click));
	struct sweep sweep = {.clicks = clicks};

	*swept_r = false;
	/* If the latest event is older than a sweep, the delivery is too. */
	if (engagement->token.links < 2 ||
	    (reader->latest != 0 && engagement->time > reader->latest + ENGAGEMENT_SWEEP_MS))
		return true;
	g_array_set_clear_func(clicks, clear_click);
	*since_r = engagement->time - ENGAGEMENT_SWEEP_MS;
	if (!read_sweep(db, reader, *since_r, &sweep, error))
		return false;
	*since_r = MAX(*since_r, sweep.delivered);
	*swept_r = is_complete(&sweep, engagement);
	return true;
}

static bool
record(struct db *db, void *context, GError **error)
{
	const struct core_engagement *engagement = context;
	AUTO(store_reader)
	reader =
	    store_reader_lock(db, &engagement->token.email, engagement->token.recipient, error);
	bool swept;
	gint64 since;

	if (!reader)
		return false;
	if (reader->engagements >= LIMIT_VISITS)
		return true;
	if (!find_sweep(db, reader, engagement, &swept, &since, error))
		return false;
	g_autofree char *user_agent = clean(engagement->user_agent);
	struct store_event event = {
	    .workspace_id = reader->workspace_id,
	    .email_id = reader->email_id,
	    .type = reader->type,
	    .recipient = reader->number,
	    .status = engagement->token.kind == TOKEN_OPEN ? EVENT_OPENED : EVENT_CLICKED,
	    .timestamp = engagement->time,
	    .ip = engagement->ip,
	    .user_agent = user_agent,
	    .link = engagement->link,
	    .automated = swept || core_engagement_is_robot(user_agent),
	};
	return store_event_insert(db, &event, 1, error) && store_reader_count(db, reader, error) &&
	       (!swept || store_reader_mark(db, reader, since, error));
}

bool
core_engagement_record(struct core *core, const struct core_engagement *engagement, GError **error)
{
	return db_transact(core->db, record, (void *)engagement, error);
}
