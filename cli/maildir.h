/* SPDX-License-Identifier: MIT */
/* Messages that a mail server hands over: in maildirs, or by a pipe. */
#ifndef CLI_MAILDIR_H
#define CLI_MAILDIR_H

#include <glib.h>
#include <stdbool.h>

/* Calls process for each message in dir/new, by name, with the file open for reading; on success
   moves the message to dir/cur. A message that failed stays, and so does one for which process sets
   *leave_r; after TEMPORARY or UNCERTAIN no other is tried. Any number of processes may do this at
   once and be killed: a message may be processed twice, but is never lost. Returns false, with the
   first error, when messages stay or dir is no maildir. */
bool cli_maildir_process(const char *dir,
    bool (*process)(const char *name, int file, void *context, bool *leave_r, GError **error),
    void *context, GError **error);

/* A message that is processed with others. */
struct cli_maildir_message {
	const char *name;
	GByteArray *bytes; /* at most so many as were asked for */
	/* These are set by the callback; at first they are 0. */
	bool is_done;	 /* it is moved; else it stays */
	GError *failure; /* NULL: it stays without one */
};

/* How messages are processed together. */
struct cli_maildir_gathering {
	guint most;	  /* messages at once */
	guint bytes_most; /* of a message; the rest of it is dropped */
	void (*process)(struct cli_maildir_message *messages, guint count, void *context);
	void *context;
};

/* Does the same, several messages at a time. */
bool cli_maildir_gather(
    const char *dir, const struct cli_maildir_gathering *gathering, GError **error);

/* Reads a message to its end, so that the writer of a pipe is not stopped. Bytes beyond most are
   dropped. TEMPORARY when it cannot be read. The caller owns the result. */
GByteArray *cli_maildir_read(int input, guint most, GError **error);

#endif
