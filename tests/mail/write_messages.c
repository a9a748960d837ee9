/* SPDX-License-Identifier: MIT */
/* Writes signed messages into a folder for the Python tests: NAME.eml, and the keys as DNS
   records; for composed ones, their input in files beside them. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "tests/mail/samples.h"
#include "tests/mail/shapes.h"

static void
write_messages_write_file(const char *folder, const char *name, const void *data, gsize size)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autoptr(GError) error = NULL;

	if (!g_file_set_contents(path, data, (gssize)size, &error))
		g_error("%s", error->message);
}

static void
write_delivered(const char *folder, const char *name, GBytes *message)
{
	g_autofree char *file = g_strconcat(name, ".eml", NULL);
	g_autoptr(GBytes) delivered = shape_delivered(message);

	write_messages_write_file(
	    folder, file, g_bytes_get_data(delivered, NULL), g_bytes_get_size(delivered));
}

/* Writes NAME.KEY, or nothing for NULL. */
static void
write_messages_write_value(
    const char *folder, const char *name, const char *key, const void *data, gsize size)
{
	g_autofree char *file = g_strconcat(name, ".", key, NULL);

	if (data)
		write_messages_write_file(folder, file, data, size);
}

static void
write_sample(const char *folder, const struct sample *sample)
{
	g_autoptr(GBytes) message = sample_compose(sample);

	write_delivered(folder, sample->name, message);
	write_messages_write_value(
	    folder, sample->name, "from", sample->from_name, strlen(sample->from_name));
	write_messages_write_value(
	    folder, sample->name, "subject", sample->subject, strlen(sample->subject));
	write_messages_write_value(
	    folder, sample->name, "text", sample->text, sample->text ? strlen(sample->text) : 0);
	write_messages_write_value(
	    folder, sample->name, "html", sample->html, sample->html ? strlen(sample->html) : 0);
	for (guint i = 0; i < sample->attachment_count; i++) {
		const struct mail_attachment *attachment = &sample->attachments[i];
		g_autofree char *filename = g_strdup_printf("filename%u", i);
		g_autofree char *data = g_strdup_printf("data%u", i);
		write_messages_write_value(folder, sample->name, filename, attachment->filename,
		    strlen(attachment->filename));
		write_messages_write_value(
		    folder, sample->name, data, attachment->data, attachment->size);
	}
}

int
main(int argc, char **argv)
{
	g_autofree char *records = shape_records();

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 64;
	}
	write_messages_write_file(argv[1], "records", records, strlen(records));
	for (gsize i = 0; i < shape_count; i++) {
		g_autoptr(GBytes) message = shape_message(&shapes[i]);
		write_delivered(argv[1], shapes[i].name, message);
	}
	for (gsize i = 0; i < sample_count; i++)
		write_sample(argv[1], &samples[i]);
	return 0;
}
