/* SPDX-License-Identifier: MIT */
/* Tests reading DNS messages, valid and damaged. */
#include "dns/reply.h"

#include <criterion/criterion.h>
#include <string.h>

/* A message as a test writes it: bytes of hexadecimal digits, spaces for the eye. */
static GBytes *
reply_message_of(const char *hex)
{
	GByteArray *bytes = g_byte_array_new();

	while (*(hex += strspn(hex, " "))) {
		guint8 byte =
		    (guint8)(g_ascii_xdigit_value(hex[0]) << 4 | g_ascii_xdigit_value(hex[1]));
		g_byte_array_append(bytes, &byte, 1);
		hex += 2;
	}
	return g_byte_array_free_to_bytes(bytes);
}

/* Headers with counts of answers and authorities; the question a.b IN TXT, MX or SOA. */
#define HEADER(answers, authorities) "1234 8180 0001 " answers " " authorities " 0000 "
#define NXDOMAIN(answers, authorities) "1234 8183 0001 " answers " " authorities " 0000 "
#define QUESTION_TXT "0161 0162 00 0010 0001 "
#define QUESTION_MX "0161 0162 00 000f 0001 "
#define QUESTION_SOA "0161 0162 00 0006 0001 "
#define OF_QUESTION(type) "c00c " type " 0001 00000000 "

static const struct reply_case {
	const char *name;
	enum dns_type type;
	const char *message;
	const char *want; /* NULL: refused. "no name", "no type", "alias NAME", or the answers */
} cases[] = {
    {"a text", DNS_TXT, HEADER("0001", "0000") QUESTION_TXT OF_QUESTION("0010") "0003 026869",
	"hi"},
    {"two strings", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT OF_QUESTION("0010") "0005 0168 0169 00", "hi"},
    {"a text without strings", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT OF_QUESTION("0010") "0000", ""},
    {"two texts", DNS_TXT,
	HEADER("0002", "0000")
	    QUESTION_TXT OF_QUESTION("0010") "0002 0168 " OF_QUESTION("0010") "0002 0169",
	"h, i"},
    {"another name's text", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT "0163 00 0010 0001 00000000 0002 0168", "no type"},
    {"another class's text", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT "c00c 0010 0003 00000000 0002 0168", "no type"},
    {"a name in another case", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT "0141 0142 00 0010 0001 00000000 0002 0168", "h"},
    {"nothing", DNS_TXT, HEADER("0000", "0000") QUESTION_TXT, "no type"},
    {"no such name", DNS_TXT, NXDOMAIN("0000", "0000") QUESTION_TXT, "no name"},
    {"an alias and its text", DNS_TXT,
	HEADER("0002", "0000")
	    QUESTION_TXT OF_QUESTION("0005") "0003 0163 00 0163 00 0010 0001 00000000 0002 0168",
	"h"},
    {"an alias behind its text", DNS_TXT,
	HEADER("0002", "0000") QUESTION_TXT
	"0163 00 0010 0001 00000000 0002 0168 " OF_QUESTION("0005") "0003 0163 00",
	"h"},
    {"an alias alone", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT OF_QUESTION("0005") "0003 0163 00", "alias c"},
    {"an alias of nothing", DNS_TXT,
	NXDOMAIN("0001", "0000") QUESTION_TXT OF_QUESTION("0005") "0003 0163 00", "no name"},
    {"an alias of itself", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT OF_QUESTION("0005") "0002 c00c", "no type"},
    {"a mail exchanger", DNS_MX,
	HEADER("0001", "0000") QUESTION_MX OF_QUESTION("000f") "0005 000a 016d 00", "10 m"},
    {"no mail exchanger", DNS_MX,
	HEADER("0001", "0000") QUESTION_MX OF_QUESTION("000f") "0003 0000 00", "0 "},
    {"a zone", DNS_SOA,
	HEADER("0001", "0000") QUESTION_SOA OF_QUESTION(
	    "0006") "001a 016e 00 0168 0162 00 00000007 00000000 00000000 00000000 00000000",
	"a.b n h@b 7"},
    {"the zone around a name", DNS_SOA,
	HEADER("0000", "0001") QUESTION_SOA "0162 00 0006 0001 00000000 "
					    "001a 016e 00 0168 0162 00 00000007 00000000 00000000 "
					    "00000000 00000000",
	"b n h@b 7"},
    {"the zone around no name", DNS_SOA,
	NXDOMAIN("0000", "0001") QUESTION_SOA "0162 00 0006 0001 00000000 "
					      "001a 016e 00 0168 0162 00 00000007 00000000 "
					      "00000000 00000000 00000000",
	"b n h@b 7"},
    {"a dot in a mailbox", DNS_SOA,
	HEADER("0001", "0000")
	    QUESTION_SOA OF_QUESTION("0006") "001c 016e 00 03682e69 0162 00 00000007 00000000 "
					     "00000000 00000000 00000000",
	"a.b n h.i@b 7"},
    {"the same with a server's failure", DNS_TXT, "1234 8182 0001 0000 0000 0000 " QUESTION_TXT,
	NULL},
    {"refused", DNS_TXT, "1234 8185 0001 0000 0000 0000 " QUESTION_TXT, NULL},
    {"nothing at all", DNS_TXT, "", NULL},
    {"half a header", DNS_TXT, "1234 8180 0001", NULL},
    {"a missing question", DNS_TXT, HEADER("0000", "0000"), NULL},
    {"a missing answer", DNS_TXT, HEADER("0001", "0000") QUESTION_TXT, NULL},
    {"a string past its record", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT OF_QUESTION("0010") "0003 036869 69", NULL},
    {"a record past the message", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT OF_QUESTION("0010") "0004 026869", NULL},
    {"a pointer to itself", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT "c015 0010 0001 00000000 0002 0168", NULL},
    {"a pointer past the end", DNS_TXT,
	HEADER("0001", "0000") QUESTION_TXT "cfff 0010 0001 00000000 0002 0168", NULL},
    {"a mail exchanger without a name", DNS_MX,
	HEADER("0001", "0000") QUESTION_MX OF_QUESTION("000f") "0002 000a", NULL},
    {"bytes behind a mail exchanger", DNS_MX,
	HEADER("0001", "0000") QUESTION_MX OF_QUESTION("000f") "0006 000a 016d 00 00", NULL},
};

