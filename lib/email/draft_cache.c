/* SPDX-License-Identifier: MIT */
/* Templates and domains that the drafts of one workspace share. */
#include "email/draft_cache.h"

#include "base/error.h"
#include "content/template_render.h"
#include "email/submission.h"
#include "json/value.h"
#include "service/service.h"
#include "store/common/found.h"
#include "store/domain/domain.h"
#include "store/template/template.h"

struct email_draft_cache *
email_draft_cache_new(bool in_batch)
{
	struct email_draft_cache *cache = g_new0(struct email_draft_cache, 1);

	cache->in_batch = in_batch;
	cache->templates =
	    g_hash_table_new_full(g_str_hash, g_str_equal, NULL, store_template_destroy);
	cache->domains =
	    g_hash_table_new_full(g_str_hash, g_str_equal, g_free, store_domain_destroy);
	return cache;
}

void
email_draft_cache_free(struct email_draft_cache *cache)
{
	g_hash_table_unref(cache->templates);
	g_hash_table_unref(cache->domains);
	g_clear_pointer(&cache->defaults, json_free);
	g_free(cache);
}

static struct store_template *
cache_read_template(
    struct service *service, const struct base_id *workspace, const char *id, GError **error)
{
	g_autoptr(GError) local = NULL;
	struct store_template *template =
	    content_template_read(service->db, workspace, id, NULL, &local);

	if (!template && g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		base_invalid(error, "Template not found");
	else if (!template)
		g_propagate_error(error, g_steal_pointer(&local));
	return template;
}

const struct store_template *
email_draft_cache_template(struct email_draft_cache *cache, struct service *service,
    const struct base_id *workspace, const char *id, GError **error)
{
	struct store_template *template = g_hash_table_lookup(cache->templates, id);

	if (!template) {
		template = cache_read_template(service, workspace, id, error);
		if (template)
			g_hash_table_insert(cache->templates, template->id, template);
	}
	return template;
}

bool
email_draft_cache_domain(struct email_draft_cache *cache, struct service *service,
    const struct base_id *workspace, const char *name, struct store_domain_recipients *recipient,
    const struct store_domain **domain_r, GError **error)
{
	g_autoptr(GError) local = NULL;
	struct store_domain *domain = g_hash_table_lookup(cache->domains, name);

	if (!domain) {
		domain = store_domain_find_sender(service->db, workspace, name, recipient, &local);
		if (domain)
			g_hash_table_insert(cache->domains, g_strdup(name), domain);
	}
	*domain_r = domain;
	return store_found(g_steal_pointer(&local), NULL, error);
}
