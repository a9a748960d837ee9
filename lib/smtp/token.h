/* SPDX-License-Identifier: MIT */
/* The tokens of XOAUTH2, which a command of the operator prints. */
#ifndef SMTP_TOKEN_H
#define SMTP_TOKEN_H

#include <glib.h>
#include <stdbool.h>

/* Gives the first line that command prints, run by /bin/sh for at most 10 s. It is kept for 5
   minutes, for all threads of the process; fresh: the kept one was refused. NULL when there is
   none, and *why_r says why: "exit 1". The caller owns both. */
char *smtp_token_get(const char *command, bool fresh, char **why_r);

#endif
