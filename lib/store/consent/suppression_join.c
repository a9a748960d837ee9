/* SPDX-License-Identifier: MIT */
#include "store/consent/suppression_join.h"

const char *const store_suppression_reasons[] = {
    "bounced", "complained", "unsubscribed", "manual", NULL};
const char *const store_suppression_scopes[] = {"all", "automation", NULL};

const char *
store_suppression_origin(enum store_suppression_reason reason)
{
	return reason == SUPPRESSION_BOUNCED	  ? "bounce"
	       : reason == SUPPRESSION_COMPLAINED ? "complaint"
						  : "manual";
}

guint
store_suppression_values(const struct base_id *workspace, const struct store_suppression_key *keys,
    guint count, bool mailing, struct db_value *values_r)
{
	guint places = count == 1 ? 1 : STORE_SUPPRESSION_TOGETHER, values = 0;

	for (guint kind = 0; kind < 2; kind++) {
		values_r[values++] = db_id(workspace);
		/* A list repeats its last key. */
		for (guint i = 0; i < places; i++) {
			const struct store_suppression_key *key = &keys[MIN(i, count - 1)];

			g_assert(key->count == 1);
			values_r[values++] = kind == 0 ? db_text(key->address)
						       : db_bytes(key->hashes[0], SHA256_SIZE);
		}
		values_r[values++] = db_int(mailing ? SUPPRESSION_AUTOMATION : SUPPRESSION_ALL);
	}
	return values;
}
