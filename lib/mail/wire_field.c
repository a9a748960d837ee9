/* SPDX-License-Identifier: MIT */
/* Writes the header fields of other programs in ASCII. */
#include <gmime/gmime.h>
#include <string.h>

#include "base/error.h"
#include "base/limits/report.h"
#include "mail/address.h"
#include "mail/encoding.h"
#include "mail/field.h"
#include "mail/wire.h"
#include "mail/words.h"
#include "text/hostname.h"

enum kind {
	UNSTRUCTURED,
	PHRASES,    /* tokens, among them phrases: addresses, the fields of lists */
	TOKENS,	    /* tokens without phrases */
	PARAMETERS, /* a value and its parameters */
};

/* The fields that are not unstructured, by name or, with a - at the end, by its beginning. */
static const struct {
	const char *name;
	enum kind kind;
} kinds[] = {
    {"From", PHRASES},
    {"Sender", PHRASES},
    {"Reply-To", PHRASES},
    {"To", PHRASES},
    {"Cc", PHRASES},
    {"Resent-From", PHRASES},
    {"Resent-Sender", PHRASES},
    {"Resent-To", PHRASES},
    {"Resent-Cc", PHRASES},
    {"Resent-", TOKENS},
    {"Disposition-Notification-To", PHRASES},
    {"Return-Receipt-To", PHRASES},
    {"Errors-To", PHRASES},
    {"Mail-Followup-To", PHRASES},
    {"Mail-Reply-To", PHRASES},
    {"Keywords", PHRASES},
    {"List-Unsubscribe-Post", TOKENS},
    {"List-", PHRASES},
    {"Archived-At", TOKENS},
    {"Content-Type", PARAMETERS},
    {"Content-Disposition", PARAMETERS},
    {"Content-Description", UNSTRUCTURED},
    {"Content-", TOKENS},
    {"Date", TOKENS},
    {"Message-ID", TOKENS},
    {"In-Reply-To", TOKENS},
    {"References", TOKENS},
    {"MIME-Version", TOKENS},
    {"Received", TOKENS},
    {"Received-", TOKENS},
    {"Return-Path", TOKENS},
    {"Auto-Submitted", TOKENS},
    {"Authentication-Results", TOKENS},
    {"DKIM-", TOKENS},
    {"ARC-", TOKENS},
};

static enum kind
wire_field_kind_of(const char *name)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		gsize size = strlen(kinds[i].name);

		if (g_ascii_strncasecmp(name, kinds[i].name, size) == 0 &&
		    (!name[size] || kinds[i].name[size - 1] == '-'))
			return kinds[i].kind;
	}
	return UNSTRUCTURED;
}

/* Text whose encoded words are decoded. One that is too long for GMime is left as it is. */
static char *
decode_words(const char *text)
{
	if (!strstr(text, "=?") || strlen(text) > LIMIT_FIELD_BYTES)
		return g_strdup(text);
	return g_strdelimit(mail_words_decode(text), "\r\n", ' ');
}

static void
wire_field_write_text(struct mail_field *field, const char *text)
{
	g_autofree char *decoded = NULL;

	if (g_str_is_ascii(text) && mail_field_fits(text)) {
		mail_field_words(field, text);
		return;
	}
	decoded = decode_words(text);
	mail_field_text(field, g_strdelimit(decoded, "\t", ' '));
}

/* A value that is being written word by word. */
struct writing {
	struct mail_field field;
	GString *word;	 /* what is not to be folded, and is not written yet */
	const char *gap; /* in front of it */
};

static void
wire_field_end_word(struct writing *writing, const char *gap)
{
	if (writing->word->len > 0)
		mail_field_word(&writing->field, writing->gap, writing->word->str);
	if (writing->word->len > 0 || *gap)
		writing->gap = gap;
	g_string_truncate(writing->word, 0);
}

