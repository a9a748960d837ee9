/* SPDX-License-Identifier: MIT */
/* Reads designs from files. */
#include "cli/workflow_file.h"

#include "automation/design.h"
#include "base/limits.h"
#include "cli/value.h"

struct automation_design *
cli_workflow_read(
    const struct cli_parameter *parameter, const char *path, GBytes **text_r, GError **error)
{
	g_autoptr(GBytes) text = cli_value_read_file(parameter, path, LIMIT_DESIGN_BYTES, error);
	gsize size;

	if (!text)
		return NULL;
	const char *bytes = g_bytes_get_data(text, &size);
	struct automation_design *design = automation_design_take(bytes ? bytes : "", size, error);
	if (design && text_r)
		*text_r = g_steal_pointer(&text);
	return design;
}
