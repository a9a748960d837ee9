/* SPDX-License-Identifier: MIT */
/* Reports about a domain: their forms, faults and limits. */
#include "domain_report/report.h"

#include <criterion/criterion.h>
#include <string.h>
#include <zlib.h>

#include "base/limits/domain_report.h"
#include "dmarc/reading.h"
#include "json/value.h"
#include "json/writer.h"

#define METADATA                                                                                   \
	"<report_metadata><org_name>Example Mail</org_name><email>d@example.net</email>"           \
	"<report_id>r1</report_id><date_range><begin>1700000000</begin><end>1700086399</end>"      \
	"</date_range></report_metadata>"
#define POLICY "<policy_published><domain>Example.COM</domain><p>none</p></policy_published>"
#define ROW(source, count)                                                                         \
	"<record><row><source_ip>" source "</source_ip><count>" count "</count><policy_evaluated>" \
	"<disposition>none</disposition><dkim>pass</dkim><spf>fail</spf></policy_evaluated></row>" \
	"<identifiers><header_from>Example.com</header_from></identifiers><auth_results><dkim>"    \
	"<domain>example.com</domain><selector>s1</selector><result>pass</result></dkim><spf>"     \
	"<domain>send.Example.com</domain><result>softfail</result></spf></auth_results></record>"
#define RECORD ROW("192.0.2.1", "3")
#define REPORT "<feedback>" METADATA POLICY RECORD "</feedback>"

/* A report in short: kind, reporter, email, id, begin, domain, policies, and records as
   SOURCE COUNT DISPOSITION DKIM SPF FROM SENDER; then the errors. */
static char *
domain_report_print(const void *data, gsize size)
{
	g_autoptr(GError) error = NULL;
	AUTO(domain_report) report = domain_report_read(data, size, &error);
	GString *text = g_string_new(NULL);

	if (!report) {
		g_string_append(text, error->message);
		return g_string_free(text, FALSE);
	}
	g_string_append_printf(text, "%s|%s|%s|%" G_GINT64_FORMAT "|%s", report->reporter,
	    report->email, report->report_id, report->begin, report->domain);
	for (guint i = 0; i < report->records->len; i++) {
		const struct domain_report_record *record = report->records->pdata[i];

		g_string_append_printf(text, "|%s %" G_GINT64_FORMAT " %s %d %d %s %s",
		    record->source, record->count, record->disposition, record->dkim, record->spf,
		    record->header_from, record->envelope_from);
	}
	for (guint i = 0; i < report->errors->len; i++)
		g_string_append_printf(text, "!%s", (const char *)report->errors->pdata[i]);
	return g_string_free(text, FALSE);
}

#define HEAD "Example Mail|d@example.net|r1|1700000000000|example.com"
#define ROW_1 "|192.0.2.1 3 none 1 0 example.com send.example.com"

