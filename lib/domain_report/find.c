/* SPDX-License-Identifier: MIT */
/* Finds a report in a file or a mail, and reads it. */
#include <string.h>

#include "base/error.h"
#include "base/limits/domain_report.h"
#include "domain_report/read.h"
#include "domain_report/unpack.h"
#include "mail/incoming.h"
#include "mail/part.h"

#define CUT_FILE "the packed file breaks off"

static struct domain_report *
find_read_plain(const char *data, gsize size, GError **error)
{
	if (size > LIMIT_DOMAIN_REPORT_UNPACKED) {
		base_invalid(
		    error, "it has more than %d MiB", LIMIT_DOMAIN_REPORT_UNPACKED / LIMIT_MIB);
		return NULL;
	}
	switch (domain_report_form_of(data, size)) {
	case DOMAIN_REPORT_XML:
		return domain_report_read_xml(data, size, error);
	case DOMAIN_REPORT_JSON:
		return domain_report_read_json(data, size, error);
	case DOMAIN_REPORT_GZIP:
	case DOMAIN_REPORT_ZIP:
	case DOMAIN_REPORT_OTHER:
		break;
	}
	base_invalid(error, "it is neither XML nor JSON");
	return NULL;
}

/* Reads a file of a known form. */
static struct domain_report *
find_read_file(enum domain_report_form form, GBytes *file, GError **error)
{
	gsize size;
	const char *data = g_bytes_get_data(file, &size);
	bool is_cut = false;

	if (form == DOMAIN_REPORT_XML || form == DOMAIN_REPORT_JSON)
		return find_read_plain(data, size, error);
	g_autoptr(GByteArray) content = domain_report_unpack(form, file, &is_cut, error);
	if (!content)
		return NULL;
	struct domain_report *report =
	    find_read_plain((const char *)content->data, content->len, error);
	if (report && is_cut)
		domain_report_tell(report, CUT_FILE);
	return report;
}

/* A mail in which a report is looked for. */
struct find_search {
	struct domain_report *found;
	GError *failure; /* why the first file that may be a report is none */
	bool is_inner;	 /* within a message that is a part */
};

static void
find_try(const struct mail_part *part, const char *type, void *context)
{
	struct find_search *search = context;

	if (search->found)
		return;
	if (strcmp(type, "message/rfc822") == 0 && !search->is_inner) {
		const struct mail_part inner = mail_part_split(part->body.text, part->body.size);
		search->is_inner = true;
		mail_part_walk(&inner, find_try, search);
		search->is_inner = false;
		return;
	}
	g_autofree char *encoding = mail_part_field(&part->header, "Content-Transfer-Encoding");
	g_autoptr(GBytes) encoded = g_bytes_new_static(part->body.text, part->body.size);
	g_autoptr(GBytes) file = mail_incoming_decode(encoded, encoding);
	gsize size;
	const void *data = g_bytes_get_data(file, &size);
	enum domain_report_form form = domain_report_form_of(data, size);
	g_autoptr(GError) failure = NULL;

	if (form == DOMAIN_REPORT_OTHER)
		return;
	search->found = find_read_file(form, file, &failure);
	if (failure && !search->failure)
		search->failure = g_steal_pointer(&failure);
}

static struct domain_report *
find_read_mail(const void *data, gsize size, GError **error)
{
	gsize length;
	g_autofree char *text = mail_part_text(data, size, &length);
	const struct mail_part message = mail_part_split(text, length);
	struct find_search search = {NULL};

	mail_part_walk(&message, find_try, &search);
	g_autoptr(GError) failure = search.failure;
	if (!search.found && failure)
		g_propagate_error(error, g_steal_pointer(&failure));
	else if (!search.found)
		base_invalid(error, "it has no XML, JSON, gzip or zip file");
	return search.found;
}

struct domain_report *
domain_report_read(const void *data, gsize size, GError **error)
{
	enum domain_report_form form = domain_report_form_of(data, size);
	g_autoptr(GBytes) file = g_bytes_new_static(data, size);
	struct domain_report *report = form == DOMAIN_REPORT_OTHER
					   ? find_read_mail(data, size, error)
					   : find_read_file(form, file, error);

	if (!report)
		g_prefix_error(error, "This is no report: ");
	return report;
}
