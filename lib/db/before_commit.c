/* SPDX-License-Identifier: MIT */
/* Keeps what a transaction gathers, until it is written before COMMIT. */
#include "db/before_commit.h"

#include "db/handle.h"

struct gathering {
	const struct db_before_commit_kind *kind;
	void *gathered;
};

struct db_before_commit {
	GArray *gatherings; /* struct gathering */
};

static void
clear_gathering(void *pointer)
{
	struct gathering *gathering = pointer;

	gathering->kind->free(gathering->gathered);
}

struct db_before_commit *
db_before_commit_new(void)
{
	struct db_before_commit *before = g_new(struct db_before_commit, 1);

	before->gatherings = g_array_new(FALSE, FALSE, sizeof(struct gathering));
	g_array_set_clear_func(before->gatherings, clear_gathering);
	return before;
}

void
db_before_commit_free(struct db_before_commit *before)
{
	g_array_unref(before->gatherings);
	g_free(before);
}

void *
db_before_commit(struct db *db, const struct db_before_commit_kind *kind)
{
	GArray *gatherings = db->on->before->gatherings;

	g_assert(db->on->in_transaction);
	for (guint i = 0; i < gatherings->len; i++) {
		const struct gathering *gathering = &g_array_index(gatherings, struct gathering, i);

		if (gathering->kind == kind)
			return gathering->gathered;
	}
	const struct gathering made = {kind, kind->make()};
	g_array_append_val(gatherings, made);
	return made.gathered;
}

void
db_before_commit_begin(struct db *db)
{
	g_array_set_size(db->on->before->gatherings, 0);
}

bool
db_before_commit_write(struct db *db, GError **error)
{
	const GArray *gatherings = db->on->before->gatherings;
	bool done = true;

	for (guint i = 0; done && i < gatherings->len; i++) {
		const struct gathering *gathering = &g_array_index(gatherings, struct gathering, i);

		done = gathering->kind->write(db, gathering->gathered, error);
	}
	db_before_commit_begin(db);
	return done;
}