static char *
reply_read_reply(const guint8 *data, gsize size, enum dns_type type)
{
	AUTO(dns_question) question = dns_question_new("a.b", type);
	g_autoptr(GString) got = g_string_new(NULL);
	g_autofree char *alias = NULL;

	if (!dns_reply_read(data, size, "a.b", question, &alias))
		return NULL;
	if (alias)
		return g_strdup_printf("alias %s", alias);
	if (question->outcome != DNS_FOUND)
		return g_strdup(question->outcome == DNS_NO_NAME   ? "no name"
				: question->outcome == DNS_NO_TYPE ? "no type"
								   : "no answer");
	for (guint i = 0; i < question->answers->len; i++) {
		const struct dns_answer *a = question->answers->pdata[i];

		g_string_append(got, i > 0 ? ", " : "");
		if (type == DNS_MX)
			g_string_append_printf(got, "%u ", a->number);
		if (type == DNS_SOA)
			g_string_append_printf(got, "%s ", a->zone);
		g_string_append(got, a->text);
		if (type == DNS_SOA)
			g_string_append_printf(got, " %s %u", a->admin, a->number);
	}
	return g_strdup(got->str);
}

Test(reply, reads_what_is_well_formed_and_nothing_else)
{
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct reply_case *c = &cases[i];
		g_autoptr(GBytes) message = reply_message_of(c->message);
		gsize size;
		const guint8 *data = g_bytes_get_data(message, &size);
		g_autofree char *got = reply_read_reply(data, size, c->type);

		cr_expect(g_strcmp0(got, c->want) == 0, "%s: got %s, want %s", c->name,
		    got ? got : "(refused)", c->want ? c->want : "(refused)");
	}
}

/* A mail exchanger whose name has labels of these sizes, of bytes that the text escapes. */
static char *
dns_reply_read_exchange(const guint8 *sizes, guint count)
{
	g_autoptr(GBytes) begin =
	    reply_message_of(HEADER("0001", "0000") QUESTION_MX OF_QUESTION("000f"));
	g_autoptr(GByteArray) message = g_byte_array_new();
	g_autoptr(GByteArray) data = g_byte_array_new();
	gsize size;
	const guint8 *bytes = g_bytes_get_data(begin, &size);
	static const guint8 none[2];
	guint8 label[64];

	memset(label, 1, sizeof(label));
	g_byte_array_append(message, bytes, (guint)size);
	g_byte_array_append(data, none, 2);
	for (guint i = 0; i < count; i++) {
		g_byte_array_append(data, &sizes[i], 1);
		g_byte_array_append(data, label, sizes[i]);
	}
	g_byte_array_append(data, none, 1);
	const guint8 length[] = {(guint8)(data->len >> 8), (guint8)data->len};
	g_byte_array_append(message, length, 2);
	g_byte_array_append(message, data->data, data->len);
	return reply_read_reply(message->data, message->len, DNS_MX);
}

/* RFC 1035 section 2.3.4: the octets of the labels, a length for each, and the root. */
Test(reply, refuses_names_of_more_than_255_octets)
{
	static const guint8 longest[] = {63, 63, 63, 61}, longer[] = {63, 63, 63, 62};
	static const guint8 pairs[] = {63, 63, 63, 59, 1}, many[] = {63, 63, 63, 60, 1};
	g_autofree char *good = dns_reply_read_exchange(longest, G_N_ELEMENTS(longest));
	g_autofree char *bad = dns_reply_read_exchange(longer, G_N_ELEMENTS(longer));
	g_autofree char *five = dns_reply_read_exchange(pairs, G_N_ELEMENTS(pairs));
	g_autofree char *over = dns_reply_read_exchange(many, G_N_ELEMENTS(many));

	cr_assert(good, "255 octets");
	cr_expect_eq(strlen(good), 2 + 4 * 250 + 3, "got %s", good);
	cr_expect_null(bad, "256 octets: got %s", bad);
	cr_expect(five, "255 octets in five labels");
	cr_expect_null(over, "256 octets in five labels: got %s", over);
}

/* Each cut and each changed byte of each message, in memory of just its size, so that a reading
   past the end is seen by the sanitizer and valgrind. */
Test(reply, survives_what_anybody_may_send)
{
	guint refused = 0;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GBytes) message = reply_message_of(cases[i].message);
		gsize size;
		const guint8 *data = g_bytes_get_data(message, &size);

		for (gsize cut = 0; cut < size; cut++) {
			g_autofree guint8 *copy = g_memdup2(data, cut);
			g_autofree char *got = reply_read_reply(copy, cut, cases[i].type);
			refused += got == NULL;
		}
		for (gsize at = 0; at < size; at++)
			for (guint bit = 0; bit < 8; bit++) {
				g_autofree guint8 *copy = g_memdup2(data, size);
				copy[at] ^= (guint8)(1u << bit);
				g_autofree char *got = reply_read_reply(copy, size, cases[i].type);
				refused += got == NULL;
			}
	}
	cr_expect(refused > 1000, "only %u were refused", refused);
}
