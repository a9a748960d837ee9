/* SPDX-License-Identifier: MIT */
/* Feeds a fuzz target its corpus, the folder of its name, in place of libFuzzer: each file as it is
   and cut in half. */
#include <stdlib.h>
#include <string.h>

#include "tests/fuzz/fuzz.h"

int main(int argc, char **argv);

/* In memory of just that size, so that a reading past the end is seen by a sanitizer. */
static void
replay_try(const char *bytes, gsize size)
{
	g_autofree guint8 *copy = g_memdup2(bytes, size);
	static const guint8 nothing[1];

	LLVMFuzzerTestOneInput(copy ? copy : nothing, size);
}

static void
try_file(const char *path)
{
	g_autofree char *bytes = NULL;
	g_autoptr(GError) error = NULL;
	gsize size;

	if (!g_file_get_contents(path, &bytes, &size, &error))
		g_error("%s", error->message);
	g_printerr("%s\n", path);
	replay_try(bytes, size);
	replay_try(bytes, size / 2);
}

/* tests/fuzz/json for tests/fuzz/json_fuzzer. The caller owns it. */
static char *
folder_of(const char *program)
{
	g_autofree char *name = g_path_get_basename(program);
	const char *top = getenv("srcdir");

	name[strcspn(name, "_")] = '\0';
	return g_build_filename(top ? top : ".", "tests", "fuzz", name, NULL);
}

int
main(int argc, char **argv)
{
	g_autofree char *path = folder_of(argv[0]);
	g_autoptr(GError) error = NULL;
	g_autoptr(GDir) folder = g_dir_open(path, 0, &error);
	const char *name;
	guint count = 0;

	if (!folder)
		g_error("%s", error->message);
	for (; (name = g_dir_read_name(folder)); count++) {
		g_autofree char *file = g_build_filename(path, name, NULL);

		try_file(file);
	}
	if (count == 0)
		g_error("%s is empty", path);
	return 0;
}
