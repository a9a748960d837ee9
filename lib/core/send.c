/* One request to send: stored, and in sync mode attempted once. */
#include "core/send.h"

#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/deliver.h"
#include "core/slot.h"
#include "core/submit.h"

static struct delivery *
attempt(
    struct core *core, struct slot *slot, const struct claim *claim, struct submitted *submitted)
{
	struct delivery *delivery = core_deliver_start(
	    core, slot, claim, &submitted->copy, 1, g_steal_pointer(&submitted->email));

	if (!core_deliver_wait(delivery, base_clock_boot() + LIMIT_SYNC_ATTEMPT_MS))
		return delivery;
	core_deliver_free(delivery);
	return NULL;
}

bool
core_send(struct core *core, const struct key *key, const struct submission *submission,
    struct idempotency *idempotency, struct sending *sending_r, GError **error)
{
	bool sync = base_settings_choice(core->settings, SETTING_SERVICE_MODE) == MODE_SYNC;
	g_autoptr(GError) trouble = NULL;
	struct claim claim;
	struct submitted submitted;

	*sending_r = (struct sending){0};
	/* Without a journal, or while all relays rest or are busy, it is left to the spool. */
	AUTO(slot)
	slot = sync && core_ensure_journal(core, &trouble)
		   ? core_slot_take(core->settings, 0, &trouble)
		   : NULL;
	sending_r->trouble = g_steal_pointer(&trouble);
	if (slot)
		claim = core_deliver_claim(core);
	if (!core_submit(
		core, key, submission, idempotency, slot ? &claim : NULL, &submitted, error))
		return false;
	sending_r->answer = g_steal_pointer(&submitted.answer);
	sending_r->replayed = submitted.replayed;
	if (slot && submitted.email && !submitted.email->scheduled_at)
		sending_r->delivery = attempt(core, g_steal_pointer(&slot), &claim, &submitted);
	core_submitted_clear(&submitted);
	return true;
}
