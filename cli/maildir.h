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

/* Reads a message to its end, so that the writer of a pipe is not stopped. Bytes beyond most are
   dropped. TEMPORARY when it cannot be read. The caller owns the result. */
GByteArray *cli_maildir_read(int input, guint most, GError **error);

#endif
