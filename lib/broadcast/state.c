/* SPDX-License-Identifier: MIT */
/* Changes the state of a broadcast: what is allowed in which, and what it does. */
#include "broadcast/state.h"

#include "base/error.h"
#include "broadcast/content.h"
#include "db/transaction.h"
#include "service/service.h"

static bool
state_lock(struct db *db, void *context, GError **error)
{
	const struct broadcast_locking *locking = context;
	AUTO(store_broadcast)
	broadcast =
	    store_broadcast_lock(db, locking->workspace, locking->id, locking->allowed, error);

	return broadcast && locking->body(db, broadcast, locking->context, error);
}

bool
broadcast_lock(struct service *service, struct broadcast_locking *locking, GError **error)
{
	return db_transact(service->db, state_lock, locking, error);
}

static bool
state_unschedule(
    struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	return store_broadcast_unschedule(db, broadcast, error);
}

bool
broadcast_unschedule(struct service *service, const struct base_id *workspace,
    const struct base_id *id, GError **error)
{
	return broadcast_lock(service,
	    &(struct broadcast_locking){
		workspace, id, BROADCAST_BIT(BROADCAST_SCHEDULED), state_unschedule, NULL},
	    error);
}

#define LEAVING (BROADCAST_BIT(BROADCAST_SENDING) | BROADCAST_BIT(BROADCAST_TESTING))

static bool
state_pause(struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	return store_broadcast_pause(db, broadcast, BROADCAST_PAUSED_BY_HAND, error);
}

bool
broadcast_pause(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return broadcast_lock(
	    service, &(struct broadcast_locking){workspace, id, LEAVING, state_pause, NULL}, error);
}

static bool
state_resume(struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	return store_broadcast_resume(db, broadcast, error);
}

bool
broadcast_resume(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return broadcast_lock(service,
	    &(struct broadcast_locking){
		workspace, id, BROADCAST_BIT(BROADCAST_PAUSED), state_resume, NULL},
	    error);
}

static bool
state_cancel(struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	return store_broadcast_cancel(db, broadcast, error);
}

bool
broadcast_cancel(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return broadcast_lock(service,
	    &(struct broadcast_locking){workspace, id,
		LEAVING | BROADCAST_BIT(BROADCAST_PAUSED) | BROADCAST_BIT(BROADCAST_SCHEDULED),
		state_cancel, NULL},
	    error);
}

static bool
state_remove(struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	return store_broadcast_remove(db, broadcast, error);
}

bool
broadcast_remove(struct service *service, const struct base_id *workspace, const struct base_id *id,
    GError **error)
{
	return broadcast_lock(service,
	    &(struct broadcast_locking){workspace, id,
		BROADCAST_BIT(BROADCAST_DRAFT) | BROADCAST_BIT(BROADCAST_SENT) |
		    BROADCAST_BIT(BROADCAST_CANCELLED) | BROADCAST_BIT(BROADCAST_FAILED),
		state_remove, NULL},
	    error);
}

static bool
state_decide(struct db *db, const struct store_broadcast *broadcast, void *context, GError **error)
{
	const gint64 *variant = context;
	struct broadcast_content content = {0};
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);
	guint count = document && content.variants ? content.variants->len : 1;

	broadcast_clear(&content);
	if (!document)
		return false;
	if (*variant < 0 || *variant >= count)
		return base_invalid(error, "variant must be between 0 and %u", count - 1);
	return store_broadcast_decide(db, broadcast, (int)*variant, error);
}

bool
broadcast_decide(struct service *service, const struct base_id *workspace, const struct base_id *id,
    gint64 variant, GError **error)
{
	return broadcast_lock(service,
	    &(struct broadcast_locking){
		workspace, id, BROADCAST_BIT(BROADCAST_TESTING), state_decide, &variant},
	    error);
}
