#ifndef DB_BLOCK_TEXT_H
#define DB_BLOCK_TEXT_H

#include <glib.h>
#include <stdbool.h>

struct db;

/* For this room: statements of a transaction as one, for one round trip, with START TRANSACTION
   before them and COMMIT behind them where asked. The text belongs to db, which keeps it, and what
   is prepared of it, until there are too many; so it is to be executed before the next call. */
const char *db_block_text(
    struct db *db, const char *const *statements, gsize count, bool begins, bool commits);

#endif
