/* SPDX-License-Identifier: MIT */
/* Mail for the addresses for replies, which posthouse report takes too. */
#ifndef CLI_RECEIVE_H
#define CLI_RECEIVE_H

#include <glib.h>
#include <stdbool.h>

struct cli_call;

/* Takes a message for an address of link/own_address.h, LINK_OWN_REPLY, as posthouse receive does,
   and tells what became of it, with the fields of posthouse report and the id of the mail. address:
   a local part alone is completed as there. name: of the file; NULL: it came by a pipe, whose exit
   status is set. A child process reads the message. INVALID: it is none, or has more than
   LIMIT_RECEIVED_BYTES; errors of received/door.h. */
bool cli_receive_reply(struct cli_call *call, const char *address, const char *name,
    const GByteArray *message, GError **error);

#endif
