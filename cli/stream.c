/* SPDX-License-Identifier: MIT */
/* posthouse stream: lists, pauses and resumes the streams of a workspace's mail, and sets their
   pace. */
#include "stream/stream.h"

#include "base/limits/person.h"
#include "base/limits/stream.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/workspace/workspace.h"

static bool
stream_list(struct cli_call *call, GError **error)
{
	g_autoptr(GPtrArray) streams = store_stream_list(call->db, &call->workspace->id, error);

	if (!streams)
		return false;
	cli_output_list_begin(call->output, "streams", "There are no streams.");
	for (guint i = 0; i < streams->len; i++)
		cli_output_row_view(
		    call->output, &(struct cli_thing){&stream_view, streams->pdata[i]});
	cli_output_list_end(call->output);
	return true;
}

#define NAME_PARAMETER                                                                             \
	{                                                                                          \
		"NAME", "transactional, automation or broadcast", .max = LIMIT_NAME_LENGTH         \
	}

/* Changes the stream that the command line names first. The caller frees it. */
static struct store_stream_row *
stream_set(struct cli_call *call, const struct store_stream_change *change, GError **error)
{
	return stream_change(call->db, &call->workspace->id, call->values[0].text, change, error);
}

enum { PAUSE_NAME, PAUSE_REASON };
static const struct cli_parameter pause_parameters[] = {
    [PAUSE_NAME] = NAME_PARAMETER,
    [PAUSE_REASON] = {"--reason", "why, for those who look at it", "TEXT",
	.max = LIMIT_STREAM_REASON_LENGTH},
};

static bool
stream_pause(struct cli_call *call, GError **error)
{
	static const bool yes = true;
	const struct store_stream_change change = {
	    &yes, NULL, true, call->values[PAUSE_REASON].text};
	AUTO(store_stream_row) row = stream_set(call, &change, error);

	if (row)
		cli_output_say_view(call->output, &(struct cli_thing){&stream_view, row},
		    "The stream %s is paused; all is accepted and waits.",
		    call->values[PAUSE_NAME].text);
	return row != NULL;
}

static const struct cli_parameter resume_parameters[] = {NAME_PARAMETER};

static bool
stream_resume(struct cli_call *call, GError **error)
{
	static const bool no = false;
	const struct store_stream_change change = {&no, NULL, false, NULL};
	AUTO(store_stream_row) row = stream_set(call, &change, error);

	if (row)
		cli_output_say_view(call->output, &(struct cli_thing){&stream_view, row},
		    "The stream %s goes on.", call->values[0].text);
	return row != NULL;
}

enum { PACE_NAME, PACE_NUMBER };
static const struct cli_parameter pace_parameters[] = {
    [PACE_NAME] = NAME_PARAMETER,
    [PACE_NUMBER] = {"N", "the most recipients in a clock hour, 0 for any number",
	.type = PARAMETER_NUMBER, .min = 0, .max = LIMIT_STREAM_HOUR},
};

static bool
stream_pace(struct cli_call *call, GError **error)
{
	gint64 per_hour = call->values[PACE_NUMBER].number;
	const struct store_stream_change change = {NULL, &per_hour, false, NULL};
	AUTO(store_stream_row) row = stream_set(call, &change, error);

	if (!row)
		return false;
	cli_output_say_view(call->output, &(struct cli_thing){&stream_view, row},
	    per_hour > 0 ? "The stream %s sends at most %" G_GINT64_FORMAT " an hour."
			 : "The stream %s has no pace.",
	    call->values[PACE_NAME].text, per_hour);
	return true;
}

static const struct cli_command commands[] = {
    {"list", "List the streams of the mail, with pause, pace and what waits.", NEED_WORKSPACE,
	.run = stream_list},
    {"pause", "Pause a stream: all of its mail is accepted and waits.", NEED_WORKSPACE,
	PARAMETERS(pause_parameters), .audit = "stream.changed", .run = stream_pause},
    {"resume", "Let a stream go on; the mail that waited is due.", NEED_WORKSPACE,
	PARAMETERS(resume_parameters), .audit = "stream.changed", .run = stream_resume},
    {"pace", "Say how many recipients a stream reaches in an hour at most.", NEED_WORKSPACE,
	PARAMETERS(pace_parameters), .audit = "stream.changed", .run = stream_pace},
};

const struct cli_noun cli_noun_stream = {"stream", commands, G_N_ELEMENTS(commands)};
