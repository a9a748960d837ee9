/* SPDX-License-Identifier: MIT */
/* Follows the commands and replies of a session, and changes replies that libesmtp fails on. */
#include "smtp/dialogue.h"

#include <string.h>

#define REPLY_BYTES 8192

void
smtp_dialogue_init(struct smtp_dialogue *dialogue)
{
	dialogue->reply = g_string_new(NULL);
	dialogue->hello = g_string_new(NULL);
}

void
smtp_dialogue_clear(struct smtp_dialogue *dialogue)
{
	g_free(dialogue->refused);
	g_free(dialogue->token);
	g_free(dialogue->token_fault);
	g_string_free(dialogue->reply, TRUE);
	g_string_free(dialogue->hello, TRUE);
}

void
smtp_dialogue_reset(struct smtp_dialogue *dialogue)
{
	struct smtp_dialogue anew = {
	    .wants_tls = dialogue->wants_tls,
	    .wants_auth = dialogue->wants_auth,
	    .hides_pipelining = dialogue->hides_pipelining,
	    .certificate_end = dialogue->certificate_end,
	    .reply = g_string_truncate(dialogue->reply, 0),
	    .hello = g_string_truncate(dialogue->hello, 0),
	};

	g_free(dialogue->refused);
	g_free(dialogue->token);
	g_free(dialogue->token_fault);
	*dialogue = anew;
}

static bool
dialogue_begins_with(const char *bytes, gsize size, const char *command)
{
	return size >= strlen(command) && g_ascii_strncasecmp(bytes, command, strlen(command)) == 0;
}

static enum smtp_dialogue_step
dialogue_step_of(const struct smtp_dialogue *dialogue, const char *bytes, gsize size)
{
	static const struct {
		const char *command;
		enum smtp_dialogue_step step;
	} steps[] = {
	    {"EHLO ", DIALOGUE_HELLO},
	    {"HELO ", DIALOGUE_HELLO},
	    {"STARTTLS", DIALOGUE_STARTTLS},
	    {"AUTH ", DIALOGUE_AUTH},
	    {"MAIL FROM:", DIALOGUE_MAIL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(steps); i++)
		if (dialogue_begins_with(bytes, size, steps[i].command))
			return steps[i].step;
	return dialogue->step;
}

bool
smtp_dialogue_sends(struct smtp_dialogue *dialogue, const char *bytes, gsize size)
{
	enum smtp_dialogue_step step = dialogue_step_of(dialogue, bytes, size);

	if (dialogue->step == DIALOGUE_MAIL || dialogue->over)
		return !dialogue->over || dialogue_begins_with(bytes, size, "QUIT");
	if (dialogue->step == DIALOGUE_AUTH && smtp_dialogue_code(dialogue) == 235)
		dialogue->authenticated = true;
	bool lacks_tls = dialogue->wants_tls && !dialogue->secured && step >= DIALOGUE_AUTH;
	bool lacks_auth = dialogue->wants_auth && !dialogue->authenticated && step == DIALOGUE_MAIL;
	if (lacks_tls || lacks_auth || dialogue_begins_with(bytes, size, "QUIT")) {
		dialogue->over = true;
		return !lacks_tls && !lacks_auth;
	}
	dialogue->step = step;
	g_string_truncate(dialogue->reply, 0);
	return true;
}

/* Whether an extension is hidden. Its first letter is enough: libesmtp knows no other extensions
   with these letters. */
static bool
hides(const struct smtp_dialogue *dialogue, char letter)
{
	return strchr(dialogue->hides_pipelining ? "CEXP" : "CEX", g_ascii_toupper(letter)) != NULL;
}

static void
dialogue_change(struct smtp_dialogue *dialogue, char *bytes, gsize size)
{
	const gsize digits = 3, word = 4;

	for (gsize i = 0; i < size; i++) {
		if (dialogue->column == digits && bytes[i] == '\r')
			bytes[i] = ' ';
		if (dialogue->column == digits)
			dialogue->continued = bytes[i] == '-';
		if (dialogue->column == word && dialogue->step == DIALOGUE_HELLO && bytes[i] &&
		    hides(dialogue, bytes[i]))
			bytes[i] = 'Z';
		dialogue->column = bytes[i] == '\n' ? 0 : dialogue->column + 1;
	}
}

void
smtp_dialogue_receives(struct smtp_dialogue *dialogue, char *bytes, gsize size)
{
	if (dialogue->step != DIALOGUE_MAIL && !dialogue->over)
		g_string_append_len(
		    dialogue->reply, bytes, (gssize)MIN(size, REPLY_BYTES - dialogue->reply->len));
	if (dialogue->step == DIALOGUE_HELLO && !dialogue->over)
		g_string_assign(dialogue->hello, dialogue->reply->str);
	dialogue_change(dialogue, bytes, size);
}

/* The beginning of the reply's last line, which is the first one without a continuation. NULL when
   it has not come yet. */
static const char *
last_line(const struct smtp_dialogue *dialogue)
{
	const char *line = dialogue->reply->str;

	for (const char *end; (end = strchr(line, '\n')); line = end + 1)
		if (end - line < 4 || line[3] != '-')
			return line;
	return NULL;
}

int
smtp_dialogue_code(const struct smtp_dialogue *dialogue)
{
	const char *line = last_line(dialogue);

	if (!line || !g_ascii_isdigit(line[0]) || !g_ascii_isdigit(line[1]) ||
	    !g_ascii_isdigit(line[2]))
		return 0;
	return (line[0] - '0') * 100 + (line[1] - '0') * 10 + line[2] - '0';
}

bool
smtp_dialogue_is_one_reply(const struct smtp_dialogue *dialogue)
{
	const char *line = last_line(dialogue);

	return line && strchr(line, '\n')[1] == '\0' &&
	       strlen(dialogue->reply->str) == dialogue->reply->len;
}

char *
smtp_dialogue_offer(const struct smtp_dialogue *dialogue, const char *keyword)
{
	gsize size = strlen(keyword);
	g_auto(GStrv) lines = g_strsplit(dialogue->hello->str, "\n", -1);

	for (char **line = lines; *line; line++) {
		if (strlen(*line) < 4 ||
		    !dialogue_begins_with(*line + 4, strlen(*line + 4), keyword))
			continue;
		const char *behind = *line + 4 + size;
		if (*behind == '\0' || g_ascii_isspace(*behind) || *behind == '=')
			return g_strstrip(g_strdup(*behind ? behind + 1 : ""));
	}
	return NULL;
}
