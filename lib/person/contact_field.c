/* SPDX-License-Identifier: MIT */
#include "person/contact_field.h"

#include <string.h>

enum field { EMAIL, FIRST_NAME, LAST_NAME, LANGUAGE, TIME_ZONE, CREATED, SUBSCRIBED, FIELDS };
#define SHORT LANGUAGE /* the fields before this one */

static const char *const names[FIELDS] = {
    "email", "first_name", "last_name", "language", "time_zone", "created", "subscribed"};

/* FIELDS: there is none of this name. */
static enum field
contact_field_find(const char *name)
{
	enum field field = 0;

	while (field < FIELDS && strcmp(names[field], name) != 0)
		field++;
	return field;
}

void
person_contact_field_set_created(struct person_contact_texts *fields, gint64 ms)
{
	g_snprintf(fields->created, sizeof(fields->created), "%" G_GINT64_FORMAT, ms);
}

const char *
person_contact_field(const struct person_contact_texts *fields, const char *name)
{
	const char *const texts[FIELDS + 1] = {fields->email, fields->first_name, fields->last_name,
	    fields->language, fields->time_zone, fields->created, fields->subscribed, NULL};

	return texts[contact_field_find(name)];
}

bool
person_contact_field_is(const char *name)
{
	return contact_field_find(name) < FIELDS;
}

bool
person_contact_field_is_short(const char *name)
{
	return contact_field_find(name) < SHORT;
}
