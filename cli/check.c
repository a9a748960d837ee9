/* SPDX-License-Identifier: MIT */
/* What the checks of posthouse doctor found. */
#include "cli/check.h"

#include "base/settings.h"
#include "db/connection.h"

static void
free_finding(void *data)
{
	struct cli_finding *finding = data;

	g_free(finding->check);
	g_free(finding->text);
	g_free(finding->remedy);
	g_free(finding);
}

struct cli_examination *
cli_examination_new(const char *config)
{
	struct cli_examination *examination = g_new0(struct cli_examination, 1);

	examination->config = config;
	examination->findings = g_ptr_array_new_with_free_func(free_finding);
	return examination;
}

void
cli_examination_free(struct cli_examination *examination)
{
	g_clear_pointer(&examination->db, db_close);
	g_clear_pointer(&examination->settings, base_settings_free);
	g_ptr_array_unref(examination->findings);
	g_free(examination);
}

static void
note(struct cli_examination *examination, const char *check, enum cli_state state,
    const char *remedy, char *text)
{
	struct cli_finding *finding = g_new0(struct cli_finding, 1);

	*finding = (struct cli_finding){g_strdup(check), state, text, g_strdup(remedy)};
	g_ptr_array_add(examination->findings, finding);
}

void
cli_check_ok(struct cli_examination *examination, const char *check, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(examination, check, STATE_OK, NULL, g_strdup_vprintf(format, args));
	va_end(args);
}

void
cli_check_bad(struct cli_examination *examination, const char *check, enum cli_state state,
    const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(examination, check, state, remedy, g_strdup_vprintf(format, args));
	va_end(args);
}
