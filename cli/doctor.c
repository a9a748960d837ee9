/* SPDX-License-Identifier: MIT */
/* posthouse doctor: looks whether the installation can do its work. */
#include "base/error.h"
#include "cli/call.h"
#include "cli/check.h"
#include "cli/count.h"
#include "cli/nouns.h"
#include "cli/output.h"
#include "cli/wrap.h"

static void (*const checks[])(struct cli_examination *) = {cli_check_settings, cli_check_spool,
    cli_check_database, cli_check_server, cli_check_schema, cli_check_inventory, cli_check_backlog,
    cli_check_relays, cli_check_url, cli_check_mx};

#define INDENT 6

static const char *const words[] = {
    [STATE_OK] = "ok", [STATE_WARN] = "warn", [STATE_FAIL] = "fail"};

static void
tell(struct cli_call *call, const struct cli_finding *finding)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *what = g_strdup_printf("%s: %s", finding->check, finding->text);

	g_string_append_printf(
	    text, "%-*s", INDENT, finding->state == STATE_FAIL ? "FAIL" : words[finding->state]);
	cli_wrap_words(text, INDENT, what);
	if (finding->remedy)
		cli_wrap_words(text, INDENT, finding->remedy);
	cli_output_item(call->output,
	    FIELDS(cli_text("check", finding->check), cli_text("state", words[finding->state]),
		cli_text("text", finding->text), cli_text("remedy", finding->remedy)),
	    text->str);
}

static bool
examine(struct cli_call *call, GError **error)
{
	struct cli_examination *examination = cli_examination_new(call->config);
	const GPtrArray *findings = examination->findings;
	guint told = 0, failed = 0;

	cli_output_list_begin(call->output, "checks", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(checks); i++) {
		checks[i](examination);
		for (; told < findings->len; told++) {
			const struct cli_finding *finding = findings->pdata[told];

			tell(call, finding);
			failed += finding->state == STATE_FAIL;
		}
	}
	cli_output_list_end(call->output);
	g_autofree char *count = cli_count(told, "check", "checks");
	if (failed > 0)
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%u of %s failed", failed, count);
	cli_examination_free(examination);
	return failed == 0;
}

static const struct cli_command commands[] = {
    {NULL,
	"Look whether the installation can do its work. Each check is ok, a warning or a failure, "
	"with what to do about it; without a failure the exit status is 0.",
	NEED_NOTHING, .run = examine},
};

const struct cli_noun cli_noun_doctor = {"doctor", commands, G_N_ELEMENTS(commands)};
