/* SPDX-License-Identifier: MIT */
/* posthouse, the admin program: parses the command line, runs the command, and reports its result.
 */
#include <poll.h>
#include <stdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "cli/audit.h"
#include "cli/call.h"
#include "cli/help.h"
#include "cli/output.h"
#include "config/log.h"
#include "config/startup.h"
#include "json/writer.h"
#include "service/metrics.h"
#include "service/service.h"

/* Returns the name of an error's code for JSON. */
static const char *
cli_main_code_of(const GError *error)
{
	static const char *const names[] = {
	    [PH_ERROR_INVALID] = "invalid",
	    [PH_ERROR_UNAUTHORIZED] = "unauthorized",
	    [PH_ERROR_FORBIDDEN] = "forbidden",
	    [PH_ERROR_NOT_FOUND] = "not_found",
	    [PH_ERROR_CONFLICT] = "conflict",
	    [PH_ERROR_CHANGED] = "changed",
	    [PH_ERROR_TOO_LARGE] = "too_large",
	    [PH_ERROR_LIMITED] = "limited",
	    [PH_ERROR_TEMPORARY] = "temporary",
	    [PH_ERROR_UNCERTAIN] = "uncertain",
	    [PH_ERROR_FAILED] = "failed",
	};

	return names[error->code];
}

static int
cli_main_complain(const struct cli_call *call, const GError *error, int status)
{
	if (!call->json) {
		config_log("%s", error->message);
		return status;
	}
	AUTO(json_writer) json = json_writer_new();
	g_autofree char *valid = g_utf8_make_valid(error->message, -1);
	json_writer_begin_object(json, NULL);
	json_writer_string(json, "error", valid);
	json_writer_string(json, "code", status == EX_USAGE ? "usage" : cli_main_code_of(error));
	json_writer_end_object(json);
	g_autofree char *text = json_writer_take(json, NULL);
	fprintf(stderr, "%s\n", text);
	return status;
}

static int
misuse(const struct cli_call *call, const GError *error)
{
	int status = cli_main_complain(call, error, EX_USAGE);

	if (call->topic != TOPIC_NONE && !call->json) {
		g_autofree char *help = cli_help(call->topic, call->noun, call->command);
		fprintf(stderr, "\n%s", help);
	}
	return status;
}

/* Returns the exit status for an error. Errors before a command runs, and those of commands that
   manage the installation, are errors of the installation. */
static int
cli_main_status_of(const struct cli_call *call, const GError *error, bool of_installation)
{
	bool temporary = g_error_matches(error, PH_ERROR, PH_ERROR_TEMPORARY);

	if (call->command->retry)
		return EX_TEMPFAIL;
	return of_installation && !temporary ? EX_CONFIG : config_startup_exit(error);
}

static bool
is_of_installation(const struct cli_command *command)
{
	return command->need < NEED_SCHEMA && !command->of_files;
}

/* Whether the reader of standard output has gone, as head(1) does when it has seen enough. */
static bool
cli_main_is_unread(void)
{
	struct pollfd out = {.fd = STDOUT_FILENO};

	return poll(&out, 1, 0) == 1 && (out.revents & POLLERR) != 0;
}

static int
cli_main_run(struct cli_call *call)
{
	g_autoptr(GError) error = NULL;

	if (!cli_call_open(call, &error)) {
		/* INVALID means that --workspace is missing. */
		if (call->ready && g_error_matches(error, PH_ERROR, PH_ERROR_INVALID))
			return cli_main_complain(call, error, EX_USAGE);
		return cli_main_complain(
		    call, error, cli_main_status_of(call, error, !call->ready));
	}
	call->output = cli_output_new(call->json);
	cli_audit_foresee(call);
	bool done = call->command->run(call, &error);
	if (call->service)
		service_metrics_flush(call->service, true);
	if (done)
		cli_audit_note(call);
	bool written = cli_output_flush(call->output);
	if (!done)
		return cli_main_complain(call, error,
		    call->status
			? call->status
			: cli_main_status_of(call, error, is_of_installation(call->command)));
	if (written)
		return call->status;
	if (cli_main_is_unread())
		return EX_IOERR;
	error = g_error_new_literal(PH_ERROR, PH_ERROR_FAILED,
	    "the command succeeded, but its answer could not be written");
	return cli_main_complain(call, error, EX_IOERR);
}

static int
cli_main_answer(struct cli_call *call)
{
	if (call->version) {
		puts(PACKAGE_STRING);
		return EX_OK;
	}
	if (call->help) {
		g_autofree char *help = cli_help(call->topic, call->noun, call->command);
		fputs(help, stdout);
		return EX_OK;
	}
	return cli_main_run(call);
}

int
main(int argc, char **argv)
{
	struct cli_call call = {0};
	g_autoptr(GError) error = NULL;

	config_startup_conceal();
	config_log_name("posthouse");
	int status = cli_call_read(&call, (const char *const *)argv, &error)
			 ? cli_main_answer(&call)
			 : misuse(&call, error);
	cli_call_clear(&call);
	return status;
}
