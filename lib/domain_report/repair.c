/* SPDX-License-Identifier: MIT */
/* Makes XML of what programs take for it. */
#include "domain_report/repair.h"

#include <string.h>

#include "base/error.h"

#define PIECE (64 * 1024)
#define ENTITY_MAX 12 /* bytes of the longest reference: "&#x0010ffff;" */

/* A text that is being repaired. */
struct repair {
	const char *at, *end;
	GString *out;
	domain_report_sink sink;
	void *context;
	guint faults;
	bool is_over; /* the text breaks off in markup, or sink has enough */
};

static void
repair_flush(struct repair *repair, gsize least)
{
	if (repair->out->len < least)
		return;
	if (!repair->sink(repair->out->str, repair->out->len, repair->context))
		repair->is_over = true;
	g_string_truncate(repair->out, 0);
}

static bool
repair_begins(const struct repair *repair, const char *word)
{
	gsize size = strlen(word);

	return (gsize)(repair->end - repair->at) >= size && memcmp(repair->at, word, size) == 0;
}

static const char *
repair_find(const struct repair *repair, const char *word)
{
	return g_strstr_len(repair->at, repair->end - repair->at, word);
}

/* The end of the reference at "&"; NULL: it is none. */
static const char *
repair_reference(const struct repair *repair)
{
	static const char *const names[] = {"&amp;", "&lt;", "&gt;", "&quot;", "&apos;"};

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (repair_begins(repair, names[i]))
			return repair->at + strlen(names[i]);
	if (!repair_begins(repair, "&#"))
		return NULL;
	gsize left = MIN((gsize)(repair->end - repair->at), ENTITY_MAX);
	g_autofree char *text = g_strndup(repair->at, left);
	char *end;
	bool is_hex = text[2] == 'x';
	const char *digits = text + (is_hex ? 3 : 2);
	guint64 point =
	    g_ascii_isxdigit(*digits) ? g_ascii_strtoull(digits, &end, is_hex ? 16 : 10) : 0;

	/* The characters that XML has. */
	if (point == 0 || *end != ';' ||
	    !(point == '\t' || point == '\n' || point == '\r' ||
		(point >= 0x20 && point <= 0xd7ff) || (point >= 0xe000 && point <= 0xfffd) ||
		(point >= 0x10000 && point <= 0x10ffff)))
		return NULL;
	return repair->at + (end - text) + 1;
}

/* Takes one character of text. */
static void
repair_character(struct repair *repair)
{
	guchar c = (guchar)*repair->at;

	if (c == '<') {
		g_string_append(repair->out, "&lt;");
	} else if (c == '>') {
		g_string_append(repair->out, "&gt;");
	} else if (c == '&') {
		g_string_append(repair->out, "&amp;");
	} else if (c < 0x80) {
		if (c >= 0x20 || c == '\t' || c == '\n' || c == '\r')
			g_string_append_c(repair->out, (char)c);
		else
			repair->faults |= REPAIR_BYTES;
	} else {
		gunichar point = g_utf8_get_char_validated(repair->at, repair->end - repair->at);

		if (point < (gunichar)-2 && point != 0xfffe && point != 0xffff) {
			const char *next = g_utf8_next_char(repair->at);
			g_string_append_len(repair->out, repair->at, next - repair->at);
			repair->at = next;
			return;
		}
		repair->faults |= REPAIR_BYTES;
	}
	repair->at++;
}

/* Passes over markup that ends in a word. */
static void
repair_pass(struct repair *repair, const char *word)
{
	const char *end = repair_find(repair, word);

	if (end)
		repair->at = end + strlen(word);
	else
		repair->is_over = true;
}

static void
repair_cdata(struct repair *repair)
{
	const char *whole = repair->end;

	repair->at += strlen("<![CDATA[");
	const char *end = repair_find(repair, "]]>");
	repair->end = end ? end : whole;
	while (repair->at < repair->end && !repair->is_over) {
		repair_character(repair);
		repair_flush(repair, PIECE);
	}
	repair->end = whole;
	repair->at = end ? end + strlen("]]>") : whole;
}

