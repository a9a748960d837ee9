/* SPDX-License-Identifier: MIT */
/* Figures of DMARC: merges the sums of reporters, and tells the kinds of sources apart. */
#include "dmarc/figures.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/domain_report.h"
#include "email/figures.h"
#include "json/writer.h"

#define DAYS_MAX 400
#define OTHER "other"

const char *
dmarc_figures_kind(enum dmarc_kind kind)
{
	static const char *const names[] = {
	    [DMARC_KIND_NONE] = NULL,
	    [DMARC_KIND_OURS] = "ours",
	    [DMARC_KIND_OTHER] = "other",
	    [DMARC_KIND_BROKEN] = "broken",
	    [DMARC_KIND_FAILING] = "failing",
	};

	return names[kind];
}

void
dmarc_figure_free(struct dmarc_figure *figure)
{
	g_free(figure->key);
	g_hash_table_unref(figure->names);
	g_free(figure);
}

static struct dmarc_figure *
figures_new(const char *key, enum dmarc_kind kind)
{
	struct dmarc_figure *figure = g_new0(struct dmarc_figure, 1);

	figure->key = g_strdup(key);
	figure->kind = kind;
	figure->names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return figure;
}

static bool
figures_read_dmarc_group(const char *text, struct store_dmarc_query *query, GError **error)
{
	static const char *const groups[] = {
	    [DMARC_BY_SOURCE] = "source", [DMARC_BY_DAY] = "day", [DMARC_BY_REPORTER] = "reporter"};

	query->group = DMARC_BY_SOURCE;
	for (guint i = 0; text && i < G_N_ELEMENTS(groups); i++)
		if (strcmp(text, groups[i]) == 0) {
			query->group = (enum store_dmarc_group)i;
			return true;
		}
	return !text || base_invalid(error, "group_by must be one of source, day, reporter");
}

bool
dmarc_figures_read(const struct dmarc_wish *wish, struct store_dmarc_query *query_r,
    bool *verified_r, GError **error)
{
	*query_r = (struct store_dmarc_query){.group = DMARC_BY_SOURCE};
	if (!figures_read_dmarc_group(wish->group_by, query_r, error) ||
	    !email_figures_read_days(
		wish->from, wish->to, DAYS_MAX, &query_r->from, &query_r->to, error))
		return false;
	if (!wish->verified)
		return true;
	*verified_r = strcmp(wish->verified, "true") == 0;
	query_r->verified = verified_r;
	return *verified_r || strcmp(wish->verified, "false") == 0 ||
	       base_invalid(error, "verified must be true or false");
}

/* Figures while the sums of reporters are merged. */
struct figures {
	enum store_dmarc_group group;
	GHashTable *ours;   /* sources that also sent what passed as ours */
	GHashTable *by_key; /* "KIND KEY" → struct dmarc_figure */
	GPtrArray *list;
};

static enum dmarc_kind
figures_kind_of(const struct figures *figures, const struct store_dmarc_sum *sum)
{
	if (figures->group != DMARC_BY_SOURCE)
		return DMARC_KIND_NONE;
	switch (sum->fate) {
	case DMARC_FATE_OURS:
		return DMARC_KIND_OURS;
	case DMARC_FATE_OTHER:
		return DMARC_KIND_OTHER;
	case DMARC_FATE_BEARS:
		return DMARC_KIND_BROKEN;
	case DMARC_FATE_FAILS:
		break;
	}
	return g_hash_table_contains(figures->ours, sum->key) ? DMARC_KIND_BROKEN
							      : DMARC_KIND_FAILING;
}

static void
figures_add(struct dmarc_figure *figure, const struct store_dmarc_sum *sum)
{
	figure->messages += sum->messages;
	figure->passed += sum->passed;
	figure->dkim_aligned += sum->dkim_aligned;
	figure->spf_aligned += sum->spf_aligned;
	figure->quarantined += sum->quarantined;
	figure->rejected += sum->rejected;
	figure->first = figure->first ? MIN(figure->first, sum->first) : sum->first;
	figure->last = MAX(figure->last, sum->last);
}

static void
figures_merge(struct figures *figures, const struct store_dmarc_sum *sum)
{
	enum dmarc_kind kind = figures_kind_of(figures, sum);
	g_autofree char *date =
	    figures->group == DMARC_BY_DAY ? email_figures_date(sum->day) : NULL;
	const char *key = date ? date : sum->key;
	g_autofree char *mark = g_strdup_printf("%d %s", kind, key);
	struct dmarc_figure *figure = g_hash_table_lookup(figures->by_key, mark);

	if (!figure) {
		figure = figures_new(key, kind);
		g_ptr_array_add(figures->list, figure);
		g_hash_table_insert(figures->by_key, g_steal_pointer(&mark), figure);
	}
	figures_add(figure, sum);
	g_hash_table_add(figure->names, g_strdup(sum->reporter));
}

