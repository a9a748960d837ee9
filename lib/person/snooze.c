/* SPDX-License-Identifier: MIT */
/* Reads and changes pauses of mailings. */
#include "person/snooze.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/person.h"
#include "db/transaction.h"
#include "person/contact.h"
#include "service/service.h"
#include "store/consent/choice.h"
#include "store/person/people.h"
#include "store/person/person.h"

#define MOST_MS (LIMIT_SNOOZE_DAYS * (gint64)24 * 60 * 60 * 1000)

static struct json_view_value
snooze_read_by(const void *row)
{
	const struct store_snooze *snooze = row;

	return (struct json_view_value){.type = snooze->until ? VIEW_TEXT : VIEW_NULL,
	    .text = snooze->until ? store_consent_authors[snooze->author - 1] : NULL};
}

static const struct json_view_member members[] = {
    JSON_VIEW_MEMBER("until", VIEW_TIME, struct store_snooze, until),
    {"by", VIEW_MADE, .read = snooze_read_by},
};
const struct json_view person_snooze_view = JSON_VIEW(members);

/* Whether only the person may make this change, who has not made it. */
static bool
snooze_is_refused(const struct store_snooze *now, const struct person_snooze_change *change)
{
	return now->author == CONSENT_OF_PERSON && change->act->author != CONSENT_OF_PERSON &&
	       change->until < now->until;
}

bool
person_snooze_within(struct db *db, const struct base_id *workspace,
    const struct person_snooze_change *change, struct store_snooze *snooze_r, bool *changed_r,
    GError **error)
{
	const char *address = change->address;
	const struct store_consent_act *act = change->act;
	struct store_snooze now, then = {change->until, act->author};

	if (!store_snooze_get(db, workspace, address, true, &now, error))
		return false;
	bool refused = snooze_is_refused(&now, change);
	if (refused && !change->overrides)
		return store_snooze_refuse(error);
	/* A longer one is the person's own still. */
	if (now.author == CONSENT_OF_PERSON && !refused)
		then.author = CONSENT_OF_PERSON;
	*changed_r = now.until != then.until || (then.until && now.author != then.author);
	*snooze_r = then.until ? then : (struct store_snooze){0};
	if (!*changed_r)
		return true;
	return (then.until ? store_snooze_put(db, workspace, address, &then, error)
			   : store_snooze_end(db, workspace, address, error)) &&
	       (!refused || store_consent_record(db,
				&(struct store_consent_change){
				    workspace, address, CONSENT_OVERRIDE, NULL, act},
				error)) &&
	       store_consent_record(db,
		   &(struct store_consent_change){workspace, address,
		       then.until ? CONSENT_SNOOZED : CONSENT_UNSNOOZED, NULL, act},
		   error);
}

/* The address of a person; NULL with NOT_FOUND when it is none. The caller owns it. */
static char *
snooze_address(const char *email, GError **error)
{
	char *address = person_contact_address(email, NULL);

	if (!address)
		store_people_missing(error);
	return address;
}

bool
person_snooze_get(struct service *service, const struct base_id *workspace, const char *email,
    struct store_snooze *snooze_r, GError **error)
{
	g_autofree char *address = snooze_address(email, error);
	AUTO(store_person)
	person = address ? store_people_get(service->db, workspace, address, error) : NULL;

	return person && store_snooze_get(service->db, workspace, address, false, snooze_r, error);
}

/* The change of an operator. */
struct work {
	const struct base_id *workspace;
	const struct person_snooze_change *change;
	struct store_snooze *snooze; /* the result */
};

static bool
snooze_change(struct db *db, void *context, GError **error)
{
	const struct work *work = context;
	AUTO(store_person)
	person = store_people_lock(db, work->workspace, work->change->address, error);
	bool changed;

	return person && person_snooze_within(
			     db, work->workspace, work->change, work->snooze, &changed, error);
}

static bool
snooze_by_operator(struct service *service, const struct base_id *workspace, const char *email,
    const struct person_snooze_operator *operator, struct store_snooze * snooze_r, GError **error)
{
	g_autofree char *address = snooze_address(email, error);
	struct store_consent_act act = *operator->act;
	const struct person_snooze_change change = {
	    address, operator->until, &act, operator->override != NULL };
	struct work work = {workspace, &change, snooze_r};

	if (operator->override)
		act.reason = operator->override->reason;
	return address && db_transact(service->db, snooze_change, &work, error);
}

bool
person_snooze(struct service *service, const struct base_id *workspace, const char *email,
    const struct person_snooze_operator *operator, struct store_snooze * snooze_r, GError **error)
{
	gint64 now = base_clock_now(), until = operator->until;

	if (!person_snooze_get(service, workspace, email, snooze_r, error))
		return false;
	if (until <= now || until - now > MOST_MS)
		return base_invalid(
		    error, "until must be a time in the next %d days", LIMIT_SNOOZE_DAYS);
	return snooze_by_operator(service, workspace, email, operator, snooze_r, error);
}

bool
person_snooze_end(struct service *service, const struct base_id *workspace, const char *email,
    const struct person_snooze_operator *operator, GError ** error)
{
	struct person_snooze_operator end = *operator;
	struct store_snooze none;

	end.until = 0;
	return snooze_by_operator(service, workspace, email, &end, &none, error);
}
