/* SPDX-License-Identifier: MIT */
/* Reads aggregate reports of DMARC by expat. */
#include <expat.h>
#include <string.h>

#include "base/charset.h"
#include "base/error.h"
#include "base/limits/domain_report.h"
#include "domain_report/read.h"
#include "domain_report/repair.h"

#define DEPTH_MAX 200
#define SECOND_MS 1000
#define SECONDS_MAX 253402300799LL
#define ROOT "feedback"

/* The element that stands around the text: there may be several roots, and blanks. */
#define AROUND "posthouse"

/* The elements that are read. */
enum element {
	ELEMENT_ORG_NAME,
	ELEMENT_EMAIL,
	ELEMENT_REPORT_ID,
	ELEMENT_BEGIN,
	ELEMENT_END,
	ELEMENT_GENERATOR,
	ELEMENT_ERROR,
	ELEMENT_DOMAIN,
	ELEMENT_P,
	ELEMENT_SP,
	ELEMENT_NP,
	ELEMENT_ADKIM,
	ELEMENT_ASPF,
	ELEMENT_PCT,
	ELEMENT_TESTING,
	ELEMENT_SOURCE,
	ELEMENT_COUNT,
	ELEMENT_DISPOSITION,
	ELEMENT_DKIM,
	ELEMENT_SPF,
	ELEMENT_HEADER_FROM,
	ELEMENT_ENVELOPE_FROM,
	ELEMENT_RESULT_DOMAIN, /* of DKIM and SPF */
	ELEMENT_RESULT_NAME,
	ELEMENT_RESULT_RESULT,
	ELEMENT_RESULT_DKIM, /* as a whole */
	ELEMENT_RESULT_SPF,
	ELEMENT_RECORD,
	ELEMENTS
};

static const struct {
	const char *path; /* below the root */
	enum element element;
} paths[] = {
    {"/record/row/source_ip", ELEMENT_SOURCE},
    {"/record/row/count", ELEMENT_COUNT},
    {"/record/row/policy_evaluated/disposition", ELEMENT_DISPOSITION},
    {"/record/row/policy_evaluated/dkim", ELEMENT_DKIM},
    {"/record/row/policy_evaluated/spf", ELEMENT_SPF},
    {"/record/identifiers/header_from", ELEMENT_HEADER_FROM},
    {"/record/identifiers/envelope_from", ELEMENT_ENVELOPE_FROM},
    /* The name in the first drafts. */
    {"/record/identities/header_from", ELEMENT_HEADER_FROM},
    {"/record/identities/envelope_from", ELEMENT_ENVELOPE_FROM},
    {"/record/auth_results/dkim/domain", ELEMENT_RESULT_DOMAIN},
    {"/record/auth_results/dkim/selector", ELEMENT_RESULT_NAME},
    {"/record/auth_results/dkim/result", ELEMENT_RESULT_RESULT},
    {"/record/auth_results/dkim", ELEMENT_RESULT_DKIM},
    {"/record/auth_results/spf/domain", ELEMENT_RESULT_DOMAIN},
    {"/record/auth_results/spf/scope", ELEMENT_RESULT_NAME},
    {"/record/auth_results/spf/result", ELEMENT_RESULT_RESULT},
    {"/record/auth_results/spf", ELEMENT_RESULT_SPF},
    {"/record", ELEMENT_RECORD},
    {"/report_metadata/org_name", ELEMENT_ORG_NAME},
    {"/report_metadata/email", ELEMENT_EMAIL},
    {"/report_metadata/report_id", ELEMENT_REPORT_ID},
    {"/report_metadata/date_range/begin", ELEMENT_BEGIN},
    {"/report_metadata/date_range/end", ELEMENT_END},
    {"/report_metadata/generator", ELEMENT_GENERATOR},
    {"/report_metadata/error", ELEMENT_ERROR},
    {"/policy_published/domain", ELEMENT_DOMAIN},
    {"/policy_published/p", ELEMENT_P},
    {"/policy_published/sp", ELEMENT_SP},
    {"/policy_published/np", ELEMENT_NP},
    {"/policy_published/adkim", ELEMENT_ADKIM},
    {"/policy_published/aspf", ELEMENT_ASPF},
    {"/policy_published/pct", ELEMENT_PCT},
    {"/policy_published/testing", ELEMENT_TESTING},
};

/* A report that is being read. */
struct aggregate {
	struct domain_report *report;
	XML_Parser parser;
	GString *path;	 /* of the element, below the root */
	GString *text;	 /* of it */
	guint depth;	 /* elements that are open, within the one around */
	guint root;	 /* the depth of the root; 0: it is not open */
	bool has_root;	 /* it was there */
	bool is_refused; /* error is set */
	GError **error;