static gint
figures_compare(gconstpointer a, gconstpointer b)
{
	const struct dmarc_figure *left = *(struct dmarc_figure *const *)a;
	const struct dmarc_figure *right = *(struct dmarc_figure *const *)b;

	if (left->messages != right->messages)
		return left->messages > right->messages ? -1 : 1;
	int order = strcmp(left->key, right->key);
	return order != 0 ? order : (gint)left->kind - (gint)right->kind;
}

static gint
figures_compare_day(gconstpointer a, gconstpointer b)
{
	const struct dmarc_figure *left = *(struct dmarc_figure *const *)a;
	const struct dmarc_figure *right = *(struct dmarc_figure *const *)b;

	return strcmp(left->key, right->key);
}

/* The figures in any order. */
static GPtrArray *
figures_make(const GPtrArray *sums, enum store_dmarc_group group)
{
	g_autoptr(GHashTable) ours = g_hash_table_new(g_str_hash, g_str_equal);
	g_autoptr(GHashTable) by_key = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	GPtrArray *list = g_ptr_array_new_with_free_func(dmarc_figure_destroy);
	struct figures figures = {group, ours, by_key, list};

	for (guint i = 0; i < sums->len; i++) {
		const struct store_dmarc_sum *sum = sums->pdata[i];

		if (sum->fate == DMARC_FATE_OURS)
			g_hash_table_add(ours, sum->key);
	}
	for (guint i = 0; i < sums->len; i++)
		figures_merge(&figures, sums->pdata[i]);
	return list;
}

/* Puts the rows beyond the limit into one. */
static void
figures_fold(GPtrArray *list)
{
	struct dmarc_figure *other;
	GHashTableIter iterator;
	void *reporter;

	if (list->len <= LIMIT_DMARC_ROWS)
		return;
	other = figures_new(OTHER, DMARC_KIND_NONE);
	for (guint i = LIMIT_DMARC_ROWS; i < list->len; i++) {
		const struct dmarc_figure *figure = list->pdata[i];

		other->messages += figure->messages;
		other->passed += figure->passed;
		other->dkim_aligned += figure->dkim_aligned;
		other->spf_aligned += figure->spf_aligned;
		other->quarantined += figure->quarantined;
		other->rejected += figure->rejected;
		other->first = other->first ? MIN(other->first, figure->first) : figure->first;
		other->last = MAX(other->last, figure->last);
		g_hash_table_iter_init(&iterator, figure->names);
		while (g_hash_table_iter_next(&iterator, &reporter, NULL))
			g_hash_table_add(other->names, g_strdup(reporter));
	}
	g_ptr_array_set_size(list, LIMIT_DMARC_ROWS);
	g_ptr_array_add(list, other);
}

GPtrArray *
dmarc_figures_list(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    const struct store_dmarc_query *query, GError **error)
{
	g_autoptr(GPtrArray) sums = store_dmarc_sums(db, workspace, domain, query, error);

	if (!sums)
		return NULL;
	GPtrArray *list = figures_make(sums, query->group);
	if (query->group == DMARC_BY_DAY) {
		g_ptr_array_sort(list, figures_compare_day);
	} else {
		g_ptr_array_sort(list, figures_compare);
		figures_fold(list);
	}
	return list;
}

bool
dmarc_figures_kinds(struct db *db, const struct base_id *workspace, const struct base_id *domain,
    gint64 from, gint64 *sums_r, GError **error)
{
	const bool verified = true;
	const struct store_dmarc_query query = {DMARC_BY_SOURCE, from, G_MAXINT32, &verified};
	g_autoptr(GPtrArray) sums = store_dmarc_sums(db, workspace, domain, &query, error);

	if (!sums)
		return false;
	g_autoptr(GPtrArray) list = figures_make(sums, query.group);
	memset(sums_r, 0, sizeof(*sums_r) * (DMARC_KIND_FAILING + 1));
	for (guint i = 0; i < list->len; i++) {
		const struct dmarc_figure *figure = list->pdata[i];

		sums_r[figure->kind] += figure->messages;
	}
	return true;
}

void
dmarc_figures_write(struct json_writer *writer, const struct dmarc_figure *figure)
{
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "key", figure->key);
	json_writer_string(writer, "kind", dmarc_figures_kind(figure->kind));
	json_writer_integer(writer, "messages", figure->messages);
	json_writer_integer(writer, "passed", figure->passed);
	json_writer_integer(writer, "dkim_aligned", figure->dkim_aligned);
	json_writer_integer(writer, "spf_aligned", figure->spf_aligned);
	json_writer_integer(writer, "quarantined", figure->quarantined);
	json_writer_integer(writer, "rejected", figure->rejected);
	json_writer_integer(writer, "reporters", (gint64)g_hash_table_size(figure->names));
	json_writer_integer(writer, "first", figure->first);
	json_writer_integer(writer, "last", figure->last);
	json_writer_end_object(writer);
}