/* The end of a tag that begins at "<", before its ">"; NULL: it is none, or *is_cut_r. */
static const char *
repair_tag_end(const struct repair *repair, bool *is_cut_r)
{
	char quote = '\0';

	*is_cut_r = false;
	for (const char *p = repair->at + 1; p < repair->end; p++) {
		if (*p == '<')
			return NULL;
		if (quote)
			quote = *p == quote ? '\0' : quote;
		else if (*p == '"' || *p == '\'')
			quote = *p;
		else if (*p == '>')
			return p;
	}
	*is_cut_r = true;
	return NULL;
}

static bool
repair_is_name(char c, bool first)
{
	return g_ascii_isalpha(c) || c == '_' ||
	       (!first && (g_ascii_isdigit(c) || c == '-' || c == '.'));
}

/* Reads a name up to end. */
static const char *
repair_name_end(const char *name, const char *end)
{
	const char *p = name;

	while (p < end && repair_is_name(*p, p == name))
		p++;
	return p;
}

/* Takes the tag that ends at end. False: it is none. */
static bool
repair_tag(struct repair *repair, const char *end)
{
	bool closes = repair->at[1] == '/', is_empty = end[-1] == '/';
	const char *name = repair->at + 1 + closes, *behind = repair_name_end(name, end);
	bool is_schema = false;

	if (behind < end && *behind == ':') {
		is_schema = g_str_has_prefix(name, "xs:") || g_str_has_prefix(name, "xsd:");
		name = behind + 1;
		behind = repair_name_end(name, end);
	}
	if (behind == name || (behind < end && *behind != '/' && !g_ascii_isspace(*behind)))
		return false;
	repair->at = end + 1;
	if (is_schema) {
		repair->faults |= REPAIR_SCHEMA;
		return true;
	}
	g_string_append_printf(repair->out, "<%s%.*s%s>", closes ? "/" : "", (int)(behind - name),
	    name, is_empty && !closes ? "/" : "");
	return true;
}

static bool
repair_markup(struct repair *repair, GError **error)
{
	bool is_cut;

	if (repair_begins(repair, "<!--")) {
		repair_pass(repair, "-->");
	} else if (repair_begins(repair, "<![CDATA[")) {
		repair_cdata(repair);
	} else if (repair_begins(repair, "<?")) {
		repair_pass(repair, "?>");
	} else if (repair_begins(repair, "<!")) {
		return base_invalid(error, "it has a DOCTYPE or an ENTITY");
	} else {
		const char *end = repair_tag_end(repair, &is_cut);

		if (is_cut) {
			repair->is_over = true;
		} else if (!end || !repair_tag(repair, end)) {
			repair->faults |= REPAIR_MARKUP;
			repair_character(repair);
		}
	}
	return true;
}

bool
domain_report_repair(const char *text, gsize size, domain_report_sink sink, void *context,
    guint *faults_r, GError **error)
{
	g_autoptr(GString) out = g_string_sized_new(PIECE + 1024);
	struct repair repair = {text, text + size, out, sink, context, 0, false};
	bool done = true;

	while (done && repair.at < repair.end && !repair.is_over) {
		const char *reference = *repair.at == '&' ? repair_reference(&repair) : NULL;

		if (reference) {
			g_string_append_len(out, repair.at, reference - repair.at);
			repair.at = reference;
		} else if (*repair.at == '<') {
			done = repair_markup(&repair, error);
		} else {
			if (*repair.at == '&')
				repair.faults |= REPAIR_MARKUP;
			repair_character(&repair);
		}
		repair_flush(&repair, PIECE);
	}
	repair_flush(&repair, 1);
	*faults_r = repair.faults;
	return done;
}
