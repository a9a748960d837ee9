/* SPDX-License-Identifier: MIT */
/* posthouse sendmail -bs: takes messages in an SMTP session on standard input and output. */
#include <errno.h>
#include <poll.h>
#include <string.h>
#include <unistd.h>

#include "base/clock.h"
#include "base/limits/email.h"
#include "cli/call.h"
#include "cli/sendmail.h"
#include "intake/session.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "submit/sendmail.h"

#define LINE_MS (300 * 1000)	 /* for one line */
#define SESSION_MS (3600 * 1000) /* for all */
#define ERRORS 20		 /* commands that may be refused */

struct sitting {
	struct cli_call *call;
	const char *name;
	gint64 end; /* on base_clock_boot */
	bool names_workspace;
};

static gssize
sendmail_session_read_input(
    void *context, void *bytes, gsize size, const struct intake_place *place)
{
	const struct sitting *sitting = context;
	struct pollfd input = {STDIN_FILENO, POLLIN, 0};
	gssize got;

	do {
		gint64 left = sitting->end - base_clock_boot();
		if (left <= 0)
			return INTAKE_READ_TOO_LONG;
		int ready = poll(&input, 1, (int)MIN(left, LINE_MS));
		if (ready == 0)
			return left <= LINE_MS ? INTAKE_READ_TOO_LONG : INTAKE_READ_SILENT;
		got = read(STDIN_FILENO, bytes, size);
	} while (got < 0 && errno == EINTR);
	return got > 0 ? got : INTAKE_READ_END;
}

static bool
write_output(void *context, const char *bytes, gsize size)
{
	while (size > 0) {
		gssize put = write(STDOUT_FILENO, bytes, size);

		if (put < 0 && errno == EINTR)
			continue;
		if (put < 0)
			return false;
		bytes += put;
		size -= (gsize)put;
	}
	return true;
}

static void
sendmail_session_take(void *context, const struct intake_message *message, GString *reply)
{
	struct sitting *sitting = context;
	struct cli_call *call = sitting->call;
	const struct submit_sendmail given = {
	    .data = message->data,
	    .size = message->size,
	    .recipients = message->recipients,
	    .sender = message->sender,
	    .name = sitting->name,
	};
	g_autoptr(GError) error = NULL;
	char id[ID_TEXT_SIZE];
	struct base_id email;

	if (!sitting->names_workspace)
		g_clear_pointer(&call->workspace, store_workspace_free);
	if (cli_sendmail_store(call, &given, &email, &error))
		g_string_append_printf(reply, "250 2.0.0 queued as %s", base_id_format(&email, id));
	else
		intake_failure_write(reply, error);
	call->status = 0;
}

bool
cli_sendmail_session(struct cli_call *call, const char *name, GError **error)
{
	struct sitting sitting = {
	    call, name, base_clock_boot() + SESSION_MS, call->workspace != NULL};
	const struct intake_rules rules = {.hostname = g_get_host_name(),
	    .size = LIMIT_RAW_BYTES,
	    .recipients = LIMIT_RECIPIENTS,
	    .errors = ERRORS,
	    .is_trusted = true};
	const struct intake_host host = {.read = sendmail_session_read_input,
	    .write = write_output,
	    .take = sendmail_session_take,
	    .context = &sitting};

	intake_session_run(&rules, &host);
	return true;
}
