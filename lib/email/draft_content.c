/* SPDX-License-Identifier: MIT */
/* Sets the content of a draft: variables, subject, html, text, headers, tags. */
#include "email/draft_content.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/template.h"
#include "base/limits/unit.h"
#include "content/content.h"
#include "content/defaults.h"
#include "content/derive.h"
#include "content/template_render.h"
#include "content/variables.h"
#include "email/draft_cache.h"
#include "email/schedule.h"
#include "email/submission.h"
#include "json/value.h"
#include "link/tracking.h"
#include "relay/relay.h"
#include "service/service.h"
#include "store/consent/topic.h"
#include "store/email/email.h"
#include "store/template/template.h"

/* Whether a text has control characters, except tabs, which set_subject makes spaces. */
static bool
content_has_controls(const char *text)
{
	for (const char *p = text; *p; p = g_utf8_next_char(p))
		if (g_unichar_iscntrl(g_utf8_get_char(p)) && *p != '\t')
			return true;
	return false;
}

static bool
content_is_given(const char *text)
{
	return text && *text;
}

bool
email_draft_check_content(const struct email_submission *s, GError **error)
{
	if (s->html && s->template_id)
		return base_invalid(error, "html is not allowed together with template_id");
	if (!s->template_id && !content_is_given(s->html) && !content_is_given(s->text))
		return base_invalid(error, "html or text is required when template_id is absent");
	if (!s->subject && !s->template_id)
		return base_invalid(error, "subject is required");
	if (s->subject && content_has_controls(s->subject))
		return base_invalid(error, "subject must not contain control characters");
	return email_schedule_check(s->scheduled_at, error);
}

static bool
content_resolve(struct content_variables *variables, const struct email_submission *s,
    const char *given, GBytes *stored, GError **error)
{
	gsize size = given ? strlen(given) : stored ? g_bytes_get_size(stored) : 0;
	const char *source = given || !stored ? given : g_bytes_get_data(stored, NULL);

	return !s->resolve || size == 0 ||
	       content_variables_resolve(
		   variables, source, size, s->resolve, s->resolve_context, error);
}

/* Gives variables that the stored parts of an email lack the defaults of properties. */
static bool
content_add_defaults(struct service *service, const struct base_id *workspace,
    const struct email_submission *s, const struct store_template *template,
    struct content_variables *variables, GError **error)
{
	const struct content_defaults_search search = {
	    service->db, workspace, variables, &s->cache->defaults};
	g_autoptr(GBytes) subject =
	    s->subject ? NULL : g_bytes_new(template->subject, strlen(template->subject));

	return content_defaults_add(&search, subject, error) &&
	       content_defaults_add(
		   &search, content_is_given(s->html) ? NULL : template->html, error) &&
	       content_defaults_add(&search, s->text ? NULL : template->text, error);
}

/* Takes the subject as it was given. */
bool
email_draft_copy_subject(struct store_email *email, const char *subject)
{
	email->subject = g_strdelimit(g_strdup(subject), "\t", ' ');
	return true;
}

/* Whether no references are replaced; those of a published template are already. */
static bool
content_is_verbatim(const struct email_submission *s)
{
	return email_purposes[s->purpose].verbatim || s->published;
}

/* Sets the variables as composing will read them, and the subject filled with them. */
static bool
content_set_variables(struct service *service, struct store_email *email,
    const struct email_submission *s, const struct store_template *template, GError **error)
{
	AUTO(content_variables) variables =
	    content_variables_parse(template ? template->variables : NULL, error);
	const char *subject = s->subject || !template ? s->subject : template->subject;

	if (!variables || !content_variables_add(variables, s->variables, error))
		return false;
	if (!subject)
		return base_invalid(error, "subject is required");
	if (content_is_verbatim(s) && !template)
		return email_draft_copy_subject(email, subject);
	if (!content_resolve(variables, s, subject, NULL, error) ||
	    !content_resolve(variables, s, s->html, template ? template->html : NULL, error) ||
	    !content_resolve(variables, s, s->text, template ? template->text : NULL, error))
		return false;
	if (template && !s->resolve &&
	    !content_add_defaults(service, &email->workspace_id, s, template, variables, error))
		return false;
	email->variables = content_variables_print(variables);
	if (strlen(email->variables) <= LIMIT_VARIABLES_BYTES && content_is_verbatim(s) &&
	    s->subject)
		return email_draft_copy_subject(email, subject);
	if (strlen(email->variables) <= LIMIT_VARIABLES_BYTES) {
		email->subject = content_template_render_subject(subject, variables, error);
		return email->subject != NULL;
	}
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "variables must be at most %dMB",
	    LIMIT_VARIABLES_BYTES / LIMIT_MIB);
	return false;
}

