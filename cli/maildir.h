/* SPDX-License-Identifier: MIT */
/* Maildirs: folders in which each message is a file of its own, without locks. */
#ifndef CLI_MAILDIR_H
#define CLI_MAILDIR_H

#include <glib.h>
#include <stdbool.h>

/* Calls take for each message in dir/new, by name, with the file open for reading, and moves those
   for which it says true to dir/cur, as read. Others stay, and after one that failed with TEMPORARY
   or UNCERTAIN no further one is tried. Any number of processes may do this at once, and may be
   killed: a message may so be taken more than once, but is never lost. False, with the first error,
   when some stay; also when there is no such maildir. */
bool cli_maildir_take(const char *dir,
    bool (*take)(const char *name, int file, void *context, GError **error), void *context,
    GError **error);

#endif
