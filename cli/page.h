/* SPDX-License-Identifier: MIT */
/* Lists that may be long: how much of one a command shows, newest first, and where it goes on. */
#ifndef CLI_PAGE_H
#define CLI_PAGE_H

#include "cli/grammar.h"

struct base_id;
struct cli_output;
struct cli_value;

/* The options. */
#define PAGE_BEFORE                                                                                \
	{                                                                                          \
		"--before", "go on below this one", "ID", .type = PARAMETER_ID                     \
	}
#define PAGE_LIMIT                                                                                 \
	{                                                                                          \
		"--limit", "how many at most, 1 to 1000; 50 if not given", "N", PARAMETER_NUMBER,  \
		    .min = 1, .max = 1000                                                          \
	}

/* What --before says, NULL when it was not given; and --limit. */
const struct base_id *cli_page_before(const struct cli_value *before);
guint cli_page_limit(const struct cli_value *limit);

/* After a list that was cut: how to see what follows the last one shown. */
void cli_page_rest(struct cli_output *output, const struct base_id *last);

#endif
