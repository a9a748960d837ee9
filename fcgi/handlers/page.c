/* Lists, a page at a time. */
#include "fcgi/handlers/page.h"

#include "base/error.h"
#include "base/secret.h"
#include "fcgi/call.h"
#include "fcgi/request.h"
#include "json/writer.h"

static bool
decode(const char *text, struct id *id_r)
{
	g_autoptr(GBytes) bytes = base_secret_base64url_decode(text);
	gsize size;
	const void *data = bytes ? g_bytes_get_data(bytes, &size) : NULL;

	if (!data || size != sizeof(*id_r))
		return false;
	*id_r = *(const struct id *)data;
	return true;
}

bool
page_cursor(struct call *call, bool opaque, struct id *before_r, bool *given_r, GError **error)
{
	const char *text;

	*given_r = false;
	if (!request_query(call->request, "cursor", &text, error))
		return false;
	if (!text || !*text)
		return true;
	*given_r = true;
	if (opaque ? decode(text, before_r) : base_id_parse(text, before_r))
		return true;
	g_set_error(error, PH_ERROR, PH_ERROR_INVALID, "cursor is malformed");
	return false;
}

void
page_begin(struct json_writer *writer, const char *collection)
{
	json_writer_begin_object(writer, NULL);
	json_writer_begin_array(writer, collection);
}

void
page_end_text(struct call *call, struct json_writer *writer, guint count, const char *cursor)
{
	json_writer_end_array(writer);
	json_writer_integer(writer, "count", count);
	json_writer_string(writer, "cursor", cursor);
	json_writer_end_object(writer);
	reply_json(call->reply, 200, writer);
}

void
page_end(
    struct call *call, struct json_writer *writer, bool opaque, guint count, const struct id *last)
{
	char text[ID_TEXT_SIZE];
	g_autofree char *encoded =
	    last && opaque ? base_secret_base64url(last, sizeof(*last)) : NULL;

	page_end_text(call, writer, count,
	    encoded ? encoded
	    : last  ? base_id_format(last, text)
		    : NULL);
}
