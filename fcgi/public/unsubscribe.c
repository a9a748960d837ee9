/* SPDX-License-Identifier: MIT */
/* The page on which recipients unsubscribe and choose (/t/u), and pages of failures. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits/request.h"
#include "base/secret.h"
#include "config/settings.h"
#include "consent/unsubscribe.h"
#include "fcgi/api/context.h"
#include "fcgi/http/multipart.h"
#include "fcgi/http/request.h"
#include "fcgi/public/choices.h"
#include "fcgi/public/sheet.h"
#include "link/engagement.h"
#include "link/token.h"
#include "service/service.h"
#include "store/workspace/preference_page.h"

static const char style[] =
    ":root{color-scheme:light dark}"
    "body{font:1.125rem/1.5 system-ui,sans-serif;margin:0;color:#1a1a1a;background:#fff}"
    "main{max-width:32rem;margin:0 auto;padding:3rem 1.5rem;overflow-wrap:anywhere}"
    "h1{font-size:1.5rem;line-height:1.25;margin:0 0 1rem}"
    "button{font:inherit;padding:.625rem 1.25rem;border:2px solid #1a4fa3;border-radius:.375rem;"
    "color:#fff;background:#1a4fa3;cursor:pointer}"
    "button:hover{background:#123a7a}"
    "button:focus-visible{outline:3px solid #e08a00;outline-offset:3px}"
    "@media(prefers-color-scheme:dark){body{color:#eee;background:#16181c}}";

static void
unsubscribe_append(GString *page, const char *before, const char *text, const char *after)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(page, "%s%s%s\n", before, escaped, after);
}

/* The page of a failure in the language of the browser: a heading, and a text. */
static void
reply_notice(
    struct fcgi_reply *reply, guint status, enum fcgi_word heading, enum fcgi_word explanation)
{
	guint language = fcgi_choices_language(NULL, reply->accepted_language);
	const char *title = fcgi_words[language][heading];
	const char *text = fcgi_words[language][explanation];
	GString *page = g_string_new("<!DOCTYPE html>\n");

	unsubscribe_append(page, "<html lang=\"", fcgi_choices_languages[language], "\">");
	g_string_append(page,
	    "<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"robots\" content=\"noindex, nofollow\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n");

	unsubscribe_append(page, "<title>", title, "</title>");
	g_string_append_printf(page, "<style>%s</style>\n</head>\n<body>\n<main>\n", style);
	unsubscribe_append(page, "<h1>", title, "</h1>");
	unsubscribe_append(page, "<p>", text, "</p>");
	g_string_append(page, "</main>\n</body>\n</html>\n");
	fcgi_sheet_protect(reply, style, &(struct fcgi_sheet_guard){.framed = false});
	fcgi_reply_header(reply, "Content-Language", fcgi_choices_languages[language]);
	fcgi_reply_document(
	    reply, "text/html; charset=utf-8", g_string_free_to_bytes(page), "no-store");
	reply->status = status;
}

static void
unsubscribe_write_failure(struct fcgi_reply *reply, guint status)
{
	if (status == 404)
		reply_notice(reply, status, WORD_BROKEN, WORD_BROKEN_WHY);
	else if (status >= 500)
		reply_notice(reply, status, WORD_LATER, WORD_LATER_WHY);
	else
		reply_notice(reply, status, WORD_STRANGE, WORD_STRANGE_WHY);
}

const struct fcgi_failure fcgi_failure_notice = {.write = unsubscribe_write_failure};

static bool
unsubscribe_read_token(struct fcgi_call *call, struct link_token *token_r, GError **error)
{
	if (link_token_read(config_settings_secret(call->service->settings), TOKEN_UNSUBSCRIBE,
		call->arguments[0], NULL, token_r))
		return service_ensure(call->service, error);
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Not found");
	return false;
}

/* Replies with the page as it is now. */
static bool
unsubscribe_reply_page(struct fcgi_call *call, const struct consent_subscriber *subscriber,
    enum fcgi_choices_done done, GError **error)
{
	const char *accepted = fcgi_request_header(call->request, "HTTP_ACCEPT_LANGUAGE");
	AUTO(store_preference_page) branding =
	    store_preference_page_get(call->service->db, &subscriber->workspace_id, error);

	if (!branding)
		return false;
	fcgi_choices_reply(call->reply, subscriber, branding,
	    fcgi_choices_language(subscriber->language, accepted), done);
	return true;
}

bool
fcgi_unsubscribe_get(struct fcgi_call *call, GError **error)
{
	struct link_token token;

	if (!unsubscribe_read_token(call, &token, error))
		return false;
	AUTO(consent_subscriber) subscriber =
	    consent_unsubscribe_look(call->service, &token, error);
	return subscriber && unsubscribe_reply_page(call, subscriber, CHOICES_UNCHANGED, error);
}

/* The form that was posted. */
struct form {
	bool wants_none, wants_no_topic, returns, snoozes, wakes, chooses;
	guint weeks; /* of a snooze; 0: not offered */
	GArray *ids; /* struct base_id */
};

static void
unsubscribe_read_action(const char *value, struct form *form)
{
	form->wants_none |= strcmp(value, "unsubscribe") == 0;
	form->wants_no_topic |= strcmp(value, "topic") == 0;
	form->returns |= strcmp(value, "subscribe") == 0;
	form->snoozes |= strcmp(value, "snooze") == 0;
	form->wakes |= strcmp(value, "unsnooze") == 0;
	form->chooses |= strcmp(value, "choices") == 0;
}

