/* SPDX-License-Identifier: MIT */
/* The page on which a person confirms a membership (/t/s). */
#include "fcgi/v1/handlers.h"

#include "consent/opt_in.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "fcgi/public/choices.h"
#include "fcgi/public/sheet.h"
#include "fcgi/public/words.h"
#include "link/engagement.h"
#include "service/service.h"
#include "store/workspace/preference_page.h"

static void
confirm_append_word(const struct fcgi_sheet *sheet, const char *before, const char *word,
    const struct consent_opt_in_view *view)
{
	GString *text = g_string_new(word);

	g_string_replace(text, "{address}", view->address, 1);
	g_string_replace(text, "{audience}", view->audience, 1);
	fcgi_sheet_append(sheet, before, text->str, "</p>");
	g_string_free(text, TRUE);
}

/* The heading and the text of each state. */
static const enum fcgi_word headings[] = {
    [OPT_IN_WAITS] = WORD_CONFIRM, [OPT_IN_DONE] = WORD_IS_ON, [OPT_IN_OVER] = WORD_IS_OFF};
static const enum fcgi_word sentences[] = {[OPT_IN_WAITS] = WORD_CONFIRM_ASK,
    [OPT_IN_DONE] = WORD_CONFIRMED,
    [OPT_IN_OVER] = WORD_CONFIRM_OVER};

static bool
reply_view(struct fcgi_call *call, const struct consent_opt_in_view *view, GError **error)
{
	const char *accepted = fcgi_request_header(call->request, "HTTP_ACCEPT_LANGUAGE");
	AUTO(store_preference_page) branding =
	    store_preference_page_get(call->service->db, &view->workspace_id, error);
	struct fcgi_sheet sheet;

	if (!branding)
		return false;
	guint language = fcgi_choices_language(view->language, accepted);
	const char *const *words = fcgi_words[language];
	fcgi_sheet_open(&sheet, branding, fcgi_choices_languages[language],
	    words[headings[view->state]], false);
	confirm_append_word(&sheet, view->state == OPT_IN_WAITS ? "<p>" : "<p role=\"status\">",
	    words[sentences[view->state]], view);
	if (view->state == OPT_IN_WAITS)
		fcgi_sheet_append(&sheet, "<form method=\"post\">\n<p><button type=\"submit\">",
		    words[WORD_CONFIRM], "</button></p>\n</form>");
	fcgi_sheet_reply(&sheet, call->reply, 200, &(struct fcgi_sheet_guard){.framed = false});
	return true;
}

bool
fcgi_confirm_post(struct fcgi_call *call, GError **error)
{
	char address[ADDRESS_TEXT_SIZE];
	g_autofree char *agent =
	    link_engagement_agent(fcgi_request_header(call->request, "HTTP_USER_AGENT"));
	bool known = fcgi_request_address(call->request, call->service->settings, address);

	if (!service_ensure(call->service, error))
		return false;
	AUTO(consent_opt_in_view)
	view = consent_opt_in_confirm(
	    call->service, call->arguments[0], known ? address : NULL, agent, error);
	return view && reply_view(call, view, error);
}

bool
fcgi_confirm_get(struct fcgi_call *call, GError **error)
{
	if (!service_ensure(call->service, error))
		return false;
	AUTO(consent_opt_in_view)
	view = consent_opt_in_look(call->service, call->arguments[0], error);
	if (view && view->by_link && view->state == OPT_IN_WAITS && !call->request->head)
		return fcgi_confirm_post(call, error);
	return view && reply_view(call, view, error);
}
