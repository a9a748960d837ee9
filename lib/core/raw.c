/* SPDX-License-Identifier: MIT */
/* Completes messages that another program has composed. */
#include "core/raw.h"

#include "mail/address.h"
#include "mail/field.h"
#include "mail/message.h"
#include "mail/raw.h"
#include "store/email.h"

static void
write_address(GString *out, const char *name, const struct mail_address *address)
{
	struct mail_field field;

	mail_field_begin(&field, out, name);
	mail_field_address(&field, address, false);
	mail_field_end(&field);
}

/* Writes a To that names the recipients of an email that are not blind ones. */
static bool
write_to(GString *out, const struct store_email *email, GError **error)
{
	g_autoptr(GPtrArray) list = NULL;
	struct mail_field field;

	if (!*email->to) {
		g_string_append(out, "To: undisclosed-recipients:;\r\n");
		return true;
	}
	if (!(list = mail_address_reread_list(email->to, error)))
		return false;
	mail_field_begin(&field, out, "To");
	for (guint i = 0; i < list->len; i++)
		mail_field_address(&field, list->pdata[i], i + 1 < list->len);
	mail_field_end(&field);
	return true;
}

GBytes *
core_raw_complete(const struct core_raw_message *message, const struct store_email *email,
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
	if (!mail_raw_has(raw, "To") && !write_to(added, email, error))
		return NULL;
	if (!mail_raw_has(raw, "Message-ID"))
		g_string_append_printf(added, "Message-ID: <%s@%s>\r\n",
		    base_id_format(&email->id, id), mail_address_domain(from));
	if (!mail_raw_has(raw, "MIME-Version"))
		g_string_append(added, "MIME-Version: 1.0\r\n");
	return mail_raw_compose(raw, added->str, message->lacks_from);
}
