/* SPDX-License-Identifier: MIT */
/* Tests the variants of a broadcast. */
#include "broadcast/ab_test.h"

#include <string.h>

#include "broadcast/content.h"
#include "json/value.h"
#include "service/service.h"
#include "store/broadcast/part.h"

/* How the winner is found. */
struct rule {
	guint variants;
	bool is_manual, by_clicks;
	gint64 after; /* ms */
};

static bool
ab_test_read_rule(const struct store_broadcast *broadcast, struct rule *rule_r, GError **error)
{
	struct broadcast_content content = {0};
	AUTO(json) document = broadcast_read(broadcast->content, &content, error);

	if (document)
		*rule_r = (struct rule){.variants = broadcast_variant_count(&content),
		    .is_manual = strcmp(content.winner_by, "manual") == 0,
		    .by_clicks = strcmp(content.winner_by, "clicks") == 0,
		    .after = content.decide_after};
	broadcast_clear(&content);
	return document;
}

/* Whether people wait for the winner, and nobody for a variant. */
static bool
ab_test_is_out(struct db *db, const struct store_broadcast *broadcast, bool *out_r, GError **error)
{
	bool is_under_way;
	gint64 due;

	*out_r = false;
	for (int queue = 0; queue < BROADCAST_REST; queue++) {
		if (!store_broadcast_next(db, broadcast, queue, &due, error))
			return false;
		if (due)
			return true;
	}
	if (!store_broadcast_next(db, broadcast, BROADCAST_REST, &due, error))
		return false;
	if (!due)
		return true;
	if (!store_broadcast_is_under_way(db, broadcast, &is_under_way, error))
		return false;
	*out_r = !is_under_way;
	return true;
}

bool
broadcast_ab_test_begin(struct service *service, const struct store_broadcast *broadcast,
    gint64 now, bool *begun_r, GError **error)
{
	struct rule rule;

	*begun_r = false;
	if (broadcast->winner >= 0)
		return true;
	if (!ab_test_is_out(service->db, broadcast, begun_r, error))
		return false;
	return !*begun_r || (ab_test_read_rule(broadcast, &rule, error) &&
				store_broadcast_test(service->db, broadcast,
				    rule.is_manual ? 0 : now + rule.after, error));
}

/* The share of people who did what the rule asks for. */
static double
ab_test_share_of(const struct store_broadcast_score *score, const struct rule *rule)
{
	gint64 did = rule->by_clicks ? score->clicked : score->opened;

	return score->sent > 0 ? (double)did / (double)score->sent : 0;
}

static int
find_winner(const struct store_broadcast_score *scores, const struct rule *rule)
{
	int winner = 0;

	for (int i = 1; i < (int)rule->variants; i++)
		if (ab_test_share_of(&scores[i], rule) > ab_test_share_of(&scores[winner], rule))
			winner = i;
	return winner;
}

bool
broadcast_ab_test_end(struct service *service, const struct store_broadcast *broadcast, gint64 now,
    bool *decided_r, GError **error)
{
	struct store_broadcast_score scores[BROADCAST_VARIANTS];
	struct rule rule;

	*decided_r = broadcast->decide_at != 0 && broadcast->decide_at <= now;
	if (!*decided_r)
		return store_broadcast_await(service->db, broadcast, broadcast->decide_at, error);
	return ab_test_read_rule(broadcast, &rule, error) &&
	       store_broadcast_scores(service->db, broadcast, scores, rule.variants, error) &&
	       store_broadcast_decide(service->db, broadcast, find_winner(scores, &rule), error);
}
