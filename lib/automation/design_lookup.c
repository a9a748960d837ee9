/* SPDX-License-Identifier: MIT */
/* Finds in the database what a design names. */
#include "automation/design_lookup.h"

#include <stdbool.h>

#include "base/error.h"
#include "base/id.h"
#include "fetch/fetch.h"
#include "store/automation/secret.h"
#include "store/broadcast/segment.h"
#include "store/common/found.h"
#include "store/consent/topic.h"
#include "store/domain/domain.h"
#include "store/person/audience.h"
#include "store/template/draft.h"
#include "store/template/template.h"

bool
automation_design_template(
    const char *id, bool *found_r, bool *subject_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;

	return store_template_find(store->db, store->workspace, id, found_r, subject_r, error);
}

bool
automation_design_published(
    const char *name, bool *found_r, bool *subject_r, bool *sender_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	GError *local = NULL;
	AUTO(store_template)
	template = store_template_draft_published(store->db, store->workspace, name, &local);

	*found_r = template && template->published;
	*subject_r = template && template->subject;
	*sender_r = template && template->sender;
	if (template)
		return true;
	if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_propagate_error(error, local);
		return false;
	}
	g_error_free(local);
	return true;
}

bool
automation_design_domain(const char *domain, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	AUTO(store_domain) found =
	    store_domain_find_sender(store->db, store->workspace, domain, NULL, &local);

	return store_found(g_steal_pointer(&local), found_r, error);
}

bool
automation_design_topic(const char *id, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	struct base_id topic;

	*found_r = false;
	if (!base_id_parse(id, &topic))
		return true;
	AUTO(store_topic) found = store_topic_get(store->db, store->workspace, &topic, &local);
	return store_found(g_steal_pointer(&local), found_r, error);
}

bool
automation_design_audience(const char *id, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	struct base_id audience;

	*found_r = base_id_parse(id, &audience) &&
		   store_audience_check(store->db, store->workspace, &audience, &local);
	return store_found(g_steal_pointer(&local), NULL, error);
}

bool
automation_design_segment(const struct base_id *id, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	AUTO(store_segment) found = store_segment_get(store->db, store->workspace, id, &local);

	return store_found(g_steal_pointer(&local), found_r, error);
}

bool
automation_design_url(const char *url, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	guint port = 0;

	switch (fetch_url_check(url, &store->rules, &port)) {
	case FETCH_URL_GOOD:
		return true;
	case FETCH_URL_PRIVATE:
		return base_invalid(error, "url must not lead to a private address");
	case FETCH_URL_PORT:
		return base_invalid(error, "url must not use port %u", port);
	case FETCH_URL_MALFORMED:
		break;
	}
	return base_invalid(error, "url must be an absolute http or https URL");
}

bool
automation_design_secret(const char *name, bool *found_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	g_autoptr(GBytes) value = store_secret_value(store->db, store->workspace, name, &local);

	return store_found(g_steal_pointer(&local), found_r, error);
}

bool
automation_design_frozen(const struct base_id *id, bool *frozen_r, void *context, GError **error)
{
	const struct automation_design_store *store = context;
	g_autoptr(GError) local = NULL;
	AUTO(store_segment) found = store_segment_get(store->db, store->workspace, id, &local);

	*frozen_r = found && found->frozen_at;
	return store_found(g_steal_pointer(&local), NULL, error);
}
