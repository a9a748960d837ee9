/* SPDX-License-Identifier: MIT */
/* Gives open files to other processes of a program, over a socket pair of SOCK_SEQPACKET. */
#ifndef PROCESS_HANDOVER_H
#define PROCESS_HANDOVER_H

#include <glib.h>
#include <stdbool.h>

/* Gives a file, which stays open here, with a byte. False with errno. */
bool process_handover_give(int channel, int fd, char note);

/* Takes a file, without waiting; the caller owns the descriptor. -1 with errno: EAGAIN when none
   has arrived, ECONNRESET when the other side is gone. note_r: the byte; or NULL. */
int process_handover_take(int channel, char *note_r);

#endif
