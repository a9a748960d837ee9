/* SPDX-License-Identifier: MIT */
/* Finds what is new in a reply, as mail programs in several languages write it. */
#include "mail/incoming.h"

#include <string.h>

#define LINES_JOINED 3	/* an opening line may be folded into so many */
#define JOINED_MOST 500 /* bytes */
#define BLOCK_LINES 6	/* of a block of fields that are looked at */
#define RULE_LENGTH 10	/* of a line of underscores or hyphens */

/* The first word and the last ones of a line that opens a quote. */
static const struct {
	const char *begin, *verb;
	bool verb_ends; /* nothing but a colon stands behind the verb */
	bool is_dated;	/* a digit stands behind the first word, and then a time or an address */
} reply_openers[] = {
    {"On ", "wrote", true, false},
    {"At ", "wrote", true, true},
    {"Am ", "schrieb", false, false},
    {"Le ", "a écrit", true, false},
    {"El ", "escribió", true, false},
    {"Em ", "escreveu", true, false},
    {"No dia ", "escreveu", true, false},
    {"Às ", "escreveu", true, false},
    {"A ", "escreveu", true, false},
    {"Il ", "ha scritto", true, false},
    {"In data ", "ha scritto", true, true},
    {"Op ", "schreef", false, false},
    {"Op ", "geschreven", true, false},
};

static const char *const reply_separators[] = {"Original Message", "Ursprüngliche Nachricht",
    "Original-Nachricht", "Message d'origine", "Message d’origine", "Mensaje original",
    "Mensagem original", "Messaggio originale", "Oorspronkelijk bericht", "Forwarded message",
    "Weitergeleitete Nachricht", "Message transféré", "Mensaje reenviado", "Mensagem encaminhada",
    "Mensagem reencaminhada", "Messaggio inoltrato", "Doorgestuurd bericht"};

/* Lines of Apple's programs in front of a message that is passed on. */
static const char *const reply_forwards[] = {
    "Begin forwarded message:", "Anfang der weitergeleiteten Nachricht:",
    "Début du message transféré :", "Inicio del mensaje reenviado:",
    "Início da mensagem encaminhada:", "Início da mensagem reencaminhada:",
    "Inizio messaggio inoltrato:", "Begin doorgestuurd bericht:"};

/* The names of the fields in front of a quoted message. */
static const char *const reply_from[] = {"From", "Von", "De", "Da", "Van"};
static const char *const reply_others[] = {"Sent", "Date", "To", "Subject", "Gesendet", "Datum",
    "An", "Betreff", "Message du", "Envoyé", "À", "Objet", "Sujet", "Enviado", "Enviada",
    "Enviado el", "Enviado em", "Fecha", "Data", "Para", "Asunto", "Assunto", "Inviato", "A",
    "Oggetto", "Verzonden", "Aan", "Onderwerp"};

/* A line with single spaces: without those at its ends, without stars of emphasis, and with plain
   spaces for others. The caller owns it. */
static char *
reply_normal(const char *line, gsize size)
{
	GString *normal = g_string_sized_new(size);
	bool space = false;

	for (const char *p = line; p < line + size; p = g_utf8_next_char(p)) {
		gunichar c = g_utf8_get_char(p);

		if (g_unichar_isspace(c) || c == 0x200b) {
			space = normal->len > 0;
			continue;
		}
		if (c == '*')
			continue;
		if (space)
			g_string_append_c(normal, ' ');
		space = false;
		g_string_append_unichar(normal, c);
	}
	return g_string_free(normal, FALSE);
}

/* Whether a line is of the form Bob <bob@x.org> schrieb am, as Gmail writes it on phones and in
   Portugal. */
static bool
reply_is_named(const char *line)
{
	static const char *const verbs[] = {"> wrote on ", "> schrieb am ", "> escreveu (",
	    "> escreveu no dia ", "> escreveu em ", "> escribió el ", "> a écrit le ",
	    "> ha scritto il ", "> schreef op "};
	const char *open = strchr(line, '<');

	for (guint i = 0; open && i < G_N_ELEMENTS(verbs); i++)
		if (strstr(open, verbs[i]))
			return true;
	return false;
}