/* Adds what was given for this email. */
void
email_draft_add_given(struct store_email *email, enum store_email_part_role role, const char *given)
{
	g_autoptr(GBytes) data = g_bytes_new(given, strlen(given));

	store_email_add_own(email, role, data);
}

/* Adds what other emails have, too. */
static void
content_add_shared(struct store_email *email, enum store_email_part_role role, GBytes *data)
{
	store_email_add_part(email, role, data, NULL, NULL, NULL);
}

/* Whether the contents of a submission are of one email. A workflow's step gives the same to all
   its emails, unless they are filled already. */
static bool
content_is_of_one(const struct email_submission *s)
{
	return email_purposes[s->purpose].type != EMAIL_AUTOMATION || content_is_verbatim(s);
}

static void
content_add_text(struct store_email *email, const struct email_submission *s,
    enum store_email_part_role role, const char *given, GBytes *stored)
{
	if (given && content_is_of_one(s)) {
		email_draft_add_given(email, role, given);
	} else if (given) {
		g_autoptr(GBytes) data = g_bytes_new(given, strlen(given));
		content_add_shared(email, role, data);
	} else if (stored) {
		content_add_shared(email, role, stored);
	}
}

/* Takes the topic, which has to be there, and the workflow. */
bool
email_draft_set_campaign(struct service *service, struct store_email *email,
    const struct email_submission *s, GError **error)
{
	g_autoptr(GError) failure = NULL;

	email->has_workflow = s->workflow != NULL;
	if (s->workflow)
		email->workflow_id = *s->workflow;
	if (!s->topic_id)
		return true;
	if (!base_id_parse(s->topic_id, &email->topic_id))
		return base_invalid(error, "Topic not found");
	AUTO(store_topic)
	topic = store_topic_get(service->db, &email->workspace_id, &email->topic_id, &failure);
	if (topic) {
		email->has_topic = true;
		email->topic = g_strdup(topic->name);
		return true;
	}
	if (g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return base_invalid(error, "Topic not found");
	g_propagate_error(error, g_steal_pointer(&failure));
	return false;
}

static bool
content_set(struct service *service, struct store_email *email, const struct email_submission *s,
    GError **error)
{
	const struct store_template *template = NULL;

	if (s->template_id) {
		template = email_draft_cache_template(
		    s->cache, service, &email->workspace_id, s->template_id, error);
		if (!template)
			return false;
	}
	if (!content_set_variables(service, email, s, template, error) ||
	    !email_submission_headers(
		s, relay_any_takes_steering(service->settings), &email->headers, error) ||
	    (!s->left_out && !relay_any_takes_steering(service->settings) &&
		!email_submission_steers_nothing(s->headers, error)) ||
	    !email_submission_tags(s->tags, &email->tags, error))
		return false;
	if (s->template_id)
		email->template_id = g_strdup(s->template_id);
	content_add_text(email, s, PART_HTML, content_is_given(s->html) ? s->html : NULL,
	    template ? template->html : NULL);
	content_add_text(email, s, PART_TEXT, s->text, template ? template->text : NULL);
	if (email->has_topic || content_unsubscribes(email))
		email->tracking |= TRACK_UNSUBSCRIBE;
	g_autofree char *url = link_tracking_unsubscribe_url(service, email, 0);
	return content_check(email, url, error);
}

bool
email_draft_set_content(struct service *service, struct store_email *email,
    const struct email_submission *s, GError **error)
{
	gint64 begin = base_clock_thread_ns();

	if (s->cache->in_batch && s->cache->spent > LIMIT_BUDGET_MOST_NS)
		return base_invalid(error, s->text && !content_is_given(s->html) && !s->template_id
					       ? "text takes too long to render"
					       : "html takes too long to render");
	bool done = content_set(service, email, s, error);
	s->cache->spent += base_clock_thread_ns() - begin;
	return done;
}

void
email_draft_derive_text(
    struct service *service, struct store_email *email, const struct email_submission *s)
{
	gint64 begin = base_clock_thread_ns();
	g_autofree char *url = link_tracking_unsubscribe_url(service, email, 0);
	g_autoptr(GBytes) text = content_derive_text(email, url, content_derived_of(service));
	const struct store_body *html = store_email_body(email, PART_HTML);

	if (text && html->is_own)
		store_email_add_own(email, PART_TEXT, text);
	else if (text)
		content_add_shared(email, PART_TEXT, text);
	s->cache->spent += base_clock_thread_ns() - begin;
}
