/* SPDX-License-Identifier: MIT */
/* posthouse metrics: prints the metrics of the installation. */

#include <string.h>

#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "upkeep/metrics_text.h"

static bool
metrics_print(struct cli_call *call, GError **error)
{
	char *text = upkeep_metrics_text(call->service, error);

	if (!text)
		return false;
	g_autoptr(GBytes) bytes = g_bytes_new_take(text, strlen(text));
	cli_output_text(call->output, "metrics", bytes);
	return true;
}

static const struct cli_command commands[] = {
    {NULL,
	"Print the metrics of the installation as OpenMetrics 1.0, for the textfile folder of "
	"node_exporter.",
	NEED_SCHEMA, .run = metrics_print},
};

const struct cli_noun cli_noun_metrics = {"metrics", commands, G_N_ELEMENTS(commands)};
