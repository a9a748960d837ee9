/* SPDX-License-Identifier: MIT */
/* Whether the database is one that Posthouse can rely on, and holds what is needed. */
#include "base/clock.h"
#include "base/limits.h"
#include "base/settings.h"
#include "cli/check.h"
#include "db/connection.h"
#include "store/outbox.h"
#include "store/schema.h"
#include "store/server.h"

#define OLDEST_SERVER 100600
#define LEAST_PACKET (2 * LIMIT_MIB)
#define CLOCK_MS 2000
#define LATE_MS (5 * 60 * 1000)

void
cli_check_database(struct cli_examination *examination)
{
	g_autoptr(GError) error = NULL;

	if (!examination->settings)
		return;
	examination->db = db_open(examination->settings, &error);
	if (examination->db)
		return;
	cli_check_bad(examination, "database", STATE_FAIL,
	    "Start MariaDB, or mend section [database] of the settings.", "%s", error->message);
}

static void
failed(struct cli_examination *examination, const char *check, const GError *error)
{
	cli_check_bad(examination, check, STATE_FAIL, NULL, "%s", error->message);
}

static void
check_version(struct cli_examination *examination, const struct store_server *server)
{
	if (store_server_number(server) < OLDEST_SERVER)
		cli_check_bad(examination, "database", STATE_FAIL, "Use MariaDB 10.6 or newer.",
		    "the server is %s", server->version);
	else
		cli_check_ok(examination, "database", "%s", server->version);
}

/* 201 promises that an email is kept: a commit must be on the disk. */
static void
check_durability(struct cli_examination *examination, const struct store_server *server)
{
	if (server->flush != 1)
		cli_check_bad(examination, "durability", STATE_WARN,
		    "Set innodb_flush_log_at_trx_commit = 1.",
		    "a crash of the database's machine loses the last second of emails that were "
		    "accepted (innodb_flush_log_at_trx_commit = %d)",
		    (int)server->flush);
	else if (server->binlog && server->sync_binlog != 1)
		cli_check_bad(examination, "durability", STATE_WARN, "Set sync_binlog = 1.",
		    "a crash of the database's machine can lose emails that were accepted "
		    "(sync_binlog = %d)",
		    (int)server->sync_binlog);
	else
		cli_check_ok(examination, "durability", "each commit is on the disk");
}

/* A write fails then, each one: InnoDB will not have it logged so under READ COMMITTED. */
static void
check_binlog(struct cli_examination *examination, const struct store_server *server)
{
	if (server->binlog && server->statements)
		cli_check_bad(examination, "binlog", STATE_FAIL,
		    "Set binlog_format = MIXED, the default, or ROW.",
		    "the server keeps its binary log as statements (binlog_format = STATEMENT), "
		    "and "
		    "so refuses whatever is to be stored");
}

static void
check_variables(struct cli_examination *examination, const struct store_server *server)
{
	if (server->packet < LEAST_PACKET)
		cli_check_bad(examination, "packets", STATE_FAIL,
		    "Set max_allowed_packet = 16M, the default, or at least 2M.",
		    "the server takes %d KiB at once, too little for large emails",
		    (int)(server->packet / 1024));
	else
		cli_check_ok(examination, "packets", "the server takes %d MiB at once",
		    (int)(server->packet / LIMIT_MIB));
	if (g_ascii_strcasecmp(server->engine, "InnoDB") != 0)
		cli_check_bad(examination, "engine", STATE_WARN,
		    "Set default_storage_engine = InnoDB.", "new tables are %s by default",
		    server->engine);
	if (!server->strict)
		cli_check_bad(examination, "mode", STATE_FAIL,
		    "A proxy between us and the server may do that.",
		    "the server did not take our strict SQL mode");
}

static void
check_clock(struct cli_examination *examination, gint64 ahead)
{
	if (ABS(ahead) > CLOCK_MS)
		cli_check_bad(examination, "clock", STATE_FAIL,
		    "Let all machines keep the time by NTP.",
		    "the database's clock is %.1f s %s ours: emails leave too early or too late, "
		    "and claims end while they are used",
		    (double)ABS(ahead) / 1000, ahead > 0 ? "ahead of" : "behind");
	else
		cli_check_ok(examination, "clock", "the database's clock and ours agree");
}

void
cli_check_server(struct cli_examination *examination)
{
	g_autoptr(GError) error = NULL;

	if (!examination->db)
		return;
	gint64 before = base_clock_now();
	AUTO(store_server) server = store_server_read(examination->db, &error);
	gint64 after = base_clock_now();
	if (!server) {
		failed(examination, "database", error);
		return;
	}
	check_version(examination, server);
	check_durability(examination, server);
	check_binlog(examination, server);
	check_variables(examination, server);
	check_clock(examination, server->clock - (before + after) / 2);
}

/* Closes the database when its tables are not ours, so that nothing more is asked of it. */
void
cli_check_schema(struct cli_examination *examination)
{
	g_autoptr(GError) error = NULL;

	if (!examination->db)
		return;
	if (store_schema_check(examination->db, &error)) {
		cli_check_ok(examination, "schema", "version %d", store_schema_latest());
		return;
	}
	failed(examination, "schema", error);
	g_clear_pointer(&examination->db, db_close);
}

void
cli_check_inventory(struct cli_examination *examination)
{
	struct store_inventory inventory;
	g_autoptr(GError) error = NULL;

	if (!examination->db)
		return;
	if (!store_server_count(examination->db, base_clock_now(), &inventory, &error)) {
		failed(examination, "accounts", error);
		return;
	}
	const struct {
		gint64 count;
		const char *missing, *remedy;
	} needs[] = {
	    {inventory.workspaces, "there is no workspace", "posthouse workspace create NAME"},
	    {inventory.keys, "there is no API key that is valid",
		"posthouse key create --user EMAIL"},
	    {inventory.domains, "there is no domain that may send",
		"posthouse domain add NAME, then verify or trust it"},
	};
	for (gsize i = 0; i < G_N_ELEMENTS(needs); i++)
		if (needs[i].count == 0) {
			cli_check_bad(examination, "accounts", STATE_WARN, needs[i].remedy,
			    "%s: nobody can send", needs[i].missing);
			return;
		}
	cli_check_ok(examination, "accounts",
	    "workspaces: %d, API keys: %d, domains that may send: %d", (int)inventory.workspaces,
	    (int)inventory.keys, (int)inventory.domains);
}

void
cli_check_backlog(struct cli_examination *examination)
{
	gint64 next, now = base_clock_now();
	g_autoptr(GError) error = NULL;

	if (!examination->db)
		return;
	if (!store_outbox_next(examination->db, &next, &error))
		failed(examination, "delivery", error);
	else if (next > 0 && next < now - LATE_MS)
		cli_check_bad(examination, "delivery", STATE_WARN,
		    "See that cron starts posthouse-spool each minute, and what it says.",
		    "something has been due for %d minutes", (int)((now - next) / 60000));
	else
		cli_check_ok(examination, "delivery", "nothing is late");
}
