/* SPDX-License-Identifier: MIT */
/* Converts header fields and bodies to the form that DKIM signs. */
#include "mail/canonical.h"

#include <string.h>

#include "base/error.h"

static bool
canonical_is_space(char c)
{
	return c == ' ' || c == '\t';
}

/* The length of the line that starts here, without its CRLF; *next_r is the offset of the next
   one. False for a lone CR or LF. */
static bool
next_line(const char *text, gsize size, gsize *length_r, gsize *next_r)
{
	const char *lf = memchr(text, '\n', size);
	gsize length = lf ? (gsize)(lf - text) : size;

	*next_r = lf ? length + 1 : size;
	if (lf && (length == 0 || text[--length] != '\r'))
		return false;
	*length_r = length;
	return !memchr(text, '\r', length);
}

static bool
bare_line_break(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
	    "a message to be signed must have no CR and no LF but in a CRLF");
	return false;
}

static bool
start_field(GArray *fields, const char *text, gsize size)
{
	struct mail_canonical_field field = {.text = text, .size = size};
	const char *colon = memchr(text, ':', size);

	if (!colon)
		return false;
	field.name_size = (gsize)(colon - text);
	while (field.name_size > 0 && canonical_is_space(text[field.name_size - 1]))
		field.name_size--;
	if (field.name_size == 0)
		return false;
	g_array_append_val(fields, field);
	return true;
}

static bool
canonical_add_line(GArray *fields, const char *text, gsize size)
{
	struct mail_canonical_field *last;

	if (!canonical_is_space(*text))
		return start_field(fields, text, size);
	if (fields->len == 0)
		return false;
	last = &g_array_index(fields, struct mail_canonical_field, fields->len - 1);
	last->size = (gsize)(text - last->text) + size;
	return true;
}

GArray *
mail_canonical_split(const char *message, gsize size, gsize *body_r, GError **error)
{
	g_autoptr(GArray) fields = g_array_new(FALSE, FALSE, sizeof(struct mail_canonical_field));
	gsize length, next, done = 0;

	for (; done < size; done += next) {
		if (!next_line(message + done, size - done, &length, &next)) {
			bare_line_break(error);
			return NULL;
		}
		if (length == 0) {
			done += next;
			break;
		}
		if (!canonical_add_line(fields, message + done, length)) {
			g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
			    "a line of the header is no header field");
			return NULL;
		}
	}
	*body_r = done;
	return g_steal_pointer(&fields);
}

void
mail_canonical_header(GString *out, const struct mail_canonical_field *field)
{
	const char *end = field->text + field->size;
	const char *p = memchr(field->text, ':', field->size);
	gsize start;

	for (gsize i = 0; i < field->name_size; i++)
		g_string_append_c(out, g_ascii_tolower(field->text[i]));
	g_string_append_c(out, ':');
	start = out->len;
	for (bool gap = false; ++p < end;) {
		if (canonical_is_space(*p) || *p == '\r' || *p == '\n') {
			gap = true;
			continue;
		}
		if (gap && out->len > start)
			g_string_append_c(out, ' ');
		gap = false;
		g_string_append_c(out, *p);
	}
}

/* Collects the canonical text, so that sink is not called for each word. */
struct gatherer {
	void (*sink)(void *user, const void *data, gsize size);
	void *user;
	gsize size;
	char data[8192];
};

static void
canonical_flush(struct gatherer *gatherer)
{
	gatherer->sink(gatherer->user, gatherer->data, gatherer->size);
	gatherer->size = 0;
}

static void
canonical_gather(struct gatherer *gatherer, const char *text, gsize size)
{
	while (size > 0) {
		gsize part = MIN(size, sizeof(gatherer->data) - gatherer->size);

		memcpy(gatherer->data + gatherer->size, text, part);
		gatherer->size += part;
		text += part;
		size -= part;
		if (gatherer->size == sizeof(gatherer->data))
			canonical_flush(gatherer);
	}
}

#define BLOCK 16 /* bytes that the compiler looks at together */

/* Whether so many bytes stay as they are. The one behind them is read, too. */
static bool
stays(const char text[BLOCK + 1])
{
	guchar odd = 0;

	for (guint i = 0; i < BLOCK; i++)
		odd |=
		    (guchar)((text[i] == '\t') |
			     ((text[i] == ' ') & ((text[i + 1] == ' ') | (text[i + 1] == '\t'))));
	return !odd;
}

/* Adds a line without trailing white space, with one space for each run. */
static void
gather_line(struct gatherer *gatherer, const char *text, gsize size)
{
	gsize start = 0, looked = 0; /* up to there a byte of a block goes */

	for (gsize i = 0; i < size; i++) {
		for (; i >= looked && i + BLOCK < size; looked = i + BLOCK)
			while (i + BLOCK < size && stays(text + i))
				i += BLOCK;
		if (!canonical_is_space(text[i]) ||
		    (text[i] == ' ' && !canonical_is_space(text[i + 1])))
			continue;
		canonical_gather(gatherer, text + start, i - start);
		canonical_gather(gatherer, " ", 1);
		while (canonical_is_space(text[i + 1]))
			i++;
		start = i + 1;
	}
	canonical_gather(gatherer, text + start, size - start);
	canonical_gather(gatherer, "\r\n", 2);
}

bool
mail_canonical_body(const char *body, gsize size,
    void (*sink)(void *user, const void *data, gsize size), void *user, GError **error)
{
	struct gatherer gatherer = {.sink = sink, .user = user};
	gsize blank = 0;
	gsize length, next;

	for (; size > 0; body += next, size -= next) {
		if (!next_line(body, size, &length, &next))
			return bare_line_break(error);
		while (length > 0 && canonical_is_space(body[length - 1]))
			length--;
		if (length == 0) {
			blank++;
			continue;
		}
		for (; blank > 0; blank--)
			canonical_gather(&gatherer, "\r\n", 2);
		gather_line(&gatherer, body, length);
	}
	canonical_flush(&gatherer);
	return true;
}