	struct domain_report_record *record;
	struct domain_report_result result;
	const char *source, *count; /* of the record */
	bool has_begin, has_end;
};

static void
aggregate_refuse(struct aggregate *aggregate, const char *why)
{
	if (!aggregate->is_refused)
		base_invalid(aggregate->error, "%s", why);
	aggregate->is_refused = true;
	XML_StopParser(aggregate->parser, XML_FALSE);
}

static void XMLCALL
aggregate_begin(void *context, const char *name, const char **attributes)
{
	struct aggregate *aggregate = context;

	if (++aggregate->depth > DEPTH_MAX) {
		aggregate_refuse(aggregate, "its elements stand in each other too deep");
		return;
	}
	g_string_truncate(aggregate->text, 0);
	if (!aggregate->root) {
		if (strcmp(name, ROOT) != 0 || aggregate->has_root)
			return;
		aggregate->root = aggregate->depth;
		aggregate->has_root = true;
		return;
	}
	if (aggregate->depth - aggregate->root > LIMIT_DOMAIN_REPORT_DEPTH)
		return;
	g_string_append_c(aggregate->path, '/');
	g_string_append(aggregate->path, name);
	if (strcmp(aggregate->path->str, "/record") == 0)
		aggregate->record = g_new0(struct domain_report_record, 1);
}

static void XMLCALL
aggregate_text(void *context, const char *text, int size)
{
	struct aggregate *aggregate = context;
	gsize room =
	    LIMIT_DOMAIN_REPORT_TEXT * 4 - MIN(aggregate->text->len, LIMIT_DOMAIN_REPORT_TEXT * 4);

	g_string_append_len(aggregate->text, text, (gssize)MIN((gsize)size, room));
}

/* A word of a report: in lower case, which is told where it was another. */
static const char *
aggregate_word(struct aggregate *aggregate)
{
	const char *text = aggregate->text->str;

	for (const char *c = text; *c; c++)
		if (g_ascii_isupper(*c)) {
			domain_report_tell(aggregate->report, "words in upper case");
			break;
		}
	return domain_report_lower(aggregate->report, text, aggregate->text->len);
}

/* A number of seconds, perhaps with a fraction. */
static bool
aggregate_time(const struct aggregate *aggregate, gint64 *ms_r)
{
	g_autofree char *text = g_strstrip(g_strdup(aggregate->text->str));
	gint64 seconds;

	text[strcspn(text, ".")] = '\0';
	if (!g_ascii_string_to_signed(text, 10, 0, SECONDS_MAX, &seconds, NULL))
		return false;
	*ms_r = seconds * SECOND_MS;
	return true;
}

static void
aggregate_add_result(struct aggregate *aggregate, GArray **results)
{
	const struct domain_report_result *result = &aggregate->result;

	if (!*results)
		*results = g_array_new(FALSE, FALSE, sizeof(struct domain_report_result));
	if (result->domain && (*results)->len < LIMIT_DOMAIN_REPORT_RESULTS)
		g_array_append_vals(*results, result, 1);
	aggregate->result = (struct domain_report_result){NULL};
}

/* The domain that SPF looked at, which is that of the envelope's sender. */
static void
aggregate_fill_sender(struct domain_report *report, struct domain_report_record *record)
{
	if (record->envelope_from || !record->spf_results || record->spf_results->len == 0)
		return;
	const struct domain_report_result *last = &g_array_index(
	    record->spf_results, struct domain_report_result, record->spf_results->len - 1);
	record->envelope_from = domain_report_lower(report, last->domain, strlen(last->domain));
}

static void
aggregate_drop(struct domain_report_record *record)
{
	g_clear_pointer(&record->dkim_results, g_array_unref);
	g_clear_pointer(&record->spf_results, g_array_unref);
	g_free(record);
}

static void
aggregate_add_record(struct aggregate *aggregate)
{
	struct domain_report *report = aggregate->report;
	struct domain_report_record *record = g_steal_pointer(&aggregate->record);
	const char *count = g_steal_pointer(&aggregate->count);
	const char *source = g_steal_pointer(&aggregate->source);
	gint64 number = -1;

	if (count)
		g_ascii_string_to_signed(count, 10, 0, LIMIT_DOMAIN_REPORT_COUNT, &number, NULL);
	if (!source || number < 0) {
		domain_report_tell(report, "records without a source or a count");
		aggregate_drop(record);
		return;
	}
	record->source = source;
	record->count = number;
	if (!record->disposition)
		record->disposition = "none";
	aggregate_fill_sender(report, record);
	g_ptr_array_add(report->records, record);
	if (report->records->len > LIMIT_DOMAIN_REPORT_RECORDS)
		aggregate_refuse(aggregate,
		    "it has more than " G_STRINGIFY(LIMIT_DOMAIN_REPORT_RECORDS) " records");
}