/* The end of a quoted string, a comment or <...> that begins at p. */
static const char *
token_end(const char *p)
{
	char open = *p, close = open == '(' ? ')' : open == '<' ? '>' : '"';
	guint depth = 1;

	for (p++; *p && depth > 0; p++)
		if (*p == '\\' && p[1] && open != '<')
			p++;
		else if (*p == close)
			depth--;
		else if (*p == open && open == '(')
			depth++;
	return p;
}

/* The content of a quoted string or a comment, without the backslashes. */
static char *
unquote(const char *text, const char *end)
{
	GString *content = g_string_new(NULL);
	bool is_closed = end - text > 1 && strchr("\")", end[-1]);

	for (const char *p = text + 1; p < end - is_closed; p++) {
		if (*p == '\\' && p + 1 < end - is_closed)
			p++;
		g_string_append_c(content, *p);
	}
	return g_string_free(content, FALSE);
}

/* Writes text as encoded words, within the column of its place; open and close stand around it. */
static void
wire_field_write_encoded(
    struct writing *writing, const char *open, const char *text, const char *close)
{
	g_autofree char *decoded = decode_words(text);
	const char *before = open, *after = "";

	wire_field_end_word(writing, " ");
	for (const char *p = decoded; *p; before = "") {
		g_autoptr(GString) word = g_string_new(before);

		p += mail_encoded_word_append(word, MAIL_ENCODED_WORD_Q, p,
		    MAIL_ENCODED_WORD_MAX - strlen(before) - strlen(close));
		after = *p ? "" : close;
		g_string_append(word, after);
		mail_field_word(&writing->field, " ", word->str);
	}
	writing->gap = " ";
}

static const char *
phrase_end(const char *p)
{
	return *p == '"' ? token_end(p) : p + strcspn(p, " \t()<>,;:\"");
}

/* The end of the words that begin here and are no addresses. */
static const char *
words_end(const char *p)
{
	const char *last = p;

	while (*p && !strchr("()<>,;:", *p)) {
		const char *end = phrase_end(p);

		if (*end == '@' || (*p != '"' && memchr(p, '@', (gsize)(end - p))))
			break;
		last = end;
		p = end + strspn(end, " \t");
	}
	return last;
}

static void
write_phrase(struct writing *writing, const char *p, const char *end)
{
	g_autoptr(GString) phrase = g_string_new(NULL);

	while (p < end) {
		const char *next = phrase_end(p);
		g_autofree char *word = *p == '"' ? unquote(p, next) : g_strndup(p, next - p);

		g_string_append_printf(phrase, "%s%s", phrase->len ? " " : "", word);
		p = next + strspn(next, " \t");
	}
	wire_field_write_encoded(writing, "", phrase->str, "");
}

static void
wire_field_append_escaped(GString *out, const char *p, const char *end)
{
	for (; p < end; p++)
		if (*p & 0x80)
			g_string_append_printf(out, "%%%02X", (guchar)*p);
		else
			g_string_append_c(out, *p);
}

/* A URL in ASCII; NULL where its host cannot be. */
static char *
url_in_ascii(const char *url)
{
	g_autoptr(GString) text = g_string_new(NULL);
	const char *host = strstr(url, "://");

	if (!host) {
		wire_field_append_escaped(text, url, url + strlen(url));
		return g_strdup(text->str);
	}
	host += strlen("://");
	const char *end = host + strcspn(host, "/?#"), *at = memchr(host, '@', (gsize)(end - host));
	host = at ? at + 1 : host;
	gsize size = MIN((gsize)(end - host), strcspn(host, ":"));
	g_autofree char *name = g_strndup(host, size);
	g_autofree char *ascii = g_str_is_ascii(name) ? g_strdup(name) : text_hostname_ascii(name);
	if (!ascii)
		return NULL;
	wire_field_append_escaped(text, url, host);
	g_string_append(text, ascii);
	wire_field_append_escaped(text, host + size, host + strlen(host));
	return g_strdup(text->str);
}

