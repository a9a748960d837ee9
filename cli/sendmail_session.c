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
#include "config/settings.h"
#include "intake/session.h"
#include "service/service.h"
#include "store/workspace/workspace.h"
#include "submit/sendmail.h"

struct sitting {
	struct cli_call *call;
	const char *name;
	gint64 line_ms, end; /* for one line; of all, on base_clock_boot */
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
		int ready = poll(&input, 1, (int)MIN(left, sitting->line_ms));
		if (ready == 0)
			return left <= sitting->line_ms ? INTAKE_READ_TOO_LONG : INTAKE_READ_SILENT;
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
	    .checks_fields = true,
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
	const struct config_settings *settings = call->service->settings;
	const char *hostname = config_settings_text(settings, SETTING_SMTPD_HOSTNAME);
	struct sitting sitting = {
	    .call = call,
	    .name = name,
	    .line_ms = config_settings_number(settings, SETTING_SMTPD_TIMEOUT) * 1000,
	    .end =
		base_clock_boot() + config_settings_number(settings, SETTING_SMTPD_LONGEST) * 1000,
	    .names_workspace = call->workspace != NULL,
	};
	const struct intake_rules rules = {
	    .hostname = *hostname ? hostname : g_get_host_name(),
	    .size = (gsize)config_settings_number(settings, SETTING_SMTPD_SIZE),
	    .recipients = LIMIT_RECIPIENTS,
	    .errors = (guint)config_settings_number(settings, SETTING_SMTPD_ERRORS),
	    .is_trusted = true,
	};
	const struct intake_host host = {.read = sendmail_session_read_input,
	    .write = write_output,
	    .take = sendmail_session_take,
	    .context = &sitting};

	intake_session_run(&rules, &host);
	return true;
}
