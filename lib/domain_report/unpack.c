/* SPDX-License-Identifier: MIT */
/* Unpacks gzip (RFC 1952) and zip files within limits, by zlib. */
#include "domain_report/unpack.h"

#include <string.h>
#include <zlib.h>

#include "base/error.h"
#include "base/limits/domain_report.h"

#define GZIP_MAGIC "\x1f\x8b"
#define ZIP_LOCAL "PK\3\4"
#define ZIP_CENTRAL "PK\1\2"
#define ZIP_END "PK\5\6"
#define LOCAL_SIZE 30
#define CENTRAL_SIZE 46
#define END_SIZE 22
#define ZIP_COMMENT_MAX 65535
#define FLAG_ENCRYPTED 1
#define METHOD_STORED 0
#define METHOD_DEFLATED 8
#define UNPACK_STEP (64 * 1024)

enum domain_report_form
domain_report_form_of(const void *data, gsize size)
{
	static const char mark[] = "\xef\xbb\xbf";
	/* An empty file may have no address. */
	const char *text = data ? data : "", *end = text + size;

	if (size >= 2 && memcmp(text, GZIP_MAGIC, 2) == 0)
		return DOMAIN_REPORT_GZIP;
	if (size >= 4 && memcmp(text, ZIP_LOCAL, 4) == 0)
		return DOMAIN_REPORT_ZIP;
	/* XML in UTF-16 begins with its own mark. */
	if (size >= 2 && (memcmp(text, "\xff\xfe", 2) == 0 || memcmp(text, "\xfe\xff", 2) == 0))
		return DOMAIN_REPORT_XML;
	if (size >= sizeof(mark) - 1 && memcmp(text, mark, sizeof(mark) - 1) == 0)
		text += sizeof(mark) - 1;
	while (text < end && g_ascii_isspace(*text))
		text++;
	if (text == end)
		return DOMAIN_REPORT_OTHER;
	return *text == '<'   ? DOMAIN_REPORT_XML
	       : *text == '{' ? DOMAIN_REPORT_JSON
			      : DOMAIN_REPORT_OTHER;
}

static bool
unpack_grow(GByteArray *out, const guint8 *data, gsize size, GError **error)
{
	if (size > LIMIT_DOMAIN_REPORT_UNPACKED - out->len)
		return base_invalid(error, "it unpacks to more than %d MiB",
		    LIMIT_DOMAIN_REPORT_UNPACKED / LIMIT_MIB);
	g_byte_array_append(out, data, (guint)size);
	return true;
}

/* Inflates what stream has. *end_r: how zlib ended. */
static bool
unpack_stream(z_stream *stream, GByteArray *out, int *end_r, GError **error)
{
	guint8 step[UNPACK_STEP];
	int result = Z_OK;

	while (result == Z_OK) {
		stream->next_out = step;
		stream->avail_out = sizeof(step);
		result = inflate(stream, Z_NO_FLUSH);
		if (!unpack_grow(out, step, sizeof(step) - stream->avail_out, error))
			return false;
	}
	*end_r = result;
	return true;
}

/* Inflates data in the form that bits name (zlib.h). A gzip file may have several members. */
static bool
unpack_inflate(
    const guint8 *data, gsize size, int bits, GByteArray *out, bool *is_cut_r, GError **error)
{
	z_stream stream = {.next_in = (guint8 *)data, .avail_in = (uInt)size};
	int end = Z_OK;
	bool done, more;

	if (inflateInit2(&stream, bits) != Z_OK)
		return base_fail(error, PH_ERROR_FAILED, "zlib has no memory");
	do {
		done = unpack_stream(&stream, out, &end, error);
		more = done && end == Z_STREAM_END && stream.avail_in >= 2 &&
		       memcmp(stream.next_in, GZIP_MAGIC, 2) == 0 && inflateReset(&stream) == Z_OK;
	} while (more);
	inflateEnd(&stream);
	*is_cut_r = end != Z_STREAM_END;
	return done;
}

static guint
zip_short(const guint8 *at)
{
	return at[0] | (guint)at[1] << 8;
}

static guint32
zip_long(const guint8 *at)
{
	return zip_short(at) | (guint32)zip_short(at + 2) << 16;
}

/* A file in a zip. */
struct zip_member {
	const guint8 *data;
	gsize size; /* packed, as far as it is there */
	guint method, flags;
	bool is_cut;
};

static bool
zip_is_xml(const guint8 *name, gsize size)
{
	return size >= 4 && g_ascii_strncasecmp((const char *)name + size - 4, ".xml", 4) == 0;
}

