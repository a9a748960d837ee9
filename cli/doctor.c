/* SPDX-License-Identifier: MIT */
/* posthouse doctor: checks settings, spool, database and relays, and reports what is wrong. */
#include "cli/doctor.h"

#include <errno.h>
#include <string.h>
#include <sys/statfs.h>

#include "base/clock.h"
#include "base/error.h"
#include "base/hostname.h"
#include "base/limits.h"
#include "base/settings.h"
#include "base/startup.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "core/tracking.h"
#include "core/zone.h"
#include "db/connection.h"
#include "store/outbox.h"
#include "store/schema.h"
#include "store/server.h"

static void
free_result(void *data)
{
	struct cli_check_result *result = data;

	g_free(result->check);
	g_free(result->text);
	g_free(result->remedy);
	g_free(result);
}

static struct cli_doctor *
doctor_new(const char *config)
{
	struct cli_doctor *doctor = g_new0(struct cli_doctor, 1);

	doctor->config = config;
	doctor->results = g_ptr_array_new_with_free_func(free_result);
	return doctor;
}

static void
doctor_free(struct cli_doctor *doctor)
{
	g_clear_pointer(&doctor->db, db_close);
	g_clear_pointer(&doctor->settings, base_settings_free);
	g_ptr_array_unref(doctor->results);
	g_free(doctor);
}

static void
note(struct cli_doctor *doctor, const char *check, enum cli_state state, const char *remedy,
    char *text)
{
	struct cli_check_result *result = g_new0(struct cli_check_result, 1);

	*result = (struct cli_check_result){g_strdup(check), state, text, g_strdup(remedy)};
	g_ptr_array_add(doctor->results, result);
}

void
cli_check_ok(struct cli_doctor *doctor, const char *check, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(doctor, check, STATE_OK, NULL, g_strdup_vprintf(format, args));
	va_end(args);
}

void
cli_check_bad(struct cli_doctor *doctor, const char *check, enum cli_state state,
    const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	note(doctor, check, state, remedy, g_strdup_vprintf(format, args));
	va_end(args);
}

static void
check_settings(struct cli_doctor *doctor)
{
	const char *path = base_settings_path(doctor->config);
	g_autoptr(GError) error = NULL;

	doctor->settings = base_startup_read(doctor->config, &error);
	if (!doctor->settings) {
		cli_check_bad(doctor, "settings", STATE_FAIL,
		    "posthouse.conf(5) describes all settings.", "%s", error->message);
		return;
	}
	cli_check_ok(doctor, "settings", "%s", path);
	/* base_startup_settings refuses secrets that cannot be read, or that other users can read.
	 */
	cli_check_ok(doctor, "secrets", "%s",
	    base_settings_text(doctor->settings, SETTING_SERVICE_SECRET_FILE));
}

static bool
is_local(const char *host)
{
	return strcmp(host, "localhost") == 0 || strcmp(host, "::1") == 0 ||
	       g_str_has_prefix(host, "127.");
}

static void
check_url(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	const char *url = base_settings_text(doctor->settings, SETTING_SERVICE_URL);
	g_autoptr(GUri) uri = g_uri_parse(url, G_URI_FLAGS_NONE, NULL);
	const char *host = uri ? g_uri_get_host(uri) : NULL;
	bool encrypted = uri && strcmp(g_uri_get_scheme(uri), "https") == 0;

	if (!core_tracking_base(doctor->settings))
		cli_check_bad(doctor, "url", STATE_WARN,
		    "Set url in section [service] to the public address.",
		    "it is not set, so opens and clicks are not tracked, and there is no page to "
		    "unsubscribe");
	else if (!host || is_local(host))
		cli_check_bad(doctor, "url", STATE_WARN,
		    "Set url in section [service] to the public address.",
		    "links in mail lead to %s, which is each reader's own machine", url);
	else if (!encrypted)
		cli_check_bad(doctor, "url", STATE_WARN,
		    "Serve https, and set url in section [service].",
		    "%s is not encrypted, so API keys are sent in plain text", url);
	else
		cli_check_ok(doctor, "url", "%s", url);
}

