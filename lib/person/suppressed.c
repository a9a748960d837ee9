/* SPDX-License-Identifier: MIT */
/* Finds the people who are on the suppression list. The database cannot tell whose hash an entry
   has, so people are read and looked up, some at a time. */
#include "person/suppressed.h"

#include "base/limits/list.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/common/search.h"
#include "store/person/people.h"
#include "store/person/people_scan.h"

#define LOOKED 250 /* people that are looked up together */

/* The states of people. The caller owns them. */
static struct store_suppression_state *
suppressed_states(struct service *service, const struct base_id *workspace, const GPtrArray *people,
    GError **error)
{
	struct store_suppression_state *states =
	    g_new0(struct store_suppression_state, people->len + 1);
	g_autofree const char **addresses = g_new0(const char *, people->len + 1);

	for (guint i = 0; i < people->len; i++)
		addresses[i] = ((const struct store_person *)people->pdata[i])->address;
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, addresses, people->len);
	if (!store_suppression_states(service->db,
		&(struct store_suppression_people){
		    workspace, person_suppress_key(keys, 0), people->len},
		states, error))
		g_clear_pointer(&states, g_free);
	return states;
}

/* Adds those of some people who are on the list, until there are limit. */
static bool
suppressed_add(struct service *service, const struct base_id *workspace, const GPtrArray *people,
    GArray *ids, guint limit, GError **error)
{
	g_autofree struct store_suppression_state *states =
	    suppressed_states(service, workspace, people, error);

	for (guint i = 0; states && i < people->len && ids->len < limit; i++)
		if (states[i].reason != 0)
			g_array_append_val(ids, ((struct store_person *)people->pdata[i])->id);
	return states != NULL;
}

bool
person_suppressed_page(struct service *service, const struct store_search_list *list,
    struct store_search_page *page_r, GError **error)
{
	const struct base_id *workspace = list->workspace;
	guint looked = 0;

	page_r->ids = g_array_new(FALSE, FALSE, sizeof(struct base_id));
	page_r->has_rest = true;
	while (page_r->has_rest && page_r->ids->len < list->limit && looked < LIMIT_SEARCH_ROWS) {
		g_autoptr(GPtrArray) people = store_people_addresses(service->db, workspace,
		    looked > 0 ? &page_r->rest : list->before, LOOKED, error);

		if (!people ||
		    !suppressed_add(service, workspace, people, page_r->ids, list->limit, error))
			return false;
		page_r->has_rest = people->len == LOOKED;
		if (page_r->has_rest)
			page_r->rest = ((const struct store_person *)people->pdata[LOOKED - 1])->id;
		looked += people->len;
	}
	return true;
}

bool
person_suppressed_keep(
    struct service *service, const struct base_id *workspace, GPtrArray *people, GError **error)
{
	g_autofree struct store_suppression_state *states =
	    suppressed_states(service, workspace, people, error);

	for (guint i = states ? people->len : 0; i > 0; i--)
		if (states[i - 1].reason == 0)
			g_ptr_array_remove_index(people, i - 1);
	return states != NULL;
}

bool
person_suppressed_was_erased(const struct service *service,
    const struct store_people_scan_barred *barred, const struct base_id *person,
    const char *address)
{
	if (base_id_time(person) < barred->first_erased)
		return false;
	AUTO(person_suppress_keys) keys = person_suppress_keys(service, &address, 1);
	const struct store_suppression_key *key = person_suppress_key(keys, 0);
	for (guint i = 0; i < key->count; i++) {
		g_autoptr(GBytes) hash = g_bytes_new_static(key->hashes[i], SHA256_SIZE);

		if (g_hash_table_contains(barred->hashes, hash))
			return true;
	}
	return false;
}
