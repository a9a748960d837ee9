/* SPDX-License-Identifier: MIT */
/* Checks the database: the server, our rights, the schema, and what is stored and late. */
#include "cli/doctor.h"

#include "base/clock.h"
#include "base/limits/unit.h"
#include "config/settings.h"
#include "db/connection.h"
#include "store/common/schema.h"
#include "store/common/server.h"
#include "store/outbox/outbox.h"

#define OLDEST_SERVER 100600
#define LEAST_PACKET (2 * LIMIT_MIB)
#define CLOCK_MS 2000
#define KEYS_NAMED 5 /* in one result */
#define LATE_MS (5 * 60 * 1000)

static void
check_version(struct cli_doctor *doctor, const struct store_server *server)
{
	if (store_server_number(server) < OLDEST_SERVER)
		cli_check_bad(doctor, "database", STATE_FAIL, "Use MariaDB 10.6 or newer.",
		    "the server is %s", server->version);
	else
		cli_check_ok(doctor, "database", "%s", server->version);
}

/* The answer 201 promises that the email is stored, so each commit must be on the disk. */
static void
check_durability(struct cli_doctor *doctor, const struct store_server *server)
{
	if (server->flush != 1)
		cli_check_bad(doctor, "durability", STATE_WARN,
		    "Set innodb_flush_log_at_trx_commit = 1.",
		    "a crash of the database's machine loses the last second of emails that were "
		    "accepted (innodb_flush_log_at_trx_commit = %d)",
		    (int)server->flush);
	else if (server->binlog && server->sync_binlog != 1)
		cli_check_bad(doctor, "durability", STATE_WARN, "Set sync_binlog = 1.",
		    "a crash of the database's machine can lose emails that were accepted "
		    "(sync_binlog = %d)",
		    (int)server->sync_binlog);
	else
		cli_check_ok(doctor, "durability", "each commit is on the disk");
}

/* InnoDB refuses every write under READ COMMITTED when the binary log holds statements. */
static void
check_binlog(struct cli_doctor *doctor, const struct store_server *server)
{
	if (server->binlog && server->statements)
		cli_check_bad(doctor, "binlog", STATE_FAIL,
		    "Set binlog_format = MIXED, the default, or ROW.",
		    "the server keeps its binary log as statements (binlog_format = STATEMENT), "
		    "and "
		    "so it refuses all changes");
}

/* A replica refuses all changes but those of its administrators. */
static void
check_changes(struct cli_doctor *doctor, const struct store_server *server)
{
	bool has[RIGHT_COUNT] = {false};

	if (server->read_only && store_server_rights(doctor->db, has, NULL) &&
	    !has[RIGHT_READ_ONLY_ADMIN])
		cli_check_bad(doctor, "database", STATE_FAIL,
		    "Name the primary server in section [database], or set read_only = OFF.",
		    "the server refuses changes (read_only = ON)");
}

static void
check_database_check_variables(struct cli_doctor *doctor, const struct store_server *server)
{
	if (server->packet < LEAST_PACKET)
		cli_check_bad(doctor, "packets", STATE_FAIL,
		    "Set max_allowed_packet = 16M, the default, or at least 2M.",
		    "the server accepts %d KiB at once, too little for large emails",
		    (int)(server->packet / 1024));
	else
		cli_check_ok(doctor, "packets", "the server accepts %d MiB at once",
		    (int)(server->packet / LIMIT_MIB));
	if (g_ascii_strcasecmp(server->engine, "InnoDB") != 0)
		cli_check_bad(doctor, "engine", STATE_WARN, "Set default_storage_engine = InnoDB.",
		    "new tables are %s by default", server->engine);
	if (!server->strict)
		cli_check_bad(doctor, "mode", STATE_FAIL,
		    "A proxy in front of the server may cause this.",
		    "the server did not accept our strict SQL mode");
}

static void
check_clock(struct cli_doctor *doctor, gint64 ahead)
{
	if (ABS(ahead) > CLOCK_MS)
		cli_check_bad(doctor, "clock", STATE_FAIL,
		    "Synchronize the clocks of all machines by NTP.",
		    "the database's clock is %.1f s %s ours: emails leave too early or too late, "
		    "and claims end while they are used",
		    (double)ABS(ahead) / 1000, ahead > 0 ? "ahead of" : "behind");
	else
		cli_check_ok(doctor, "clock", "the database's clock and ours agree");
}

static void
check_server(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;
	gint64 before = base_clock_now();
	AUTO(store_server) server = store_server_read(doctor->db, &error);
	gint64 after = base_clock_now();

	if (!server) {
		cli_check_failed(doctor, "database", error);
		return;
	}
	check_version(doctor, server);
	check_durability(doctor, server);
	check_binlog(doctor, server);
	check_changes(doctor, server);
	check_database_check_variables(doctor, server);
	check_clock(doctor, server->clock - (before + after) / 2);
}

void
cli_check_database(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;

	if (!doctor->settings)
		return;
	doctor->db = db_open(doctor->settings, &error);
	if (doctor->db)
		check_server(doctor);
	else
		cli_check_bad(doctor, "database", STATE_FAIL,
		    "Start MariaDB, or correct section [database] of the settings.", "%s",
		    error->message);
}

