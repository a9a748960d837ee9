/* What an email of a contact has to be. */
#include "core/contact.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "mail/address.h"

char *
core_contact_address(const char *email, GError **error)
{
	if (strlen(email) > LIMIT_ADDRESS_BYTES) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "email must be at most %d bytes",
		    LIMIT_ADDRESS_BYTES);
		return NULL;
	}
	g_autofree char *normal = mail_address_normal(email, error);
	if (normal)
		return mail_address_key(normal);
	g_prefix_error(error, "email ");
	return NULL;
}
