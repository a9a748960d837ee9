#ifndef DB_BLOCK_TEXT_H
#define DB_BLOCK_TEXT_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* For this room: statements as one, for one round trip: the guard if there is one, START
   TRANSACTION where asked, the statements, COMMIT where asked. The text belongs to db, which keeps
   it, and what is prepared of it, until there are too many; so it is to be executed before the next
   call. */
const char *db_block_text(
    struct db *db, const char *const *statements, gsize count, bool begins, bool commits);

/* Its values, as an array of struct db_value: so far those of the guard. The caller appends those
   of the statements, and owns it. */
GArray *db_block_values(const struct db *db);

#endif
