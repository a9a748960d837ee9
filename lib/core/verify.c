/* SPDX-License-Identifier: MIT */
/* Checks sending domains. */
#include "core/verify.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits.h"
#include "base/secret.h"
#include "base/settings.h"
#include "core/core.h"
#include "core/dns_check.h"
#include "dns/resolver.h"
#include "store/domain.h"
#include "store/domain_claim.h"

/* Domains whose questions are asked together, and how long a claim of them lasts. */
#define BATCH 20
#define LEASE_MS 60000

static gint64
new_token(void)
{
	gint64 token;

	base_secret_random(&token, sizeof(token));
	return token & G_MAXINT64;
}

static void
free_look(void *look)
{
	core_dns_free(look);
}

static bool
ask(struct core *core, const GPtrArray *looks, GError **error)
{
	g_autoptr(GPtrArray) questions = g_ptr_array_new();

	for (guint i = 0; i < looks->len; i++) {
		const struct core_dns_check *look = looks->pdata[i];

		g_ptr_array_extend(questions, look->questions, NULL, NULL);
	}
	return dns_ask(base_settings_list(core->settings, SETTING_DNS_SERVERS),
	    (struct dns_question *const *)questions->pdata, questions->len, LIMIT_DNS_MS, error);
}

static bool
record(struct core *core, struct core_dns_check *look, gint64 token, GError **error)
{
	gint64 now = base_clock_now();
	bool kept;

	core_verdict_apply(look->domain, core_dns_judge(look, now), now, g_random_double());
	return store_domain_claim_record(core->db, look->domain, token, &kept, error);
}

/* Whether what was found could not be stored, not whether the database was there. */
static bool
is_fault(const GError *failure)
{
	return !g_error_matches(failure, PH_ERROR, PH_ERROR_TEMPORARY) &&
	       !g_error_matches(failure, PH_ERROR, PH_ERROR_UNCERTAIN);
}

static bool
record_each(
    struct core *core, const GPtrArray *looks, gint64 token, GError **trouble_r, GError **error)
{
	for (guint i = 0; i < looks->len; i++) {
		struct core_dns_check *look = looks->pdata[i];
		g_autoptr(GError) failure = NULL;

		if (record(core, look, token, &failure))
			continue;
		if (!is_fault(failure)) {
			g_propagate_error(error, g_steal_pointer(&failure));
			return false;
		}
		if (!*trouble_r)
			*trouble_r = g_error_new(failure->domain, failure->code,
			    "What DNS says of %s cannot be stored: %s", look->domain->name,
			    failure->message);
		if (!store_domain_claim_skip(core->db, look->domain, token, error))
			return false;
	}
	return true;
}

/* Puts a domain that is still there, and claimed, among the looks. */
static bool
add(struct core *core, const struct base_id *workspace, const struct base_id *id, GPtrArray *looks,
    GError **error)
{
	g_autoptr(GError) local = NULL;
	struct store_domain *domain = store_domain_get(core->db, workspace, id, &local);

	if (domain)
		g_ptr_array_add(looks, core_dns_new(domain, core->settings));
	else if (!g_error_matches(local, PH_ERROR, PH_ERROR_NOT_FOUND))
		g_propagate_error(error, g_steal_pointer(&local));
	else
		return true;
	return domain != NULL;
}

bool
core_verify_due(
    struct core *core, struct store_turn *turn, guint *count_r, GError **trouble_r, GError **error)
{
	g_autoptr(GPtrArray) looks = g_ptr_array_new_with_free_func(free_look);
	struct store_domain_claim claims[BATCH];
	gint64 now = base_clock_now(), token = new_token();

	*trouble_r = NULL;
	if (!store_domain_claim_due(
		core->db, turn, token, now, now + LEASE_MS, BATCH, claims, count_r, error))
		return false;
	for (guint i = 0; i < *count_r; i++)
		if (!add(core, &claims[i].workspace_id, &claims[i].domain_id, looks, error))
			return false;
	return looks->len == 0 ||
	       (ask(core, looks, error) && record_each(core, looks, token, trouble_r, error));
}

bool
core_verify_domain(
    struct core *core, const struct base_id *workspace, const struct base_id *id, GError **error)
{
	g_autoptr(GPtrArray) looks = g_ptr_array_new_with_free_func(free_look);
	gint64 token = new_token();

	if (!store_domain_claim_one(
		core->db, workspace, id, token, base_clock_now() + LEASE_MS, error) ||
	    !add(core, workspace, id, looks, error))
		return false;
	return looks->len == 0 ||
	       (ask(core, looks, error) && record(core, looks->pdata[0], token, error));
}
