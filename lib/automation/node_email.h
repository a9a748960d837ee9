/* SPDX-License-Identifier: MIT */
/* The email that a node sends, as a form has saved it. */
#ifndef AUTOMATION_NODE_EMAIL_H
#define AUTOMATION_NODE_EMAIL_H

#include <glib.h>
#include <stdbool.h>

struct automation_node_email;

/* Takes out what is empty, as if it were not there, and looks whether the rest can be sent. INVALID
   when not, with what is wrong and what to do; reply_to stays the caller's to free. */
bool automation_node_email_check(struct automation_node_email *email, GError **error);

#endif