Test(domain_report, reads_xml)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
	    {"a plain one", REPORT, HEAD ROW_1},
	    {"a header, a mark and a comment",
		"\xef\xbb\xbf \n<?xml version=\"1.0\" encoding=\"windows-1252\" bad?><!-- <x> "
		"-->" REPORT,
		HEAD ROW_1},
	    {"RFC 9990",
		"<f:feedback xmlns:f=\"urn:ietf:params:xml:ns:dmarc-2.0\"><f:version>1.0"
		"</f:version>" METADATA POLICY RECORD "</f:feedback>",
		HEAD ROW_1},
	    {"an early draft",
		"<feedback>" METADATA POLICY
		"<record><row><source_ip>2001:db8::1</source_ip><count>1</count>"
		"<policy_evaluated/></row><identities><header_from>example.com</header_from>"
		"</identities></record></feedback>",
		HEAD "|2001:db8::1 1 none 0 0 example.com (null)"},
	    {"no record", "<feedback>" METADATA POLICY "</feedback>", HEAD},
	    {"final dots of domains",
		"<feedback>" METADATA
		"<policy_published><domain>example.com.</domain></policy_published>"
		"<record><row><source_ip>192.0.2.1</source_ip><count>1</count><policy_evaluated/></"
		"row>"
		"<identifiers><envelope_from>Send.example.com.</"
		"envelope_from><header_from>example.com."
		"</header_from></identifiers></record></feedback>",
		HEAD "|192.0.2.1 1 none 0 0 example.com send.example.com"},
	    {"words in upper case",
		"<feedback>" METADATA POLICY
		"<record><row><source_ip>192.0.2.1</source_ip><count>1</count><policy_evaluated>"
		"<disposition>Reject</disposition><dkim>Fail</dkim><spf>PASS</spf>"
		"</policy_evaluated></row></record></feedback>",
		HEAD "|192.0.2.1 1 reject 0 1 (null) (null)!words in upper case"},
	    {"bytes that are no UTF-8", "<feedback>" METADATA POLICY RECORD "\xff\x91</feedback>",
		HEAD ROW_1 "!bytes that are no UTF-8"},
	    {"a stray schema", "<xs:schema xmlns:xs=\"http://www.w3.org/2001/XMLSchema\">" REPORT,
		HEAD ROW_1 "!a stray xs:schema"},
	    {"a file that breaks off", "<feedback>" METADATA POLICY RECORD "<record><row><sou",
		HEAD ROW_1 "!the file breaks off"},
	    {"a tag that is not closed", "<feedback>" METADATA POLICY RECORD "<record></row>",
		HEAD ROW_1 "!the file breaks off"},
	    {"markup that is none",
		"<feedback>" METADATA POLICY RECORD "a & b < c <d@e> &nope; &#0;</feedback>",
		HEAD ROW_1 "!markup that is no XML"},
	    {"references and CDATA",
		"<feedback>" METADATA POLICY ROW("<![CDATA[192.0.2.1]]>", "&#x33;") "</feedback>",
		HEAD ROW_1},
	    {"records without a source or a count",
		"<feedback>" METADATA POLICY ROW("", "1") ROW("192.0.2.1", "x")
		    ROW("192.0.2.1", "-1") RECORD "</feedback>",
		HEAD ROW_1 "!records without a source or a count"},
	    {"the reporter's errors",
		"<feedback><report_metadata><org_name/><email>d@example.net</email><report_id>r1"
		"</report_id><date_range><begin>1700000000.5</begin><end>1</end></date_range>"
		"<error>late</error></report_metadata>" POLICY "</feedback>",
		"example.net|d@example.net|r1|1700000000000|example.com!late"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = domain_report_print(cases[i].text, strlen(cases[i].text));
		cr_expect_str_eq(got, cases[i].want, "%s: got %s", cases[i].name, got);
	}
}

Test(domain_report, tells_why_a_file_is_no_report)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", "it has no XML, JSON, gzip or zip file"},
	    {"Subject: x\n\nhello\n", "it has no XML, JSON, gzip or zip file"},
	    {"<html></html>", "it has no element feedback"},
	    {"<feedback></feedback>", "it does not name its reporter"},
	    {"<feedback>" METADATA "</feedback>", "it has no policy_published"},
	    {"<feedback>" POLICY "<report_metadata><org_name>x</org_name></report_metadata>"
	     "</feedback>",
		"it has no report_id"},
	    {"<feedback>" POLICY "<report_metadata><org_name>x</org_name><report_id>1</report_id>"
	     "<date_range><begin>soon</begin></date_range></report_metadata></feedback>",
		"it has no date_range"},
	    {"<!DOCTYPE feedback>" REPORT, "it has a DOCTYPE or an ENTITY"},
	    {"<!DOCTYPE lolz [<!ENTITY lol \"lol\"><!ENTITY a \"&lol;&lol;\">]>" REPORT,
		"it has a DOCTYPE or an ENTITY"},
	    {REPORT "<!ENTITY a \"b\">", "it has a DOCTYPE or an ENTITY"},
	    {"{\"a\":", "it is no JSON: "},
	    {"{}", "it has no organization-name"},
	    {"{\"organization-name\":\"x\"}", "it has no report-id"},
	    {"{\"organization-name\":\"x\",\"report-id\":\"1\"}", "it has no date-range"},
	    {"{\"organization-name\":\"x\",\"report-id\":\"1\",\"date-range\":{\"start-datetime\":"
	     "\"2026-11-20T00:00:00Z\",\"end-datetime\":\"2026-11-20T23:59:59Z\"}}",
		"it has no policies"},
	    {"PK\3\4", "the zip file has no .xml"},
	    {"\x1f\x8b", "it is neither XML nor JSON"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = domain_report_print(cases[i].text, strlen(cases[i].text));
		g_autofree char *want = g_strconcat("This is no report: ", cases[i].want, NULL);
		cr_expect(g_str_has_prefix(got, want), "%s: got %s", cases[i].text, got);
	}
}

