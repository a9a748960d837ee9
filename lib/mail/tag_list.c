/* SPDX-License-Identifier: MIT */
/* Reads tag-lists. */
#include "mail/tag_list.h"

#include <string.h>

#define SPACE " \t\r\n"

GHashTable *
mail_tag_list_read(const char *text, gsize size)
{
	g_autoptr(GHashTable) tags = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, g_free);
	g_autofree char *copy = g_strndup(text, size);
	g_auto(GStrv) parts = g_strsplit(copy, ";", -1);

	for (char **part = parts; *part; part++) {
		char *equals = strchr(*part, '=');

		if (!equals && (*part)[strspn(*part, SPACE)] == '\0')
			continue;
		if (!equals)
			return NULL;
		*equals = '\0';
		const char *name = g_strstrip(*part);
		if (!g_hash_table_insert(tags, g_strdup(name), g_strdup(g_strstrip(equals + 1))))
			return NULL;
	}
	return g_steal_pointer(&tags);
}
