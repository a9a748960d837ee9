/* SPDX-License-Identifier: MIT */
/* Checks the email that a node sends. */
#include "automation/node_email.h"

#include "automation/node.h"
#include "base/error.h"
#include "mail/address.h"
#include "mail/check.h"

static bool
fail(GError **error, const char *message)
{
	g_set_error_literal(error, PH_ERROR, PH_ERROR_INVALID, message);
	return false;
}

/* What a form saves for a field that was left empty is as if it were not there. */
static void
drop_empty(const char **text)
{
	if (*text && !**text)
		*text = NULL;
}

static bool
check_sender(const char *from, GError **error)
{
	AUTO(mail_address) address = from ? mail_address_parse(from, error) : NULL;

	if (!from || address)
		return true;
	g_prefix_error(error, "data.from ");
	return false;
}

static bool
check_reply_to(const char **lists, GError **error)
{
	for (; lists && *lists; lists++) {
		g_autoptr(GPtrArray) addresses = mail_address_parse_list(*lists, error);

		if (!addresses) {
			g_prefix_error(error, "data.replyTo ");
			return false;
		}
	}
	return true;
}

static void
drop_empty_reply_to(struct automation_node_email *email)
{
	const char **kept = email->reply_to;

	for (const char **list = email->reply_to; list && *list; list++)
		if (**list)
			*kept++ = *list;
	if (kept)
		*kept = NULL;
	if (email->reply_to && !email->reply_to[0])
		g_clear_pointer(&email->reply_to, g_free);
}

bool
automation_node_email_check(struct automation_node_email *email, GError **error)
{
	drop_empty(&email->template_id);
	drop_empty(&email->subject);
	drop_empty(&email->html);
	drop_empty(&email->text);
	drop_empty(&email->from);
	drop_empty_reply_to(email);
	if (email->template_id && email->html)
		return fail(error, "has both data.templateId and data.html: leave one of them out");
	if (!email->template_id && !email->html)
		return fail(error, "has nothing to send: give data.templateId, or data.subject and "
				   "data.html");
	if (!email->template_id && !email->subject)
		return fail(error, "has no data.subject: give one");
	return (!email->subject || mail_check_text("data.subject", email->subject, error)) &&
	       check_sender(email->from, error) && check_reply_to(email->reply_to, error);
}
