/* SPDX-License-Identifier: MIT */
/* The tracking pixel and the tracked links of messages (/t/o, /t/c). They reply without the
   database; opens and clicks are recorded later, many in one transaction. */
#include "fcgi/v1/handlers.h"

#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/secret.h"
#include "config/settings.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "link/engagement.h"
#include "link/robot.h"
#include "service/service.h"

static bool
tracking_missing(GError **error)
{
	g_set_error(error, PH_ERROR, PH_ERROR_NOT_FOUND, "Not found");
	return false;
}

/* Checks the token in the path, which is made for this kind and destination. */
static bool
tracking_read_token(struct fcgi_call *call, enum link_token_kind kind, const char *destination,
    struct link_token *token_r)
{
	return link_token_read(config_settings_secret(call->service->settings), kind,
	    call->arguments[0], destination, token_r);
}

/* Whether a browser fetches it ahead of a reader. */
static bool
is_ahead(const struct fcgi_call *call)
{
	static const char *const headers[] = {
	    "HTTP_PURPOSE", "HTTP_SEC_PURPOSE", "HTTP_X_PURPOSE", "HTTP_X_MOZ"};

	for (gsize i = 0; i < G_N_ELEMENTS(headers); i++)
		if (link_robot_is_ahead(fcgi_request_header(call->request, headers[i])))
			return true;
	return false;
}

/* Has the open or click recorded after the reply. A HEAD request is neither. link is the
   destination of a click, or NULL. */
static void
record_later(struct fcgi_call *call, const struct link_token *token, const char *link)
{
	char ip[ADDRESS_TEXT_SIZE];

	if (call->request->head)
		return;
	bool known = fcgi_request_address(call->request, call->service->settings, ip);
	struct link_engagement *engagement = link_engagement_new(token, base_clock_now(),
	    known ? ip : NULL, fcgi_request_header(call->request, "HTTP_USER_AGENT"), link);
	engagement->automated |= is_ahead(call);
	link_engagement_add(call->service, engagement);
}

bool
fcgi_tracking_open(struct fcgi_call *call, GError **error)
{
	/* One transparent pixel */
	static const guint8 gif[] = {'G', 'I', 'F', '8', '9', 'a', 1, 0, 1, 0, 0x80, 0, 0, 0, 0, 0,
	    0xff, 0xff, 0xff, 0x21, 0xf9, 4, 1, 0, 0, 0, 0, 0x2c, 0, 0, 0, 0, 1, 0, 1, 0, 0, 2, 2,
	    0x44, 1, 0, 0x3b};
	struct link_token token;

	if (!tracking_read_token(call, TOKEN_OPEN, NULL, &token))
		return tracking_missing(error);
	record_later(call, &token, NULL);
	fcgi_reply_document(
	    call->reply, "image/gif", g_bytes_new_static(gif, sizeof(gif)), "no-store");
	return true;
}

/* The URL in the parameter d (base64url), or NULL when it is malformed. The caller owns it. */
static char *
read_destination(struct fcgi_call *call)
{
	const char *given;

	if (!fcgi_request_query(call->request, "d", &given, NULL) || !given)
		return NULL;
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(given);
	if (!bytes || g_bytes_get_size(bytes) == 0)
		return NULL;
	gsize size;
	const char *text = g_bytes_get_data(bytes, &size);
	return memchr(text, '\0', size) ? NULL : g_strndup(text, size);
}

bool
fcgi_tracking_click(struct fcgi_call *call, GError **error)
{
	g_autofree char *destination = read_destination(call);
	struct link_token token;

	if (!destination || !tracking_read_token(call, TOKEN_CLICK, destination, &token))
		return tracking_missing(error);
	record_later(call, &token, destination);
	fcgi_reply_header(call->reply, "Referrer-Policy", "no-referrer");
	fcgi_reply_header(call->reply, "X-Robots-Tag", "noindex, nofollow");
	fcgi_reply_redirect(call->reply, destination);
	return true;
}
