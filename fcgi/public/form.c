/* SPDX-License-Identifier: MIT */
/* Shows forms to people, and takes what they submit (/f/{id}). The answer is the same for every
   address: same bytes, and the same time but for steps that are longer than the work. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "consent/form.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/public/choices.h"
#include "fcgi/public/form_body.h"
#include "fcgi/public/form_page.h"
#include "json/writer.h"
#include "link/engagement.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/consent/form.h"
#include "submit/submit.h"

#define THANKS "Thank you. Please look into your inbox"

/* Finds the form of the path. The caller frees it. */
static struct store_form *
find_form(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!service_ensure(call->service, error))
		return NULL;
	if (base_id_parse(call->arguments[0], &id))
		return store_form_get(call->service->db, NULL, &id, error);
	store_form_missing(error);
	return NULL;
}

/* Lets the scripts of the form's sites read the answer. No credentials: the form knows nobody. */
static void
form_share(struct fcgi_call *call, const struct store_form *form)
{
	const char *origin = fcgi_request_header(call->request, "HTTP_ORIGIN");
	const char *allowed = form ? consent_form_allows(form, origin) : "*";

	if (allowed)
		fcgi_reply_header(call->reply, "Access-Control-Allow-Origin", allowed);
	if (g_strcmp0(allowed, "*") != 0)
		fcgi_reply_header(call->reply, "Vary", "Origin");
}

bool
fcgi_form_ask(struct fcgi_call *call, GError **error)
{
	AUTO(store_form) form = find_form(call, error);

	form_share(call, form);
	if (!form)
		return false;
	fcgi_reply_header(call->reply, "Access-Control-Allow-Methods", "GET, POST");
	fcgi_reply_header(call->reply, "Access-Control-Allow-Headers", "Content-Type");
	fcgi_reply_header(call->reply, "Access-Control-Max-Age", "600");
	fcgi_reply_document(call->reply, "text/plain", g_bytes_new_static("", 0), "no-store");
	return true;
}

bool
fcgi_form_show(struct fcgi_call *call, GError **error)
{
	const char *snippet;

	if (!fcgi_request_query(call->request, "snippet", &snippet, error))
		return false;
	AUTO(store_form) form = find_form(call, error);
	form_share(call, form);
	return form && (snippet ? fcgi_form_page_snippet(call, form, error)
				: fcgi_form_page_reply(call, form, 200, WORD_COUNT, NULL, error));
}

static bool
wants_json(const struct fcgi_call *call)
{
	const char *accepted = fcgi_request_header(call->request, "HTTP_ACCEPT");

	return accepted && strstr(accepted, "application/json");
}

static bool
reply_thanks(struct fcgi_call *call, const struct store_form *form, GError **error)
{
	if (wants_json(call)) {
		fcgi_reply_message(call->reply, THANKS);
		return true;
	}
	if (!*form->redirect_url)
		return fcgi_form_page_reply(call, form, 200, WORD_THANKS, NULL, error);
	fcgi_reply_redirect(call->reply, form->redirect_url);
	call->reply->status = 303;
	return true;
}

/* Programs fill in the field that people do not see, or send the form at once, or keep it. */
static bool
is_trapped(
    const struct fcgi_call *call, const struct store_form *form, const struct fcgi_form_body *body)
{
	const char *website = g_hash_table_lookup(body->values, "website");
	const char *stamp = g_hash_table_lookup(body->values, "t");

	return (website && *website) ||
	       (stamp && !consent_form_stamp_is_good(call->service, &form->id, stamp));
}

/* Takes a submission with an address. */
static bool
take_entry(struct fcgi_call *call, const struct store_form *form, const struct fcgi_form_body *body,
    struct consent_form_entry *entry, GError **error)
{
	const char *accepted = fcgi_request_header(call->request, "HTTP_ACCEPT_LANGUAGE");
	g_autofree char *agent =
	    link_engagement_agent(fcgi_request_header(call->request, "HTTP_USER_AGENT"));
	struct submit_sending *mail;

	entry->values = body->values;
	entry->topics = body->topics;
	entry->language = fcgi_choices_languages[fcgi_choices_language(NULL, accepted)];
	entry->user_agent = agent;
	if (is_trapped(call, form, body))
		return true;
	if (!consent_form_submit(call->service, form, entry, &mail, error))
		return false;
	if (mail)
		fcgi_call_finish_later(call, &mail->request);
	return true;
}

/* Reads the address, and counts the submission. *body_r: as far as it was read, else NULL; the
   caller frees it. */
static bool
public_form_take(struct fcgi_call *call, const struct store_form *form,
    struct fcgi_form_body **body_r, GError **error)
{
	char ip[ADDRESS_TEXT_SIZE];
	bool known = fcgi_request_address(call->request, call->service->settings, ip);
	gint64 wait_ms = 0;
	bool counted = consent_form_count(call->service, form, known ? ip : NULL, &wait_ms, error);

	if (!counted) {
		call->reply->wait_s = (wait_ms + 999) / 1000;
		return false;
	}
	const struct fcgi_form_body *body = *body_r = fcgi_form_body_read(call->request, error);
	if (!body)
		return false;
	char *given = g_hash_table_lookup(body->values, "email");
	g_autofree char *email = g_strstrip(g_strdup(given ? given : ""));
	g_autofree char *address = person_contact_recipient(email, error);
	struct consent_form_entry entry = {
	    .email = email, .address = address, .ip = known ? ip : NULL};
	return address && take_entry(call, form, body, &entry, error);
}

/* Waits for the end of a step, so that the time of the answer does not tell the work. */
static void
even_out(gint64 began)
{
	gint64 spent = base_clock_boot() - began;

	g_usleep((gulong)(LIMIT_FORM_STEP_MS - spent % LIMIT_FORM_STEP_MS) * 1000);
}

/* Replies to what the person can mend on the page. */
static bool
reply_fault(struct fcgi_call *call, const struct store_form *form,
    const struct fcgi_form_body *typed, GError *failure, GError **error)
{
	bool wrong = g_error_matches(failure, PH_ERROR, PH_ERROR_INVALID);
	bool limited = g_error_matches(failure, PH_ERROR, PH_ERROR_LIMITED);

	if (!wants_json(call) && !wrong && !limited) {
		g_propagate_error(error, g_error_copy(failure));
		return false;
	}
	struct fcgi_fault fault = fcgi_reply_fault(call->reply, failure);
	if (!wants_json(call))
		return fcgi_form_page_reply(
		    call, form, fault.status, wrong ? WORD_NO_EMAIL : WORD_TOO_MANY, typed, error);
	AUTO(json_writer) writer = json_writer_new();
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "message", fault.message);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, fault.status, writer);
	return true;
}

bool
fcgi_form_take(struct fcgi_call *call, GError **error)
{
	gint64 began = base_clock_boot();
	g_autoptr(GError) failure = NULL;
	AUTO(store_form) form = find_form(call, &failure);
	AUTO(fcgi_form_body) body = NULL;
	bool taken = form && public_form_take(call, form, &body, &failure);

	even_out(began);
	form_share(call, form);
	return taken ? reply_thanks(call, form, error)
		     : reply_fault(call, form, body, failure, error);
}
