/* SPDX-License-Identifier: MIT */
/* Makes submissions of messages that another program has composed. */
#include "submit/sendmail.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/unit.h"
#include "email/draft.h"
#include "email/raw.h"
#include "email/submission.h"
#include "mail/address.h"
#include "mail/raw.h"
#include "relay/relay.h"
#include "service/service.h"
#include "store/email/email.h"
#include "store/workspace/workspace.h"
#include "submit/submit.h"

/* A submission that is being made, and all that it borrows. */
struct making {
	const struct submit_sendmail *given;
	struct mail_raw *raw;
	char *from;
	bool lacks_from;
	GPtrArray *to, *cc, *bcc; /* char *, NULL-terminated at the end */
	GPtrArray *owned;
};

static void
making_clear(struct making *making)
{
	g_clear_pointer(&making->raw, mail_raw_free);
	g_free(making->from);
	g_ptr_array_unref(making->to);
	g_ptr_array_unref(making->cc);
	g_ptr_array_unref(making->bcc);
	g_ptr_array_unref(making->owned);
}

/* The text, which the making frees. */
static char *
own(struct making *making, char *text)
{
	if (text)
		g_ptr_array_add(making->owned, text);
	return text;
}

/* Whether a From names a user of this machine: "root (Cron Daemon)", "Cron Daemon <root>". */
static bool
sendmail_is_local(const char *from)
{
	return g_regex_match_simple(
	    "^([\\w.-]+( *\\([^()@]*\\))?|[^<>@]*<[\\w.-]+>)$", from, G_REGEX_RAW, 0);
}

static bool
read_default_sender(
    struct service *service, const struct base_id *workspace, char **sender_r, GError **error)
{
	if (!store_workspace_sender(service->db, workspace, sender_r, error))
		return false;
	return *sender_r || base_invalid(error, "the message has no From with a domain, and the "
						"workspace has no default sender");
}

/* The From of the message; NULL where it has none that counts. In a client's mail each counts. */
static char *
read_from(const struct mail_raw *raw, const struct submit_sendmail *given)
{
	g_autofree char *from = mail_raw_list(raw, "From");

	return from && (given->checks_fields || !sendmail_is_local(from)) ? g_steal_pointer(&from)
									  : NULL;
}

static bool
choose_sender(
    struct making *making, struct service *service, const struct base_id *workspace, GError **error)
{
	const struct submit_sendmail *given = making->given;
	g_autofree char *name = g_utf8_make_valid(given->name ? given->name : "", -1);

	making->from = read_from(making->raw, given);
	making->lacks_from = !making->from;
	if (!making->lacks_from)
		return true;
	if (!given->sender || !*given->sender)
		return read_default_sender(service, workspace, &making->from, error);
	const struct mail_address sender = {name, (char *)given->sender};
	making->from = *name ? mail_address_format(&sender) : g_strdup(given->sender);
	return true;
}

static bool
sendmail_is_word(char c)
{
	return mail_addr_spec_is_atext(c) || c == '.' || c == '@' || c == '"';
}

/* Whether a list has an address, whatever the case of its letters. */
static bool
has_address(const char *list, const char *address)
{
	g_autofree char *key = list ? g_ascii_strdown(list, -1) : NULL;
	g_autofree char *wanted = g_ascii_strdown(address, -1);
	gsize size = strlen(wanted);

	for (const char *p = key; p && (p = strstr(p, wanted)); p++)
		if ((p == key || !sendmail_is_word(p[-1])) && !sendmail_is_word(p[size]))
			return size > 0;
	return false;
}

/* Adds the recipients of the command line. Those that the header does not name get a blind copy. */
static void
add_arguments(struct making *making)
{
	g_autofree char *to = mail_raw_list(making->raw, "To");
	g_autofree char *cc = mail_raw_list(making->raw, "Cc");

	for (char *const *one = making->given->recipients; one && *one; one++)
		g_ptr_array_add(has_address(cc, *one)	? making->cc
				: has_address(to, *one) ? making->to
							: making->bcc,
		    *one);
}

/* Adds a field's recipients, if it has any. */
static void
add_field(struct making *making, GPtrArray *list, const char *name)
{
	char *text = own(making, mail_raw_list(making->raw, name));

	if (text && strspn(text, ", ") < strlen(text))
		g_ptr_array_add(list, text);
}

