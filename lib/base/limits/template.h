/* SPDX-License-Identifier: MIT */
/* Limits of templates and their renderings, html that is read, and text that is derived. The units
 * are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_TEMPLATE_H
#define BASE_LIMITS_TEMPLATE_H

#include "base/limits/unit.h"

#define LIMIT_VARIABLES 100
#define LIMIT_VARIABLES_BYTES (8 * LIMIT_MIB) /* of all variables, as stored */
#define LIMIT_VARIABLE_NAME_LENGTH 100
#define LIMIT_VARIABLE_NUMBER_LENGTH 1000 /* of a number as it is written */
#define LIMIT_TEMPLATE_BLOCKS 32	  /* one in another */
#define LIMIT_TEMPLATE_PARTIALS 8	  /* templates, one in another */
#define LIMIT_TEMPLATE_TURNS 1000000	  /* of each in one rendering */
#define LIMIT_TEMPLATE_STEPS                                                                       \
	50000000 /* of one rendering: tags, names that are looked up, and each 64 bytes that are   \
		    read or written */
#define LIMIT_RENDERED_BYTES (64 * LIMIT_MIB) /* a body after its variables are replaced */
#define LIMIT_RENDERED_SUBJECT_BYTES (64 * 1024)
#define LIMIT_PARSED_HTML_BYTES                                                                    \
	(2 * LIMIT_MIB) /* html above these limits is read tag by tag only */
#define LIMIT_PARSED_HTML_TAGS 10000
#define LIMIT_PARSED_HTML_ATTRIBUTES 20000
#define LIMIT_PARSED_HTML_TAG_ATTRIBUTES 500 /* in one tag */
#define LIMIT_PARSED_HTML_OPEN 4000000	     /* elements that are open, summed over all tags */
#define LIMIT_DERIVED_TEXT_GROWTH 4	     /* the largest ratio of derived text to html */
#define LIMIT_DERIVED_KEPT_BYTES                                                                   \
	(16 * LIMIT_MIB) /* texts and links kept for further outbox entries                        \
			  */
#define LIMIT_UNFILLED_KEPT_BYTES (16 * LIMIT_MIB) /* outlines of templates, kept by a process */
#define LIMIT_SHOWN_LINK_BYTES (16 * 1024)	   /* of a link in derived text */
#define LIMIT_TEMPLATE_ID_LENGTH 64		   /* and of an alias */
#define LIMIT_TEMPLATE_VARIABLES 50		   /* that a template declares */
#define LIMIT_TEMPLATE_SUBJECT_LENGTH 998
#define LIMIT_TEMPLATE_FROM_LENGTH 998
/* Processor time of a rendering, of reading html, and of rules (base/budget.h): for each MiB, and
   at least and at most */
#define LIMIT_BUDGET_MIB_NS 200000000LL
#define LIMIT_BUDGET_LEAST_NS 200000000LL
#define LIMIT_BUDGET_MOST_NS 5000000000LL

#endif
