/* SPDX-License-Identifier: MIT */
/* Downloads of attachments by signed URLs (/t/a). */
#include "fcgi/v1/handlers.h"

#include "base/error.h"
#include "email/attachment.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "link/token.h"
#include "service/service.h"
#include "store/email/attachment.h"

static bool
download_missing(GError **error)
{
	return base_fail(error, PH_ERROR_NOT_FOUND, "Not found");
}

/* The name as RFC 8187 writes it: percent-encoded, so no text from outside breaks the line. */
static void
download_set_headers(struct fcgi_reply *reply, const struct store_attachment *attachment)
{
	g_autofree char *name =
	    g_uri_escape_string(attachment->filename ? attachment->filename : "", NULL, false);
	g_autofree char *disposition = g_strconcat("attachment; filename*=UTF-8''", name, NULL);

	fcgi_reply_header(reply, "Content-Disposition", disposition);
	/* A document of a sender must not act as a page of the service. */
	fcgi_reply_header(reply, "Content-Security-Policy", "sandbox; default-src 'none'");
	fcgi_reply_header(reply, "X-Robots-Tag", "noindex, nofollow");
}

bool
fcgi_download_get(struct fcgi_call *call, GError **error)
{
	struct link_token token;
	const char *expires;

	if (!fcgi_request_query(call->request, "e", &expires, error))
		return false;
	if (!expires ||
	    !email_attachment_allowed(call->service, call->arguments[0], expires, &token))
		return download_missing(error);
	if (!service_ensure(call->service, error))
		return false;
	AUTO(store_attachment)
	attachment = store_attachment_get(call->service->db, &token.email, token.recipient, error);
	GBytes *content =
	    attachment ? email_attachment_read(call->service, attachment, error) : NULL;
	if (!content)
		return false;
	fcgi_reply_document(call->reply, "application/octet-stream", content, "private, no-store");
	download_set_headers(call->reply, attachment);
	return true;
}
