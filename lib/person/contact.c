/* SPDX-License-Identifier: MIT */
/* Checks the fields of contacts. */
#include "person/contact.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "mail/address.h"
#include "store/person/contact.h"

static struct json_view_value
contact_read_unsubscribed(const void *row)
{
	const struct store_contact *contact = row;

	return (struct json_view_value){.type = VIEW_TRUTH, .number = !contact->is_subscribed};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("id", VIEW_ID, struct store_contact, id),
    JSON_VIEW_MEMBER("first_name", VIEW_TEXT, struct store_contact, first_name),
    JSON_VIEW_MEMBER("last_name", VIEW_TEXT, struct store_contact, last_name),
    JSON_VIEW_MEMBER("email", VIEW_TEXT, struct store_contact, email),
    JSON_VIEW_MEMBER("is_subscribed", VIEW_TRUTH, struct store_contact, is_subscribed),
    JSON_VIEW_MEMBER("created", VIEW_TIME, struct store_contact, created),
    JSON_VIEW_MEMBER("updated", VIEW_TIME, struct store_contact, updated),
    {"unsubscribed", VIEW_MADE, .read = contact_read_unsubscribed, .is_apart = true},
};
const struct json_view person_contact_view = JSON_VIEW(members);

static char *
make_address(const char *email, enum mail_local local, GError **error)
{
	if (strlen(email) > LIMIT_ADDRESS_BYTES) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "email must be at most %d bytes",
		    LIMIT_ADDRESS_BYTES);
		return NULL;
	}
	g_autofree char *normal = mail_address_normal(email, local, error);
	if (normal)
		return mail_address_key(normal);
	g_prefix_error(error, "email ");
	return NULL;
}

char *
person_contact_address(const char *email, GError **error)
{
	return make_address(email, MAIL_LOCAL_KNOWN, error);
}

char *
person_contact_recipient(const char *email, GError **error)
{
	return make_address(email, MAIL_LOCAL_SENDABLE, error);
}

static bool
contact_check_name(const char *field, const char *name, GError **error)
{
	if (!name)
		return true;
	/* A code point has at most four bytes: do not count the characters of a text that is far
	 * too long. */
	gsize size = strlen(name);
	if (size > 0 && size <= 4 * LIMIT_NAME_LENGTH &&
	    g_utf8_strlen(name, -1) <= LIMIT_NAME_LENGTH)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be 1 to %d characters", field,
	    LIMIT_NAME_LENGTH);
	return false;
}

bool
person_contact_check(const struct person_contact_fields *fields, char **address_r, GError **error)
{
	g_autofree char *address = NULL;

	*address_r = NULL;
	if (fields->email && !(address = person_contact_recipient(fields->email, error)))
		return false;
	if (!contact_check_name("first_name", fields->first_name, error) ||
	    !contact_check_name("last_name", fields->last_name, error))
		return false;
	*address_r = g_steal_pointer(&address);
	return true;
}

bool
person_contact_check_new(
    const struct person_contact_fields *fields, char **address_r, GError **error)
{
	if (fields->email && *fields->email)
		return person_contact_check(fields, address_r, error);
	*address_r = NULL;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "email is required");
	return false;
}
