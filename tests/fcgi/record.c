/* SPDX-License-Identifier: MIT */
/* Tests of fcgi/http/record.c: replies as the web server reads them, of any size, and when it
 * leaves; parameters of requests, and bytes that are none. */
#include "fcgi/http/record.h"

#include <criterion/criterion.h>
#include <fastcgi.h>
#include <string.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <unistd.h>

#define REQUEST 0x1234

/* The bytes that came until the other end was closed. */
static void *
record_receive(void *context)
{
	int *socket = context;
	GByteArray *bytes = g_byte_array_new();
	guint8 buffer[10000];
	ssize_t got;

	while ((got = read(*socket, buffer, sizeof(buffer))) > 0)
		g_byte_array_append(bytes, buffer, (guint)got);
	return bytes;
}

/* Checks that there are records of output, an empty one, the end of the request, and nothing more.
   Returns the output and the number of its records. */
static GByteArray *
record_read_records(const char *name, const GByteArray *bytes, guint *records_r)
{
	GByteArray *output = g_byte_array_new();
	guint types[3] = {0};
	gsize at = 0;

	for (*records_r = 0; at + FCGI_HEADER_LEN <= bytes->len; (*records_r)++) {
		const guint8 *header = bytes->data + at;
		guint size = (guint)header[4] << 8 | header[5];

		cr_expect_eq(header[0], FCGI_VERSION_1, "%s: version %u", name, header[0]);
		cr_expect_eq(header[2] << 8 | header[3], REQUEST, "%s: another request", name);
		cr_assert_leq(
		    at + FCGI_HEADER_LEN + size + header[6], bytes->len, "%s: cut off", name);
		cr_expect(size <= RECORD_CONTENT, "%s: a record of %u bytes", name, size);
		if (header[1] == FCGI_STDOUT && size > 0)
			g_byte_array_append(output, header + FCGI_HEADER_LEN, size);
		at += FCGI_HEADER_LEN + size + header[6];
		types[0] = types[1];
		types[1] = types[2];
		types[2] = (guint)header[1] << 16 | size;
	}
	*records_r -= MIN(*records_r, 2);
	cr_expect_eq(at, bytes->len, "%s: %zu bytes too many", name, bytes->len - at);
	cr_expect_eq(types[1], FCGI_STDOUT << 16, "%s: the output does not end", name);
	cr_expect_eq(types[2], FCGI_END_REQUEST << 16 | 8, "%s: the request does not end", name);
	cr_expect(bytes->len >= 8 && bytes->data[bytes->len - 4] == FCGI_REQUEST_COMPLETE,
	    "%s: not complete", name);
	return output;
}

static guint8 *
record_content(gsize size, guint8 seed)
{
	guint8 *bytes = g_malloc(size + 1);

	for (gsize i = 0; i < size; i++)
		bytes[i] = (guint8)(seed + i * 7 + i / 251);
	return bytes;
}

Test(record, carries_replies_of_any_size)
{
	static const struct {
		const char *name;
		gsize head, body;
		guint want_records;
	} cases[] = {
	    {"nothing", 0, 0, 0},
	    {"a head", 300, 0, 1},
	    {"a body alone", 0, 10, 1},
	    {"both", 300, 10000, 1},
	    {"a full record", 300, RECORD_CONTENT - 300, 1},
	    {"one byte more", 300, RECORD_CONTENT - 299, 2},
	    {"a head of two records", RECORD_CONTENT + 1, 1, 2},
	    {"16 full records", 300, (gsize)16 * RECORD_CONTENT - 300, 16},
	    {"17 records", 300, (gsize)16 * RECORD_CONTENT - 299, 17},
	    {"much", 300, 5000000, 77},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree guint8 *head = record_content(cases[i].head, 1);
		g_autofree guint8 *body = record_content(cases[i].body, 5);
		const struct iovec parts[] = {{head, cases[i].head}, {body, cases[i].body}};
		int ends[2];
		guint records;

		cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
		GThread *reader = g_thread_new("reader", record_receive, &ends[0]);
		bool sent = fcgi_record_send(ends[1], REQUEST, parts, G_N_ELEMENTS(parts));
		close(ends[1]);
		GByteArray *bytes = g_thread_join(reader);
		close(ends[0]);
		GByteArray *output = record_read_records(cases[i].name, bytes, &records);

		cr_expect(sent, "%s: not sent", cases[i].name);
		cr_expect_eq(records, cases[i].want_records, "%s: got %u records, want %u",
		    cases[i].name, records, cases[i].want_records);
		bool is_same = output->len == cases[i].head + cases[i].body;
		if (is_same && output->len > 0)
			is_same = memcmp(output->data, head, cases[i].head) == 0 &&
				  memcmp(output->data + cases[i].head, body, cases[i].body) == 0;
		cr_expect(
		    is_same, "%s: got another content of %u bytes", cases[i].name, output->len);
		g_byte_array_unref(output);
		g_byte_array_unref(bytes);
	}
}

