/* SPDX-License-Identifier: MIT */
/* Limits of a workspace: from the settings, of its own, and with several creations at once. */
#include "store/workspace/limit.h"

#include "base/clock.h"
#include "base/limits/process.h"
#include "base/limits/workflow.h"
#include "config/settings.h"
#include "store/automation/workflow.h"
#include "store/domain/domain.h"
#include "store/person/audience.h"
#include "store/template/template.h"
#include "store/webhook/webhook.h"
#include "tests/store/fixture.h"

FIXTURE_SUITE(limit);

static void
limit_set(enum config_setting limit, gint64 value)
{
	MUST(store_limit_set(fixture->db, &fixture->workspace, &limit, &value, 1, &error));
}

static gint64
limit_value_of(enum config_setting limit, bool *own_r)
{
	struct store_limits limits;

	MUST(store_limit_read(fixture->db, &fixture->workspace, &limits, &error));
	*own_r = limits.own[limit - STORE_LIMIT_FIRST];
	return store_limit_value(&limits, limit);
}

static void
expect_value(const char *name, enum config_setting limit, gint64 want, bool want_own)
{
	bool own;
	gint64 got = limit_value_of(limit, &own);

	cr_expect_eq(got, want, "%s: got %d, want %d", name, (int)got, (int)want);
	cr_expect_eq(own, want_own, "%s: own", name);
}

Test(limit, is_that_of_the_settings_or_its_own)
{
	expect_value("settings", SETTING_LIMITS_WORKFLOWS, LIMIT_WORKFLOWS, false);
	expect_value("no burst", SETTING_LIMITS_BURST, 0, false);
	limit_set(SETTING_LIMITS_WORKFLOWS, 7);
	limit_set(SETTING_LIMITS_REQUESTS_PER_SECOND, 10);
	limit_set(SETTING_LIMITS_KEY_REQUESTS_PER_SECOND, LIMIT_OF_LIMITS);
	limit_set(SETTING_LIMITS_KEY_BURST, 1);
	expect_value("own", SETTING_LIMITS_WORKFLOWS, 7, true);
	expect_value("twice the rate", SETTING_LIMITS_BURST, 20, false);
	expect_value("own burst", SETTING_LIMITS_KEY_BURST, 1, true);
	limit_set(SETTING_LIMITS_WORKFLOWS, 0);
	limit_set(SETTING_LIMITS_BURST, 5);
	limit_set(SETTING_LIMITS_KEY_BURST, -1);
	expect_value("none", SETTING_LIMITS_WORKFLOWS, 0, true);
	expect_value("burst", SETTING_LIMITS_BURST, 5, true);
	expect_value("burst taken back", SETTING_LIMITS_KEY_BURST, 2LL * LIMIT_OF_LIMITS, false);
	limit_set(SETTING_LIMITS_WORKFLOWS, -1);
	expect_value("taken back", SETTING_LIMITS_WORKFLOWS, LIMIT_WORKFLOWS, false);
	cr_expect_eq(fixture_number(fixture, "SELECT COUNT(*) FROM workspace_limit"), 3);
}

Test(limit, has_the_names_of_the_settings)
{
	cr_expect_eq(store_limit_find("requests_per_second"), STORE_LIMIT_FIRST);
	cr_expect_eq(store_limit_find("received_bytes"), STORE_LIMIT_LAST);
	cr_expect_eq(store_limit_find("request_bytes"), SETTING_COUNT);
	cr_expect_eq(store_limit_find("Domains"), SETTING_COUNT);
	cr_expect_eq(store_limit_find(""), SETTING_COUNT);
}

/* Creates one of each kind, named by its number. */

static bool
create_domain(struct db *db, const struct base_id *workspace, guint number, GError **error)
{
	g_autofree char *name = g_strdup_printf("d%u.example.com", number);
	struct store_domain domain = {
	    .workspace_id = *workspace, .name = name, .status = DOMAIN_NOT_STARTED};

	return store_domain_create(
	    db, &domain, &(struct store_domain_creation){NULL, NULL, 0, 0}, error);
}

static bool
create_audience(struct db *db, const struct base_id *workspace, guint number, GError **error)
{
	struct base_id id;

	return store_audience_create(db, workspace, NULL, "News", &id, error);
}

static bool
create_template(struct db *db, const struct base_id *workspace, guint number, GError **error)
{
	AUTO(store_template) template = g_new0(struct store_template, 1);

	template->id = g_strdup_printf("t%u", number);
	template->workspace_id = *workspace;
	template->name = g_strdup("T");
	template->variables = g_strdup("{}");
	template->html = g_bytes_new_static("x", 1);
	return store_template_create(db, template, error);
}

struct making {
	const struct base_id *workspace;
	const char *event_name; /* NULL: it is not active */
};

static bool
limit_make_workflow(struct db *db, void *context, GError **error)
{
	const struct making *making = context;
	struct store_workflow workflow = {.id = base_id_new(),
	    .workspace_id = *making->workspace,
	    .name = (char *)"W",
	    .status = making->event_name ? WORKFLOW_ACTIVE : WORKFLOW_DRAFT,
	    .created_by = (char *)"ann@example.com",
	    .created_by_type = AUTHOR_USER};

	return store_limit_hold(db, making->workspace, SETTING_LIMITS_WORKFLOWS, error) &&
	       (!making->event_name ||
		   store_workflow_trigger_set(db, &workflow, making->event_name, error)) &&
	       store_workflow_insert(db, &workflow, error);
}

static bool
create_workflow(struct db *db, const struct base_id *workspace, guint number, GError **error)
{
	struct making making = {workspace, NULL};

	return db_transact(db, limit_make_workflow, &making, error);
}

