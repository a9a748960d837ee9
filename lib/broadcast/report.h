/* SPDX-License-Identifier: MIT */
/* The report of a check. */
#ifndef BROADCAST_REPORT_H
#define BROADCAST_REPORT_H

#include <glib.h>
#include <stdbool.h>

#define BROADCAST_SAMPLE 1000

/* The extent of a check. */
struct broadcast_wish {
	bool links;    /* ask whether links answer */
	gint64 sample; /* usually BROADCAST_SAMPLE: the number of people whose variables are looked
			  at */
	bool in_turn;  /* counts people in the workspace's turn and its time (segment/turn.h) */
};

/* Something that was found. */
struct broadcast_finding {
	const char *level; /* error: it cannot be sent; warning */
	const char *code;
	char *message;
	gint64 count; /* of what it is about: variants, people, images, links */
};

struct broadcast_report {
	bool ok;	     /* there is no error */
	gint64 recipients;   /* who would get it now; -1: that takes too long to count */
	gsize size;	     /* bytes of the largest html as it is sent */
	bool has_score;	     /* a spam filter has answered */
	double score;	     /* the highest */
	GPtrArray *findings; /* of struct broadcast_finding: errors first */
};

#define LEVEL_OF_ERROR "error"
#define LEVEL_OF_WARNING "warning"

/* A report without findings. The caller clears it. */
void broadcast_report_begin(struct broadcast_report *report);
void broadcast_report_clear(struct broadcast_report *report);

/* Adds a finding; one with the same code and message is counted up. */
void broadcast_report_add(struct broadcast_report *report, const char *level, const char *code,
    const char *message, gint64 count);

#endif
