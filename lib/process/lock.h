/* SPDX-License-Identifier: MIT */
/* Locks on single bytes of a file, between the processes of a machine. */
#ifndef PROCESS_LOCK_H
#define PROCESS_LOCK_H

#include <glib.h>
#include <stdbool.h>
#include <sys/types.h>

/* Locks or unlocks one byte of a file against other processes. The lock ends when the file is
   closed or the process ends. command: F_OFD_SETLK, which returns false if another process holds
   the lock, or F_OFD_SETLKW, which waits. type: F_WRLCK, F_RDLCK or F_UNLCK. */
bool process_lock_byte(int fd, int command, short type, off_t byte);

/* Locks one byte for writing, waiting for ms at most. Returns false if another process holds the
   lock for longer. */
bool process_lock_wait(int fd, off_t byte, gint64 ms);

#endif