/* A text, packed in the form that bits name (zlib.h). */
static GBytes *
domain_report_pack(const void *data, gsize size, int bits)
{
	z_stream stream = {.next_in = (guint8 *)data, .avail_in = (uInt)size};

	cr_assert_eq(deflateInit2(&stream, 6, Z_DEFLATED, bits, 8, Z_DEFAULT_STRATEGY), Z_OK);
	gsize room = deflateBound(&stream, size);
	guint8 *packed = g_malloc(room);
	stream.next_out = packed;
	stream.avail_out = (uInt)room;
	cr_assert_eq(deflate(&stream, Z_FINISH), Z_STREAM_END);
	gsize length = stream.total_out;
	deflateEnd(&stream);
	return g_bytes_new_take(packed, length);
}

static GBytes *
domain_report_gzip(const void *data, gsize size)
{
	return domain_report_pack(data, size, MAX_WBITS | 16);
}

static void
domain_report_number(GByteArray *to, guint32 number, guint bytes)
{
	for (guint i = 0; i < bytes; i++) {
		guint8 byte = i < sizeof(number) ? (guint8)(number >> (8 * i)) : 0;
		g_byte_array_append(to, &byte, 1);
	}
}

/* A zip with one file. */
static GByteArray *
domain_report_zip(const char *name, const void *data, gsize size)
{
	g_autoptr(GBytes) packed = domain_report_pack(data, size, -MAX_WBITS);
	GByteArray *zip = g_byte_array_new();
	guint32 length = (guint32)g_bytes_get_size(packed);

	/* Its sizes stand behind it, as streaming programs write them. */
	g_byte_array_append(zip, (const guint8 *)"PK\3\4\24\0\10\0\10\0", 10);
	domain_report_number(zip, 0, 16);
	domain_report_number(zip, (guint32)strlen(name), 2);
	domain_report_number(zip, 0, 2);
	g_byte_array_append(zip, (const guint8 *)name, (guint)strlen(name));
	g_byte_array_append(zip, g_bytes_get_data(packed, NULL), length);
	guint32 directory = zip->len;
	g_byte_array_append(zip, (const guint8 *)"PK\1\2\24\0\24\0\10\0\10\0", 12);
	domain_report_number(zip, 0, 8);
	domain_report_number(zip, length, 4);
	domain_report_number(zip, (guint32)size, 4);
	domain_report_number(zip, (guint32)strlen(name), 2);
	domain_report_number(zip, 0, 12);
	domain_report_number(zip, 0, 4);
	g_byte_array_append(zip, (const guint8 *)name, (guint)strlen(name));
	guint32 end = zip->len;
	g_byte_array_append(zip, (const guint8 *)"PK\5\6\0\0\0\0\1\0\1\0", 12);
	domain_report_number(zip, end - directory, 4);
	domain_report_number(zip, directory, 4);
	domain_report_number(zip, 0, 2);
	return zip;
}

