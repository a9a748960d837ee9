/* SPDX-License-Identifier: MIT */
/* Implements fcgi/http/io.h for tests: requests come from the test, and replies go to it. */
#include "tests/fcgi/fake_io.h"

#include <stdlib.h>
#include <string.h>

struct fcgi_io {
	const char *const *params;
	const char *body;
	gsize body_size, piece, read;
	GString *answer;
	guint finished;
};

struct fcgi_source {
	GQueue waiting; /* of struct fcgi_io */
};

struct fcgi_source *
fake_source_new(void)
{
	return g_new0(struct fcgi_source, 1);
}

void
fake_source_add(struct fcgi_source *source, struct fcgi_io *io)
{
	g_queue_push_tail(&source->waiting, io);
}

void
fake_source_free(struct fcgi_source *source)
{
	g_queue_clear(&source->waiting);
	g_free(source);
}

struct fcgi_io *
fcgi_source_more(struct fcgi_source *source)
{
	return source ? g_queue_pop_head(&source->waiting) : NULL;
}

struct fcgi_io *
fake_io_new(const char *const *params, const void *body, gsize body_size, gsize piece)
{
	struct fcgi_io *io = g_new0(struct fcgi_io, 1);

	io->params = params;
	io->body = body;
	io->body_size = body_size;
	io->piece = piece ? piece : G_MAXSIZE;
	io->answer = g_string_new(NULL);
	return io;
}

void
fake_io_free(struct fcgi_io *io)
{
	g_string_free(io->answer, TRUE);
	g_free(io);
}

const char *
fcgi_io_param(const struct fcgi_io *io, const char *name)
{
	gsize length = strlen(name);

	for (const char *const *param = io->params; *param; param++)
		if (strncmp(*param, name, length) == 0 && (*param)[length] == '=')
			return *param + length + 1;
	return NULL;
}

gsize
fcgi_io_read(struct fcgi_io *io, void *buffer, gsize size)
{
	gsize got = MIN(MIN(size, io->piece), io->body_size - io->read);

	memcpy(buffer, io->body + io->read, got);
	io->read += got;
	return got;
}

void
fcgi_io_write(struct fcgi_io *io, const void *data, gsize size)
{
	g_string_append_len(io->answer, data, (gssize)size);
}

void
fcgi_io_finish(struct fcgi_io *io)
{
	io->finished++;
}

gsize
fake_io_read(const struct fcgi_io *io)
{
	return io->read;
}

bool
fake_io_finished(const struct fcgi_io *io)
{
	return io->finished == 1;
}

guint
fake_io_status(const struct fcgi_io *io)
{
	g_autofree char *status = fake_io_header(io, "Status");

	return status ? (guint)atoi(status) : 0;
}

char *
fake_io_header(const struct fcgi_io *io, const char *name)
{
	g_auto(GStrv) lines = g_strsplit(io->answer->str, "\r\n", -1);
	gsize length = strlen(name);

	for (char **line = lines; *line && **line; line++)
		if (strncmp(*line, name, length) == 0 && strncmp(*line + length, ": ", 2) == 0)
			return g_strdup(*line + length + 2);
	return NULL;
}

const char *
fake_io_body(const struct fcgi_io *io)
{
	const char *end = strstr(io->answer->str, "\r\n\r\n");

	return end ? end + 4 : "";
}
