/* SPDX-License-Identifier: MIT */
/* A database behind a proxy. */
#include "tests/support/proxied.h"

#include <unistd.h>

#include "tests/support/settings.h"

struct test_proxy *
test_proxied_database(struct base_settings **direct_r, struct base_settings **proxied_r)
{
	const char *dir = test_mariadb_dir(NULL);
	g_autofree char *target = test_mariadb_socket(NULL);
	g_autofree char *path = g_strdup_printf("%s/p%d", dir, (int)getpid());
	g_autofree char *name = g_strdup_printf("proxy_%d", (int)getpid());

	*direct_r = test_mariadb_database(NULL, NULL);
	g_autofree char *text = g_strdup_printf("[database]\nsocket = %s\nuser = root\nname = %s\n",
	    path, base_settings_text(*direct_r, SETTING_DATABASE_NAME));
	*proxied_r = test_settings_load(dir, name, text);
	return test_proxy_start(path, target);
}