/* Lists the rights from first to last that are missing; "" for none. The caller owns the list. */
static char *
list_missing(const bool has[RIGHT_COUNT], enum store_right first, enum store_right last)
{
	g_autoptr(GPtrArray) missing = g_ptr_array_new();

	for (enum store_right right = first; right <= last; right++)
		if (!has[right])
			g_ptr_array_add(missing, (char *)store_right_name(right));
	g_ptr_array_add(missing, NULL);
	return g_strjoinv(", ", (char **)missing->pdata);
}

void
cli_check_rights(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;
	bool has[RIGHT_COUNT];

	if (!doctor->db)
		return;
	if (!store_server_rights(doctor->db, has, &error)) {
		cli_check_failed(doctor, "rights", error);
		return;
	}
	const char *name = config_settings_text(doctor->settings, SETTING_DATABASE_NAME);
	const char *user = config_settings_text(doctor->settings, SETTING_DATABASE_USER);
	g_autofree char *daily = list_missing(has, RIGHT_SELECT, RIGHT_DELETE);
	g_autofree char *rare = list_missing(has, RIGHT_CREATE, RIGHT_REFERENCES);
	g_autofree char *remedy = g_strdup_printf(
	    "As the administrator of MariaDB: GRANT SELECT, INSERT, UPDATE, DELETE, CREATE, ALTER, "
	    "INDEX, REFERENCES ON `%s`.* TO the user \"%s\".",
	    name, user);
	if (*daily)
		cli_check_bad(doctor, "rights", STATE_FAIL, remedy,
		    "the user of section [database] lacks %s", daily);
	else if (*rare)
		cli_check_bad(doctor, "rights", STATE_WARN, remedy,
		    "the user of section [database] lacks %s, which posthouse schema migrate needs",
		    rare);
	else
		cli_check_ok(doctor, "rights", "the user of section [database] has all rights");
}

/* Closes the database when its schema version differs, so that the later checks skip it. */
void
cli_check_schema(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;

	if (!doctor->db)
		return;
	if (store_schema_check(doctor->db, &error)) {
		cli_check_ok(doctor, "schema", "version %d", store_schema_latest());
		doctor->domains = store_server_domains(doctor->db, NULL);
		return;
	}
	cli_check_bad(doctor, "schema", STATE_FAIL,
	    "Run posthouse schema migrate, or install the program that fits the database.", "%s",
	    error->message);
	g_clear_pointer(&doctor->db, db_close);
}

/* Names keys whose user is removed. Whether the result is given. */
static bool
tell_loose_keys(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;
	g_autoptr(GPtrArray) keys =
	    store_server_loose_keys(doctor->db, base_clock_now(), KEYS_NAMED + 1, &error);
	g_autoptr(GString) names = g_string_new(NULL);
	char id[ID_TEXT_SIZE];

	if (!keys) {
		cli_check_failed(doctor, "accounts", error);
		return true;
	}
	if (keys->len == 0)
		return false;
	for (guint i = 0; i < MIN(keys->len, KEYS_NAMED); i++) {
		const struct store_server_key *key = keys->pdata[i];

		g_string_append_printf(names, "%s%s (%s) of workspace \"%s\"", i > 0 ? ", " : "",
		    *key->name ? key->name : "a key without name", base_id_format(&key->id, id),
		    key->workspace);
	}
	cli_check_bad(doctor, "accounts", STATE_WARN,
	    "posthouse key revoke ID --workspace NAME, or add the user again.",
	    "the user of an API key that is valid is removed: %s%s", names->str,
	    keys->len > KEYS_NAMED ? ", and more" : "");
	return true;
}

void
cli_check_accounts(struct cli_doctor *doctor)
{
	struct store_inventory inventory;
	g_autoptr(GError) error = NULL;

	if (!doctor->db)
		return;
	if (!store_server_count(doctor->db, base_clock_now(), &inventory, &error)) {
		cli_check_failed(doctor, "accounts", error);
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
			cli_check_bad(doctor, "accounts", STATE_WARN, needs[i].remedy,
			    "%s: nobody can send", needs[i].missing);
			return;
		}
	if (tell_loose_keys(doctor))
		return;
	cli_check_ok(doctor, "accounts", "workspaces: %d, API keys: %d, domains that may send: %d",
	    (int)inventory.workspaces, (int)inventory.keys, (int)inventory.domains);
}

void
cli_check_delivery(struct cli_doctor *doctor)
{
	gint64 next, now = base_clock_now();
	g_autoptr(GError) error = NULL;

	if (!doctor->db)
		return;
	if (!store_outbox_next(doctor->db, &next, &error))
		cli_check_failed(doctor, "delivery", error);
	else if (next > 0 && next < now - LATE_MS)
		cli_check_bad(doctor, "delivery", STATE_WARN,
		    "Make sure that cron starts posthouse-spool each minute, and read its "
		    "messages.",
		    "a message or a step has been due for %d minutes", (int)((now - next) / 60000));
	else
		cli_check_ok(doctor, "delivery", "nothing is late");
}
