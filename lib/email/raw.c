/* SPDX-License-Identifier: MIT */
/* Completes messages that another program has composed. */
#include "email/raw.h"

#include "mail/address.h"
#include "mail/field.h"
#include "mail/message.h"
#include "mail/raw.h"
#include "mail/wire.h"
#include "store/email/email.h"

static void
write_address(GString *out, const char *name, const struct mail_address *address)
{
	struct mail_field field;

	mail_field_begin(&field, out, name);
	mail_field_address(&field, address, false);
	mail_field_end(&field);
}

GBytes *
email_raw_complete(const struct email_raw_message *message, const struct store_email *email,
    const struct mail_address *from, GError **error)
{
	const struct mail_raw *raw = message->raw;
	g_autoptr(GString) added = g_string_new(NULL);
	g_autofree char *date = mail_date_format(email->created);
	char id[ID_TEXT_SIZE];

	if (!mail_raw_has(raw, "Date"))
		g_string_append_printf(added, "Date: %s\r\n", date);
	if (message->lacks_from)
		write_address(added, "From", from);
	/* RFC 5322 section 3.6.3: recipients that no field names are blind ones. */
	if (!mail_raw_has(raw, "To"))
		g_string_append(added, "To: undisclosed-recipients:;\r\n");
	if (!mail_raw_has(raw, "Message-ID"))
		g_string_append_printf(added, "Message-ID: <%s@%s>\r\n",
		    base_id_format(&email->id, id), mail_address_domain(from));
	if (!mail_raw_has(raw, "MIME-Version"))
		g_string_append(added, "MIME-Version: 1.0\r\n");
	g_autoptr(GBytes) composed = mail_raw_compose(raw, added->str, message->lacks_from);
	return mail_wire_fit(composed, true, error);
}
