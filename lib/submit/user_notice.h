/* SPDX-License-Identifier: MIT */
/* Emails by which the service tells the users of a workspace what it did by itself. */
#ifndef SUBMIT_USER_NOTICE_H
#define SUBMIT_USER_NOTICE_H

#include <glib.h>
#include <stdbool.h>

struct base_id;
struct service;

/* Inside a transaction: stores an email from the workspace's default sender to each of its users;
   none without a default sender. *trouble_r: why an email cannot be sent, for the log, NULL
   otherwise; the caller frees it. Errors of db/statement.h. */
bool submit_user_notice(struct service *service, const struct base_id *workspace,
    const char *subject, const char *html, GError **trouble_r, GError **error);

#endif
