/* Of which email, and of whom, a report is. For core/report.c, which says what counts as evidence.
 */
#ifndef CORE_REPORT_MATCH_H
#define CORE_REPORT_MATCH_H

#include <glib.h>
#include <stdbool.h>

struct core;
struct mail_report;
struct mail_report_recipient;
struct reported;

/* For so long a Message-ID is evidence. */
#define REPORT_MATCH_WEAK_MS ((gint64)30 * 24 * 60 * 60 * 1000)

/* *email_r: the email, which the caller frees; NULL when it is none of ours, or of nobody knows
   which. *strong_r: how strong the evidence is. Errors of db/statement.h. */
bool core_report_match(struct core *core, const struct mail_report *report,
    const char *const *envelope, struct reported **email_r, bool *strong_r, GError **error);

/* Which recipient is meant: by the original address, else by the final one, else the only one. */
bool core_report_match_recipient(const struct reported *email,
    const struct mail_report_recipient *said, bool strong, guint *number_r);

/* Where a complaint names nobody: the one recipient that the message was addressed to, else the
   only one. */
bool core_report_match_addressee(
    const struct reported *email, const struct mail_report *report, bool strong, guint *number_r);

#endif
