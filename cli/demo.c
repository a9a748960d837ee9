/* SPDX-License-Identifier: MIT */
/* posthouse demo: fills an empty workspace with a year of made-up life. All people have test
   addresses, so nothing that is sent to them leaves the machine. */
#include "cli/demo.h"

#include "base/clock.h"
#include "base/error.h"
#include "base/limits/domain.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "store/broadcast/broadcast.h"
#include "store/domain/domain.h"
#include "store/email/email.h"
#include "store/person/audience.h"
#include "store/person/people.h"
#include "store/template/template.h"
#include "store/workspace/workspace.h"

#define DAY_MS (24LL * 60 * 60 * 1000)
#define DAYS 365 /* unless another number is given */
#define DAYS_MAX 1000
#define BROADCAST_DAYS 28 /* between two broadcasts */

enum { FILL_SEED, FILL_DAYS, FILL_DOMAIN };
static const struct cli_parameter fill_parameters[] = {
    [FILL_SEED] = {"--seed", "another number makes another year; if not given, 1", "NUMBER",
	PARAMETER_NUMBER, .min = 0, .max = G_MAXINT32},
    [FILL_DAYS] = {"--days", "the length of the life, up to today; if not given, 365", "NUMBER",
	PARAMETER_NUMBER, .min = 1, .max = DAYS_MAX},
    [FILL_DOMAIN] = {"--domain",
	"the domain that sends, which nobody has registered; if not given, acorn.example", "NAME",
	.min = LIMIT_DOMAIN_MIN_LENGTH, .max = LIMIT_DOMAIN_LENGTH},
};

/* Whether a list was read and has no rows. */
static bool
has_none(GPtrArray *rows, bool *none_r)
{
	if (!rows)
		return false;
	*none_r = *none_r && rows->len == 0;
	g_ptr_array_unref(rows);
	return true;
}

/* CONFLICT unless the workspace has nothing yet. */
static bool
demo_check_empty(struct cli_call *call, GError **error)
{
	const struct base_id *workspace = &call->workspace->id;
	const struct store_email_filter any = {EVENT_NONE};
	struct db *db = call->db;
	bool none = true;

	if (!has_none(store_domain_list(db, workspace, NULL, 1, error), &none) ||
	    !has_none(store_template_list(db, workspace, NULL, 1, error), &none) ||
	    !has_none(store_audience_list(db, workspace, NULL, 1, error), &none) ||
	    !has_none(store_people_list(db, workspace, NULL, 1, error), &none) ||
	    !has_none(store_broadcast_list(db, workspace, NULL, 1, error), &none) ||
	    !has_none(store_email_list(db, workspace, &any, 1, error), &none))
		return false;
	return none || base_fail(error, PH_ERROR_CONFLICT,
			   "workspace \"%s\" is not empty; posthouse workspace create NAME makes "
			   "another one",
			   call->workspace->name);
}

/* Makes the days, with the clock at eight in the morning of each. */
static bool
fill_days(struct cli_demo *demo, gint64 today, guint days, GError **error)
{
	for (guint day = 0; day < days; day++) {
		base_clock_set(today - (gint64)(days - day) * DAY_MS + DAY_MS / 3);
		if (!cli_demo_day(demo, day, error) ||
		    (day % BROADCAST_DAYS == BROADCAST_DAYS - 1 &&
			!cli_demo_broadcast(demo, demo->broadcasts, error)))
			return false;
	}
	return true;
}

static void
person_clear(void *person)
{
	g_free(((struct cli_demo_person *)person)->email);
}

static bool
fill_life(struct cli_demo *demo, const char *domain, guint days, GError **error)
{
	gint64 now = base_clock_now(), since = base_clock_boot(), today = now / DAY_MS * DAY_MS;

	base_clock_set(today - (gint64)(days + 1) * DAY_MS);
	bool done = cli_demo_begin(demo, domain, error) && fill_days(demo, today, days, error);
	base_clock_set(now + base_clock_boot() - since);
	return done && cli_demo_end(demo, error);
}

static bool
demo_fill(struct cli_call *call, GError **error)
{
	const struct cli_value *values = call->values;
	const char *domain = values[FILL_DOMAIN].text ? values[FILL_DOMAIN].text : "acorn.example";
	guint days = values[FILL_DAYS].text ? (guint)values[FILL_DAYS].number : DAYS;
	guint32 seed = values[FILL_SEED].text ? (guint32)values[FILL_SEED].number : 1;
	struct cli_demo demo = {.call = call, .workspace = &call->workspace->id};

	if (!demo_check_empty(call, error))
		return false;
	demo.rand = g_rand_new_with_seed(seed);
	demo.people = g_array_new(FALSE, FALSE, sizeof(struct cli_demo_person));
	g_array_set_clear_func(demo.people, person_clear);
	bool done = fill_life(&demo, domain, days, error);
	if (done)
		cli_output_say(call->output,
		    FIELDS(cli_text("workspace", call->workspace->name),
			cli_text("domain", demo.domain->name),
			cli_number("people", demo.people->len), cli_number("emails", demo.emails),
			cli_number("broadcasts", demo.broadcasts)),
		    "Workspace \"%s\" has %u people, %u emails and %u broadcasts of a life that "
		    "never was.",
		    call->workspace->name, demo.people->len, demo.emails, demo.broadcasts);
	store_domain_free(demo.domain);
	g_array_unref(demo.people);
	g_rand_free(demo.rand);
	return done;
}

static const struct cli_command commands[] = {
    {"fill",
	"Fill an empty workspace with a year of made-up life, to look around in. Its people have "
	"test addresses: nothing that is sent to them leaves the machine.",
	NEED_WORKSPACE, PARAMETERS(fill_parameters), .run = demo_fill},
};

const struct cli_noun cli_noun_demo = {"demo", commands, G_N_ELEMENTS(commands)};
