/* SPDX-License-Identifier: MIT */
/* The evidence in a report (feedback/report.h): the email that it is about, and its events. */
#ifndef FEEDBACK_REPORT_MATCH_H
#define FEEDBACK_REPORT_MATCH_H

#include <glib.h>
#include <stdbool.h>

#include "link/return_path.h"
#include "mail_report/report.h"
#include "store/feedback/report.h"

struct service;

/* A report, and what it means. */
struct feedback_report_reading {
	const struct mail_report *report;
	const char *const *envelope; /* the addresses that it was sent to, NULL-terminated */
	bool has_path;		     /* it has a token */
	struct link_return_path path;
	struct store_reported *email; /* borrowed; NULL: none of ours, or not known */
	guint recipient; /* the only one that it can be about; else RETURN_PATH_SHARED */
	GArray *events;	 /* struct store_event; their texts are the report's */
	GArray *gone;	 /* bool: whether the mailbox of the event does not exist */
	guint strangers; /* number of recipients named that are not the email's */
};

/* Whether a complaint came to an address that takes those of one form alone. */
bool feedback_report_is_of_other_form(
    const struct service *service, const struct feedback_report_reading *reading);

/* Looks for a token, and adds the ids of the emails that the report may be about (struct base_id).
 */
void feedback_report_seek(
    const struct service *service, struct feedback_report_reading *reading, GArray *ids);

/* Sets email and recipient, by the emails with these ids that were found (struct store_reported,
   which must outlive the reading). */
void feedback_report_match(struct feedback_report_reading *reading, const GPtrArray *found);

/* Adds the events of the email's recipients. */
void feedback_report_collect(struct feedback_report_reading *reading);

#endif
