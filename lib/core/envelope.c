/* SPDX-License-Identifier: MIT */
/* From the addresses that a request gives to an email's lists and recipients. */
#include "core/envelope.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "core/submission.h"
#include "mail/address.h"
#include "store/email.h"

/* Holds the texts, joined to one list, against LIMIT_ADDRESS_LIST_BYTES. */
static bool
check_size(const char *field, const char *const *texts, GError **error)
{
	gsize size = 0;

	for (guint i = 0; texts && texts[i] && size <= LIMIT_ADDRESS_LIST_BYTES; i++)
		size += strlen(texts[i]) + (i > 0 ? strlen(", ") : 0);
	if (size <= LIMIT_ADDRESS_LIST_BYTES)
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "%s must be at most %d bytes", field,
	    LIMIT_ADDRESS_LIST_BYTES);
	return false;
}

/* The addresses of all texts of a field, as an array of struct mail_address; at most
 * LIMIT_RECIPIENTS. */
static GPtrArray *
read_list(const char *field, const char *const *texts, GError **error)
{
	g_autoptr(GPtrArray) all = mail_address_list_new();
	guint elements = 0;

	if (!check_size(field, texts, error))
		return NULL;
	for (guint i = 0; texts && texts[i]; i++) {
		if (!mail_address_add_list(all, &elements, texts[i], error)) {
			if (texts[1])
				g_prefix_error(error, "%s[%u] ", field, i);
			else
				g_prefix_error(error, "%s ", field);
			return NULL;
		}
		if (elements > LIMIT_RECIPIENTS) {
			g_set_error(error, PH_ERROR, PH_ERROR_INVALID,
			    "%s must have at most %d addresses", field, LIMIT_RECIPIENTS);
			return NULL;
		}
	}
	return g_steal_pointer(&all);
}

static void
add_recipients(struct store_email *email, enum store_email_recipient_kind kind,
    const GPtrArray *addresses, GHashTable *seen)
{
	for (guint i = 0; i < addresses->len; i++) {
		const struct mail_address *address = addresses->pdata[i];

		if (g_hash_table_add(seen, mail_address_key(address->address)))
			store_email_add_recipient(email, kind, g_strdup(address->address));
	}
}

static char *
list_text(const GPtrArray *addresses)
{
	return addresses->len > 0 ? mail_address_format_list(addresses) : NULL;
}

static bool
read_recipients(const struct core_submission *submission, struct store_email *email, GError **error)
{
	g_autoptr(GPtrArray) to = read_list("to", submission->to, error);
	g_autoptr(GPtrArray) cc = to ? read_list("cc", submission->cc, error) : NULL;
	g_autoptr(GPtrArray) bcc = cc ? read_list("bcc", submission->bcc, error) : NULL;
	g_autoptr(GPtrArray) reply_to =
	    bcc ? read_list("reply_to", submission->reply_to, error) : NULL;
	g_autoptr(GHashTable) seen = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	if (!reply_to)
		return false;
	if (to->len == 0) {
		g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "to is required");
		return false;
	}
	add_recipients(email, RECIPIENT_TO, to, seen);
	add_recipients(email, RECIPIENT_CC, cc, seen);
	add_recipients(email, RECIPIENT_BCC, bcc, seen);
	email->to = list_text(to);
	email->cc = list_text(cc);
	email->bcc = list_text(bcc);
	email->reply_to = list_text(reply_to);
	return true;
}

bool
core_envelope_read(const struct core_submission *submission, struct store_email *email,
    struct mail_address **from_r, GError **error)
{
	AUTO(mail_address) from = mail_address_parse(submission->from, error);

	if (!from) {
		g_prefix_error(error, "from ");
		return false;
	}
	if (!read_recipients(submission, email, error))
		return false;
	email->sender = mail_address_format(from);
	*from_r = g_steal_pointer(&from);
	return true;
}

GPtrArray *
core_envelope_addresses(const char *list, GError **error)
{
	bool any = list && *list;
	g_autoptr(GPtrArray) parsed = any ? mail_address_reread_list(list, error) : NULL;

	if (any && !parsed)
		return NULL;
	GPtrArray *addresses = g_ptr_array_new_with_free_func(g_free);
	for (guint i = 0; parsed && i < parsed->len; i++)
		g_ptr_array_add(
		    addresses, g_strdup(((const struct mail_address *)parsed->pdata[i])->address));
	return addresses;
}

char *
core_envelope_recipient(const char *text)
{
	char *normal = NULL;

	mail_address_valid(text, &normal);
	return normal;
}
