/* SPDX-License-Identifier: MIT */
/* Makes the parameters of statements. */
#include "db/value.h"

#include <string.h>

struct db_value
db_null(void)
{
	return (struct db_value){.type = DB_TYPE_NULL};
}

struct db_value
db_int(gint64 number)
{
	return (struct db_value){.type = DB_TYPE_INT, .number = number};
}

struct db_value
db_int_or_null(gint64 number)
{
	return number ? db_int(number) : db_null();
}

struct db_value
db_id(const struct base_id *id)
{
	return db_bytes(id ? id->bytes : NULL, sizeof(id->bytes));
}

struct db_value
db_text(const char *text)
{
	if (!text)
		return db_null();
	return (struct db_value){.type = DB_TYPE_TEXT, .data = text, .size = strlen(text)};
}

struct db_value
db_bytes(const void *data, gsize size)
{
	if (!data)
		return db_null();
	return (struct db_value){.type = DB_TYPE_BYTES, .data = data, .size = size};
}

bool
db_value_equal(const struct db_value *a, const struct db_value *b)
{
	return a->type == b->type && a->number == b->number && a->size == b->size &&
	       (a->size == 0 || memcmp(a->data, b->data, a->size) == 0);
}
