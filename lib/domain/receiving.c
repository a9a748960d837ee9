/* SPDX-License-Identifier: MIT */
/* Looks where the mail of a domain goes before the domain begins to receive. */
#include "domain/receiving.h"

#include "base/error.h"
#include "base/limits/fetch.h"
#include "config/settings.h"
#include "dns/question.h"
#include "dns/resolver.h"
#include "domain/zone.h"
#include "service/service.h"
#include "store/domain/domain.h"

static int
receiving_compare(gconstpointer a, gconstpointer b)
{
	const struct dns_answer *left = *(struct dns_answer *const *)a;
	const struct dns_answer *right = *(struct dns_answer *const *)b;

	return left->number < right->number ? -1 : left->number > right->number;
}

GPtrArray *
domain_receiving_elsewhere(const struct config_settings *settings, const char *name, GError **error)
{
	AUTO(dns_question) question = dns_question_new(name, DNS_MX);
	g_autofree char *own = domain_zone_mx(settings);
	g_autoptr(GPtrArray) hosts = g_ptr_array_new_with_free_func(g_free);

	if (!dns_ask(config_settings_list(settings, SETTING_DNS_SERVERS), &question, 1,
		LIMIT_DNS_MS, error))
		return NULL;
	g_ptr_array_sort(question->answers, receiving_compare);
	for (guint i = 0; i < question->answers->len; i++) {
		const struct dns_answer *answer = question->answers->pdata[i];

		/* An empty host says that the domain takes no mail (RFC 7505). */
		if (*answer->text && g_ascii_strcasecmp(answer->text, own) != 0)
			g_ptr_array_add(hosts, g_ascii_strdown(answer->text, -1));
	}
	return g_steal_pointer(&hosts);
}

bool
domain_receiving_check(const struct config_settings *settings, const char *name, GError **error)
{
	g_autoptr(GPtrArray) hosts = domain_receiving_elsewhere(settings, name, error);

	if (!hosts)
		return false;
	if (hosts->len == 0)
		return true;
	g_ptr_array_add(hosts, NULL);
	g_autofree char *list = g_strjoinv(", ", (char **)hosts->pdata);
	return base_fail(error, PH_ERROR_CONFLICT,
	    "%s has MX records that lead elsewhere (%s): receiving would take its mail away. Use a "
	    "sub-domain, or override",
	    name, list);
}

bool
domain_receiving_allowed(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	AUTO(store_domain) domain = store_domain_get(service->db, workspace, id, error);

	return domain && (domain->receiving ||
			     domain_receiving_check(service->settings, domain->name, error));
}
