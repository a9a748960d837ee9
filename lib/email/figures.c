/* SPDX-License-Identifier: MIT */
/* Chooses the tags that figures are counted for, and reads which figures somebody asks for. */
#include "email/figures.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/id.h"
#include "base/limits/email.h"
#include "base/limits/list.h"
#include "json/strict.h"
#include "json/value.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/figure/figure.h"
#include "store/figure/tag.h"

#define DAY_MS ((gint64)24 * 60 * 60 * 1000)
#define NAMES_MAX 1000 /* whose values a process keeps */
#define EVERY ",day"
#define OTHERS "*"

/* The values of tags that a process knows to have figures of their own. */
struct figure_tags {
	GHashTable *names; /* the workspace's id and the name of a tag -> a set of its values */
};

/* A name of a tag in a workspace. */
struct tag {
	struct figure_tags *tags;
	struct db *db;
	const struct base_id *workspace;
	const char *name;
};

static void *
figure_tags_new(void)
{
	struct figure_tags *tags = g_new(struct figure_tags, 1);

	tags->names = g_hash_table_new_full(
	    g_str_hash, g_str_equal, g_free, (GDestroyNotify)g_hash_table_unref);
	return tags;
}

static void
figure_tags_free(void *cache)
{
	struct figure_tags *tags = cache;

	g_hash_table_unref(tags->names);
	g_free(tags);
}

/* Reads the values of a name, and keeps them. NULL with an error. */
static GHashTable *
figures_read_values(const struct tag *tag, const char *key, GError **error)
{
	GHashTable *names = tag->tags->names;
	GHashTable *values = store_figure_tag_values(tag->db, tag->workspace, tag->name, error);

	if (!values)
		return NULL;
	if (g_hash_table_size(names) >= NAMES_MAX)
		g_hash_table_remove_all(names);
	g_hash_table_replace(names, g_strdup(key), values);
	return values;
}

static bool
is_settled(GHashTable *values, const char *value)
{
	return g_hash_table_contains(values, value) ||
	       g_hash_table_size(values) >= LIMIT_TAG_VALUES;
}

/* Finds out whether a value has figures of its own, and gives it some while there is room. */
static bool
admit(const struct tag *tag, const char *value, bool *has_r, GError **error)
{
	char id[ID_TEXT_SIZE];
	g_autofree char *key = g_strconcat(base_id_format(tag->workspace, id), tag->name, NULL);
	GHashTable *values = g_hash_table_lookup(tag->tags->names, key);

	if (!values || !is_settled(values, value))
		values = figures_read_values(tag, key, error);
	while (values && !is_settled(values, value))
		values = store_figure_tag_add(
			     tag->db, tag->workspace, tag->name, value, LIMIT_TAG_VALUES, error)
			     ? figures_read_values(tag, key, error)
			     : NULL;
	*has_r = values && g_hash_table_contains(values, value);
	return values != NULL;
}

bool
email_figures_set_tags(struct service *service, struct store_email *email, GError **error)
{
	struct tag tag = {
	    service_cache(service, SERVICE_CACHE_FIGURE_TAGS, figure_tags_new, figure_tags_free),
	    service->db, &email->workspace_id, NULL};
	const char *text = email->tags;
	AUTO(json) given = text ? json_parse_as("tags", text, strlen(text), error) : NULL;
	struct json_iterator members = json_members(given);
	g_autoptr(GByteArray) counted = g_byte_array_new();
	const struct json *member;

	if (text && !given)
		return false;
	while (json_iterator_next(&members, &tag.name, &member)) {
		const char *value = json_string(member, NULL);
		bool has;

		if (!admit(&tag, value, &has, error))
			return false;
		g_byte_array_append(counted, (const guint8 *)tag.name, (guint)strlen(tag.name));
		g_byte_array_append(counted, (const guint8 *)":", 1);
		value = has ? value : OTHERS;
		g_byte_array_append(counted, (const guint8 *)value, (guint)strlen(value) + 1);
	}
	g_clear_pointer(&email->counted_tags, g_bytes_unref);
	if (counted->len > 0)
		email->counted_tags = g_byte_array_free_to_bytes(g_steal_pointer(&counted));
	return true;
}

static bool
figures_read_group(const char *text, struct store_figure_query *query, GError **error)
{
	g_autofree char *name = g_strdup(text ? text : "day");

	query->by_day = g_str_has_suffix(name, EVERY);
	if (query->by_day)
		name[strlen(name) - strlen(EVERY)] = '\0';
	for (guint i = 0; store_figure_group_names[i]; i++)
		if (strcmp(store_figure_group_names[i], name) == 0) {
			query->group = (enum store_figure_group)i;
			query->by_day |= query->group == FIGURES_BY_DAY;
			return true;
		}
	g_autofree char *all = g_strjoinv(", ", (char **)store_figure_group_names);
	return base_invalid(error, "group_by must be one of %s, each also with %s", all, EVERY);
}

static bool
figures_read_day(const char *name, const char *text, gint64 *day_r, GError **error)
{
	gint64 time;

	if (!g_ascii_string_to_signed(text, 10, 0, LIMIT_FIGURE_MS, &time, NULL) &&
	    (!base_clock_parse(text, &time) || time < 0))
		return base_invalid(
		    error, "%s must be a date, such as 2026-11-20, or epoch milliseconds", name);
	*day_r = time / DAY_MS;
	return true;
}

bool
email_figures_read_days(
    const char *from, const char *to, gint64 most, gint64 *from_r, gint64 *to_r, GError **error)
{
	*to_r = base_clock_now() / DAY_MS + 1;
	if (to && !figures_read_day("to", to, to_r, error))
		return false;
	*from_r = *to_r - 1 - DEFAULT_FIGURE_DAYS;
	if (from && !figures_read_day("from", from, from_r, error))
		return false;
	if (*from_r > *to_r)
		return base_invalid(error, "from must not be after to");
	if (*to_r - *from_r > most)
		return base_invalid(
		    error, "from and to must be at most %" G_GINT64_FORMAT " days apart", most);
	return true;
}

/* Reads the id of a broadcast or a workflow. Nothing has an id that is none. */
static bool
read_owner(const char *name, const char *text, struct base_id *id_r, GError **error)
{
	if (!text)
		return base_invalid(error, "%s is required", name);
	if (!base_id_parse(text, id_r))
		memset(id_r, 0, sizeof(*id_r));
	return true;
}

bool
email_figures_read(
    const struct email_figures_wish *wish, struct store_figure_query *query_r, GError **error)
{
	*query_r = (struct store_figure_query){0};
	if (!figures_read_group(wish->group_by, query_r, error))
		return false;
	if ((query_r->group == FIGURES_BY_VARIANT || query_r->group == FIGURES_BY_LINK) &&
	    !read_owner("broadcast_id", wish->broadcast_id, &query_r->owner, error))
		return false;
	if ((query_r->group == FIGURES_BY_NODE || query_r->group == FIGURES_BY_STEP) &&
	    !read_owner("workflow_id", wish->workflow_id, &query_r->owner, error))
		return false;
	return email_figures_read_days(
	    wish->from, wish->to, LIMIT_FIGURE_DAYS, &query_r->from, &query_r->to, error);
}

char *
email_figures_date(gint64 day)
{
	g_autoptr(GDateTime) time = g_date_time_new_from_unix_utc(day * (DAY_MS / 1000));

	return g_date_time_format(time, "%Y-%m-%d");
}
