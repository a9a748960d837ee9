/* SPDX-License-Identifier: MIT */
/* The fields of a person that variables of mailings name: contact.first_name and so on. */
#ifndef PERSON_CONTACT_FIELD_H
#define PERSON_CONTACT_FIELD_H

#include <glib.h>
#include <stdbool.h>

#define PERSON_CONTACT_PREFIX "contact."

/* A person's fields; NULL: not known. */
struct person_contact_texts {
	const char *email, *first_name, *last_name, *language, *time_zone;
	const char *subscribed; /* "true" or "false" */
	char created[24];	/* ms since the epoch, as text */
};

/* Writes the time of creation, epoch ms, into fields->created. */
void person_contact_field_set_created(struct person_contact_texts *fields, gint64 ms);

/* The text of the field with this name, without the prefix; NULL: there is none of this name, or it
   is not known. */
const char *person_contact_field(const struct person_contact_texts *fields, const char *name);

/* Whether there is a field of this name. */
bool person_contact_field_is(const char *name);

/* Whether a field can be named without its prefix, where no property is called so. */
bool person_contact_field_is_short(const char *name);

#endif