/* An address, a URL or the name of a list in ASCII; NULL where it cannot be. */
static char *
reference_in_ascii(const char *text)
{
	const char *why;

	if (strchr(text, ':'))
		return url_in_ascii(text);
	return strchr(text, '@') ? mail_addr_spec_normal(text, MAIL_LOCAL_ANY, &why)
				 : text_hostname_ascii(text);
}

/* Appends what stands between p and end to the word: as it is, or in ASCII. */
static bool
append_reference(struct writing *writing, const char *p, const char *end)
{
	g_autofree char *text = g_strndup(p, end - p);
	g_autofree char *ascii = g_str_is_ascii(text) ? g_strdup(text) : reference_in_ascii(text);

	if (ascii)
		g_string_append(writing->word, ascii);
	return ascii != NULL;
}

static bool
write_angle(struct writing *writing, const char *p, const char *end)
{
	bool is_closed = end - p > 1 && end[-1] == '>';

	if (writing->word->len > 0 && p[-1] == '>')
		wire_field_end_word(writing, "");
	g_string_append_c(writing->word, '<');
	bool done = append_reference(writing, p + 1, end - is_closed);
	if (is_closed)
		g_string_append_c(writing->word, '>');
	return done;
}

/* Writes ASCII text of a quoted string or a comment, whose blanks may be folds. */
static void
write_folding(struct writing *writing, const char *p, const char *end)
{
	for (; p < end; p++)
		if (*p == ' ' || *p == '\t')
			wire_field_end_word(writing, " ");
		else
			g_string_append_c(writing->word, *p);
}

/* Writes words of a phrase, or of something else. False when they cannot be written. */
static bool
write_words(struct writing *writing, const char *p, const char *end, bool is_phrase)
{
	bool is_7bit = mail_encoding_is_7bit(p, (gsize)(end - p));

	if (is_7bit)
		write_folding(writing, p, end);
	else if (is_phrase)
		write_phrase(writing, p, end);
	return is_7bit || is_phrase;
}

static void
write_comment(struct writing *writing, const char *p, const char *end)
{
	if (mail_encoding_is_7bit(p, (gsize)(end - p))) {
		write_folding(writing, p, end);
		return;
	}
	g_autofree char *content = unquote(p, end);
	wire_field_write_encoded(writing, "(", content, ")");
}

/* Writes the next token, and returns its end; NULL when it cannot be written. */
static const char *
wire_field_write_token(struct writing *writing, const char *p, bool has_phrases)
{
	const char *end = p + 1;

	if (*p == ' ' || *p == '\t') {
		wire_field_end_word(writing, " ");
	} else if (*p == ',' || *p == ';' || *p == ':' || *p == ')' || *p == '>') {
		g_string_append_c(writing->word, *p);
		if (*p == ',' || *p == ';')
			wire_field_end_word(writing, "");
	} else if (*p == '<') {
		end = token_end(p);
		if (!write_angle(writing, p, end))
			return NULL;
	} else if (*p == '(') {
		end = token_end(p);
		write_comment(writing, p, end);
	} else if ((end = words_end(p)) > p) {
		return write_words(writing, p, end, has_phrases) ? end : NULL;
	} else {
		end = phrase_end(p);
		if (*p == '"' ? !write_words(writing, p, end, false)
			      : !append_reference(writing, p, end))
			return NULL;
	}
	return end;
}

static bool
write_tokens(struct mail_field *field, const char *text, bool has_phrases)
{
	struct writing writing = {.field = *field, .word = g_string_new(NULL), .gap = " "};
	const char *p = text;

	while (p && *p)
		p = wire_field_write_token(&writing, p, has_phrases);
	wire_field_end_word(&writing, "");
	g_string_free(writing.word, TRUE);
	*field = writing.field;
	return p != NULL;
}

#define PARAMETER_NAME 40