/* The MX that every domain is shown to publish. */
static void
check_mx(struct cli_doctor *doctor)
{
	if (!doctor->settings)
		return;
	g_autofree char *mx = core_zone_mx(doctor->settings);
	g_autofree char *name = base_hostname_ascii(mx);

	if (name)
		cli_check_ok(doctor, "mx", "delivery reports come back to %s", mx);
	else
		cli_check_bad(doctor, "mx", STATE_WARN,
		    "Set mail_from_mx in section [service] to the DNS name of the server that "
		    "receives delivery reports.",
		    "domains publish the MX \"%s\", which DNS does not have, so no delivery report "
		    "comes back",
		    mx);
}

#define LITTLE_SPACE (100LL * LIMIT_MIB)
#define NO_SPACE (10LL * LIMIT_MIB)

/* File systems (magic numbers of statfs(2)) that other machines share, or that a restart of the
   machine empties. */
static const struct {
	long type;
	const char *name, *trouble;
} doubtful[] = {
    {0x6969, "NFS", "shared with other machines"},
    {0xff534d42, "CIFS", "shared with other machines"},
    {0xfe534d42, "SMB", "shared with other machines"},
    {0x517b, "SMB", "shared with other machines"},
    {0x5346414f, "AFS", "shared with other machines"},
    {0x01161970, "GFS2", "shared with other machines"},
    {0x7461636f, "OCFS2", "shared with other machines"},
    {0x00c36400, "Ceph", "shared with other machines"},
    {0x01021997, "9P", "shared with other machines"},
    {0x65735546, "FUSE", "perhaps shared with other machines"},
    {0x01021994, "tmpfs", "lost when the machine starts again"},
    {0x858458f6, "ramfs", "lost when the machine starts again"},
};

static void
check_type(struct cli_doctor *doctor, const char *dir, const struct statfs *fs)
{
	for (gsize i = 0; i < G_N_ELEMENTS(doubtful); i++)
		if ((guint32)fs->f_type == (guint32)doubtful[i].type) {
			cli_check_bad(doctor, "spool", STATE_WARN,
			    "Set dir in section [spool] to a folder on a disk of this machine.",
			    "%s is on %s, %s", dir, doubtful[i].name, doubtful[i].trouble);
			return;
		}
	cli_check_ok(doctor, "spool", "%s", dir);
}

static void
check_space(struct cli_doctor *doctor, const struct statfs *fs)
{
	gint64 space = (gint64)fs->f_bavail * (gint64)fs->f_bsize;
	bool ok = space >= LITTLE_SPACE && (fs->f_ffree > 0 || fs->f_files == 0);

	if (ok)
		cli_check_ok(doctor, "space",
		    "%" G_GINT64_FORMAT " MiB are free in the spool folder", space / LIMIT_MIB);
	else
		cli_check_bad(doctor, "space", space < NO_SPACE ? STATE_FAIL : STATE_WARN,
		    "Free some space there: nothing is sent while the journal cannot be written.",
		    "%" G_GINT64_FORMAT " MiB and %" G_GUINT64_FORMAT
		    " files are free in the spool folder",
		    space / LIMIT_MIB, (guint64)fs->f_ffree);
}

static void
check_spool(struct cli_doctor *doctor)
{
	struct statfs fs;
	g_autoptr(GError) error = NULL;

	if (!doctor->settings)
		return;
	const char *dir = base_settings_text(doctor->settings, SETTING_SPOOL_DIR);
	if (!base_startup_spool(doctor->settings, &error)) {
		cli_check_bad(doctor, "spool", STATE_FAIL,
		    "It must belong to the user who runs the web server's processes and cron's.",
		    "%s", error->message);
		return;
	}
	if (statfs(dir, &fs) != 0) {
		cli_check_bad(doctor, "spool", STATE_FAIL, NULL, "%s: %s", dir, g_strerror(errno));
		return;
	}
	check_type(doctor, dir, &fs);
	check_space(doctor, &fs);
}

#define OLDEST_SERVER 100600
#define LEAST_PACKET (2 * LIMIT_MIB)
#define CLOCK_MS 2000
#define LATE_MS (5 * 60 * 1000)

static void
check_database(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;

	if (!doctor->settings)
		return;
	doctor->db = db_open(doctor->settings, &error);
	if (doctor->db)
		return;
	cli_check_bad(doctor, "database", STATE_FAIL,
	    "Start MariaDB, or correct section [database] of the settings.", "%s", error->message);
}

static void
failed(struct cli_doctor *doctor, const char *check, const GError *error)
{
	cli_check_bad(doctor, check, STATE_FAIL, NULL, "%s", error->message);
}

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