/* Reads the member whose local header stands at an offset. packed: its size; 0: up to the end. */
static bool
zip_local(const guint8 *data, gsize size, gsize at, gsize packed, struct zip_member *member_r)
{
	if (at > size || size - at < LOCAL_SIZE || memcmp(data + at, ZIP_LOCAL, 4) != 0)
		return false;
	const guint8 *header = data + at;
	gsize begin = LOCAL_SIZE + (gsize)zip_short(header + 26) + zip_short(header + 28);
	if (begin > size - at)
		return false;
	gsize left = size - at - begin;
	*member_r = (struct zip_member){
	    .data = header + begin,
	    .size = packed == 0 || packed > left ? left : packed,
	    .method = zip_short(header + 8),
	    .flags = zip_short(header + 6),
	    .is_cut = packed > left,
	};
	return true;
}

/* The offset of the central directory; size if there is none. */
static gsize
zip_directory(const guint8 *data, gsize size)
{
	gsize least = size > END_SIZE + ZIP_COMMENT_MAX ? size - END_SIZE - ZIP_COMMENT_MAX : 0;

	for (gsize at = size >= END_SIZE ? size - END_SIZE + 1 : 0; at > least; at--)
		if (memcmp(data + at - 1, ZIP_END, 4) == 0)
			return zip_long(data + at - 1 + 16);
	return size;
}

/* Finds the first .xml by the directory at the end. */
static bool
zip_find(const guint8 *data, gsize size, struct zip_member *member_r)
{
	gsize at = zip_directory(data, size);

	while (at < size && size - at >= CENTRAL_SIZE && memcmp(data + at, ZIP_CENTRAL, 4) == 0) {
		const guint8 *entry = data + at;
		gsize name = zip_short(entry + 28);

		if (name > size - at - CENTRAL_SIZE)
			return false;
		if (zip_is_xml(entry + CENTRAL_SIZE, name))
			return zip_local(
			    data, size, zip_long(entry + 42), zip_long(entry + 20), member_r);
		at += CENTRAL_SIZE + name + zip_short(entry + 30) + zip_short(entry + 32);
	}
	return false;
}

/* Finds it by the headers in front of the files, where the end is missing. A member whose header
   does not tell its size hides those behind it. */
static bool
zip_find_broken(const guint8 *data, gsize size, struct zip_member *member_r)
{
	gsize at = 0;

	while (zip_local(data, size, at, 0, member_r)) {
		const guint8 *header = data + at;
		gsize packed = zip_long(header + 18), begin = (gsize)(member_r->data - header);

		if (zip_is_xml(header + LOCAL_SIZE, zip_short(header + 26)))
			return zip_local(data, size, at, packed, member_r);
		if (packed == 0)
			return false;
		at += begin + packed;
	}
	return false;
}

static bool
unpack_zip(const guint8 *data, gsize size, GByteArray *out, bool *is_cut_r, GError **error)
{
	struct zip_member member;
	bool is_whole = zip_find(data, size, &member);

	if (!is_whole && !zip_find_broken(data, size, &member))
		return base_invalid(error, "the zip file has no .xml");
	if (member.flags & FLAG_ENCRYPTED)
		return base_invalid(error, "the zip file is encrypted");
	if (member.method != METHOD_STORED && member.method != METHOD_DEFLATED)
		return base_invalid(error, "the zip file is packed by an unknown method");
	bool done =
	    member.method == METHOD_STORED
		? unpack_grow(out, member.data, member.size, error)
		: unpack_inflate(member.data, member.size, -MAX_WBITS, out, is_cut_r, error);
	*is_cut_r |= !is_whole || member.is_cut;
	return done;
}

GByteArray *
domain_report_unpack(enum domain_report_form form, GBytes *file, bool *is_cut_r, GError **error)
{
	g_autoptr(GByteArray) out = g_byte_array_new();
	gsize size;
	const guint8 *data = g_bytes_get_data(file, &size);

	if (size > LIMIT_DOMAIN_REPORT_PACKED) {
		base_invalid(error, "the packed file has more than %d MiB",
		    LIMIT_DOMAIN_REPORT_PACKED / LIMIT_MIB);
		return NULL;
	}
	bool done = form == DOMAIN_REPORT_ZIP
			? unpack_zip(data, size, out, is_cut_r, error)
			: unpack_inflate(data, size, MAX_WBITS | 16, out, is_cut_r, error);
	return done ? g_steal_pointer(&out) : NULL;
}
