/* SPDX-License-Identifier: MIT */
/* Decides what a bounce means for the address that bounced. */
#include "delivery/bounce.h"

#include "base/clock.h"
#include "person/suppress.h"
#include "service/service.h"

struct delivery_bounce_counts {
	GHashTable *of; /* "workspace address": the number up to here, as a pointer */
};

struct delivery_bounce_counts *
delivery_bounce_counts_new(void)
{
	struct delivery_bounce_counts *counts = g_new(struct delivery_bounce_counts, 1);

	counts->of = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);
	return counts;
}

void
delivery_bounce_counts_free(struct delivery_bounce_counts *counts)
{
	g_hash_table_unref(counts->of);
	g_free(counts);
}

/* The transient bounces of an address that are recorded, up to BOUNCE_TRANSIENT_MAX. */
static bool
bounce_count(const struct service *service, const struct delivery_bounce *bounce, guint *count_r,
    GError **error)
{
	return store_report_count_transient(service->db,
	    &(struct store_report_about){
		bounce->workspace, bounce->address, base_clock_now() - BOUNCE_TRANSIENT_MS},
	    BOUNCE_TRANSIENT_MAX, count_r, error);
}

/* The same with those in counts, to which this one is added. */
static bool
bounce_add(const struct service *service, const struct delivery_bounce *bounce,
    struct delivery_bounce_counts *counts, guint *count_r, GError **error)
{
	char workspace[ID_TEXT_SIZE];
	g_autofree char *key =
	    g_strdup_printf("%s %s", base_id_format(bounce->workspace, workspace), bounce->address);

	*count_r = GPOINTER_TO_UINT(g_hash_table_lookup(counts->of, key));
	if (*count_r == 0 && !bounce_count(service, bounce, count_r, error))
		return false;
	g_hash_table_replace(counts->of, g_steal_pointer(&key), GUINT_TO_POINTER(*count_r + 1));
	return true;
}

bool
delivery_bounce_judge(const struct service *service, const struct delivery_bounce *bounce,
    struct delivery_bounce_counts *counts, bool *suppress_r, GError **error)
{
	guint before = 0;

	*suppress_r = bounce->gone;
	if (bounce->type != BOUNCE_TRANSIENT || (bounce->gone && !counts))
		return true;
	if (!(counts ? bounce_add(service, bounce, counts, &before, error)
		     : bounce_count(service, bounce, &before, error)))
		return false;
	*suppress_r |= before + 1 >= BOUNCE_TRANSIENT_MAX;
	return true;
}

bool
delivery_bounce_suppress(const struct service *service, const struct delivery_bounce *bounce,
    bool *suppressed_r, GError **error)
{
	const struct person_suppress_addition addition = {
	    *bounce->workspace, *bounce->email, bounce->address, SUPPRESSION_BOUNCED};

	return delivery_bounce_judge(service, bounce, NULL, suppressed_r, error) &&
	       (!*suppressed_r || person_suppress_put(service, &addition, error));
}

bool
delivery_bounce_doubt(const struct service *service, const struct store_reported *email,
    guint number, enum store_hearsay hearsay, bool *suppressed_r, GError **error)
{
	const char *address = email->recipients->pdata[number];
	gint64 now = base_clock_now();
	const struct person_suppress_addition addition = {email->workspace_id, email->id, address,
	    hearsay == HEARSAY_COMPLAINED ? SUPPRESSION_COMPLAINED : SUPPRESSION_BOUNCED};
	guint days;

	*suppressed_r = false;
	if (!store_report_note_hearsay(service->db, email, number, hearsay, now, error))
		return false;
	if (hearsay == HEARSAY_FULL)
		return true;
	if (!store_report_count_hearsay(service->db,
		&(struct store_report_about){&email->workspace_id, address, now - HEARSAY_MS},
		hearsay, &days, error))
		return false;
	*suppressed_r = days >= HEARSAY_AGREE;
	return !*suppressed_r || (person_suppress_put(service, &addition, error) &&
				     store_report_forget_hearsay(service->db, &email->workspace_id,
					 address, hearsay, error));
}
