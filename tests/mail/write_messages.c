/* Writes signed messages into a folder, for the judges that are scripts: NAME.eml, and records with
   the keys as DNS has them. */
#include <glib.h>
#include <stdio.h>
#include <string.h>

#include "tests/mail/shapes.h"

static void
write_file(const char *folder, const char *name, const void *data, gsize size)
{
	g_autofree char *path = g_build_filename(folder, name, NULL);
	g_autoptr(GError) error = NULL;

	if (!g_file_set_contents(path, data, (gssize)size, &error))
		g_error("%s", error->message);
}

int
main(int argc, char **argv)
{
	g_autofree char *records = shape_records();

	if (argc != 2) {
		fprintf(stderr, "usage: %s FOLDER\n", argv[0]);
		return 64;
	}
	write_file(argv[1], "records", records, strlen(records));
	for (gsize i = 0; i < shape_count; i++) {
		g_autofree char *name = g_strconcat(shapes[i].name, ".eml", NULL);
		g_autoptr(GBytes) message = shape_message(&shapes[i]);
		g_autoptr(GBytes) delivered = shape_delivered(message);
		write_file(
		    argv[1], name, g_bytes_get_data(delivered, NULL), g_bytes_get_size(delivered));
	}
	return 0;
}
