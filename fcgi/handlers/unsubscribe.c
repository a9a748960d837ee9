/* SPDX-License-Identifier: MIT */
/* The page on which people unsubscribe, and subscribe again. */
#include "fcgi/handlers/unsubscribe.h"

#include <string.h>

#include "base/error.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/token.h"
#include "core/unsubscribe.h"
#include "fcgi/call.h"
#include "fcgi/handlers/notice.h"
#include "fcgi/request.h"

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

	fcgi_notice_reply(reply, 200,
	    &(struct fcgi_notice){.title = "Unsubscribe",
		.text = text,
		.action = "unsubscribe",
		.button = "Unsubscribe"});
}

/* How there may be mailings again. */
static const char *
way_back(const struct core_subscriber *subscriber)
{
	if (subscriber->elsewhere)
		return " You have unsubscribed by another message too, or long ago.";
	return subscriber->returns ? " If that was a mistake, you can subscribe again." : "";
}

/* done: it has just been done. */
static void
confirm(struct fcgi_reply *reply, const struct core_subscriber *subscriber, bool done)
{
	g_autofree char *text = g_strdup_printf("%s gets no more mailings from %s.%s",
	    subscriber->address, subscriber->sender, way_back(subscriber));

	fcgi_notice_reply(reply, 200,
	    &(struct fcgi_notice){.title = "You are unsubscribed",
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

	fcgi_notice_reply(reply, 200,
	    &(struct fcgi_notice){.title = "You are subscribed",
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

/* Whether the page's other button was pressed. Everything else is a wish to unsubscribe, whatever
   form the mail program gives it (RFC 8058 section 3.1 permits two). */
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
	AUTO(core_subscriber)
	subscriber = (again ? core_unsubscribe_undo : core_unsubscribe)(call->core, &token, error);
	if (!subscriber)
		return false;
	if (again && subscriber->state == SUBSCRIPTION_ON)
		welcome(call->reply, subscriber);
	else
		confirm(call->reply, subscriber, !again);
	return true;
}
