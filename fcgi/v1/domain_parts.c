/* SPDX-License-Identifier: MIT */
/* The zone file, the DKIM keys and the relays of a domain, below /v1/domains/{id}. */
#include "fcgi/v1/handlers.h"

#include "base/error.h"
#include "domain/zone.h"
#include "fcgi/api/context.h"
#include "json/writer.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/domain/key.h"
#include "store/outbox/route.h"

/* Reads the domain of the path with its keys. The caller frees it. */
static struct store_domain *
domain_parts_find(struct fcgi_call *call, GError **error)
{
	struct base_id id;

	if (!fcgi_domains_id(call, &id, error))
		return NULL;
	return store_domain_get(call->service->db, &call->key.workspace_id, &id, error);
}

bool
fcgi_domain_zone_get(struct fcgi_call *call, GError **error)
{
	AUTO(json_writer) writer = json_writer_new();
	g_autoptr(GString) zone = g_string_new(NULL);
	AUTO(store_domain) domain = domain_parts_find(call, error);

	if (!domain)
		return false;
	g_autoptr(GPtrArray) records = domain_zone_records(domain, call->service->settings);
	for (guint i = 0; i < records->len; i++) {
		g_autofree char *line = domain_zone_line(records->pdata[i]);

		g_string_append_printf(zone, "%s\n", line);
	}
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "name", domain->name);
	json_writer_string(writer, "zone", zone->str);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}

static void
write_key(struct json_writer *writer, const struct service *service, const void *row)
{
	static const char *const states[] = {[DOMAIN_KEY_ACTIVE] = "signs",
	    [DOMAIN_KEY_PENDING] = "new",
	    [DOMAIN_KEY_RETIRING] = "retires"};
	const struct store_domain_key *key = row;
	char id[ID_TEXT_SIZE];

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "id", base_id_format(&key->id, id));
	json_writer_string(writer, "selector", key->selector);
	json_writer_string(
	    writer, "algorithm", key->algorithm == DOMAIN_KEY_RSA ? "rsa" : "ed25519");
	json_writer_string(writer, "state", states[key->state]);
	json_writer_boolean(writer, "found", key->seen);
	json_writer_integer(writer, "created", key->created);
	fcgi_write_time(writer, "retired_at", key->retired_at);
	json_writer_end_object(writer);
}

bool
fcgi_domain_keys_list(struct fcgi_call *call, GError **error)
{
	AUTO(store_domain) domain = domain_parts_find(call, error);

	return domain && fcgi_page_reply(call,
			     &(struct fcgi_page){"keys", domain->keys, domain->keys->len, true,
				 offsetof(struct store_domain_key, id), .write = write_key},
			     error);
}

bool
fcgi_domain_relays_get(struct fcgi_call *call, GError **error)
{
	static const char *const sources[] = {[STORE_ROUTE_DEFAULT] = "default",
	    [STORE_ROUTE_WORKSPACE] = "workspace",
	    [STORE_ROUTE_DOMAIN] = "domain"};
	AUTO(json_writer) writer = json_writer_new();
	g_autoptr(GPtrArray) routes = g_ptr_array_new_with_free_func(g_free);
	enum store_stream stream;
	struct store_route route;
	struct base_id id;
	const char *name;

	if (!fcgi_page_text(call, "stream", &name, error) ||
	    !store_stream_read(name, &stream, error) || !fcgi_domains_id(call, &id, error) ||
	    !store_route_of_domain(
		call->service->db, &call->key.workspace_id, &id, stream, &route, error))
		return false;
	g_ptr_array_add(routes, route.relays);
	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, "route", sources[route.source]);
	fcgi_waiting_write_relays(writer, call->service, routes);
	json_writer_end_object(writer);
	fcgi_reply_json(call->reply, 200, writer);
	return true;
}
