/* SPDX-License-Identifier: MIT */
/* Cuts what the client sends into lines and data. */
#include "intake/input.h"

#include <string.h>

#include "intake/host.h"

#define CHUNK 65536
#define END "\r\n.\r\n"

struct intake_input {
	const struct intake_host *host;
	GByteArray *bytes; /* what was read and is not used yet */
	char *line;
};

struct intake_input *
intake_input_new(const struct intake_host *host)
{
	struct intake_input *input = g_new0(struct intake_input, 1);

	input->host = host;
	input->bytes = g_byte_array_new();
	return input;
}

void
intake_input_free(struct intake_input *input)
{
	g_byte_array_unref(input->bytes);
	g_free(input->line);
	g_free(input);
}

bool
intake_input_waits(const struct intake_input *input)
{
	return input->bytes->len > 0 && memchr(input->bytes->data, '\n', input->bytes->len);
}

bool
intake_input_has_more(const struct intake_input *input)
{
	return input->bytes->len > 0;
}

/* Reads more bytes. */
static enum intake_got
input_fill(struct intake_input *input, const struct intake_place *place)
{
	guint length = input->bytes->len;

	g_byte_array_set_size(input->bytes, length + CHUNK);
	gssize got =
	    input->host->read(input->host->context, input->bytes->data + length, CHUNK, place);
	g_byte_array_set_size(input->bytes, length + (got > 0 ? (guint)got : 0));
	return got > 0			     ? INTAKE_GOT
	       : got == INTAKE_READ_SILENT   ? INTAKE_GOT_SILENCE
	       : got == INTAKE_READ_TOO_LONG ? INTAKE_GOT_TIME
	       : got == INTAKE_READ_STOP     ? INTAKE_GOT_STOP
					     : INTAKE_GOT_END;
}

/* Whether a line that ends with LF ends with CRLF, and has no other CR. */
static bool
is_clean(const char *line, gsize size)
{
	return size >= 2 && memchr(line, '\r', size) == line + size - 2;
}

/* The most bytes of a line that begins like this. */
static gsize
line_most(const void *begin, gsize size, bool is_auth)
{
	return is_auth || (size >= 5 && g_ascii_strncasecmp(begin, "AUTH ", 5) == 0)
		   ? INTAKE_AUTH_LINE_MAX
		   : INTAKE_LINE_MAX;
}

enum intake_got
intake_input_line(struct intake_input *input, bool is_auth, bool is_between, char **line_r)
{
	struct intake_place place = {is_between && input->bytes->len == 0, input->bytes->len > 0};
	bool is_long = false;
	const char *end;

	while (!(end = input->bytes->len > 0 ? memchr(input->bytes->data, '\n', input->bytes->len)
					     : NULL)) {
		is_long = is_long || input->bytes->len >=
					 line_most(input->bytes->data, input->bytes->len, is_auth);
		if (is_long)
			g_byte_array_set_size(input->bytes, 0);
		enum intake_got got = input_fill(input, &place);
		if (got != INTAKE_GOT)
			return got;
		place = (struct intake_place){false, true};
	}
	const char *begin = (const char *)input->bytes->data;
	gsize size = (gsize)(end - begin) + 1;
	is_long = is_long || size > line_most(begin, size, is_auth);
	bool clean = is_clean(begin, size);
	g_free(input->line);
	*line_r = input->line = g_strndup(begin, size - MIN(size, 2));
	bool has_nul = !is_long && clean && strlen(input->line) != size - 2;
	g_byte_array_remove_range(input->bytes, 0, (guint)size);
	if (has_nul)
		*input->line = '\0';
	return is_long ? INTAKE_GOT_LONG : clean ? INTAKE_GOT : INTAKE_GOT_BARE;
}

/* Takes the CRLF in front of the data away, and the dots in front of lines. */
static void
unstuff(GByteArray *data)
{
	guint8 *to = data->data, *from = to + 2, *end = data->data + data->len;

	while (from < end) {
		if (*from == '.' && from[-1] == '\n' && from[-2] == '\r' && ++from == end)
			break;
		*to++ = *from++;
	}
	g_byte_array_set_size(data, (guint)(to - data->data));
}

/* Moves the bytes that wait behind the data, up to the end of the data. Returns whether that has
   come. *seen is the size of the data that was looked at before. */
static bool
input_move(struct intake_input *input, GByteArray *data, gsize *seen)
{
	const gsize back = strlen(END) - 1;
	gsize from = *seen > back ? *seen - back : 0;
	guint before = data->len;

	g_byte_array_append(data, input->bytes->data, input->bytes->len);
	const guint8 *end = memmem(data->data + from, data->len - from, END, strlen(END));
	gsize used = end ? (gsize)(end - data->data) + strlen(END) - before : input->bytes->len;
	g_byte_array_remove_range(input->bytes, 0, (guint)used);
	if (end)
		g_byte_array_set_size(data, (guint)(end - data->data) + 2);
	*seen = data->len;
	return end != NULL;
}

/* Data that are being read. */
struct reading {
	GByteArray *data;
	gsize seen;
	bool is_long, is_large, is_crowded;
};

/* Looks at the size. Of data that are not kept, only what may belong to their end stays. */
static void
reading_weigh(const struct intake_host *host, struct reading *reading, gsize most)
{
	GByteArray *data = reading->data;

	reading->is_long = reading->is_long || data->len > most;
	if (!reading->is_large && data->len > INTAKE_LARGE) {
		reading->is_large = true;
		reading->is_crowded = host->enter_large && !host->enter_large(host->context);
	}
	if ((reading->is_long || reading->is_crowded) && data->len > strlen(END)) {
		g_byte_array_remove_range(data, 0, data->len - (guint)strlen(END));
		reading->seen = data->len;
	}
}

enum intake_got
intake_input_data(struct intake_input *input, gsize most, GByteArray **data_r)
{
	/* The shortest line that has a dot in front of it is a dot: it becomes a third longer. */
	const gsize stuffed = most + most / 3 + 8;
	g_autoptr(GByteArray) data = g_byte_array_new();
	struct reading reading = {.data = data};
	bool is_done;

	/* The end of the line in front, so that a dot on the first line ends the data. */
	g_byte_array_append(data, (const guint8 *)"\r\n", 2);
	do {
		is_done = input_move(input, data, &reading.seen);
		reading_weigh(input->host, &reading, stuffed);
		const struct intake_place place = {
		    false, data->len > 0 && data->data[data->len - 1] != '\n'};
		enum intake_got got = is_done ? INTAKE_GOT : input_fill(input, &place);
		if (got != INTAKE_GOT)
			return got;
	} while (!is_done);
	if (reading.is_long)
		return INTAKE_GOT_LONG;
	if (reading.is_crowded)
		return INTAKE_GOT_CROWDED;
	unstuff(data);
	if (data->len > most)
		return INTAKE_GOT_LONG;
	*data_r = g_steal_pointer(&data);
	return INTAKE_GOT;
}
