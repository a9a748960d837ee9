/* SPDX-License-Identifier: MIT */
/* posthouse report: records bounce messages and complaints from standard input or from a maildir.
 */
#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits/report.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "feedback/report.h"
#include "process/seccomp.h"
#include "service/service.h"

static int
report_compare(gconstpointer a, gconstpointer b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* Lists the files of dir/new by name. NOT_FOUND when dir is no maildir. */
static GPtrArray *
report_list(const char *dir, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "new", NULL);
	g_autoptr(GError) failure = NULL;
	g_autoptr(GDir) folder = g_dir_open(path, 0, &failure);

	if (!folder) {
		g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "%s is not a maildir: %s", dir,
		    failure->message);
		return NULL;
	}
	GPtrArray *names = g_ptr_array_new_with_free_func(g_free);
	for (const char *name; (name = g_dir_read_name(folder));)
		if (*name != '.')
			g_ptr_array_add(names, g_strdup(name));
	g_ptr_array_sort(names, report_compare);
	return names;
}

/* Sets the error, unless the file is gone: then another process has handled it. */
static bool
fail_unless_gone(const char *path, const char *what, GError **error)
{
	if (errno == ENOENT)
		return true;
	g_set_error(
	    error, PH_ERROR, PH_ERROR_FAILED, "%s cannot be %s: %s", path, what, g_strerror(errno));
	return false;
}

/* Moves a message to dir/cur with the flag S (seen). */
static bool
put_away(const char *dir, const char *name, const char *path, GError **error)
{
	g_autofree char *seen = g_strconcat(name, strstr(name, ":2,") ? NULL : ":2,S", NULL);
	g_autofree char *target = g_build_filename(dir, "cur", seen, NULL);

	return rename(path, target) == 0 || fail_unless_gone(path, "moved to cur", error);
}

struct maildir_job {
	bool (*process)(const char *name, int file, void *context, GError **error);
	void *context;
};

static bool
process_message(const char *dir, const char *name, const struct maildir_job *job, GError **error)
{
	g_autofree char *path = g_build_filename(dir, "new", name, NULL);
	int file = open(path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK);
	struct stat st;

	if (file < 0)
		return fail_unless_gone(path, "read", error);
	if (fstat(file, &st) != 0 || !S_ISREG(st.st_mode)) {
		close(file);
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%s is not a message", path);
		return false;
	}
	bool processed = job->process(name, file, job->context, error);
	close(file);
	if (!processed)
		g_prefix_error(error, "%s: ", path);
	return processed && put_away(dir, name, path, error);
}

/* Calls process for each message in dir/new, by name, with the file open for reading; on success
   moves the message to dir/cur. A message that failed stays; after TEMPORARY or UNCERTAIN no other
   is tried. Any number of processes may do this at once and be killed: a message may be processed
   twice, but is never lost. Returns false, with the first error, when messages stay or dir is no
   maildir. */
static bool
process_maildir(const char *dir,
    bool (*process)(const char *name, int file, void *context, GError **error), void *context,
    GError **error)
{
	g_autoptr(GPtrArray) names = report_list(dir, error);
	const struct maildir_job job = {process, context};
	g_autoptr(GError) first = NULL;
	bool more = true;

	if (!names)
		return false;
	for (guint i = 0; more && i < names->len; i++) {
		g_autoptr(GError) failure = NULL;

		if (process_message(dir, names->pdata[i], &job, &failure))
			continue;
		more = !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
		       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
		if (!first)
			first = g_steal_pointer(&failure);
	}
	if (!first)
		return true;
	g_propagate_error(error, g_steal_pointer(&first));
	return false;
}

enum { RECIPIENT, MAILDIR };
static const struct cli_parameter parameters[] = {
    /* Any value is accepted: the mail server passes the address on as a sender gave it. */
    [RECIPIENT] = {"--recipient", "the address to which the message was sent", "ADDRESS",
	PARAMETER_ANY},
    [MAILDIR] = {"--maildir", "read the new messages of this maildir instead", "DIR",
	PARAMETER_FILE},
};

/* The recipient in the environment, as Postfix, Exim and qmail set it for programs that they run.
 */
static const char *const variables[] = {"ORIGINAL_RECIPIENT", "RECIPIENT", "LOCAL_PART"};

struct envelope {
	const char *recipients[G_N_ELEMENTS(variables) + 2]; /* NULL-terminated */
};

static struct envelope
report_read_envelope(const struct cli_call *call)
{
	struct envelope envelope = {{NULL}};
	guint count = 0;

	if (call->values[RECIPIENT].text)
		envelope.recipients[count++] = call->values[RECIPIENT].text;
	for (guint i = 0; i < G_N_ELEMENTS(variables); i++)
		if ((envelope.recipients[count] = g_getenv(variables[i])))
			count++;
	return envelope;
}

static const char *
outcome_name(enum feedback_report_outcome outcome)
{
	static const char *const names[] = {
	    [REPORT_NONE] = "no report",
	    [REPORT_STRANGE] = "not ours",
	    [REPORT_UNSUBSCRIBED] = "unsubscribed",
	    [REPORT_NOBODY] = "no recipient",
	    [REPORT_REPEATED] = "repeated",
	    [REPORT_TOO_MANY] = "too many",
	    [REPORT_RECORDED] = "recorded",
	};

	return names[outcome];
}