/* Whether a field that only shows recipients has addresses alone. */
static bool
making_check_field(
    const struct making *making, const char *name, const char *member, GError **error)
{
	g_autofree char *text = mail_raw_list(making->raw, name);
	g_autoptr(GPtrArray) list = mail_address_list_new();

	if (!text || strspn(text, ", ") == strlen(text) || mail_address_add_list(list, text, error))
		return true;
	g_prefix_error(error, "%s ", member);
	return false;
}

static bool
making_check_fields(const struct making *making, GError **error)
{
	return !making->given->checks_fields || (making_check_field(making, "To", "to", error) &&
						    making_check_field(making, "Cc", "cc", error));
}

static void
sendmail_add_recipients(struct making *making)
{
	if (making->given->reads_recipients) {
		add_field(making, making->to, "To");
		add_field(making, making->cc, "Cc");
		add_field(making, making->bcc, "Bcc");
	}
	add_arguments(making);
	g_ptr_array_add(making->to, NULL);
	g_ptr_array_add(making->cc, NULL);
	g_ptr_array_add(making->bcc, NULL);
}

/* The Reply-To, which is only shown; NULL where it is no list of addresses. */
static char *
read_reply_to(struct making *making)
{
	char *text = own(making, mail_raw_list(making->raw, "Reply-To"));
	g_autoptr(GPtrArray) list = text ? mail_address_parse_list(text, NULL) : NULL;

	return list ? text : NULL;
}

static struct submit_sending *
sendmail_submit(
    struct making *making, struct service *service, const struct base_id *workspace, GError **error)
{
	const char *reply_to[] = {read_reply_to(making), NULL};
	const struct email_raw_message message = {making->raw, making->lacks_from};
	const struct email_submission submission = {
	    .from = making->from,
	    .to = (const char **)making->to->pdata,
	    .cc = (const char **)making->cc->pdata,
	    .bcc = (const char **)making->bcc->pdata,
	    .reply_to = reply_to,
	    .subject = own(making, mail_raw_subject(making->raw)),
	    .raw = &message,
	    .tags = making->given->tags,
	    .scheduled_at = making->given->scheduled_at,
	    .only_domain = making->given->only_domain,
	};

	struct submit_sending *sending = submit_send_check(
	    service, workspace, &submission, making->given->idempotency, false, error);
	if (sending && sending->draft &&
	    !relay_takes_steering(service->settings, sending->draft->email->relays))
		sending->left_out = mail_raw_steering(making->raw);
	return sending;
}

struct store_workspace *
submit_sendmail_workspace(
    struct service *service, const struct submit_sendmail *given, GError **error)
{
	g_autoptr(GError) several = NULL, other = NULL;
	struct store_workspace *workspace = store_workspace_find(service->db, NULL, &several);
	AUTO(mail_raw)
	raw = g_error_matches(several, PH_ERROR, PH_ERROR_INVALID) && given->size <= LIMIT_RAW_BYTES
		  ? mail_raw_read(given->data, given->size, NULL)
		  : NULL;
	g_autofree char *from = raw ? read_from(raw, given) : NULL;
	const char *text = from ? from : given->sender;
	AUTO(mail_address) sender = raw && text ? mail_address_parse(text, NULL) : NULL;

	if (sender)
		workspace =
		    store_workspace_of_domain(service->db, mail_address_domain(sender), &other);
	if (!workspace)
		g_propagate_error(
		    error, other && !g_error_matches(other, PH_ERROR, PH_ERROR_NOT_FOUND)
			       ? g_steal_pointer(&other)
			       : g_steal_pointer(&several));
	return workspace;
}

struct submit_sending *
submit_sendmail_check(struct service *service, const struct base_id *workspace,
    const struct submit_sendmail *given, GError **error)
{
	struct making making = {given, NULL, NULL, false, g_ptr_array_new(), g_ptr_array_new(),
	    g_ptr_array_new(), g_ptr_array_new_with_free_func(g_free)};
	struct submit_sending *sending = NULL;

	if (given->size > LIMIT_RAW_BYTES)
		base_invalid(
		    error, "the message is larger than %d MiB", LIMIT_RAW_BYTES / LIMIT_MIB);
	else
		making.raw = mail_raw_read(given->data, given->size, error);
	if (making.raw && making_check_fields(&making, error) &&
	    choose_sender(&making, service, workspace, error)) {
		sendmail_add_recipients(&making);
		sending = sendmail_submit(&making, service, workspace, error);
	}
	making_clear(&making);
	return sending;
}
