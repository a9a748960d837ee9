/* SPDX-License-Identifier: MIT */
/* Tests the memory of the design cache with many and with large designs. */
#include "automation/design_cache.h"

#include <criterion/criterion.h>
#include <stdlib.h>
#include <string.h>

#include "automation/design.h"
#include "base/limits/unit.h"
#include "base/limits/workflow.h"
#include "service/service.h"
#include "tests/automation/fixture.h"
#include "tests/support/program.h"

static struct fixture *fixture;

static void
design_cache_begin(void)
{
	fixture = fixture_open();
}

static void
design_cache_end(void)
{
	fixture_close(fixture);
}

TestSuite(design_cache, .init = design_cache_begin, .fini = design_cache_end, .timeout = 900);

#define WORKFLOWS 200
/* The growth of the process: the cache, a design that is being parsed, and buffers of the database
   client. */
#define PEAK (LIMIT_DESIGN_CACHE_BYTES + 48 * LIMIT_MIB + TEST_MEMORY_SPARE)

#define NODES                                                                                      \
	"{'id': 't', 'type': 'trigger', 'data': {'eventName': 'go'}},"                             \
	"{'id': 'u', 'type': 'update_contact', 'data': {'set': {'a': 1}}}"
#define EDGES "{'source': 't', 'target': 'u'}"

/* SQL for the text before the nodes of NODES that makes the design 1 MiB. */
static const struct {
	const char *name, *front;
} cases[] = {
    {"zeros", "'{\"junk\":[', REPEAT('0,', 524000), '0],\"nodes\":['"},
    {"arrays in a node", "'{\"nodes\":[{\"id\":\"x\",\"type\":\"exit\",\"data\":{\"junk\":[',"
			 " REPEAT('[],', 349000), '0]}},'"},
    {"rules", "'{\"nodes\":[{\"id\":\"x\",\"type\":\"condition\",\"data\":{\"rules\":[',"
	      " REPEAT('{\"property\":\"a\",\"operator\":\"exists\",\"value\":[0]},', 20000),"
	      " '{\"property\":\"a\",\"operator\":\"exists\"}]}},'"},
};

/* Makes WORKFLOWS workflows with that design, which the event go starts. */
static void
design_cache_fill(const char *front)
{
	struct base_id id = fixture_workflow(fixture, NODES, EDGES);
	char text[ID_TEXT_SIZE];
	const char *first = base_id_format(&id, text);
	g_autofree char *design =
	    g_strdup_printf("UPDATE workflow_version SET design = CONCAT(%s,"
			    " SUBSTRING(design, LOCATE('[', design) + 1)) WHERE workflow_id ="
			    " UNHEX(REPLACE('%s', '-', ''))",
		front, first);
	static const char *const copies[] = {
	    "INSERT INTO workflow SELECT UNHEX(LPAD(HEX(seq), 32, '0')), workspace_id, name, "
	    "status,"
	    " current_version, active_version, created_by, created_by_type, created, updated,"
	    " deleted FROM workflow, seq_2_to_200",
	    "INSERT INTO workflow_version (workflow_id, version, workspace_id, design, created)"
	    " SELECT UNHEX(LPAD(HEX(seq), 32, '0')), version, workspace_id, design, created"
	    " FROM workflow_version, seq_2_to_200",
	    "INSERT INTO workflow_trigger (workspace_id, event_name, workflow_id, version)"
	    " SELECT workspace_id, event_name, UNHEX(LPAD(HEX(seq), 32, '0')), version"
	    " FROM workflow_trigger, seq_2_to_200",
	};

	test_db_plain(fixture->db, design);
	for (gsize i = 0; i < G_N_ELEMENTS(copies); i++)
		test_db_plain(fixture->db, copies[i]);
}

/* Returns the resident size of this process, now or at its peak, in bytes. */
static gsize
design_cache_memory(const char *name)
{
	g_autofree char *text = NULL;

	cr_assert(g_file_get_contents("/proc/self/status", &text, NULL, NULL));
	const char *line = strstr(text, name);
	cr_assert(line);
	return (gsize)strtoull(line + strlen(name), NULL, 10) * 1024;
}

static void
design_cache_expect_peak(const char *name, const char *what, gsize before)
{
	gsize peak = design_cache_memory("VmHWM:") - before;

	g_message("%s, %s: %zu MiB", name, what, peak / LIMIT_MIB);
	cr_expect_leq(peak, PEAK, "%s, %s: %zu MiB", name, what, peak / LIMIT_MIB);
}

/* One event starts all workflows in one transaction; the engine steps them in batches. */
Test(design_cache, of_many_large_designs_stays_small)
{
	gsize before = design_cache_memory("VmRSS:");

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		design_cache_fill(cases[i].front);
		test_program_reset_peak(0);
		fixture_event(fixture, "go", NULL);
		design_cache_expect_peak(cases[i].name, "start", before);
		cr_expect_eq(
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution"), WORKFLOWS);
		fixture_run(fixture);
		design_cache_expect_peak(cases[i].name, "steps", before);
		gint64 done =
		    test_db_number(fixture->db, "SELECT COUNT(*) FROM execution WHERE status = 3");
		cr_expect_eq(done, WORKFLOWS, "%s: %d have completed", cases[i].name, (int)done);
		fixture_clear(fixture);
		fixture_at(DAY * (gint64)(i + 1));
	}
}

static const struct automation_cached_design *
design_cache_get(const struct base_id *workflow)
{
	g_autoptr(GError) error = NULL;
	const struct automation_cached_design *volume =
	    automation_design_cache_get(fixture->service, workflow, 1, &error);

	cr_assert(volume && volume->design, "%s", error ? error->message : "no design");
	return volume;
}

/* Only a trim drops designs, the least recently used ones first. */
Test(design_cache, drops_the_one_that_was_not_used_for_longest)
{
	struct base_id ids[WORKFLOWS];
	guint count = 0;

	design_cache_fill(cases[2].front);
	for (guint i = 2; i <= WORKFLOWS; i++) {
		ids[i - 2] = (struct base_id){{0}};
		ids[i - 2].bytes[15] = (guint8)i;
	}
	const struct automation_cached_design *first = design_cache_get(&ids[0]);
	const struct automation_cached_design *second = design_cache_get(&ids[1]);
	while (!automation_design_cache_is_full(fixture->service))
		design_cache_get(&ids[2 + count++]);
	cr_expect(design_cache_get(&ids[0]) == first, "it was dropped although nobody trimmed");
	automation_design_cache_trim(fixture->service);
	cr_expect_not(automation_design_cache_is_full(fixture->service));
	cr_expect(design_cache_get(&ids[0]) == first, "it was dropped although it was used last");
	gsize weight = automation_design_weight(first->design);
	cr_expect_gt(count, LIMIT_DESIGN_CACHE_BYTES / weight - 3, "only %u were kept", count);
	test_db_plain(fixture->db, "DELETE FROM workflow_version");
	const struct automation_cached_design *gone =
	    automation_design_cache_get(fixture->service, &ids[1], 1, NULL);
	cr_expect(gone && !gone->design, "it is there still, at %p", (const void *)second);
}