/* Describes the result in a sentence, without text from the message. The caller owns it. */
static char *
report_describe(const struct feedback_report_result *result)
{
	char id[ID_TEXT_SIZE];

	base_id_format(&result->email, id);
	switch (result->outcome) {
	case REPORT_NONE:
		return g_strdup("The message is not a report of a known kind.");
	case REPORT_STRANGE:
		return g_strdup(
		    "The report is about no email of this installation, or does not prove it.");
	case REPORT_UNSUBSCRIBED:
		return g_strdup("The message unsubscribed its reader.");
	case REPORT_NOBODY:
		return g_strdup_printf("The report names no recipient of email %s.", id);
	case REPORT_REPEATED:
		return g_strdup_printf("This report about email %s is recorded already.", id);
	case REPORT_TOO_MANY:
		return g_strdup_printf(
		    "Email %s has had %d reports; no more are recorded.", id, LIMIT_REPORTS);
	case REPORT_RECORDED:
		break;
	}
	g_autofree char *events = cli_count(result->events, "event", "events");
	g_autofree char *addresses = cli_count(result->suppressed, "address", "addresses");
	return g_strdup_printf("Recorded for email %s: %s, %s suppressed.", id, events, addresses);
}

#define RESULT_FIELDS(file, result)                                                                \
	FIELDS(cli_text("file", file), cli_text("outcome", outcome_name((result)->outcome)),       \
	    cli_text("format", *(result)->format ? (result)->format : NULL),                       \
	    (result)->outcome >= REPORT_NOBODY ? cli_id("email", &(result)->email)                 \
					       : cli_text("email", NULL),                          \
	    cli_number("events", (result)->events),                                                \
	    cli_number("suppressed", (result)->suppressed))

/* Reads a message to its end, so that the writer of a pipe is not stopped. Bytes beyond
   LIMIT_REPORT_BYTES are dropped. */
static GByteArray *
report_read_input(int input, GError **error)
{
	g_autoptr(GByteArray) message = g_byte_array_new();
	guint8 bytes[16 * 1024];
	gssize size;

	while ((size = read(input, bytes, sizeof(bytes))) != 0) {
		if (size < 0 && errno == EINTR)
			continue;
		if (size < 0) {
			g_set_error(error, PH_ERROR, PH_ERROR_TEMPORARY,
			    "the message cannot be read: %s", g_strerror(errno));
			return NULL;
		}
		guint room = LIMIT_REPORT_BYTES - message->len;
		g_byte_array_append(message, bytes, MIN((guint)size, room));
	}
	return g_steal_pointer(&message);
}

static bool
report_input(struct cli_call *call, struct service *service, GError **error)
{
	const struct envelope envelope = report_read_envelope(call);
	g_autoptr(GByteArray) message = report_read_input(STDIN_FILENO, error);
	struct feedback_report_result result;

	if (!message || !service_ensure(service, error) || !service_confine(service, 0, error) ||
	    !feedback_report(
		service, message->data, message->len, envelope.recipients, &result, error))
		return false;
	g_autofree char *sentence = report_describe(&result);
	cli_output_say(call->output, RESULT_FIELDS(NULL, &result), "%s", sentence);
	return true;
}

struct maildir_run {
	struct cli_call *call;
	struct service *service;
	bool is_confined;
};

/* Confines this process before the first message is read; the messages are moved when they are
   done. */
static bool
confine(struct maildir_run *round, GError **error)
{
	if (!round->is_confined)
		round->is_confined = service_confine(round->service, CONFINE_RENAME, error);
	return round->is_confined;
}

static bool
report_file(const char *name, int file, void *context, GError **error)
{
	static const char *const nobody[] = {NULL};
	struct maildir_run *round = context;
	g_autoptr(GByteArray) message = report_read_input(file, error);
	struct feedback_report_result result;

	if (!message || !service_ensure(round->service, error) || !confine(round, error) ||
	    !feedback_report(round->service, message->data, message->len, nobody, &result, error))
		return false;
	g_autofree char *sentence = report_describe(&result);
	g_autofree char *line = g_strdup_printf("%s: %s\n", name, sentence);
	cli_output_item(round->call->output, RESULT_FIELDS(name, &result), line);
	return true;
}

static bool
report_run(struct cli_call *call, GError **error)
{
	struct service *service = call->service;
	struct maildir_run round = {call, service, false};

	if (!call->values[MAILDIR].text)
		return report_input(call, service, error);
	cli_output_list_begin(call->output, "reports", NULL);
	bool done = process_maildir(call->values[MAILDIR].text, report_file, &round, error);
	cli_output_list_end(call->output);
	return done;
}

static const struct cli_command commands[] = {
    {NULL,
	"Read a delivery report or a complaint from standard input, as a mail server pipes it, and "
	"record it. A failure that may be temporary has the exit status 75.",
	NEED_SETTINGS, PARAMETERS(parameters), .retry = true, .run = report_run},
};

const struct cli_noun cli_noun_report = {"report", commands, G_N_ELEMENTS(commands)};