static void
aggregate_take_policy(struct aggregate *aggregate, enum element element)
{
	struct domain_report_policy *policy = &aggregate->report->policy;
	const char **const words[ELEMENTS] = {
	    [ELEMENT_P] = &policy->p,
	    [ELEMENT_SP] = &policy->sp,
	    [ELEMENT_NP] = &policy->np,
	    [ELEMENT_ADKIM] = &policy->adkim,
	    [ELEMENT_ASPF] = &policy->aspf,
	    [ELEMENT_TESTING] = &policy->testing,
	};
	g_autofree char *number = NULL;

	if (element != ELEMENT_PCT) {
		*words[element] = aggregate_word(aggregate);
		return;
	}
	number = g_strstrip(g_strdup(aggregate->text->str));
	if (!g_ascii_string_to_signed(number, 10, 0, 100, &policy->pct, NULL))
		policy->pct = -1;
}

static void
aggregate_take_report(struct aggregate *aggregate, enum element element)
{
	struct domain_report *report = aggregate->report;
	const char *text = domain_report_text(report, aggregate->text->str, aggregate->text->len);

	switch (element) {
	case ELEMENT_ORG_NAME:
		report->reporter = text;
		break;
	case ELEMENT_EMAIL:
		report->email = text;
		break;
	case ELEMENT_REPORT_ID:
		report->report_id = text;
		break;
	case ELEMENT_BEGIN:
		aggregate->has_begin = aggregate_time(aggregate, &report->begin);
		break;
	case ELEMENT_END:
		aggregate->has_end = aggregate_time(aggregate, &report->end);
		break;
	case ELEMENT_GENERATOR:
		report->generator = text;
		break;
	case ELEMENT_ERROR:
		if (text)
			domain_report_tell(report, text);
		break;
	case ELEMENT_DOMAIN:
		if (!report->domain)
			report->domain =
			    domain_report_lower(report, aggregate->text->str, aggregate->text->len);
		break;
	default:
		aggregate_take_policy(aggregate, element);
	}
}

static void
aggregate_take_record(struct aggregate *aggregate, enum element element)
{
	struct domain_report *report = aggregate->report;
	struct domain_report_record *record = aggregate->record;
	const char *text = aggregate->text->str;
	gsize size = aggregate->text->len;

	switch (element) {
	case ELEMENT_SOURCE:
		aggregate->source = domain_report_text(report, text, size);
		break;
	case ELEMENT_COUNT:
		aggregate->count = domain_report_text(report, text, size);
		break;
	case ELEMENT_DISPOSITION:
		record->disposition = aggregate_word(aggregate);
		break;
	case ELEMENT_DKIM:
		record->dkim = g_strcmp0(aggregate_word(aggregate), "pass") == 0;
		break;
	case ELEMENT_SPF:
		record->spf = g_strcmp0(aggregate_word(aggregate), "pass") == 0;
		break;
	case ELEMENT_HEADER_FROM:
		record->header_from = domain_report_lower(report, text, size);
		break;
	case ELEMENT_ENVELOPE_FROM:
		record->envelope_from = domain_report_lower(report, text, size);
		break;
	case ELEMENT_RESULT_DOMAIN:
		aggregate->result.domain = domain_report_text(report, text, size);
		break;
	case ELEMENT_RESULT_NAME:
		aggregate->result.name = domain_report_text(report, text, size);
		break;
	case ELEMENT_RESULT_RESULT:
		aggregate->result.result = aggregate_word(aggregate);
		break;
	case ELEMENT_RESULT_DKIM:
		if (!aggregate->result.result)
			aggregate->result.result = "none";
		aggregate_add_result(aggregate, &record->dkim_results);
		break;
	case ELEMENT_RESULT_SPF:
		if (!aggregate->result.result)
			aggregate->result.result = "none";
		if (!aggregate->result.name)
			aggregate->result.name = "mfrom";
		aggregate_add_result(aggregate, &record->spf_results);
		break;
	default:
		aggregate_add_record(aggregate);
	}
}

static void
aggregate_take(struct aggregate *aggregate)
{
	for (guint i = 0; i < G_N_ELEMENTS(paths); i++) {
		if (strcmp(aggregate->path->str, paths[i].path) != 0)
			continue;
		if (paths[i].element < ELEMENT_SOURCE)
			aggregate_take_report(aggregate, paths[i].element);
		else
			aggregate_take_record(aggregate, paths[i].element);
		return;
	}
}