static void
check_variables(struct cli_doctor *doctor, const struct store_server *server)
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

	if (!doctor->db)
		return;
	gint64 before = base_clock_now();
	AUTO(store_server) server = store_server_read(doctor->db, &error);
	gint64 after = base_clock_now();
	if (!server) {
		failed(doctor, "database", error);
		return;
	}
	check_version(doctor, server);
	check_durability(doctor, server);
	check_binlog(doctor, server);
	check_variables(doctor, server);
	check_clock(doctor, server->clock - (before + after) / 2);
}

/* Closes the database when its schema version differs, so that the later checks skip it. */
static void
check_schema(struct cli_doctor *doctor)
{
	g_autoptr(GError) error = NULL;

	if (!doctor->db)
		return;
	if (store_schema_check(doctor->db, &error)) {
		cli_check_ok(doctor, "schema", "version %d", store_schema_latest());
		return;
	}
	failed(doctor, "schema", error);
	g_clear_pointer(&doctor->db, db_close);
}

static void
check_inventory(struct cli_doctor *doctor)
{
	struct store_inventory inventory;
	g_autoptr(GError) error = NULL;

	if (!doctor->db)
		return;
	if (!store_server_count(doctor->db, base_clock_now(), &inventory, &error)) {
		failed(doctor, "accounts", error);
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
	cli_check_ok(doctor, "accounts", "workspaces: %d, API keys: %d, domains that may send: %d",
	    (int)inventory.workspaces, (int)inventory.keys, (int)inventory.domains);
}

static void
check_backlog(struct cli_doctor *doctor)
{
	gint64 next, now = base_clock_now();
	g_autoptr(GError) error = NULL;

	if (!doctor->db)
		return;
	if (!store_outbox_next(doctor->db, &next, &error))
		failed(doctor, "delivery", error);
	else if (next > 0 && next < now - LATE_MS)
		cli_check_bad(doctor, "delivery", STATE_WARN,
		    "Make sure that cron starts posthouse-spool each minute, and read its "
		    "messages.",
		    "a message or a step has been due for %d minutes", (int)((now - next) / 60000));
	else
		cli_check_ok(doctor, "delivery", "nothing is late");
}

static void (*const checks[])(struct cli_doctor *) = {check_settings, check_spool, check_database,
    check_server, check_schema, check_inventory, check_backlog, cli_check_relays, check_url,
    check_mx};

#define INDENT 6

static const char *const words[] = {
    [STATE_OK] = "ok", [STATE_WARN] = "warn", [STATE_FAIL] = "fail"};

static void
show(struct cli_call *call, const struct cli_check_result *result)
{
	g_autoptr(GString) text = g_string_new(NULL);
	g_autofree char *what = g_strdup_printf("%s: %s", result->check, result->text);

	g_string_append_printf(
	    text, "%-*s", INDENT, result->state == STATE_FAIL ? "FAIL" : words[result->state]);
	cli_wrap_words(text, INDENT, what);
	if (result->remedy)
		cli_wrap_words(text, INDENT, result->remedy);
	cli_output_item(call->output,
	    FIELDS(cli_text("check", result->check), cli_text("state", words[result->state]),
		cli_text("text", result->text), cli_text("remedy", result->remedy)),
	    text->str);
}

static bool
run_checks(struct cli_call *call, GError **error)
{
	struct cli_doctor *doctor = doctor_new(call->config);
	const GPtrArray *results = doctor->results;
	guint shown = 0, failed = 0;

	cli_output_list_begin(call->output, "checks", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(checks); i++) {
		checks[i](doctor);
		for (; shown < results->len; shown++) {
			const struct cli_check_result *result = results->pdata[shown];

			show(call, result);
			failed += result->state == STATE_FAIL;
		}
	}
	cli_output_list_end(call->output);
	g_autofree char *count = cli_count(shown, "check", "checks");
	if (failed > 0)
		g_set_error(error, PH_ERROR, PH_ERROR_FAILED, "%u of %s failed", failed, count);
	doctor_free(doctor);
	return failed == 0;
}

static const struct cli_command commands[] = {
    {NULL,
	"Check the installation. The result of each check is ok, or a warning or a failure with "
	"its remedy; without a failure the exit status is 0.",
	NEED_NOTHING, .run = run_checks},
};

const struct cli_noun cli_noun_doctor = {"doctor", commands, G_N_ELEMENTS(commands)};
