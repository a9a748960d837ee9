/* SPDX-License-Identifier: MIT */
/* Downloads of received mail and its attachments by signed URLs (/t/r). */
#include "fcgi/v1/handlers.h"

#include "base/error.h"
#include "fcgi/api/context.h"
#include "fcgi/http/request.h"
#include "received/view.h"

bool
fcgi_received_download(struct fcgi_call *call, GError **error)
{
	struct received_file file;
	const char *expires;

	if (!fcgi_request_query(call->request, "e", &expires, error))
		return false;
	if (!received_view_download(
		call->service, call->arguments[0], expires ? expires : "", &file, error))
		return false;
	/* The name as RFC 8187 writes it: percent-encoded, so no text from outside breaks the line.
	 */
	g_autofree char *name =
	    g_uri_escape_string(file.filename ? file.filename : "attachment", NULL, false);
	g_autofree char *disposition = g_strconcat("attachment; filename*=UTF-8''", name, NULL);
	fcgi_reply_document(call->reply, "application/octet-stream", g_steal_pointer(&file.content),
	    "private, no-store");
	fcgi_reply_header(call->reply, "Content-Disposition", disposition);
	/* A document of a stranger must not act as a page of the service. */
	fcgi_reply_header(call->reply, "Content-Security-Policy", "sandbox; default-src 'none'");
	fcgi_reply_header(call->reply, "X-Robots-Tag", "noindex, nofollow");
	received_file_clear(&file);
	return true;
}