static void XMLCALL
aggregate_end(void *context, const char *name)
{
	struct aggregate *aggregate = context;
	guint depth = aggregate->depth--;

	if (!aggregate->root || aggregate->is_refused)
		return;
	if (depth == aggregate->root) {
		aggregate->root = 0;
		return;
	}
	if (depth - aggregate->root > LIMIT_DOMAIN_REPORT_DEPTH)
		return;
	aggregate_take(aggregate);
	g_string_truncate(aggregate->path, aggregate->path->len - strlen(name) - 1);
	g_string_truncate(aggregate->text, 0);
}

static bool
aggregate_feed(const char *piece, gsize size, void *context)
{
	struct aggregate *aggregate = context;

	return XML_Parse(aggregate->parser, piece, (int)size, XML_FALSE) == XML_STATUS_OK;
}

/* Reads the text, as far as it is XML. */
static bool
aggregate_parse(struct aggregate *aggregate, const char *data, gsize size)
{
	static const char begin[] = "<" AROUND ">", end[] = "</" AROUND ">";
	struct domain_report *report = aggregate->report;
	guint faults = 0;

	aggregate_feed(begin, sizeof(begin) - 1, aggregate);
	if (!domain_report_repair(data, size, aggregate_feed, aggregate, &faults, aggregate->error))
		return false;
	if (aggregate->is_refused)
		return false;
	if (faults & REPAIR_BYTES)
		domain_report_tell(report, "bytes that are no UTF-8");
	if (faults & REPAIR_SCHEMA)
		domain_report_tell(report, "a stray xs:schema");
	if (faults & REPAIR_MARKUP)
		domain_report_tell(report, "markup that is no XML");
	if (XML_GetErrorCode(aggregate->parser) != XML_ERROR_NONE ||
	    !aggregate_feed(end, sizeof(end) - 1, aggregate) ||
	    XML_Parse(aggregate->parser, "", 0, XML_TRUE) != XML_STATUS_OK)
		domain_report_tell(report, "the file breaks off");
	return !aggregate->is_refused;
}

/* Whether all is there that a report needs. */
static bool
aggregate_check(const struct aggregate *aggregate)
{
	struct domain_report *report = aggregate->report;
	const char *at = report->email ? strrchr(report->email, '@') : NULL;

	if (!aggregate->has_root)
		return base_invalid(aggregate->error, "it has no element " ROOT);
	if (!report->reporter && at && at[1])
		report->reporter = at + 1;
	if (!report->reporter)
		return base_invalid(aggregate->error, "it does not name its reporter");
	if (!report->report_id)
		return base_invalid(aggregate->error, "it has no report_id");
	if (!aggregate->has_begin || !aggregate->has_end)
		return base_invalid(aggregate->error, "it has no date_range");
	if (!report->domain)
		return base_invalid(aggregate->error, "it has no policy_published");
	return true;
}

/* The text in UTF-8, where it has the mark of UTF-16. The caller owns it. */
static GBytes *
aggregate_decode(const char *data, gsize size)
{
	g_autoptr(GBytes) bytes = g_bytes_new_static(data, size);

	return base_charset_text(bytes, CHARSET_UTF_8);
}

struct domain_report *
domain_report_read_xml(const char *data, gsize size, GError **error)
{
	AUTO(domain_report) report = domain_report_new(DOMAIN_REPORT_DMARC);
	g_autoptr(GString) path = g_string_new(NULL);
	g_autoptr(GString) text = g_string_new(NULL);
	struct aggregate aggregate = {.report = report, .path = path, .text = text, .error = error};
	bool is_wide =
	    size >= 2 && (memcmp(data, "\xff\xfe", 2) == 0 || memcmp(data, "\xfe\xff", 2) == 0);
	g_autoptr(GBytes) decoded = is_wide ? aggregate_decode(data, size) : NULL;

	if (decoded)
		data = g_bytes_get_data(decoded, &size);
	aggregate.parser = XML_ParserCreate("UTF-8");
	if (!aggregate.parser)
		g_error("expat has no memory");
	XML_SetUserData(aggregate.parser, &aggregate);
	XML_SetElementHandler(aggregate.parser, aggregate_begin, aggregate_end);
	XML_SetCharacterDataHandler(aggregate.parser, aggregate_text);
	bool done = aggregate_parse(&aggregate, data, size) && aggregate_check(&aggregate);
	XML_ParserFree(aggregate.parser);
	if (aggregate.record)
		aggregate_drop(aggregate.record);
	return done ? g_steal_pointer(&report) : NULL;
}