/* Whether a line begins with a date in numbers: 2026-11-20, 20.11.2026, 2026/11/20. */
static bool
reply_is_dated(const char *line)
{
	for (guint i = 0; i < 3; i++) {
		gsize size = strspn(line, "0123456789");

		if (size == 0 || size > 4)
			return false;
		line += size;
		if (i < 2 && (!*line || !strchr("-./", *line++)))
			return false;
	}
	return *line == ' ' || *line == ',';
}

/* Whether a line has a time such as 8:00, or an address. */
static bool
reply_has_time(const char *line)
{
	for (const char *p = line; *p; p++)
		if (*p == '@' ||
		    (*p == ':' && p > line && g_ascii_isdigit(p[-1]) && g_ascii_isdigit(p[1])))
			return true;
	return false;
}

/* Whether a line is of the form 2026-11-20 8:00 GMT+01:00 Bob <bob@x.org>: as Gmail wrote it in
   many languages, and others do. */
static bool
reply_is_dated_opener(const char *line)
{
	const char *at = strchr(line, '@');

	return at && strchr(line, '<') && g_str_has_suffix(at, ">:") && reply_is_dated(line);
}

/* Whether a line is of the form ---- On Fri, 20 Nov 2026 08:00:00 +0100 Bob wrote ----, as Zoho
   writes it. */
static bool
reply_is_dashed_opener(const char *line)
{
	return g_str_has_prefix(line, "---- On ") && g_str_has_suffix(line, " wrote ----");
}

/* Whether a line, which may be joined of several, opens a quote. */
static bool
reply_is_opener(const char *line)
{
	gsize size = strlen(line);

	if (reply_is_dashed_opener(line))
		return true;
	if (size < 2 || line[size - 1] != ':')
		return false;
	if (reply_is_named(line) || reply_is_dated_opener(line))
		return true;
	for (guint i = 0; i < G_N_ELEMENTS(reply_openers); i++) {
		const char *verb;

		if (!g_str_has_prefix(line, reply_openers[i].begin) ||
		    !(verb = g_strrstr(line, reply_openers[i].verb)) ||
		    (reply_openers[i].is_dated &&
			!(g_ascii_isdigit(line[strlen(reply_openers[i].begin)]) &&
			    reply_has_time(line))))
			continue;
		const char *behind = verb + strlen(reply_openers[i].verb);
		if (!reply_openers[i].verb_ends || strcmp(behind, ":") == 0 ||
		    strcmp(behind, " :") == 0)
			return true;
	}
	return false;
}

static bool
reply_begins_like_opener(const char *line)
{
	for (guint i = 0; i < G_N_ELEMENTS(reply_openers); i++)
		if (g_str_has_prefix(line, reply_openers[i].begin))
			return true;
	return reply_is_named(line) || (reply_is_dated(line) && reply_has_time(line)) ||
	       g_str_has_prefix(line, "---- On ");
}

/* Whether the line is -----Original Message----- or its like. */
static bool
reply_is_separator(const char *line)
{
	gsize front = strspn(line, "-"), size = strlen(line), back = 0;

	while (back < size - front && line[size - 1 - back] == '-')
		back++;
	if (front < 4 || back < 4)
		return false;
	g_autofree char *words = g_strndup(line + front, size - front - back);
	g_autofree char *folded = g_utf8_casefold(g_strstrip(words), -1);
	for (guint i = 0; i < G_N_ELEMENTS(reply_separators); i++) {
		g_autofree char *wanted = g_utf8_casefold(reply_separators[i], -1);

		if (strcmp(folded, wanted) == 0)
			return true;
	}
	return false;
}

static bool
reply_is_rule(const char *line)
{
	gsize size = strspn(line, "_");

	return size >= RULE_LENGTH && !line[size];
}

/* Whether a line is one of these fields with its colon. */
static bool
reply_is_field(const char *line, const char *const *names, guint count)
{
	for (guint i = 0; i < count; i++) {
		gsize size = strlen(names[i]);

		if (strncmp(line, names[i], size) != 0)
			continue;
		if (line[size] == ':' || (line[size] == ' ' && line[size + 1] == ':'))
			return true;
	}
	return false;
}

