/* SPDX-License-Identifier: MIT */
/* Reports about a domain, and its policy (/v1/domains/{id}/dmarc and so on). */
#include "fcgi/v1/handlers.h"

#include <stddef.h>
#include <string.h>

#include "base/limits/list.h"
#include "dmarc/figures.h"
#include "dmarc/policy.h"
#include "fcgi/api/context.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/report.h"

/* Reads the domain of the path. The caller frees it. */
static struct store_domain *
dmarc_domain(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_domains_id(call, &id, error))
		return NULL;
	return store_domain_get(call->service->db, &call->key.workspace_id, &id, error);
}

bool
fcgi_dmarc_figures(struct fcgi_call *call, GError **error)
{
	AUTO(store_domain) domain = dmarc_domain(call, error);
	struct dmarc_wish wish = {NULL};
	struct store_dmarc_query query;
	bool verified;

	if (!domain || !fcgi_page_whole(call, error) ||
	    !fcgi_page_text(call, "group_by", &wish.group_by, error) ||
	    !fcgi_page_text(call, "from", &wish.from, error) ||
	    !fcgi_page_text(call, "to", &wish.to, error) ||
	    !fcgi_page_text(call, "verified", &wish.verified, error) ||
	    !dmarc_figures_read(&wish, &query, &verified, error))
		return false;
	g_autoptr(GPtrArray) list = dmarc_figures_list(
	    call->service->db, &call->key.workspace_id, &domain->id, &query, error);
	if (!list)
		return false;
	AUTO(json_writer) writer = json_writer_new();
	fcgi_page_begin(writer, "dmarc");
	for (guint i = 0; i < list->len; i++)
		dmarc_figures_write(writer, list->pdata[i]);
	fcgi_page_end_text(call, writer, list->len, NULL);
	return true;
}

static void
dmarc_write_report(struct json_writer *writer, const struct service *service, const void *row)
{
	const struct store_domain_report *report = row;

	json_writer_raw(writer, NULL, report->summary, strlen(report->summary));
}

static bool
dmarc_list(struct fcgi_call *call, enum store_domain_report_kind kind, GError **error)
{
	AUTO(store_domain) domain = dmarc_domain(call, error);
	struct base_id before;
	bool given;

	if (!domain || !fcgi_page_cursor(call, true, &before, &given, error))
		return false;
	g_autoptr(GPtrArray) list =
	    store_domain_report_list(call->service->db, &call->key.workspace_id,
		&(struct store_domain_report_page){
		    &domain->id, kind, given ? &before : NULL, LIMIT_PAGE + 1},
		error);
	return fcgi_page_reply(call,
	    &(struct fcgi_page){"reports", list, LIMIT_PAGE, true,
		offsetof(struct store_domain_report, id), .write = dmarc_write_report},
	    error);
}

bool
fcgi_dmarc_reports(struct fcgi_call *call, GError **error)
{
	return dmarc_list(call, STORE_REPORT_DMARC, error);
}

bool
fcgi_dmarc_tls_reports(struct fcgi_call *call, GError **error)
{
	return dmarc_list(call, STORE_REPORT_TLS, error);
}

bool
fcgi_dmarc_policy(struct fcgi_call *call, GError **error)
{
	AUTO(store_domain) domain = dmarc_domain(call, error);
	AUTO(json_writer) writer = json_writer_new();

	if (!domain || !dmarc_policy_write(writer, call->service, domain, error))
		return false;
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
