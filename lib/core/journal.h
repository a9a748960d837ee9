/* What this process has sent and not yet recorded in the database: a local file that outlives it.
 *
 * Each journal is a file of the spool directory, HOST.ID.journal, of mode 0600, held by an
 * exclusive flock(2) for as long as its owner lives; HOST is that of the directory, so a claim
 * whose owner has another HOST is another machine's. Its records are checksummed; a torn one at the
 * end counts for nothing. There is no fsync: the page cache outlives the process, and a machine
 * that crashes takes its connections with it.
 */
#ifndef CORE_JOURNAL_H
#define CORE_JOURNAL_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct smtp_message;

struct journal;

/* Makes a journal of this process. FAILED, with what to do, when the directory is missing, full, or
 * not ours to write. */
struct journal *core_journal_open(const char *dir, GError **error);

/* The owner of claims whose messages go through this journal. */
const char *core_journal_owner(const struct journal *journal);

/* A claimed copy is about to be worked on. Errors, of all three: FAILED; then nothing may be sent.
 */
bool core_journal_claim(
    struct journal *journal, const struct id *copy, gint64 token, GError **error);
/* The final dot of this copy may go out after this. Room for core_journal_done is reserved. */
bool core_journal_data(
    struct journal *journal, const struct id *copy, gint64 token, GError **error);
/* What each recipient was answered; numbers are those of the message's recipients in the email. */
bool core_journal_done(struct journal *journal, const struct id *copy, gint64 token,
    gint64 finished, const struct smtp_message *message, const guint16 *numbers, GError **error);

/* Everything in it is recorded. */
void core_journal_cut(struct journal *journal);

/* Everything is recorded: the file goes. */
void core_journal_close(struct journal *journal);
DEFINE_AUTO(journal, core_journal_close)

/* Something could not be recorded: the file stays, for core_journal_next of whoever comes. */
void core_journal_abandon(struct journal *journal);

/* Looks for a journal whose owner is gone, takes its lock, and reads it into entries_r, an array of
   struct journal_entry. NULL when there is none (left). What comes back is closed or abandoned by
   the caller. */
struct journal *core_journal_next(const char *dir, GPtrArray **entries_r);

/* What is known of the owner of a claim that has run out. */
enum journal_owner {
	OWNER_LIVES,   /* or its journal still has to be read: leave its rows alone */
	OWNER_GONE,    /* and what it had sent is recorded: the rest is due again */
	OWNER_FOREIGN, /* another machine's */
};
enum journal_owner core_journal_ask(const char *dir, const char *owner);

#endif
