/* SPDX-License-Identifier: MIT */
/* The condition of a guard (db/precondition.h), and a guard with its values. Stands alone, for the
   files that build statements. */
#ifndef DB_GUARD_H
#define DB_GUARD_H

struct db_query_copy;

/* A guard's condition, in texts that live as long as the process. */
struct db_precondition_form {
	const char *condition; /* for example "EXISTS (SELECT 1 FROM ...)"; never NULL */
	/* The same as a table, "api_key g", and the condition that at most one of its rows fulfils,
	   "g.hash = ? AND ...", with the same values; NULL where it is not that. db_select_row
	   joins them. */
	const char *table, *row;
};

/* For this room: a guard, with copies of its values. db/statement.c and db/deferred.c hand it to
   the statements that they build (db/compound.h), which look for none themselves. */
struct db_guard {
	const struct db_precondition_form *form;
	struct db_query_copy *condition;
};

#endif
