/* SPDX-License-Identifier: MIT */
/* Checks templates that have drafts, and stores them. */
#include "content/template_draft.h"

#include <string.h>

#include "base/error.h"
#include "base/id.h"
#include "base/limits/person.h"
#include "base/limits/template.h"
#include "content/template_variables.h"
#include "db/connection.h"
#include "mail/address.h"
#include "service/service.h"
#include "store/template/draft.h"
#include "store/template/template.h"
#include "template/template.h"

#define COPY " (Copy)"

static void
template_draft_set_text(char **member, const char *text)
{
	if (text) {
		g_free(*member);
		*member = *text ? g_strdup(text) : NULL;
	}
}

static void
template_draft_set_bytes(GBytes **member, const char *text)
{
	if (text) {
		g_clear_pointer(member, g_bytes_unref);
		*member = g_bytes_new(text, strlen(text));
	}
}

/* Checks that each "{{" begins a reference, so that no mistake goes out as text. */
static bool
check_references(const char *field, const char *source, gsize size, GError **error)
{
	if (template_plain_check(source, size, error))
		return true;
	g_prefix_error(error, "Invalid `%s` field. ", field);
	return false;
}

static bool
check_subject(const char *subject, GError **error)
{
	for (const char *p = subject; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)) && *p != '\t')
			return base_invalid(
			    error, "Invalid `subject` field. It must not have control characters.");
	return check_references("subject", subject, strlen(subject), error);
}

static bool
template_draft_check_sender(const char *from, GError **error)
{
	AUTO(mail_address) address = mail_address_parse(from, error);

	if (!address)
		g_prefix_error(error, "Invalid `from` field. It ");
	return address;
}

/* Makes one list of the texts; "" without any. */
static bool
join_reply_to(const char *const *texts, char **list_r, GError **error)
{
	g_autofree char *joined = g_strjoinv(", ", (char **)texts);

	if (!*joined) {
		*list_r = g_strdup("");
		return true;
	}
	g_autoptr(GPtrArray) addresses = mail_address_parse_list(joined, error);
	if (!addresses) {
		g_prefix_error(error, "Invalid `reply_to` field. It ");
		return false;
	}
	*list_r = mail_address_format_list(addresses);
	return true;
}

char **
content_template_draft_addresses(const char *list, GError **error)
{
	g_autoptr(GPtrArray) addresses =
	    list ? mail_address_reread_list(list, error) : mail_address_list_new();

	if (!addresses)
		return NULL;
	char **texts = g_new0(char *, addresses->len + 1);
	for (guint i = 0; i < addresses->len; i++)
		texts[i] = mail_address_format(addresses->pdata[i]);
	return texts;
}

static bool
check_alias(const char *alias, GError **error)
{
	gsize length = strlen(alias);
	struct base_id id;

	if (length < 1 || length > LIMIT_TEMPLATE_ID_LENGTH ||
	    strspn(alias, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_") !=
		length ||
	    base_id_parse(alias, &id))
		return base_invalid(error,
		    "Invalid `alias` field. It must be 1 to %d letters, digits, - and _, and no "
		    "UUID.",
		    LIMIT_TEMPLATE_ID_LENGTH);
	return true;
}

static bool
template_draft_check(const struct content_template_input *input, GError **error)
{
	return (!input->html ||
		   check_references("html", input->html, strlen(input->html), error)) &&
	       (!input->text ||
		   check_references("text", input->text, strlen(input->text), error)) &&
	       (!input->subject || check_subject(input->subject, error)) &&
	       (!input->from || !*input->from || template_draft_check_sender(input->from, error)) &&
	       (!input->alias || check_alias(input->alias, error));
}

/* Applies what was given and checked to a template, which is checked as a whole if its variables
   can have changed: one of /v1 need not declare what it uses. */
static bool
template_draft_apply(
    const struct content_template_input *input, struct store_template *template, GError **error)
{
	g_autofree char *reply_to = NULL;

	if ((input->reply_to && !join_reply_to(input->reply_to, &reply_to, error)) ||
	    (input->variables &&
		!content_template_variables_declare(template, input->variables, error)))
		return false;
	template_draft_set_text(&template->name, input->name);
	template_draft_set_bytes(&template->html, input->html);
	template_draft_set_bytes(&template->text, input->text);
	template_draft_set_text(&template->subject, input->subject);
	if (template->subject)
		g_strdelimit(template->subject, "\t", ' ');
	template_draft_set_text(&template->sender, input->from);
	template_draft_set_text(&template->reply_to, reply_to);
	template_draft_set_text(&template->alias, input->alias);
	return !(input->html || input->text || input->subject || input->variables) ||
	       content_template_variables_check(template, error);
}

static bool
taken(GError **error)
{
	return base_invalid(error, "Invalid `alias` field. Another template has this alias.");
}

/* Tells an alias that another template has, from other conflicts. */
static bool
stored(struct service *service, bool done, GError *failure, GError **error)
{
	if (done)
		return true;
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_CONFLICT) &&
	    db_cause_is_key(service->db, "alias")) {
		g_error_free(failure);
		return taken(error);
	}
	g_propagate_error(error, failure);
	return false;
}

static bool
template_draft_create(
    struct service *service, struct store_template *template, char **id_r, GError **error)
{
	GError *failure = NULL;

	template->has_draft = true;
	bool done = store_template_create(service->db, template, &failure);
	*id_r = done ? g_strdup(template->id) : NULL;
	return stored(service, done, failure, error);
}

static void
set_id(struct store_template *template)
{
	const struct base_id id = base_id_new();
	char text[ID_TEXT_SIZE];

	g_free(template->id);
	template->id = g_strdup(base_id_format(&id, text));
}

bool
content_template_draft_create(struct service *service, const struct base_id *workspace,
    const struct content_template_input *input, char **id_r, GError **error)
{
	AUTO(store_template) template = g_new0(struct store_template, 1);

	set_id(template);
	template->workspace_id = *workspace;
	return template_draft_check(input, error) &&
	       content_template_variables_declare(template, NULL, error) &&
	       template_draft_apply(input, template, error) &&
	       template_draft_create(service, template, id_r, error);
}

bool
content_template_draft_change(struct service *service, const struct base_id *workspace,
    const char *name, const struct content_template_input *input, char **id_r, GError **error)
{
	GError *failure = NULL;

	if (!template_draft_check(input, error))
		return false;
	AUTO(store_template) template =
	    store_template_draft_get(service->db, workspace, name, error);
	if (!template || !template_draft_apply(input, template, error))
		return false;
	bool done = store_template_draft_put(service->db, template, &failure);
	*id_r = done ? g_strdup(template->id) : NULL;
	return stored(service, done, failure, error);
}

/* The name of a copy, cut where it would be too long. */
static char *
template_draft_name_copy(const char *name)
{
	g_autofree char *begin = g_utf8_substring(
	    name, 0, MIN(g_utf8_strlen(name, -1), LIMIT_NAME_LENGTH - (glong)strlen(COPY)));

	return g_strconcat(begin, COPY, NULL);
}

bool
content_template_draft_duplicate(struct service *service, const struct base_id *workspace,
    const char *name, char **id_r, GError **error)
{
	AUTO(store_template) template =
	    store_template_draft_get(service->db, workspace, name, error);

	if (!template)
		return false;
	char *copied = template_draft_name_copy(template->name);
	g_free(template->name);
	template->name = copied;
	g_clear_pointer(&template->alias, g_free);
	set_id(template);
	return template_draft_create(service, template, id_r, error);
}
