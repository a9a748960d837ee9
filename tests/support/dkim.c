/* SPDX-License-Identifier: MIT */
/* DKIM keys that the tests of a suite share: each test has a domain, and making a key of RSA takes
   longer than all else that a test begins with. A program takes part that is linked with
   KEPT_KEYS. */
#include <glib.h>

#include "mail/dkim_key.h"
#include "tests/support/keep.h"

GBytes *__real_mail_dkim_generate(enum mail_dkim_algorithm algorithm, GError **error);
GBytes *__wrap_mail_dkim_generate(enum mail_dkim_algorithm algorithm, GError **error);

/* The keys of one process differ, and are those of any other one of the suite. */
GBytes *
__wrap_mail_dkim_generate(enum mail_dkim_algorithm algorithm, GError **error)
{
	static guint made;
	const char *dir =
	    g_getenv(TEST_MARIADB_DIR) ? g_getenv(TEST_MARIADB_DIR) : g_getenv(TEST_INSTANCE_DIR);
	char *data;
	gsize size;

	if (algorithm != MAIL_DKIM_RSA2048 || !dir)
		return __real_mail_dkim_generate(algorithm, error);
	g_autofree char *path = g_strdup_printf("%s/dkim-%u", dir, made++);
	if (g_file_get_contents(path, &data, &size, NULL))
		return g_bytes_new_take(data, size);
	GBytes *key = __real_mail_dkim_generate(algorithm, error);
	if (key)
		g_file_set_contents_full(path, g_bytes_get_data(key, NULL),
		    (gssize)g_bytes_get_size(key), G_FILE_SET_CONTENTS_CONSISTENT, 0600, NULL);
	return key;
}
