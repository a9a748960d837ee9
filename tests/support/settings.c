/* SPDX-License-Identifier: MIT */
/* Settings files for tests. */
#include "tests/support/settings.h"

#include <errno.h>
#include <string.h>

static void
settings_write_file(const char *path, const char *text)
{
	g_autoptr(GError) error = NULL;

	if (!g_file_set_contents_full(path, text, -1, G_FILE_SET_CONTENTS_CONSISTENT, 0600, &error))
		g_error("%s", error->message);
}

char *
test_settings_write(const char *dir, const char *name, const char *text)
{
	char *path = g_strdup_printf("%s/%s.conf", dir, name);
	g_autofree char *secret = g_strdup_printf("%s/%s.secret", dir, name);
	g_autofree char *spool = g_strdup_printf("%s/%s.spool", dir, name);
	g_autofree char *all = g_strdup_printf(
	    "[service]\nsecret_file = %s\n[spool]\ndir = %s\n%s", secret, spool, text);

	if (g_mkdir_with_parents(spool, 0700) != 0)
		g_error("cannot make %s", spool);
	settings_write_file(secret, "a secret of the tests, long enough to be one\n");
	settings_write_file(path, all);
	return path;
}

struct config_settings *
test_settings_load(const char *dir, const char *name, const char *text)
{
	g_autofree char *path = test_settings_write(dir, name, text);
	g_autoptr(GError) error = NULL;
	struct config_settings *settings = config_settings_load(path, &error);

	if (!settings)
		g_error("%s", error->message);
	return settings;
}

char *
test_folder_make(void)
{
	const char *parent = strlen(g_get_tmp_dir()) < 60 ? g_get_tmp_dir() : "/tmp";
	char *dir = g_build_filename(parent, "posthouse-XXXXXX", NULL);

	if (!g_mkdtemp(dir))
		g_error("%s: %s", dir, g_strerror(errno));
	return dir;
}

void
test_folder_remove(char *dir)
{
	const char *const argv[] = {"rm", "-rf", "--", dir, NULL};
	int status = -1;

	if (!g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, NULL, NULL,
		&status, NULL) ||
	    status != 0)
		g_error("%s is not removed", dir);
	g_free(dir);
}
