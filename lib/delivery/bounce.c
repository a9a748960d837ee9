/* SPDX-License-Identifier: MIT */
/* Decides what a bounce means for the address that bounced. */
#include "delivery/bounce.h"

#include "base/clock.h"
#include "person/suppress.h"
#include "service/service.h"

bool
delivery_bounce_count(const struct service *service, const struct base_id *workspace,
    const char *address, guint *count_r, GError **error)
{
	return store_report_count_transient(service->db,
	    &(struct store_report_about){
		workspace, address, base_clock_now() - BOUNCE_TRANSIENT_MS},
	    BOUNCE_TRANSIENT_MAX, count_r, error);
}

bool
delivery_bounce_suppress(const struct service *service, const struct delivery_bounce *bounce,
    bool *suppressed_r, GError **error)
{
	const struct person_suppress_addition addition = {
	    *bounce->workspace, *bounce->email, bounce->address, SUPPRESSION_BOUNCED};
	guint before = 0;

	if (!bounce->gone && bounce->type == BOUNCE_TRANSIENT &&
	    !delivery_bounce_count(service, bounce->workspace, bounce->address, &before, error))
		return false;
	*suppressed_r = bounce->gone || before + 1 >= BOUNCE_TRANSIENT_MAX;
	return !*suppressed_r || person_suppress_put(service, &addition, error);
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