static void
domain_report_expect(const char *name, const void *data, gsize size, const char *want)
{
	g_autofree char *got = domain_report_print(data, size);

	cr_expect_str_eq(got, want, "%s: got %s", name, got);
}

Test(domain_report, reads_packed_files)
{
	g_autoptr(GBytes) gzip = domain_report_gzip(REPORT, strlen(REPORT));
	g_autoptr(GByteArray) zip = domain_report_zip("a!b.XML", REPORT, strlen(REPORT));
	g_autoptr(GByteArray) other = domain_report_zip("a.txt", REPORT, strlen(REPORT));
	g_autoptr(GByteArray) nested = domain_report_zip("b.zip", zip->data, zip->len);
	g_autoptr(GByteArray) named = domain_report_zip("b.xml", zip->data, zip->len);
	gsize size;
	const guint8 *data = g_bytes_get_data(gzip, &size);

	domain_report_expect("gzip", data, size, HEAD ROW_1);
	domain_report_expect(
	    "its end is missing", data, size - 6, HEAD ROW_1 "!the packed file breaks off");
	domain_report_expect("all but its header is missing", data, 10,
	    "This is no report: it is neither XML nor JSON");
	domain_report_expect("zip", zip->data, zip->len, HEAD ROW_1);
	domain_report_expect("its directory is missing", zip->data, zip->len - 70,
	    HEAD ROW_1 "!the packed file breaks off");
	domain_report_expect(
	    "another file", other->data, other->len, "This is no report: the zip file has no .xml");
	domain_report_expect("a zip in it", nested->data, nested->len,
	    "This is no report: the zip file has no .xml");
	domain_report_expect("a zip with the name of XML", named->data, named->len,
	    "This is no report: it is neither XML nor JSON");
	g_autoptr(GBytes) twice = domain_report_gzip(data, size);
	domain_report_expect("gzip in gzip", g_bytes_get_data(twice, NULL), g_bytes_get_size(twice),
	    "This is no report: it is neither XML nor JSON");
}