static bool
create_active(struct db *db, const struct base_id *workspace, guint number, GError **error)
{
	struct making making = {workspace, "order"};

	return db_transact(db, limit_make_workflow, &making, error);
}

static bool
create_webhook(struct db *db, const struct base_id *workspace, guint number, GError **error)
{
	g_autoptr(GBytes) secret = g_bytes_new_static("x", 1);
	const struct store_webhook webhook = {.id = base_id_new(),
	    .workspace_id = *workspace,
	    .url = (char *)"https://example.com/",
	    .description = (char *)"",
	    .secret = secret};

	return store_webhook_create(db, &webhook, error);
}

static const struct {
	enum config_setting limit;
	bool (*create)(
	    struct db *db, const struct base_id *workspace, guint number, GError **error);
	const char *want, *count;
} kinds[] = {
    {SETTING_LIMITS_DOMAINS, create_domain, "Limit reached: at most 2 domains",
	"SELECT COUNT(*) FROM domain"},
    {SETTING_LIMITS_AUDIENCES, create_audience, "Limit reached: at most 2 audiences",
	"SELECT COUNT(*) FROM audience"},
    {SETTING_LIMITS_TEMPLATES, create_template, "Limit reached: at most 2 templates",
	"SELECT COUNT(*) FROM template"},
    {SETTING_LIMITS_WORKFLOWS, create_workflow, "Limit reached: at most 2 workflows",
	"SELECT COUNT(*) FROM workflow"},
    {SETTING_LIMITS_WEBHOOKS, create_webhook, "Limit reached: at most 2 webhooks",
	"SELECT COUNT(*) FROM webhook"},
    {SETTING_LIMITS_WORKFLOWS_PER_EVENT, create_active,
	"Limit reached: at most 2 active workflows of one event",
	"SELECT COUNT(*) FROM workflow_trigger"},
};

Test(limit, refuses_one_past_it)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		g_autoptr(GError) refusal = NULL;

		limit_set(kinds[i].limit, 2);
		MUST(kinds[i].create(fixture->db, &fixture->workspace, 1, &error));
		MUST(kinds[i].create(fixture->db, &fixture->workspace, 2, &error));
		cr_expect_not(kinds[i].create(fixture->db, &fixture->workspace, 3, &refusal));
		cr_assert(g_error_matches(refusal, PH_ERROR, PH_ERROR_CONFLICT), "%s: %s",
		    kinds[i].want, refusal ? refusal->message : "no error");
		cr_expect_str_eq(refusal->message, kinds[i].want);
		cr_expect_eq(db_cause(fixture->db), DB_CAUSE_NONE);
		MUST(kinds[i].create(fixture->db, &fixture->other, 3, &error));
		limit_set(kinds[i].limit, 3);
		MUST(kinds[i].create(fixture->db, &fixture->workspace, 4, &error));
		limit_set(kinds[i].limit, 0);
		MUST(kinds[i].create(fixture->db, &fixture->workspace, 5, &error));
		limit_set(kinds[i].limit, 1);
		MUST_FAIL(kinds[i].create(fixture->db, &fixture->workspace, 6, &error),
		    PH_ERROR_CONFLICT);
		limit_set(kinds[i].limit, -1);
		cr_expect_eq(fixture_number(fixture, kinds[i].count), 5, "%s", kinds[i].want);
		test_db_plain(fixture->db, "DELETE FROM workflow_trigger");
		test_db_plain(fixture->db, "DELETE FROM workflow");
	}
}

#define CLIENTS 6
#define EACH 5

struct client {
	gsize kind;
	guint number;
	guint created;
};

static void *
create_many(void *context)
{
	struct client *client = context;
	struct db *db = test_db_open(fixture->settings);

	for (guint i = 0; i < EACH; i++) {
		g_autoptr(GError) error = NULL;
		guint number = client->number * EACH + i;

		if (kinds[client->kind].create(db, &fixture->workspace, number, &error))
			client->created++;
		else
			cr_assert(g_error_matches(error, PH_ERROR, PH_ERROR_CONFLICT), "%s",
			    error->message);
	}
	db_close(db);
	return NULL;
}

Test(limit, is_exact_among_many, .timeout = 900)
{
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++) {
		struct client clients[CLIENTS];
		GThread *threads[CLIENTS];
		guint created = 0;

		limit_set(kinds[i].limit, 7);
		for (guint j = 0; j < CLIENTS; j++) {
			clients[j] = (struct client){i, j, 0};
			threads[j] = g_thread_new("client", create_many, &clients[j]);
		}
		for (guint j = 0; j < CLIENTS; j++) {
			g_thread_join(threads[j]);
			created += clients[j].created;
		}
		cr_expect_eq(created, 7, "%s: %u", kinds[i].want, created);
		cr_expect_eq(fixture_number(fixture, kinds[i].count), 7, "%s", kinds[i].want);
		test_db_plain(fixture->db, "DELETE FROM workflow");
	}
}

/* No transaction waits for another if there is no limit. */
Test(limit, costs_no_turn_where_there_is_none)
{
	limit_set(SETTING_LIMITS_WORKFLOWS, 0);
	limit_set(SETTING_LIMITS_WORKFLOWS_PER_EVENT, 0);
	limit_set(SETTING_LIMITS_WEBHOOKS, 0);
	for (gsize i = 0; i < G_N_ELEMENTS(kinds); i++)
		MUST(kinds[i].create(fixture->db, &fixture->workspace, 1000, &error));
	cr_expect_eq(fixture_number(fixture, "SELECT SUM(turn) FROM workspace"), 0);
}