static void
unsubscribe_read_weeks(const char *value, struct form *form)
{
	form->weeks = 0;
	for (guint i = 0; consent_unsubscribe_weeks[i]; i++) {
		g_autofree char *offered = g_strdup_printf("%u", consent_unsubscribe_weeks[i]);

		if (strcmp(value, offered) == 0)
			form->weeks = consent_unsubscribe_weeks[i];
	}
}

static void
unsubscribe_read_field(const char *name, const char *value, struct form *form)
{
	struct base_id id;

	if (strcmp(name, "action") == 0)
		unsubscribe_read_action(value, form);
	else if (strcmp(name, "weeks") == 0)
		unsubscribe_read_weeks(value, form);
	else if ((strcmp(name, "topic") == 0 || strcmp(name, "audience") == 0) &&
		 base_id_parse(value, &id))
		g_array_append_val(form->ids, id);
}

static void
read_pair(char *pair, struct form *form)
{
	char *equals = strchr(pair, '=');

	if (!equals)
		return;
	*equals = '\0';
	g_autofree char *value = g_uri_unescape_string(g_strdelimit(equals + 1, "+", ' '), NULL);
	if (value)
		unsubscribe_read_field(pair, value, form);
}

static void
unsubscribe_read_part(const struct fcgi_multipart_part *part, void *context)
{
	g_autofree char *value = g_strndup(part->data, part->size);

	unsubscribe_read_field(part->name, value, context);
}

/* Reads a body of the page, of either type. Mail programs may send other bodies (RFC 8058 section
   3.1), in which no action is found. */
static void
unsubscribe_read_form(const struct fcgi_request *request, GBytes *body, struct form *form)
{
	const char *type = fcgi_request_header(request, "CONTENT_TYPE");
	g_autofree char *boundary = type ? fcgi_multipart_boundary(type) : NULL;
	gsize size;
	const char *data = g_bytes_get_data(body, &size);

	if (boundary) {
		fcgi_multipart_read(data ? data : "", size, boundary, unsubscribe_read_part, form);
		return;
	}
	g_autofree char *text = g_strndup(data ? data : "", size);
	g_auto(GStrv) pairs = g_strsplit(text, "&", -1);
	for (guint i = 0; pairs[i]; i++)
		read_pair(pairs[i], form);
}

/* Leaving wins over all. Every body without an action of the page leaves, too. */
static struct consent_wish
wish_of(const struct form *form)
{
	enum consent_wish_action snooze = form->weeks ? CONSENT_WISH_SNOOZE : CONSENT_WISH_NOTHING;
	struct consent_wish wish = {.action = form->wants_none	     ? CONSENT_WISH_NONE
					      : form->wants_no_topic ? CONSENT_WISH_LEAVE
					      : form->returns	     ? CONSENT_WISH_RETURN
					      : form->wakes	     ? CONSENT_WISH_SNOOZE
					      : form->snoozes	     ? snooze
					      : form->chooses	     ? CONSENT_WISH_CHOICES
								     : CONSENT_WISH_LEAVE,
	    .source = CONSENT_BY_PAGE,
	    .ids = (const struct base_id *)(void *)form->ids->data,
	    .id_count = form->ids->len,
	    .weeks = form->wakes ? 0 : form->weeks};

	if (!form->wants_none && !form->wants_no_topic && wish.action == CONSENT_WISH_LEAVE)
		wish.source = CONSENT_BY_ONE_CLICK;
	return wish;
}

static enum fcgi_choices_done
done_by(const struct consent_wish *wish, const struct consent_subscriber *subscriber)
{
	switch (wish->action) {
	case CONSENT_WISH_CHOICES:
		return CHOICES_SAVED;
	case CONSENT_WISH_RETURN:
		return subscriber->state == SUBSCRIPTION_ON ? CHOICES_RETURNED : CHOICES_UNCHANGED;
	case CONSENT_WISH_SNOOZE:
		return CHOICES_SAVED;
	case CONSENT_WISH_NOTHING:
		return CHOICES_UNCHANGED;
	default:
		return CHOICES_LEFT;
	}
}

bool
fcgi_unsubscribe_post(struct fcgi_call *call, GError **error)
{
	g_autoptr(GArray) ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	struct form form = {.ids = ids};
	char address[ADDRESS_TEXT_SIZE];
	struct link_token token;

	if (!unsubscribe_read_token(call, &token, error))
		return false;
	g_autoptr(GBytes) body = fcgi_request_body(call->request, LIMIT_FORM_BYTES, error);
	if (!body)
		return false;
	unsubscribe_read_form(call->request, body, &form);
	struct consent_wish wish = wish_of(&form);
	g_autofree char *agent =
	    link_engagement_agent(fcgi_request_header(call->request, "HTTP_USER_AGENT"));
	wish.user_agent = agent;
	if (fcgi_request_address(call->request, call->service->settings, address))
		wish.ip = address;
	AUTO(consent_subscriber) subscriber =
	    consent_unsubscribe(call->service, &token, &wish, error);
	return subscriber &&
	       unsubscribe_reply_page(call, subscriber, done_by(&wish, subscriber), error);
}
