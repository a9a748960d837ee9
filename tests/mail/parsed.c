/* SPDX-License-Identifier: MIT */
/* Messages read back with GMime. */
#include "tests/mail/parsed.h"

GMimeMessage *
parsed_message(GBytes *bytes)
{
	gsize size;
	const char *text = g_bytes_get_data(bytes, &size);
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(text, size);
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);

	g_object_unref(parser);
	g_object_unref(stream);
	return message;
}

static void
add_leaves(GPtrArray *leaves, GMimeObject *part)
{
	if (!GMIME_IS_MULTIPART(part)) {
		g_ptr_array_add(leaves, part);
		return;
	}
	for (int i = 0; i < g_mime_multipart_get_count(GMIME_MULTIPART(part)); i++)
		add_leaves(leaves, g_mime_multipart_get_part(GMIME_MULTIPART(part), i));
}

GPtrArray *
parsed_leaves(GMimeMessage *message)
{
	GPtrArray *leaves = g_ptr_array_new();

	add_leaves(leaves, g_mime_message_get_mime_part(message));
	return leaves;
}

static void
append_structure(GString *out, GMimeObject *part)
{
	g_string_append(
	    out, g_mime_content_type_get_media_subtype(g_mime_object_get_content_type(part)));
	if (!GMIME_IS_MULTIPART(part))
		return;
	for (int i = 0; i < g_mime_multipart_get_count(GMIME_MULTIPART(part)); i++) {
		g_string_append_c(out, i == 0 ? '(' : ',');
		append_structure(out, g_mime_multipart_get_part(GMIME_MULTIPART(part), i));
	}
	g_string_append_c(out, ')');
}

char *
parsed_structure(GBytes *bytes)
{
	GMimeMessage *message = parsed_message(bytes);
	GString *out = g_string_new(NULL);

	append_structure(out, g_mime_message_get_mime_part(message));
	g_object_unref(message);
	return g_string_free(out, FALSE);
}

char *
parsed_content(GMimeObject *part, gsize *size_r)
{
	GByteArray *bytes = g_byte_array_new();
	GMimeStream *stream = g_mime_stream_mem_new_with_byte_array(bytes);
	GMimeFormatOptions *options = g_mime_format_options_new();

	g_mime_format_options_set_newline_format(options, GMIME_NEWLINE_FORMAT_DOS);
	g_mime_stream_mem_set_owner(GMIME_STREAM_MEM(stream), FALSE);
	if (GMIME_IS_MESSAGE_PART(part))
		g_mime_object_write_to_stream(
		    GMIME_OBJECT(GMIME_MESSAGE_PART(part)->message), options, stream);
	else if (g_mime_part_get_content(GMIME_PART(part)))
		g_mime_data_wrapper_write_to_stream(
		    g_mime_part_get_content(GMIME_PART(part)), stream);
	g_mime_format_options_free(options);
	g_object_unref(stream);
	if (size_r)
		*size_r = bytes->len;
	g_byte_array_append(bytes, (const guint8 *)"", 1);
	return (char *)g_byte_array_free(bytes, FALSE);
}
