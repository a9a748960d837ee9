/* SPDX-License-Identifier: MIT */
/* The fields of a person that variables of mailings name: contact.first_name and so on. */
#ifndef CORE_CONTACT_FIELD_H
#define CORE_CONTACT_FIELD_H

#include <glib.h>
#include <stdbool.h>

#define CORE_CONTACT_PREFIX "contact."

/* A person's fields; NULL: not known. */
struct core_contact_texts {
	const char *email, *first_name, *last_name, *language, *time_zone;
	const char *subscribed; /* "true" or "false" */
	char created[24];	/* ms since the epoch, as text */
};

void core_contact_field_set_created(struct core_contact_texts *fields, gint64 ms);

/* The text of the field with this name, without the prefix; NULL: there is none of this name, or it
   is not known. */
const char *core_contact_field(const struct core_contact_texts *fields, const char *name);

/* Whether there is a field of this name. */
bool core_contact_field_is(const char *name);

/* Whether a field can be named without its prefix, where no property is called so. */
bool core_contact_field_is_short(const char *name);

#endif
