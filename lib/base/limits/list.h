/* SPDX-License-Identifier: MIT */
/* Limits of lists: their pages, searches, and how far a page looks. The units are those of
 * base/limits/unit.h. */
#ifndef BASE_LIMITS_LIST_H
#define BASE_LIMITS_LIST_H

#include "base/limits/unit.h"

#define LIMIT_SEGMENT_LOOKED 25000 /* people that a page looks at; and LIMIT_LOOK_NS holds */
#define LIMIT_FIGURE_DAYS 1100
#define LIMIT_FIGURE_MS 253402300799999 /* the end of the year 9999 */
#define LIMIT_QUEUE_COUNTED 10000	/* messages that are counted */
#define LIMIT_QUEUE_LOOKED 1000		/* messages whose reasons are read, and held ones */
#define LIMIT_QUEUE_REASONS 50		/* rows */
/* The message of an email (GET /v1/emails/{id}/message) */
#define LIMIT_MESSAGE_SHOWN LIMIT_MIB /* bytes of it in an answer */
#define LIMIT_PAGE 50
#define LIMIT_PAGE_AUDIENCES 10
#define LIMIT_LOOK_NS 35000000LL      /* elapsed time in which a page looks for its rows, */
#define LIMIT_LOOK_LEAST 2000	      /* from so many rows on */
#define LIMIT_BROADCAST_LOOKED 25000  /* recipients that a page of one status looks at */
#define LIMIT_DELIVERIES_LOOKED 10000 /* that a page of one type, or of pending ones, looks at */
#define LIMIT_EMAILS_LOOKED                                                                        \
	10000 /* emails that a page of one type, or by several filters, looks at */
#define LIMIT_PAGE_FIGURES 400
#define LIMIT_SEARCH_LEAST 2	  /* characters of a search of a list */
#define LIMIT_SEARCH_LENGTH 100	  /* likewise, at most */
#define LIMIT_SEARCH_SORTED 5000  /* matches of a kind that are sorted; of more the list is read */
#define LIMIT_SEARCH_JOINED 2000  /* the same for people who are looked for in another list */
#define LIMIT_SEARCH_LOOKED 10000 /* rows that a page looks at where the list is read through */
#define LIMIT_SEARCH_ROWS 2000	  /* the same where each row is looked for among the people */
#define LIMIT_SEARCH_PEOPLE 25000 /* people, where those who match are probed for membership */
#define LIMIT_SEARCH_EMAILS 4000  /* emails */

#endif
