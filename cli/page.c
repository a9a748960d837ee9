/* SPDX-License-Identifier: MIT */
/* How much of a long list a command shows. */
#include "cli/page.h"

#include "base/id.h"
#include "cli/output.h"
#include "cli/value.h"

#define LIMIT 50

const struct base_id *
cli_page_before(const struct cli_value *before)
{
	return before->text ? &before->id : NULL;
}

guint
cli_page_limit(const struct cli_value *limit)
{
	return limit->text ? (guint)limit->number : LIMIT;
}

void
cli_page_rest(struct cli_output *output, const struct base_id *last)
{
	char id[ID_TEXT_SIZE];

	cli_output_progress(output, "There are more: --before %s", base_id_format(last, id));
}
