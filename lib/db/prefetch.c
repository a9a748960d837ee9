/* SPDX-License-Identifier: MIT */
/* Keeps the results of several executions of a SELECT that one statement has read.

   A caller that knows which rows others are about to read (fcgi/api/gather.c) reads them all at
   once; the readers stay as they are.
   1. db_select_ahead runs the long form of a SELECT for all lists of values. Its rows stand in a
      struct db_prefetch, with the lists.
   2. Each reader gets it as an argument, and calls db_select_prefetched with the short form. If the
      text and the values are those of a list, db_prefetch_take gives it the rows of that list,
      found by the id in the first column. Else the SELECT is sent.
   3. The caller frees it. Until then the rows get older, so it must not wait in between.

   db_select_prefetched takes no result in a transaction, which needs the rows as they are now, nor
   while a precondition waits to be checked by the server. The long form has a limit on its rows, so
   rows of the last id may be missing; that id is read again. An error keeps nothing: then each
   reader sends its own SELECT. The results are in memory alone, and die with the process. */
#include "db/prefetch.h"

#include <string.h>

#include "db/compound.h"
#include "db/rows.h"

struct db_prefetch {
	const struct db_prefetch_form *form;
	struct db_query_copy *places[DB_PREFETCH_MOST];
	guint count;
	struct db_value *values; /* of db_prefetch_query */
	struct db_rows *rows;
};

/* The place with this id; NULL: there is none. */
static const struct db_query_copy *
prefetch_find(const struct db_prefetch *ahead, const struct db_value *id)
{
	for (guint i = 0; i < ahead->count; i++)
		if (db_value_equal(ahead->places[i]->values, id))
			return ahead->places[i];
	return NULL;
}

struct db_prefetch *
db_prefetch_new(const struct db_prefetch_form *form, const struct db_value *values, guint places)
{
	struct db_prefetch *ahead = g_new0(struct db_prefetch, 1);

	g_assert(places >= 1 && places <= DB_PREFETCH_MOST);
	ahead->form = form;
	for (guint i = 0; i < places; i++, values += form->count)
		if (!prefetch_find(ahead, values))
			ahead->places[ahead->count++] =
			    db_query_copy_new(form->one, values, form->count);
	return ahead;
}

void
db_prefetch_free(struct db_prefetch *ahead)
{
	for (guint i = 0; i < ahead->count; i++)
		g_free(ahead->places[i]);
	g_free(ahead->values);
	g_clear_pointer(&ahead->rows, db_rows_free);
	g_free(ahead);
}

/* The last place fills those that are left. */
struct db_query
db_prefetch_query(struct db_prefetch *ahead)
{
	guint size = 0, count = ahead->form->count;

	while (ahead->count > 2u << size)
		size++;
	guint places = 2u << size;
	ahead->values = g_new(struct db_value, places * count);
	for (guint i = 0; i < places; i++)
		memcpy(ahead->values + i * count, ahead->places[MIN(i, ahead->count - 1)]->values,
		    count * sizeof(*ahead->values));
	return (struct db_query){ahead->form->many[size], ahead->values, places * count};
}

void
db_prefetch_keep(struct db_prefetch *ahead, struct db_rows *rows)
{
	ahead->rows = rows;
}

struct db_rows *
db_prefetch_take(const struct db_prefetch *ahead, const struct db_query *query)
{
	const struct db_query_copy *place =
	    ahead && ahead->form->one == query->sql ? prefetch_find(ahead, query->values) : NULL;
	bool is_last;

	for (gsize i = 0; place && i < query->count; i++)
		if (!db_value_equal(&place->values[i], &query->values[i]))
			return NULL;
	if (!place)
		return NULL;
	AUTO(db_rows) rows = db_rows_of(ahead->rows, query->values->data, &is_last);
	/* The limit may have cut off rows of the last id, and of those behind it. */
	if (is_last && db_rows_count(ahead->rows) == ahead->form->most)
		return NULL;
	return g_steal_pointer(&rows);
}
