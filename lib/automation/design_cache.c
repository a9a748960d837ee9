/* SPDX-License-Identifier: MIT */
/* Keeps parsed designs, and drops those that were not used for longest. */
#include "automation/design_cache.h"

#include <string.h>

#include "automation/design.h"
#include "automation/results.h"
#include "base/limits/workflow.h"
#include "person/contact_field.h"
#include "service/service.h"
#include "store/automation/workflow.h"

#define ANSWER_SPARE 100 /* bytes that a result is longer than the body of its answer */

struct automation_design_cache {
	GHashTable *cached; /* struct key → struct entry */
	GQueue used;	    /* the entries, most recently used first */
	gsize weight;
};

struct key {
	struct base_id workflow;
	guint version;
};

/* A cached design. */
struct entry {
	struct automation_cached_design cached; /* first member, so that it converts to the entry */
	struct key key;
	gsize weight;
	GList link; /* in used */
};

static guint
hash_key(const void *data)
{
	const struct key *key = data;
	guint hash;

	memcpy(&hash, &key->workflow.bytes[12], sizeof(hash));
	return hash ^ key->version;
}

static gboolean
equal_keys(const void *a, const void *b)
{
	const struct key *x = a, *y = b;

	return x->version == y->version && base_id_equal(&x->workflow, &y->workflow);
}

static void
design_cache_free_entry(void *data)
{
	struct entry *entry = data;

	g_clear_pointer(&entry->cached.design, automation_design_free);
	g_free(entry);
}

static void
cache_free(void *data)
{
	struct automation_design_cache *cache = data;

	g_hash_table_unref(cache->cached);
	g_free(cache);
}

static void *
cache_make(void)
{
	struct automation_design_cache *cache = g_new0(struct automation_design_cache, 1);

	cache->cached = g_hash_table_new_full(hash_key, equal_keys, NULL, design_cache_free_entry);
	return cache;
}

static struct automation_design_cache *
cache_of(struct service *service)
{
	return service_cache(service, SERVICE_CACHE_DESIGNS, cache_make, cache_free);
}

bool
automation_design_cache_is_full(struct service *service)
{
	return cache_of(service)->weight > LIMIT_DESIGN_CACHE_BYTES;
}

void
automation_design_cache_trim(struct service *service)
{
	struct automation_design_cache *cache = cache_of(service);

	while (cache->weight > LIMIT_DESIGN_CACHE_BYTES) {
		struct entry *oldest = g_queue_pop_tail_link(&cache->used)->data;

		cache->weight -= oldest->weight;
		g_hash_table_remove(cache->cached, &oldest->key);
	}
}

static void
design_cache_add(struct automation_design_cache *cache, struct entry *entry)
{
	const struct automation_design *design = entry->cached.design;

	entry->weight = sizeof(*entry) + 64 + (design ? automation_design_weight(design) : 0);
	cache->weight += entry->weight;
	entry->link.data = entry;
	g_queue_push_head_link(&cache->used, &entry->link);
	g_hash_table_insert(cache->cached, &entry->key, entry);
}

/* Whether a step of the design asks for the clock of the person. */
static bool
design_cache_asks_clock(const struct automation_design *design)
{
	const GPtrArray *nodes = automation_design_nodes(design);

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (!node->fault && ((node->type == NODE_WAIT && node->wait.by_clock) ||
					(node->type == NODE_DIGEST && !node->digest.duration)))
			return true;
	}
	return false;
}

/* Whether an email of the design is made of a template, whose variables are not known here, or may
   name the events of a digest without its node. */
static bool
design_cache_has_template(const struct automation_design *design)
{
	const GPtrArray *nodes = automation_design_nodes(design);

	for (guint i = 0; i < nodes->len; i++) {
		const struct automation_design_node *node = nodes->pdata[i];

		if (!node->fault && (node->type == NODE_DIGEST ||
					(node->type == NODE_SEND_EMAIL && node->email.template_id)))
			return true;
	}
	return false;
}

/* Whether the answers to all requests of the design are within the limit of results, however long
   they are. */
static bool
design_cache_has_room(const struct automation_design *design)
{
	const GPtrArray *nodes = automation_design_nodes(design);
	guint requests = 0;

	for (guint i = 0; i < nodes->len; i++)
		requests +=
		    ((const struct automation_design_node *)nodes->pdata[i])->type == NODE_REQUEST;
	return requests <= LIMIT_RESULTS_BYTES / (LIMIT_REQUEST_RESULT_BYTES + ANSWER_SPARE);
}

const struct automation_cached_design *
automation_design_cache_get(
    struct service *service, const struct base_id *workflow, guint version, GError **error)
{
	struct automation_design_cache *cache = cache_of(service);
	struct key key = {*workflow, version};
	struct entry *entry = g_hash_table_lookup(cache->cached, &key);
	struct store_workflow_design stored;

	if (entry) {
		g_queue_unlink(&cache->used, &entry->link);
		g_queue_push_head_link(&cache->used, &entry->link);
		return &entry->cached;
	}
	if (!store_workflow_design(service->db, workflow, version, &stored, error))
		return NULL;
	g_autofree char *text = stored.text;
	entry = g_new0(struct entry, 1);
	entry->key = key;
	entry->cached.design = text ? automation_design_parse(text, stored.size, NULL) : NULL;
	entry->cached.asks_event = text && g_strstr_len(text, (gssize)stored.size, "event.");
	/* A path of a rule begins its text, other than a variable in an email. */
	entry->cached.asks_fields =
	    text && (g_strstr_len(text, (gssize)stored.size, "\"" PERSON_CONTACT_PREFIX) ||
			(entry->cached.design && design_cache_asks_clock(entry->cached.design)));
	entry->cached.has_endings = entry->cached.design &&
				    automation_design_trigger(entry->cached.design) &&
				    automation_design_trigger(entry->cached.design)->endings;
	entry->cached.asks_results =
	    text && g_strstr_len(text, (gssize)stored.size, AUTOMATION_RESULTS_PREFIX);
	entry->cached.keeps_results =
	    entry->cached.asks_results ||
	    (entry->cached.design && design_cache_has_template(entry->cached.design));
	entry->cached.forgets_results = entry->cached.design && !entry->cached.keeps_results &&
					design_cache_has_room(entry->cached.design);
	entry->cached.has_form = stored.has_form;
	design_cache_add(cache, entry);
	return &entry->cached;
}
