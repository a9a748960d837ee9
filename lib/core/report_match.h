/* SPDX-License-Identifier: MIT */
/* Of which email, and of whom, a report is. For core/report.c, which says what counts as evidence.
 */
#ifndef CORE_REPORT_MATCH_H
#define CORE_REPORT_MATCH_H

#include <glib.h>
#include <stdbool.h>

#include "core/return_path.h"

struct core;
struct mail_report;
struct mail_report_recipient;
struct store_reported;

/* For so long a Message-ID is evidence. */
#define REPORT_MATCH_WEAK_MS ((gint64)30 * 24 * 60 * 60 * 1000)

/* *email_r: the email, which the caller frees; NULL when it is none of ours, or nobody knows which.
   *recipient_r: whose copy alone the report can be about, by its number; RETURN_PATH_SHARED when
   the evidence does not say. Errors of db/statement.h. */
bool core_report_match(struct core *core, const struct mail_report *report,
    const char *const *envelope, struct store_reported **email_r, guint *recipient_r,
    GError **error);

/* Which recipient is meant. RETURN_PATH_SHARED as recipient: by the original address, else by the
   final one. Else that recipient, unless another one of the email is named. */
bool core_report_match_recipient(const struct store_reported *email,
    const struct mail_report_recipient *said, guint recipient, guint *number_r);

/* Where a complaint names nobody. RETURN_PATH_SHARED as recipient: the one whom the message was
   addressed to. Else that recipient. */
bool core_report_match_addressee(const struct store_reported *email,
    const struct mail_report *report, guint recipient, guint *number_r);

#endif
