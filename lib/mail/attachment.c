/* SPDX-License-Identifier: MIT */
/* Checks attachments and writes them as parts. */
#include "mail/attachment.h"

#include <string.h>

#include "base/limits.h"
#include "mail/check.h"
#include "mail/encoding.h"
#include "mail/field.h"
#include "mail/header.h"

#define TYPE_UNKNOWN "application/octet-stream"

bool
mail_attachment_check(const struct mail_attachment *attachment, GError **error)
{
	const char *filename = attachment->filename ? attachment->filename : "";
	const char *type = attachment->content_type;
	const char *id = attachment->content_id;

	if (!mail_check_text("filename", filename, error))
		return false;
	if (g_utf8_strlen(filename, -1) > LIMIT_FILENAME_LENGTH)
		return mail_check_fault(
		    error, "filename must not be longer than %d", LIMIT_FILENAME_LENGTH);
	if (type && (strlen(type) > LIMIT_CONTENT_TYPE_LENGTH || !mail_header_content_type(type)))
		return mail_check_fault(error,
		    "content_type must be a media type of at most %d characters",
		    LIMIT_CONTENT_TYPE_LENGTH);
	if (id && (strlen(id) > LIMIT_CONTENT_ID_LENGTH || !mail_header_id(id, strlen(id))))
		return mail_check_fault(error,
		    "content_id must be 1 to %d ASCII characters without spaces",
		    LIMIT_CONTENT_ID_LENGTH);
	return true;
}

static bool
is_composite(const char *type)
{
	return g_ascii_strncasecmp(type, "message/", 8) == 0 ||
	       g_ascii_strncasecmp(type, "multipart/", 10) == 0;
}

/* The one kind of composite content that can be sent as what it is, since it needs no encoding. */
static bool
is_plain_message(const struct mail_attachment *attachment, const char *reserved)
{
	gsize size;

	return attachment->content_type &&
	       g_ascii_strncasecmp(attachment->content_type, "message/", 8) == 0 &&
	       mail_encoding_choose(attachment->data, attachment->size, reserved, &size) ==
		   MAIL_ENCODING_7BIT;
}

static void
write_type(GString *out, const struct mail_attachment *attachment, bool plain)
{
	const char *type = attachment->content_type;
	struct mail_field field;

	if (!type || (is_composite(type) && !plain))
		type = TYPE_UNKNOWN;
	mail_field_begin(&field, out, "Content-Type");
	mail_field_words(&field, type);
	/* The name belongs into Content-Disposition, and is here for readers that look for it here.
	 */
	if (attachment->filename && *attachment->filename && !strchr(type, ';'))
		mail_field_parameter_words(&field, "name", attachment->filename);
	mail_field_end(&field);
}

static void
write_disposition(GString *out, const struct mail_attachment *attachment, bool in_line)
{
	struct mail_field field;

	if (attachment->content_id)
		g_string_append_printf(out, "Content-ID: <%s>\r\n", attachment->content_id);
	mail_field_begin(&field, out, "Content-Disposition");
	mail_field_word(&field, " ", in_line ? "inline" : "attachment");
	if (attachment->filename && *attachment->filename)
		mail_field_parameter(&field, "filename", attachment->filename);
	mail_field_end(&field);
}

void
mail_attachment_write(
    GString *out, const struct mail_attachment *attachment, bool in_line, const char *reserved)
{
	bool plain = is_plain_message(attachment, reserved);

	write_type(out, attachment, plain);
	mail_encoding_field(out, plain ? MAIL_ENCODING_7BIT : MAIL_ENCODING_BASE64);
	write_disposition(out, attachment, in_line);
	g_string_append(out, "\r\n");
	if (plain)
		mail_encoding_text(out, MAIL_ENCODING_7BIT, attachment->data, attachment->size);
	else
		mail_encoding_bytes(out, attachment->data, attachment->size);
}