Test(domain_report, reads_mails)
{
	g_autoptr(GBytes) gzip = domain_report_gzip(REPORT, strlen(REPORT));
	gsize size;
	const guint8 *data = g_bytes_get_data(gzip, &size);
	g_autofree char *text = g_base64_encode(data, size);
	const struct {
		const char *name, *before, *after;
	} cases[] = {
	    {"the body", "Content-Transfer-Encoding: base64\n\n", "\n"},
	    {"a part, whatever its type",
		"Content-Type: multipart/mixed; boundary=b\n\n--b\n\nHello.\n--b\nContent-Type: "
		"image/png\nContent-Transfer-Encoding: base64\n\n",
		"\n--b--\n"},
	    {"a mail that was passed on",
		"Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: "
		"message/rfc822\n\nSubject: y\nContent-Transfer-Encoding: BASE64\n\n",
		"\n--b--\n"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *mail =
		    g_strconcat("Subject: x\n", cases[i].before, text, cases[i].after, NULL);
		domain_report_expect(cases[i].name, mail, strlen(mail), HEAD ROW_1);
	}
	domain_report_expect("XML as it is", "Subject: x\nContent-Type: text/xml\n\n" REPORT "\n",
	    strlen("Subject: x\nContent-Type: text/xml\n\n" REPORT "\n"), HEAD ROW_1);
}

Test(domain_report, reads_reports_about_tls)
{
	static const char text[] =
	    "{\"organization-name\":\"Example\",\"contact-info\":\"t@example.net\",\"report-id\":"
	    "\"t1\",\"date-range\":{\"start-datetime\":\"2026-11-20T00:00:00Z\",\"end-datetime\":"
	    "\"2026-11-20T23:59:59Z\"},\"policies\":[{\"policy\":{\"policy-type\":\"sts\","
	    "\"policy-domain\":\"Example.com.\"},\"summary\":{\"total-successful-session-count\":"
	    "5,\"total-failure-session-count\":3},\"failure-details\":[{\"result-type\":"
	    "\"certificate-expired\",\"sending-mta-ip\":\"192.0.2.1\",\"receiving-mx-hostname\":"
	    "\"mx.example.com\",\"failed-session-count\":2},{\"failed-session-count\":1}]},{"
	    "\"policy\":{\"policy-type\":\"tlsa\",\"policy-domain\":\"other.example\"},"
	    "\"summary\":{\"total-successful-session-count\":7}}]}";
	static const char want[] =
	    "{\"kind\":\"tls\",\"reporter\":\"Example\",\"email\":\"t@example.net\",\"report_id\":"
	    "\"t1\",\"begin\":1795132800000,\"end\":1795219199000,\"domain\":\"example.com\","
	    "\"policy_type\":\"sts, tlsa\",\"successful\":12,\"failed\":3,\"failures\":[{"
	    "\"result_type\":\"certificate-expired\",\"count\":2,\"sending_ip\":\"192.0.2.1\","
	    "\"receiving_host\":\"mx.example.com\"}],\"errors\":[\"failures without a "
	    "result-type\"]}";
	static const char *const none[] = {NULL};
	const struct dmarc_reading_domain domain = {"example.com", "send.example.com", none};
	g_autoptr(GBytes) gzip = domain_report_gzip(text, strlen(text));
	g_autoptr(GError) error = NULL;
	g_autofree char *got =
	    dmarc_reading_show(g_bytes_get_data(gzip, NULL), g_bytes_get_size(gzip), &error);

	cr_assert(got, "%s", error->message);
	cr_expect_str_eq(got, want, "got %s", got);
	/* The policy of another domain does not count. */
	AUTO(json) sum = dmarc_reading_sum(text, strlen(text), &domain, &error);
	cr_assert(sum, "%s", error->message);
	g_autofree char *printed = json_print(sum);
	cr_expect(strstr(printed, "\"policy_type\":\"sts\",\"successful\":5,\"failed\":3,"),
	    "got %s", printed);
}

/* The first policy that is about the domain, a name below it or one above it counts, wherever it
   stands. */
Test(domain_report, finds_the_policy_of_a_report_about_tls)
{
#define ABOUT(domain, sessions)                                                                    \
	"{\"policy\":{\"policy-type\":\"sts\",\"policy-domain\":\"" domain "\"},\"summary\":{"     \
	"\"total-successful-session-count\":" sessions "}}"
	static const char text[] =
	    "{\"organization-name\":\"Example\",\"report-id\":\"t1\",\"date-range\":{"
	    "\"start-datetime\":\"2026-11-20T00:00:00Z\",\"end-datetime\":"
	    "\"2026-11-20T23:59:59Z\"},\"policies\":[" ABOUT("other.example", "1") "," ABOUT(
		"example.com", "2") "," ABOUT("a.mail.example.com", "4") "]}";
	static const struct {
		const char *name, *want;
	} cases[] = {
	    {"mail.example.com",
		"\"domain\":\"a.mail.example.com\",\"policy_type\":\"sts\",\"successful\":4,"},
	    {"shop.example.com",
		"\"domain\":\"example.com\",\"policy_type\":\"sts\",\"successful\":6,"},
	    {"example.com", "\"domain\":\"example.com\",\"policy_type\":\"sts\",\"successful\":6,"},
	    {"strange.example",
		"\"domain\":\"other.example\",\"policy_type\":\"sts\",\"successful\":7,"},
	};
	static const char *const none[] = {NULL};
	g_autoptr(GError) error = NULL;

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct dmarc_reading_domain domain = {cases[i].name, "send.example", none};
		AUTO(json) sum = dmarc_reading_sum(text, strlen(text), &domain, &error);

		cr_assert(sum, "%s", error->message);
		g_autofree char *printed = json_print(sum);
		cr_expect(strstr(printed, cases[i].want), "%s: got %s", cases[i].name, printed);
	}
#undef ABOUT
}

