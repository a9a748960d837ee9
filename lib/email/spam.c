/* SPDX-License-Identifier: MIT */
/* Asks rspamd over HTTP, or SpamAssassin by its program spamc, about a message. */
#include "email/spam.h"

#include <errno.h>
#include <signal.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/error.h"
#include "base/limits/fetch.h"
#include "config/settings.h"
#include "fetch/ask.h"
#include "json/strict.h"
#include "json/value.h"

bool
email_spam_is_set(const struct config_settings *settings)
{
	return *config_settings_text(settings, SETTING_MAILINGS_RSPAMD) ||
	       *config_settings_text(settings, SETTING_MAILINGS_SPAMC);
}

/* Reads {"score": 3.2, "required_score": 15, "action": "no action"}. */
static void
read_rspamd(const char *text, struct email_spam *spam)
{
	AUTO(json) answer = json_parse(text, strlen(text), NULL);
	const char *score = json_number_text(json_member_get(answer, "score"));
	const struct json *word = json_member_get(answer, "action");
	const char *action = json_kind(word) == JSON_STRING ? json_string(word, NULL) : NULL;

	if (!score) {
		spam->text = g_strdup("rspamd gave no score");
		return;
	}
	spam->is_known = true;
	spam->score = g_ascii_strtod(score, NULL);
	spam->is_spam = action && strcmp(action, "no action") != 0;
	if (spam->is_spam)
		spam->text = g_strdup_printf("rspamd says \"%s\" at a score of %s", action, score);
}

static void
ask_rspamd(const char *url, GBytes *message, struct email_spam *spam)
{
	static const char *const headers[] = {"Content-Type: message/rfc822", NULL};
	g_autofree char *whole = g_strconcat(url, "/checkv2", NULL);
	g_autoptr(GError) failure = NULL;
	AUTO(fetch_answer)
	answer = fetch_ask_post(whole, headers, message, LIMIT_SPAM_MS, &failure);

	if (!answer)
		spam->text = g_strdup_printf("rspamd did not answer: %s", failure->message);
	else if (answer->status != 200)
		spam->text = g_strdup_printf("rspamd answered %u", answer->status);
	else
		read_rspamd(answer->text->str, spam);
}

/* A file without a name that has these bytes; -1 when there is no memory for it. */
static int
spam_file_of(const char *bytes, gsize size)
{
	int fd = memfd_create("message", MFD_CLOEXEC);
	gsize done = 0;

	while (fd >= 0 && done < size) {
		gssize some = write(fd, bytes + done, size - done);

		if (some < 0 && errno != EINTR) {
			close(fd);
			return -1;
		}
		done += some > 0 ? (gsize)some : 0;
	}
	if (fd >= 0)
		lseek(fd, 0, SEEK_SET);
	return fd;
}

/* Waits for the end of the program, and kills it at the end of the time. False then. */
static bool
spam_await_end(GPid pid)
{
	gint64 end = g_get_monotonic_time() + LIMIT_SPAM_MS * (gint64)1000;
	pid_t got;
	int status;

	while ((got = waitpid(pid, &status, WNOHANG)) == 0 || (got < 0 && errno == EINTR)) {
		if (g_get_monotonic_time() >= end) {
			kill(pid, SIGKILL);
			while (waitpid(pid, &status, 0) < 0 && errno == EINTR)
				;
			return false;
		}
		g_usleep(5000);
	}
	return true;
}

/* Reads SCORE/THRESHOLD, which is 0/0 when there was no answer. */
static void
read_spamc(int output, struct email_spam *spam)
{
	char text[64] = "", *slash;

	lseek(output, 0, SEEK_SET);
	if (read(output, text, sizeof(text) - 1) > 0 && (slash = strchr(text, '/')) &&
	    g_ascii_strtod(slash + 1, NULL) > 0) {
		spam->is_known = true;
		spam->score = g_ascii_strtod(text, NULL);
		spam->is_spam = spam->score >= g_ascii_strtod(slash + 1, NULL);
	}
	g_strdelimit(text, "\r\n", '\0');
	if (!spam->is_known)
		spam->text = g_strdup("spamc gave no score");
	else if (spam->is_spam)
		spam->text = g_strdup_printf("spamc says %s", text);
}

static void
ask_spamc(const char *path, GBytes *message, struct email_spam *spam)
{
	char *argv[] = {(char *)path, (char *)"-c", NULL};
	g_autoptr(GError) failure = NULL;
	gsize size;
	const char *bytes = g_bytes_get_data(message, &size);
	int input = spam_file_of(bytes, size), output = spam_file_of("", 0);
	GPid pid;

	if (input < 0 || output < 0)
		spam->text = g_strdup_printf("spamc did not run: %s", g_strerror(errno));
	else if (!g_spawn_async_with_fds(NULL, argv, NULL, G_SPAWN_DO_NOT_REAP_CHILD, NULL, NULL,
		     &pid, input, output, -1, &failure))
		spam->text = g_strdup_printf("spamc did not run: %s", failure->message);
	else if (!spam_await_end(pid))
		spam->text =
		    g_strdup_printf("spamc did not answer within %d s", LIMIT_SPAM_MS / 1000);
	else
		read_spamc(output, spam);
	if (input >= 0)
		close(input);
	if (output >= 0)
		close(output);
}

void
email_spam_ask(const struct config_settings *settings, GBytes *message, struct email_spam *spam_r)
{
	const char *rspamd = config_settings_text(settings, SETTING_MAILINGS_RSPAMD);

	*spam_r = (struct email_spam){.is_known = false};
	if (*rspamd)
		ask_rspamd(rspamd, message, spam_r);
	else
		ask_spamc(config_settings_text(settings, SETTING_MAILINGS_SPAMC), message, spam_r);
}
