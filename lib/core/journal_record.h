/* SPDX-License-Identifier: MIT */
/* The records of a journal: type, size, payload, checksum. */
#ifndef CORE_JOURNAL_RECORD_H
#define CORE_JOURNAL_RECORD_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct smtp_message;

/* What an owner that is gone has left behind about one recipient, and about one copy. */
struct core_journal_reply {
	guint16 number;
	guint8 outcome, stage; /* enum smtp_outcome, smtp_stage */
	gint16 code;
	char enhanced[12];
	char *text;
};

struct core_journal_entry {
	struct base_id copy;
	gint64 token;
	bool composing;	 /* it was being composed when the owner died */
	bool stepping;	 /* likewise stepped: copy is the id of an execution, and token is 0 */
	bool data;	 /* its dot may have gone out */
	bool done;	 /* and was answered: */
	gint64 finished; /* epoch ms */
	GArray *replies; /* struct core_journal_reply */
};

/* The last three are marks, of which a journal has one, in front; see core_journal_compose. */
enum core_record_type {
	RECORD_CLAIM = 1,
	RECORD_DATA = 2,
	RECORD_DONE = 3,
	RECORD_IDLE = 4,
	RECORD_COMPOSE = 5,
	RECORD_STEP = 6,
};
#define JOURNAL_MARK_SIZE 40

/* The caller owns them. */
GByteArray *core_journal_record(
    enum core_record_type type, const struct base_id *copy, gint64 token);
GByteArray *core_journal_record_done(const struct base_id *copy, gint64 token, gint64 finished,
    const struct smtp_message *message, const guint16 *numbers);

/* All whole records, up to the first that is not, as an array of struct core_journal_entry, one for
   each copy and token. A damaged mark counts for nothing, and what stands behind it is read. */
GPtrArray *core_journal_record_read(const guint8 *bytes, gsize size);

#endif