static bool
reply_is_other(const char *line)
{
	return reply_is_field(line, reply_others, G_N_ELEMENTS(reply_others));
}

/* Whether a block of From, Sent, To and Subject, or its like, begins with this line. GMX writes the
   time in front, and Hotmail the subject, too; then From has an address. */
static bool
reply_is_block(char **lines, guint at)
{
	bool has_from = false;
	guint others = 0;

	for (guint i = at; lines[i] && i <= at + BLOCK_LINES; i++) {
		if (reply_is_field(lines[i], reply_from, G_N_ELEMENTS(reply_from)) &&
		    (others == 0 || has_from || strchr(lines[i], '@')))
			has_from = true;
		else if (reply_is_other(lines[i]))
			others++;
		else if (!has_from)
			return false;
	}
	return has_from && others >= 2;
}

static bool
reply_is_folded_opener(char **lines, guint at)
{
	g_autoptr(GString) joined = g_string_new(lines[at]);

	if (!reply_begins_like_opener(lines[at]))
		return false;
	for (guint i = 1; !reply_is_opener(joined->str); i++) {
		if (i == LINES_JOINED || !lines[at + i] || !*lines[at + i] ||
		    joined->len > JOINED_MOST)
			return false;
		g_string_append_printf(joined, " %s", lines[at + i]);
	}
	return true;
}

static bool
reply_is_forward(const char *line)
{
	for (guint i = 0; i < G_N_ELEMENTS(reply_forwards); i++)
		if (strcmp(line, reply_forwards[i]) == 0)
			return true;
	return false;
}

/* Whether a line is Bob <bob@x.org> schrieb: in front of quoted lines, as K-9 writes it. Without
   these it may be a sentence. */
static bool
reply_is_sender(char **lines, guint at)
{
	const char *next = lines[at + 1];

	if (next && !*next)
		next = lines[at + 2];
	if (!strchr(lines[at], '<') || !next || *next != '>')
		return false;
	for (guint i = 0; i < G_N_ELEMENTS(reply_openers); i++) {
		g_autofree char *end = g_strdup_printf("> %s:", reply_openers[i].verb);
		g_autofree char *spaced = g_strdup_printf("> %s :", reply_openers[i].verb);

		if (g_str_has_suffix(lines[at], end) || g_str_has_suffix(lines[at], spaced))
			return true;
	}
	return false;
}

static bool
reply_opens_quote(char **lines, guint at)
{
	return reply_is_rule(lines[at]) || reply_is_separator(lines[at]) ||
	       reply_is_forward(lines[at]) || reply_is_folded_opener(lines, at) ||
	       reply_is_block(lines, at) || reply_is_sender(lines, at);
}

/* Whether a line is one of hyphens, as a rule of HTML in front of a quote becomes. */
static bool
reply_is_hyphens(const char *line)
{
	gsize size = strspn(line, "-");

	return size >= RULE_LENGTH && !line[size];
}

char *
mail_incoming_reply(const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\n", -1);
	guint count = g_strv_length(lines), end = 0;
	g_auto(GStrv) normal = g_new0(char *, count + 1);

	for (guint i = 0; i < count; i++)
		normal[i] = reply_normal(lines[i], strlen(lines[i]));
	while (end < count && !reply_opens_quote(normal, end))
		end++;
	bool quotes = end < count;
	for (guint i = 0; i < end; i++)
		if (strcmp(lines[i], "-- ") == 0)
			end = i;
	while (end > 0 && (!*normal[end - 1] || *normal[end - 1] == '>' ||
			      (quotes && reply_is_hyphens(normal[end - 1]))))
		end--;
	guint begin = 0;
	while (begin < end && !*normal[begin])
		begin++;
	if (begin == end)
		return g_strdup(text);
	g_clear_pointer(&lines[end], g_free);
	char *reply = g_strjoinv("\n", lines + begin);
	/* The text that was cut off is still to be freed. */
	for (guint i = end + 1; i < count; i++)
		g_clear_pointer(&lines[i], g_free);
	return reply;
}