static bool
wire_field_write_list(struct mail_field *field, GMimeParamList *list, bool names_in_words)
{
	for (int i = 0; i < g_mime_param_list_length(list); i++) {
		GMimeParam *parameter = g_mime_param_list_get_parameter_at(list, i);
		const char *name = g_mime_param_get_name(parameter);
		const char *given = g_mime_param_get_value(parameter);
		g_autofree char *value = g_utf8_make_valid(given ? given : "", -1);

		g_strdelimit(value, "\r\n", ' ');
		if (strlen(name) > PARAMETER_NAME)
			return false;
		if (names_in_words && g_ascii_strcasecmp(name, "name") == 0)
			mail_field_parameter_words(field, name, value);
		else
			mail_field_parameter(field, name, value);
	}
	return true;
}

static bool
write_parameters(struct mail_field *field, const char *name, const char *given)
{
	g_autofree char *word = NULL, *text = NULL;
	bool done;

	if (strlen(given) > LIMIT_FIELD_BYTES)
		return false;
	mail_gmime_use();
	text = mail_words_repair(given);
	if (g_ascii_strcasecmp(name, "Content-Type") == 0) {
		GMimeContentType *type = g_mime_content_type_parse(NULL, text);

		if (!type)
			return false;
		word = g_mime_content_type_get_mime_type(type);
		mail_field_word(field, " ", word);
		done = wire_field_write_list(field, g_mime_content_type_get_parameters(type), true);
		g_object_unref(type);
		return done;
	}
	GMimeContentDisposition *disposition = g_mime_content_disposition_parse(NULL, text);
	if (!disposition)
		return false;
	word = g_strdup(g_mime_content_disposition_get_disposition(disposition));
	mail_field_word(field, " ", word);
	done = wire_field_write_list(
	    field, g_mime_content_disposition_get_parameters(disposition), false);
	g_object_unref(disposition);
	return done;
}

/* The value of a field on one line, in UTF-8. */
static char *
wire_field_read_value(const char *text, gsize size, const char *charset)
{
	char *value = mail_part_to_utf8(text, size, charset), *to = value;

	for (const char *from = value; *from; from++)
		if (*from != '\r' && *from != '\n')
			*to++ = *from;
	*to = '\0';
	return g_strstrip(value);
}

static bool
wire_field_fits(const char *text, gsize size)
{
	struct mail_slice rest = {text, size}, line;

	while (mail_part_line(&rest, &line))
		if (line.size > MAIL_LINE_LENGTH_MAX + 1)
			return false;
	return mail_encoding_is_7bit(text, size);
}

bool
mail_wire_field(GString *out, const struct mail_slice *source, gsize name_size, const char *charset,
    GError **error)
{
	g_autofree char *name = g_strndup(source->text, name_size);
	const char *colon = memchr(source->text, ':', source->size);
	gsize begin = out->len;
	bool done = true;

	if (name_size == 0 || !colon || name_size > MAIL_LINE_LENGTH_MAX - 1)
		return base_invalid(error, "the message has a line among its fields that is none, "
					   "and that cannot be sent");
	const char *after = colon + 1, *end = source->text + source->size;
	g_autofree char *value = wire_field_read_value(after, (gsize)(end - after), charset);
	struct mail_field field;
	mail_field_begin(&field, out, name);
	switch (wire_field_kind_of(name)) {
	case UNSTRUCTURED:
		wire_field_write_text(&field, value);
		break;
	case PHRASES:
		done = write_tokens(&field, value, true);
		break;
	case TOKENS:
		done = write_tokens(&field, value, false);
		break;
	case PARAMETERS:
		done = write_parameters(&field, name, value);
		break;
	}
	mail_field_end(&field);
	if (done && wire_field_fits(out->str + begin, out->len - begin))
		return true;
	return base_invalid(error,
	    "the field %.100s cannot be written in ASCII and in lines of at most %d bytes", name,
	    MAIL_LINE_LENGTH_MAX);
}
