/* SPDX-License-Identifier: MIT */
/* The tokens of XOAUTH2, which a command of the operator prints. */
#ifndef SMTP_TOKEN_H
#define SMTP_TOKEN_H

#include <glib.h>
#include <stdbool.h>

/* Gives the first line that command prints, run by /bin/sh for at most 10 s. It is kept for 5
   minutes, for all threads of the process; fresh: the kept one was refused. NULL when there is
   none, and *why_r says why: "exit 1". The caller owns both. Standard error of the command is
   discarded, since ours is for the log, and the command may tell secrets there. */
char *smtp_token_get(const char *command, bool fresh, char **why_r);

#endif
