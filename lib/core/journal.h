/* SPDX-License-Identifier: MIT */
/* What this process has sent and not yet recorded in the database: a local file that outlives it.
 *
 * Each journal is a file of the spool directory, HOST.ID.journal, of mode 0600, held by an
 * exclusive flock(2) for as long as its owner lives; HOST is that of the directory, so a claim
 * whose owner has another HOST is another machine's. Its records are checksummed; a torn one at the
 * end counts for nothing. There is no fsync: the page cache outlives the process, and a machine
 * that crashes takes its connections with it.
 *
 * In front stands a mark, written over in its place, which says what the process has in hand that
 * may kill it, a copy or an execution. A poison is found like this:
 * 1. A process marks the copy that it is about to compose, and takes the mark back afterwards.
 * 2. It dies in between. The kernel keeps the file, and frees the lock.
 * 3. core_recover of another process reads the mark, and counts a death of this copy alone; the
 *    others of the batch are due again as they were.
 * 4. Nobody can tell a poison from a process that was killed from outside. So the copy is composed
 *    by a worker once more, after all others of its batch have left.
 * 5. After LIMIT_DEATHS deaths it is composed in a child (core/deliver.c), whose death is its end.
 * An execution goes the same way (automation/engine.c).
 */
#ifndef CORE_JOURNAL_H
#define CORE_JOURNAL_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct smtp_message;

struct core_journal;

/* Makes a journal of this process. FAILED, with what to do, when the directory is missing, full, or
 * not ours to write. */
struct core_journal *core_journal_open(const char *dir, GError **error);

/* The owner of claims whose messages go through this journal. */
const char *core_journal_owner(const struct core_journal *journal);

/* A claimed copy is about to be worked on. Errors, of all three: FAILED; then nothing may be sent.
 */
bool core_journal_claim(
    struct core_journal *journal, const struct base_id *copy, gint64 token, GError **error);
/* The final dot of this copy may go out after this. Room for core_journal_done is reserved. */
bool core_journal_data(
    struct core_journal *journal, const struct base_id *copy, gint64 token, GError **error);
/* What each recipient was answered; numbers are those of the message's recipients in the email. */
bool core_journal_done(struct core_journal *journal, const struct base_id *copy, gint64 token,
    gint64 finished, const struct smtp_message *message, const guint16 *numbers, GError **error);

/* The mark: this copy is being composed, this execution stepped, or nothing is in hand. A mark that
   cannot be written is none: then a death is counted of nobody. */
void core_journal_compose(struct core_journal *journal, const struct base_id *copy, gint64 token);
void core_journal_step(struct core_journal *journal, const struct base_id *execution);
void core_journal_idle(struct core_journal *journal);

/* Everything in it is recorded. The mark stays. */
void core_journal_cut(struct core_journal *journal);

/* Everything is recorded: the file goes. */
void core_journal_close(struct core_journal *journal);
DEFINE_AUTO(core_journal, core_journal_close)

/* Something could not be recorded: the file stays, for core_journal_next of whoever comes. */
void core_journal_abandon(struct core_journal *journal);

/* Looks for a journal whose owner is gone, takes its lock, and reads it into entries_r, an array of
   struct core_journal_entry. NULL when there is none (left). What comes back is closed or abandoned
   by the caller. */
struct core_journal *core_journal_next(const char *dir, GPtrArray **entries_r);

/* What is known of the owner of a claim that has run out. */
enum core_journal_owner {
	OWNER_LIVES,   /* or its journal still has to be read: leave its rows alone */
	OWNER_GONE,    /* and what it had sent is recorded: the rest is due again */
	OWNER_FOREIGN, /* another machine's */
};
enum core_journal_owner core_journal_ask(const char *dir, const char *owner);

#endif