Test(record, survives_a_web_server_that_leaves)
{
	g_autofree guint8 *body = record_content(5000000, 0);
	const struct iovec parts[] = {{body, 5000000}};
	char byte;
	int ends[2];

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	close(ends[0]);
	cr_expect_not(fcgi_record_send(ends[1], REQUEST, parts, 1), "before");
	close(ends[1]);

	cr_assert_eq(socketpair(AF_UNIX, SOCK_STREAM, 0, ends), 0);
	pid_t reader = fork();
	if (reader == 0)
		_exit(read(ends[0], &byte, 1) == 1 ? 0 : 1);
	close(ends[0]);
	cr_expect_not(fcgi_record_send(ends[1], REQUEST, parts, 1), "in the middle");
	close(ends[1]);
}

/* A record of this type with size bytes of content, whose header says claimed of them. */
static void
record_put(GByteArray *bytes, guint8 type, const char *content, gsize size, gsize claimed)
{
	const guint8 header[] = {
	    FCGI_VERSION_1, type, 0, 1, (guint8)(claimed >> 8), (guint8)claimed, 0, 0};

	g_byte_array_append(bytes, header, sizeof(header));
	g_byte_array_append(bytes, (const guint8 *)content, (guint)size);
}

Test(record, finds_a_parameter)
{
#define PAIR "\4\3NAMEone"
	static const struct {
		const char *name, *content;
		gsize size, claimed;
		const char *want;
	} cases[] = {
	    {"the first", PAIR, 9, 9, "one"},
	    {"behind others", "\1\0A\5\1NAMESx" PAIR, 20, 20, "one"},
	    {"lengths of four bytes", "\x80\0\0\4\x80\0\0\3NAMEone", 15, 15, "one"},
	    {"empty", "\4\0NAME", 6, 6, ""},
	    {"the first of two", PAIR "\4\3NAMEtwo", 18, 18, "one"},
	    {"more to come", PAIR "\4\3NA", 13, 100, "one"},
	    {"another case", "\4\3nameone", 9, 9, NULL},
	    {"none", "\1\1AB", 4, 4, NULL},
	    {"nothing", "", 0, 0, NULL},
	    {"a value that is cut", "\4\3NAMEon", 8, 9, NULL},
	    {"a value beyond the record", PAIR, 9, 8, NULL},
	    {"a name that is cut", "\4\3NAM", 5, 5, NULL},
	    {"a length that is cut", "\4", 1, 1, NULL},
	    {"a long length that is cut", "\4\x80\0\0", 4, 4, NULL},
	    {"the longest lengths", "\xff\xff\xff\xff\xff\xff\xff\xffNAME", 12, 12, NULL},
	    {"a value that ends the sum", "\4\xff\xff\xff\xfcNAMEone", 12, 12, NULL},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++)
		for (guint behind = 0; behind < 2; behind++) {
			g_autoptr(GByteArray) bytes = g_byte_array_new();
			gsize size = 99;

			if (behind)
				record_put(bytes, FCGI_BEGIN_REQUEST, "01234567", 8, 8);
			record_put(
			    bytes, FCGI_PARAMS, cases[i].content, cases[i].size, cases[i].claimed);
			/* Bytes of its own, so that a read behind them is seen. */
			g_autofree guint8 *own = g_memdup2(bytes->data, bytes->len);
			const char *got = fcgi_record_param(own, bytes->len, "NAME", &size);
			g_autofree char *text = got ? g_strndup(got, size) : NULL;
			cr_expect(g_strcmp0(text, cases[i].want) == 0, "%s: got %s, want %s",
			    cases[i].name, text ? text : "none",
			    cases[i].want ? cases[i].want : "none");
		}
}

Test(record, finds_no_parameter_in_what_is_no_request)
{
	static const guint8 zeros[64] = {0}, longest[] = {1, 1, 0, 1, 0xff, 0xff, 0xff, 0};
	gsize size;

	cr_expect_null(fcgi_record_param(zeros, 0, "NAME", &size));
	cr_expect_null(fcgi_record_param(zeros, 7, "NAME", &size));
	cr_expect_null(fcgi_record_param(zeros, sizeof(zeros), "NAME", &size));
	cr_expect_null(fcgi_record_param(longest, sizeof(longest), "NAME", &size));
}
