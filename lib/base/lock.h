/* SPDX-License-Identifier: MIT */
#ifndef BASE_LOCK_H
#define BASE_LOCK_H

#include <stdbool.h>
#include <sys/types.h>

/* Locks one byte of a file among processes, until the file is closed or the process ends. command:
   F_OFD_SETLK (false where another has it) or F_OFD_SETLKW (waits); type: F_WRLCK, F_RDLCK or
   F_UNLCK. */
bool base_lock_byte(int fd, int command, short type, off_t byte);

#endif
