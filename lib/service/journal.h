/* SPDX-License-Identifier: MIT */
/* A local file that tells which messages a process has sent and not yet recorded in the database.
   The file outlives the process.

   Each journal is a file HOST.ID.journal in the spool directory, of mode 0600. Its owner holds an
   exclusive flock(2) on it for as long as it lives. HOST names the spool directory's machine, so a
   claim whose owner has another HOST belongs to another machine. Each record has a checksum; a torn
   record at the end is ignored. There is no fsync: the page cache outlives the process, and when
   the machine crashes its connections to the relay end too.

   The file begins with a mark, which is overwritten in place. It names the outbox entry or
   execution in hand that may kill the process. A message that kills its process is found so:
   1. A process writes the entry's id into the mark before it composes the message, and clears the
      mark afterwards.
   2. The process dies in between. The kernel keeps the file and releases the lock.
   3. delivery_recover in another process reads the mark and counts a death for this entry alone.
   The other entries of the batch become due again unchanged.
   4. A process that was killed from outside leaves the same mark. So a worker composes the message
      once more, after all others of its batch.
   5. After LIMIT_DEATHS deaths the message is composed in a child process (delivery/delivery.c). If
   the child dies too, the message fails for good. Executions are handled in the same way
   (automation/engine.c). */
#ifndef SERVICE_JOURNAL_H
#define SERVICE_JOURNAL_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"
#include "base/scope.h"

struct smtp_message;

struct service_journal;

/* Creates the journal of this process. FAILED, saying what to do, when the directory is missing,
   full or not writable. The caller closes or abandons it. */
struct service_journal *service_journal_open(const char *dir, GError **error);

/* The owner to put into claims whose messages go through this journal. The journal owns the text.
 */
const char *service_journal_owner(const struct service_journal *journal);

/* The three records of an outbox entry (id), claimed with token. FAILED when a record cannot be
   written; then nothing may be sent.

   service_journal_claim: the entry of the email is claimed and about to be worked on. */
bool service_journal_claim(struct service_journal *journal, const struct base_id *email,
    const struct base_id *id, gint64 token, GError **error);
/* service_journal_data: from now on the final dot may go out to the relay of this name. Reserves
   the disk space that service_journal_done needs. */
bool service_journal_data(struct service_journal *journal, const struct base_id *id, gint64 token,
    const char *relay, GError **error);
/* service_journal_done: the outcome of each recipient. */
struct service_journal_ending {
	const struct base_id *id;
	gint64 token;
	gint64 finished; /* the outcomes are known since then, epoch ms */
	const struct smtp_message *message;
	const guint16 *numbers; /* in the email, of the message's recipients */
	const char *relay;	/* the name of the one that answered */
};
bool service_journal_done(
    struct service_journal *journal, const struct service_journal_ending *ending, GError **error);

/* Set the mark: this entry is being composed; this execution is being stepped; nothing is in hand.
   A mark that cannot be written is left out: a death is then counted for no entry. */
void service_journal_compose(
    struct service_journal *journal, const struct base_id *id, gint64 token);
void service_journal_step(struct service_journal *journal, const struct base_id *execution);
void service_journal_idle(struct service_journal *journal);

/* Removes all records, since the database has them now. The mark stays. */
void service_journal_cut(struct service_journal *journal);

/* Closes the journal and removes its file, since the database has everything that it holds. */
void service_journal_close(struct service_journal *journal);
DEFINE_AUTO(service_journal, service_journal_close)

/* Closes the journal and keeps its file, since the database lacks some of it: delivery_recover, in
   any process of this machine, records the rest. */
void service_journal_abandon(struct service_journal *journal);

/* The outcome of one recipient, as service_journal_done wrote it. */
struct service_journal_reply {
	guint16 number;	       /* in the email */
	guint8 outcome, stage; /* enum smtp_outcome, smtp_stage */
	gint16 code;
	char enhanced[12];
	char *text;
};

/* All that a journal tells of one outbox entry and token, or of one execution. */
struct service_journal_entry {
	struct base_id id;    /* of the outbox entry; of the execution if stepping */
	struct base_id email; /* of the outbox entry, where has_email */
	bool has_email;	      /* false: stepping, or a program of an earlier version wrote it */
	gint64 token;	      /* 0 if stepping */
	bool composing;	      /* the message was being composed when the owner died */
	bool stepping;	      /* the execution was being stepped when the owner died */
	bool data;	      /* the final dot may have gone out */
	bool done;	      /* the outcomes are known: finished and replies */
	gint64 finished;      /* epoch ms */
	char *relay;	      /* the name of the one that had it; NULL: not known */
	GArray *replies;      /* of struct service_journal_reply */
};

/* Finds a journal in dir whose owner has ended, locks it, and reads it into *entries_r, an array of
   struct service_journal_entry that the caller frees. NULL when there is none (left). The caller
   closes or abandons the journal. */
struct service_journal *service_journal_next(const char *dir, GPtrArray **entries_r);

/* The number of journals in dir whose owner has ended and that nobody has written since before
   (epoch ms, by the clock of the file system). */
guint service_journal_left(const char *dir, gint64 before);

/* For a backup: the records of all journals in dir, also of owners that live, that tell of messages
   for which the final dot may have gone out. The caller owns them. service_journal_restore makes
   them a journal in the folder of another machine, which has the same byte order: delivery_recover
   there records what they tell, where the claim is still the same. FAILED. */
GBytes *service_journal_sent(const char *dir);
bool service_journal_restore(const char *dir, GBytes *sent, GError **error);

/* The size of the mark, in front of the records. */
#define JOURNAL_MARK_SIZE 40

/* Reads the bytes of a journal: all whole records up to the first that is damaged, as an array of
   struct service_journal_entry, one for each id and token. A damaged mark is ignored, and the
   records behind it are read. The caller frees it. */
GPtrArray *service_journal_read(const guint8 *bytes, gsize size);

/* The state of a claim's owner. */
enum service_journal_owner {
	OWNER_LIVES,   /* it runs, or its journal still has to be read: leave its entries alone */
	OWNER_GONE,    /* it ended, and all that it sent is recorded: its entries are due again */
	OWNER_FOREIGN, /* it runs or ran on another machine */
};
enum service_journal_owner service_journal_ask(const char *dir, const char *owner);

#endif
