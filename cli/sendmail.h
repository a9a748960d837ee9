/* SPDX-License-Identifier: MIT */
/* posthouse sendmail: the parts that a message on standard input and a session share. */
#ifndef CLI_SENDMAIL_H
#define CLI_SENDMAIL_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct cli_call;
struct submit_sendmail;

/* Stores a message in the workspace of the call, which is chosen by the message where the call has
   none. Errors of submit_sendmail_workspace and submit_sendmail_check. */
bool cli_sendmail_store(struct cli_call *call, const struct submit_sendmail *given,
    struct base_id *id_r, GError **error);

/* Speaks SMTP on standard input and output until the client leaves (intake/session.h), and stores
   each message. name: that of a sender who has none; may be NULL. */
bool cli_sendmail_session(struct cli_call *call, const char *name, GError **error);

#endif
