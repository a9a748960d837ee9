/* SPDX-License-Identifier: MIT */
/* Collects the faults of a design. */
#include "automation/design_checking.h"

#include "automation/design.h"

void
automation_design_note(
    struct automation_design_checking *check, const char *node, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	g_autofree char *text = g_strdup_vprintf(format, args);
	va_end(args);
	automation_design_fault_add(check->faults, node, "%s", text);
}
