/* SPDX-License-Identifier: MIT */
/* The pages on which recipients unsubscribe and subscribe again (/t/u). */
#include "fcgi/handlers/handlers.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/token.h"
#include "core/unsubscribe.h"
#include "fcgi/call.h"
#include "fcgi/request.h"

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

/* A page with a question or a statement. Texts are plain, and escaped when they are written. */
struct notice {
	const char *title;
	const char *text;
	const char *done;   /* the change that was just made, before text; NULL for none */
	const char *action; /* the value that the button sends as "action"; NULL for no button */
	const char *button; /* the button's label */
};

/* Limits the page to this style and a form that posts to the same service: no other content, frame,
   referrer or search index. */
static void
guard(struct fcgi_reply *reply)
{
	guint8 digest[SHA256_SIZE];

	base_secret_sha256(style, strlen(style), digest);
	g_autofree char *hash = g_base64_encode(digest, sizeof(digest));
	g_autofree char *policy =
	    g_strdup_printf("default-src 'none'; style-src 'sha256-%s'; form-action 'self'; "
			    "base-uri 'none'; frame-ancestors 'none'",
		hash);
	fcgi_reply_header(reply, "Content-Security-Policy", policy);
	fcgi_reply_header(reply, "X-Frame-Options", "DENY");
	fcgi_reply_header(reply, "Referrer-Policy", "no-referrer");
	fcgi_reply_header(reply, "X-Robots-Tag", "noindex, nofollow");
}

static void
append(GString *page, const char *before, const char *text, const char *after)
{
	g_autofree char *escaped = g_markup_escape_text(text, -1);

	g_string_append_printf(page, "%s%s%s\n", before, escaped, after);
}

static void
reply_notice(struct fcgi_reply *reply, guint status, const struct notice *notice)
{
	GString *page = g_string_new(
	    "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	    "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n"
	    "<meta name=\"robots\" content=\"noindex, nofollow\">\n"
	    "<meta name=\"referrer\" content=\"no-referrer\">\n");

	append(page, "<title>", notice->title, "</title>");
	g_string_append_printf(page, "<style>%s</style>\n</head>\n<body>\n<main>\n", style);
	append(page, "<h1>", notice->title, "</h1>");
	if (notice->done)
		append(page, "<p role=\"status\">", notice->done, "</p>");
	append(page, "<p>", notice->text, "</p>");
	if (notice->action) {
		g_string_append(page, "<form method=\"post\">\n");
		append(page, "<p><button type=\"submit\" name=\"action\" value=\"", notice->action,
		    "\">");
		g_string_truncate(page, page->len - 1);
		append(page, "", notice->button, "</button></p>");
		g_string_append(page, "</form>\n");
	}
	g_string_append(page, "</main>\n</body>\n</html>\n");
	guard(reply);
	fcgi_reply_document(
	    reply, "text/html; charset=utf-8", g_string_free_to_bytes(page), "no-store");
	reply->status = status;
}

static void
write_failure(struct fcgi_reply *reply, guint status)
{
	const struct notice missing = {.title = "This link does not work",
	    .text = "It may have been cut short or changed on its way. Please use the link as it "
		    "stands in the message, the whole of it."};
	const struct notice away = {.title = "Please try again later",
	    .text = "This cannot be done at the moment. Please open the link once more in a few "
		    "minutes."};
	const struct notice refused = {.title = "This was not understood",
	    .text = "Please open the link in the message, and use the button on the page."};

	reply_notice(reply, status, status == 404 ? &missing : status >= 500 ? &away : &refused);
}

const struct fcgi_failure fcgi_failure_notice = {.write = write_failure};

static bool
read_token(struct fcgi_call *call, struct core_token *token_r, GError **error)
{
	if (core_token_read(base_settings_secret(call->core->settings), TOKEN_UNSUBSCRIBE,
		call->arguments[0], NULL, token_r))
		return core_ensure(call->core, error);
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Not found");
	return false;
}

static void
ask(struct fcgi_reply *reply, const struct core_subscriber *subscriber)
{
	g_autofree char *text = g_strdup_printf(
	    "Should %s get no more mailings from %s?", subscriber->address, subscriber->sender);

	reply_notice(reply, 200,
	    &(struct notice){.title = "Unsubscribe",
		.text = text,
		.action = "unsubscribe",
		.button = "Unsubscribe"});
}

/* Tells how to subscribe again, when that is possible here. */
static const char *
way_back(const struct core_subscriber *subscriber)
{
	if (subscriber->elsewhere)
		return " You have unsubscribed by another message too, or long ago.";
	return subscriber->returns ? " If that was a mistake, you can subscribe again." : "";
}

/* Shows that the recipient is unsubscribed; done when this request did it. */
static void
confirm(struct fcgi_reply *reply, const struct core_subscriber *subscriber, bool done)
{
	g_autofree char *text = g_strdup_printf("%s gets no more mailings from %s.%s",
	    subscriber->address, subscriber->sender, way_back(subscriber));

	reply_notice(reply, 200,
	    &(struct notice){.title = "You are unsubscribed",
		.done = done ? "Done." : NULL,
		.text = text,
		.action = subscriber->returns ? "subscribe" : NULL,
		.button = "Subscribe again"});
}

static void
welcome(struct fcgi_reply *reply, const struct core_subscriber *subscriber)
{
	g_autofree char *text = g_strdup_printf(
	    "%s gets mailings from %s again.", subscriber->address, subscriber->sender);

	reply_notice(reply, 200,
	    &(struct notice){.title = "You are subscribed",
		.done = "Done.",
		.text = text,
		.action = "unsubscribe",
		.button = "Unsubscribe"});
}

bool
fcgi_unsubscribe_get(struct fcgi_call *call, GError **error)
{
	struct core_token token;

	if (!read_token(call, &token, error))
		return false;
	AUTO(core_subscriber) subscriber = core_unsubscribe_look(call->core, &token, error);
	if (!subscriber)
		return false;
	if (subscriber->state == SUBSCRIPTION_ON)
		ask(call->reply, subscriber);
	else
		confirm(call->reply, subscriber, false);
	return true;
}

/* Whether the page's "Subscribe again" button was pressed. Every other body means to unsubscribe:
   mail programs may send either of two forms (RFC 8058 section 3.1). */
static bool
subscribes(GBytes *body)
{
	static const char wish[] = "action=subscribe";
	gsize size = 0;
	const void *data = g_bytes_get_data(body, &size);

	return size == strlen(wish) && memcmp(data, wish, size) == 0;
}

bool
fcgi_unsubscribe_post(struct fcgi_call *call, GError **error)
{
	struct core_token token;

	if (!read_token(call, &token, error))
		return false;
	g_autoptr(GBytes) body = fcgi_request_body(call->request, LIMIT_FORM_BYTES, error);
	if (!body)
		return false;
	bool again = subscribes(body);
	const struct core_wish wish = {.action = again ? CORE_WISH_RETURN : CORE_WISH_LEAVE,
	    .source = again ? CONSENT_BY_PAGE : CONSENT_BY_ONE_CLICK};
	AUTO(core_subscriber) subscriber = core_unsubscribe(call->core, &token, &wish, error);
	if (!subscriber)
		return false;
	if (again && subscriber->state == SUBSCRIPTION_ON)
		welcome(call->reply, subscriber);
	else
		confirm(call->reply, subscriber, !again);
	return true;
}