/* REPORT with so many records. */
static char *
domain_report_long(guint count)
{
	g_autoptr(GString) text = g_string_new("<feedback>" METADATA POLICY);

	for (guint i = 0; i < count; i++)
		g_string_append(text, RECORD);
	g_string_append(text, "</feedback>");
	return g_strdup(text->str);
}

Test(domain_report, has_limits)
{
	g_autofree char *most = domain_report_long(LIMIT_DOMAIN_REPORT_RECORDS);
	g_autofree char *past = domain_report_long(LIMIT_DOMAIN_REPORT_RECORDS + 1);
	g_autoptr(GError) error = NULL;
	AUTO(domain_report) report = domain_report_read(most, strlen(most), &error);

	cr_assert(report, "%s", error->message);
	cr_expect_eq(report->records->len, LIMIT_DOMAIN_REPORT_RECORDS);
	domain_report_expect("one record more", past, strlen(past),
	    "This is no report: it has more than 20000 records");

	/* Blanks fill the file up to its limit. */
	gsize size = LIMIT_DOMAIN_REPORT_UNPACKED;
	g_autofree char *wide = g_malloc(size + 1);
	memset(wide, ' ', size + 1);
	memcpy(wide, REPORT, strlen(REPORT));
	domain_report_expect("50 MiB", wide, size, HEAD ROW_1);
	domain_report_expect(
	    "a byte more", wide, size + 1, "This is no report: it has more than 50 MiB");
	g_autoptr(GBytes) packed = domain_report_gzip(wide, size);
	domain_report_expect(
	    "50 MiB packed", g_bytes_get_data(packed, NULL), g_bytes_get_size(packed), HEAD ROW_1);
	g_autoptr(GBytes) bomb = domain_report_gzip(wide, size + 1);
	domain_report_expect("a byte more packed", g_bytes_get_data(bomb, NULL),
	    g_bytes_get_size(bomb), "This is no report: it unpacks to more than 50 MiB");

	/* The bytes behind the end of a packed file count too. */
	g_autoptr(GBytes) small = domain_report_gzip(REPORT, strlen(REPORT));
	g_autofree char *full = g_malloc0(LIMIT_DOMAIN_REPORT_PACKED + 1);
	memcpy(full, g_bytes_get_data(small, NULL), g_bytes_get_size(small));
	domain_report_expect("10 MiB", full, LIMIT_DOMAIN_REPORT_PACKED, HEAD ROW_1);
	domain_report_expect("a byte more", full, LIMIT_DOMAIN_REPORT_PACKED + 1,
	    "This is no report: the packed file has more than 10 MiB");
}

/* A file that is made to fill the memory or to take all time ends within the limits. */
Test(domain_report, survives_bombs)
{
	gsize size = LIMIT_DOMAIN_REPORT_UNPACKED;
	g_autofree char *bytes = g_malloc0(size);
	g_autoptr(GError) error = NULL;
	gint64 start = g_get_monotonic_time();
	const char *const fills[] = {"\0", "<a>", "<", "<![CDATA[", "<a b=\"", "&#", "x",
	    "<feedback><record><row>", "<xs:a>", "\xff", "PK\3\4", "{\"a\":[", "<!--"};

	for (gsize i = 0; i < G_N_ELEMENTS(fills); i++) {
		gsize step = MAX(strlen(fills[i]), 1);

		for (gsize at = 0; at + step <= size; at += step)
			memcpy(bytes + at, fills[i], step);
		g_autoptr(GBytes) packed = domain_report_gzip(bytes, size);
		g_clear_error(&error);
		g_autofree char *got = dmarc_reading_show(
		    g_bytes_get_data(packed, NULL), g_bytes_get_size(packed), &error);
		cr_expect(!got && g_str_has_prefix(error->message, "This is no report: "), "%s: %s",
		    fills[i], got ? got : error->message);
	}
	cr_expect_lt(g_get_monotonic_time() - start,
	    (gint64)G_N_ELEMENTS(fills) * 2 * LIMIT_DOMAIN_REPORT_MS * 1000);
}
