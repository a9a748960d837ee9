/* SPDX-License-Identifier: MIT */
/* Queries that are run later, with copies of their values. */
#include "db/kept.h"

#include <string.h>

gsize
db_kept_size(const struct db_value *values, gsize count)
{
	gsize size = 0;

	for (gsize i = 0; i < count; i++)
		size += values[i].data ? values[i].size : 0;
	return size;
}

struct db_kept *
db_kept_new(const char *sql, const struct db_value *values, gsize count)
{
	gsize size = count * sizeof(*values);
	struct db_kept *kept = g_malloc(sizeof(*kept) + size + db_kept_size(values, count) + 1);
	char *data = (char *)(kept->values + count);

	kept->query = (struct db_query){sql, kept->values, count};
	for (gsize i = 0; i < count; i++) {
		struct db_value *value = &kept->values[i];

		*value = values[i];
		if (!value->data)
			continue;
		value->data = data;
		data = mempcpy(data, values[i].data, value->size);
	}
	return kept;
}
