/* SPDX-License-Identifier: MIT */
/* Finds arrived messages in the mail catcher's Maildir. */
#include "tests/http/arrival.h"

#include <criterion/criterion.h>
#include <stdio.h>
#include <string.h>

#include "tests/http/fixture.h"
#include "tests/mail/parsed.h"

#define PATIENCE_S 120
#define HEAD_BYTES 16384 /* the Message-ID is among these */

/* Whether the file at path is a message whose head has this line. */
static bool
arrival_is_of(const char *path, const char *line)
{
	g_autofree char *head = g_malloc(HEAD_BYTES + 1);
	FILE *file = fopen(path, "r");

	if (!file)
		return false;
	head[fread(head, 1, HEAD_BYTES, file)] = '\0';
	fclose(file);
	return strstr(head, line);
}

/* The paths of the email's messages. */
static GPtrArray *
arrival_find(const struct fixture *fixture, const char *id)
{
	g_autofree char *folder = g_build_filename(fixture->instance->maildir, "new", NULL);
	g_autofree char *line = g_strdup_printf("\r\nMessage-ID: <%s", id);
	GPtrArray *paths = g_ptr_array_new_with_free_func(g_free);
	GDir *dir = g_dir_open(folder, 0, NULL);
	const char *name;

	while (dir && (name = g_dir_read_name(dir))) {
		char *path = g_build_filename(folder, name, NULL);
		if (arrival_is_of(path, line))
			g_ptr_array_add(paths, path);
		else
			g_free(path);
	}
	if (dir)
		g_dir_close(dir);
	return paths;
}

guint
arrival_count(const struct fixture *fixture, const char *id)
{
	g_autoptr(GPtrArray) paths = arrival_find(fixture, id);

	return paths->len;
}

static int
arrival_compare(const void *a, const void *b)
{
	return strcmp(*(const char *const *)a, *(const char *const *)b);
}

/* The lines that the mail catcher adds in front. */
static void
arrival_read_envelope(struct arrival *arrival, const char *text)
{
	g_auto(GStrv) lines = g_strsplit(text, "\r\n", 200);
	g_autoptr(GPtrArray) recipients = g_ptr_array_new();

	for (char **line = lines; *line; line++) {
		if (g_str_has_prefix(*line, "Delivered-To: "))
			g_ptr_array_add(recipients, *line + strlen("Delivered-To: "));
		else if (g_str_has_prefix(*line, "Return-Path: <"))
			arrival->sender = g_strndup(*line + strlen("Return-Path: <"),
			    strlen(*line) - strlen("Return-Path: <>"));
		else
			break;
	}
	g_ptr_array_sort(recipients, arrival_compare);
	g_ptr_array_add(recipients, NULL);
	arrival->recipients = g_strjoinv(" ", (char **)recipients->pdata);
}

static struct arrival *
arrival_read_message(const char *path)
{
	struct arrival *arrival = g_new0(struct arrival, 1);
	char *text;
	gsize size;

	g_mime_init();
	cr_assert(g_file_get_contents(path, &text, &size, NULL), "%s", path);
	arrival_read_envelope(arrival, text);
	arrival->bytes = g_bytes_new_take(text, size);
	arrival->message = parsed_message(arrival->bytes);
	cr_assert(arrival->message, "%s is no message", path);
	arrival->leaves = parsed_leaves(arrival->message);
	return arrival;
}

struct arrival *
arrival_wait(const struct fixture *fixture, const char *id)
{
	gint64 end = g_get_monotonic_time() + PATIENCE_S * G_USEC_PER_SEC;

	for (;;) {
		g_autoptr(GPtrArray) paths = arrival_find(fixture, id);

		cr_assert_leq(paths->len, 1, "email %s has arrived %u times", id, paths->len);
		if (paths->len == 1)
			return arrival_read_message(paths->pdata[0]);
		cr_assert_lt(g_get_monotonic_time(), end, "email %s has not arrived", id);
		g_usleep(10000);
	}
}

struct arrival *
arrival_wait_for(const struct fixture *fixture, const char *id, const char *recipient)
{
	gint64 end = g_get_monotonic_time() + PATIENCE_S * G_USEC_PER_SEC;

	for (;;) {
		g_autoptr(GPtrArray) paths = arrival_find(fixture, id);

		for (guint i = 0; i < paths->len; i++) {
			AUTO(arrival) arrival = arrival_read_message(paths->pdata[i]);
			if (strcmp(arrival->recipients, recipient) == 0)
				return g_steal_pointer(&arrival);
		}
		cr_assert_lt(g_get_monotonic_time(), end, "email %s has not arrived", id);
		g_usleep(10000);
	}
}

void
arrival_free(struct arrival *arrival)
{
	g_ptr_array_unref(arrival->leaves);
	g_object_unref(arrival->message);
	g_bytes_unref(arrival->bytes);
	g_free(arrival->recipients);
	g_free(arrival->sender);
	g_free(arrival);
}

const char *
arrival_header(const struct arrival *arrival, const char *name)
{
	return g_mime_object_get_header(GMIME_OBJECT(arrival->message), name);
}

bool
arrival_has_line(const struct arrival *arrival, const char *text)
{
	const char *all = g_bytes_get_data(arrival->bytes, NULL);
	const char *end = strstr(all, "\r\n\r\n");
	g_autofree char *header = g_strndup(all, end ? (gsize)(end - all) : strlen(all));
	g_autofree char *line = g_strconcat("\r\n", text, NULL);

	return strstr(header, line);
}

char *
arrival_content(const struct arrival *arrival, guint leaf, gsize *size_r)
{
	if (leaf >= arrival->leaves->len)
		return NULL;
	return parsed_content(arrival->leaves->pdata[leaf], size_r);
}
