/* SPDX-License-Identifier: MIT */
/* posthouse doctor: runs the checks of the installation, and reports what is wrong. */
#include "cli/doctor.h"

#include <string.h>
#include <sysexits.h>

#include "base/error.h"
#include "base/limits/domain.h"
#include "cli/call.h"
#include "cli/grammar.h"
#include "cli/output.h"
#include "cli/text.h"
#include "config/settings.h"
#include "config/startup.h"
#include "db/connection.h"
#include "service/service.h"

#define EXIT_WARN 1

static void
doctor_clear(struct cli_doctor *doctor)
{
	if (doctor->service)
		doctor->service->db = doctor->db;
	else
		g_clear_pointer(&doctor->db, db_close);
	g_clear_pointer(&doctor->service, service_close);
	g_clear_pointer(&doctor->settings, config_settings_free);
	g_clear_pointer(&doctor->domains, g_ptr_array_unref);
	g_ptr_array_unref(doctor->failures);
	g_ptr_array_unref(doctor->results);
}

static gsize
first_word(const char *check)
{
	return strcspn(check, " ");
}

static void
doctor_check_settings(struct cli_doctor *doctor)
{
	const char *path = config_settings_path(doctor->config);
	g_autoptr(GError) error = NULL;

	doctor->settings = config_startup_read(doctor->config, &error);
	if (!doctor->settings) {
		cli_check_bad(doctor, "settings", STATE_FAIL,
		    "posthouse.conf(5) describes all settings.", "%s", error->message);
		return;
	}
	doctor->service = service_open(doctor->settings);
	cli_check_ok(doctor, "settings", "%s", path);
	/* config_startup_settings refuses secrets that cannot be read, or that other users can
	 * read.
	 */
	cli_check_ok(doctor, "secrets", "%s",
	    config_settings_text(doctor->settings, SETTING_SERVICE_SECRET_FILE));
}

/* The things that a check looks at, besides the settings. */
enum basis { BASIS_SETTINGS = 1, BASIS_SPOOL = 2, BASIS_DATABASE = 4 };

/* The checks in their order, with the names of their results. */
static const struct {
	void (*run)(struct cli_doctor *doctor);
	guint needs; /* of enum basis */
	guint gives; /* what others need; 0: nothing */
	const char *names[8];
} checks[] = {
    {doctor_check_settings, BASIS_SETTINGS, BASIS_SETTINGS, {"settings", "secrets"}},
    {cli_check_hardening, BASIS_SETTINGS, 0, {"hardening", "seccomp"}},
    {cli_check_spool, BASIS_SETTINGS, BASIS_SPOOL, {"spool", "space"}},
    {cli_check_database, BASIS_DATABASE, BASIS_DATABASE,
	{"database", "durability", "binlog", "packets", "engine", "mode", "clock"}},
    {cli_check_rights, BASIS_DATABASE, BASIS_DATABASE, {"rights"}},
    {cli_check_schema, BASIS_DATABASE, BASIS_DATABASE, {"schema"}},
    {cli_check_accounts, BASIS_DATABASE, 0, {"accounts"}},
    {cli_check_keys, BASIS_DATABASE, 0, {"keys"}},
    {cli_check_delivery, BASIS_DATABASE, 0, {"delivery"}},
    {cli_check_cron, BASIS_SPOOL | BASIS_DATABASE, 0, {"cron"}},
    {cli_check_journals, BASIS_SPOOL, 0, {"journals"}},
    {cli_check_log, BASIS_SETTINGS, 0, {"log"}},
    {cli_check_looks, BASIS_DATABASE, 0, {"looks"}},
    {cli_check_relays, BASIS_DATABASE, 0, {"relay", "route"}},
    {cli_check_routes, BASIS_DATABASE, 0, {"route"}},
    {cli_check_providers, BASIS_DATABASE, 0, {"provider"}},
    {cli_check_domains, BASIS_DATABASE, 0, {"domain"}},
    {cli_check_bimi, BASIS_DATABASE, 0, {"bimi"}},
    {cli_check_service_sender, BASIS_DATABASE, 0, {"sender"}},
    {cli_check_helo, BASIS_SETTINGS, 0, {"helo"}},
    {cli_check_blocklists, BASIS_DATABASE, 0, {"blocklists"}},
    {cli_check_url, BASIS_SETTINGS, 0, {"url"}},
    {cli_check_mx, BASIS_SETTINGS, 0, {"mx"}},
    {cli_check_web, BASIS_DATABASE, 0, {"web"}},
    {cli_check_smtpd, BASIS_DATABASE, 0, {"smtpd"}},
    {cli_check_receiving, BASIS_DATABASE, 0, {"receiving"}},
    {cli_check_certificate, BASIS_SETTINGS, 0, {"certificate"}},
};

/* Whether the check at i gives results that were asked for, such as those of one relay. */
static bool
is_asked(const struct cli_doctor *doctor, guint i)
{
	for (char *const *only = doctor->only; only && *only; only++)
		for (const char *const *name = checks[i].names; *name; name++)
			if (strlen(*name) == first_word(*only) && g_str_has_prefix(*only, *name))
				return true;
	return !doctor->only;
}

/* Everything that the checks which were asked for look at. */
static guint
needs_of(const struct cli_doctor *doctor)
{
	guint needs = BASIS_SETTINGS;

	for (guint i = 0; i < G_N_ELEMENTS(checks); i++)
		if (is_asked(doctor, i))
			needs |= checks[i].needs;
	return needs;
}

/* INVALID when a word of --only is the name of no check. */
static bool
knows_names(const struct cli_doctor *doctor, GError **error)
{
	for (char *const *only = doctor->only; only && *only; only++) {
		char *const one[] = {*only, NULL};
		struct cli_doctor asked = {.only = one};
		bool is_known = false;

		for (guint i = 0; i < G_N_ELEMENTS(checks); i++)
			is_known = is_known || is_asked(&asked, i);
		if (!is_known)
			return base_invalid(error,
			    "there is no check \"%s\"; posthouse doctor shows their names", *only);
	}
	return true;
}

#define INDENT 6

static const char *const words[] = {
    [STATE_OK] = "ok", [STATE_WARN] = "warn", [STATE_FAIL] = "fail"};

static void
doctor_show(struct cli_call *call, const struct cli_check_result *result)
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

/* Runs the checks that were asked for and those that they need, and shows each result at once.
   Counts the results by their states. */
static void
doctor_examine(struct cli_call *call, struct cli_doctor *doctor, guint counts_r[STATE_FAIL + 1])
{
	guint needs = needs_of(doctor);
	guint shown = 0;

	cli_output_list_begin(call->output, "checks", NULL);
	for (gsize i = 0; i < G_N_ELEMENTS(checks); i++) {
		if (!is_asked(doctor, (guint)i) && !(checks[i].gives & needs))
			continue;
		doctor->is_basis = checks[i].gives != 0;
		checks[i].run(doctor);
		for (; shown < doctor->results->len; shown++) {
			const struct cli_check_result *result = doctor->results->pdata[shown];

			doctor_show(call, result);
			counts_r[result->state]++;
		}
	}
	cli_output_list_end(call->output);
}

enum { DOCTOR_ONLY, DOCTOR_TO, DOCTOR_BLOCKLISTS };
static const struct cli_parameter parameters[] = {
    [DOCTOR_ONLY] = {"--only",
	"a check to run in place of all: a name such as database, relay or \"relay NAME\"", "CHECK",
	.max = LIMIT_DOMAIN_LENGTH + 20, .repeated = true},
    [DOCTOR_TO] = {"--to", "the recipient to ask the relays about; no mail is sent", "ADDRESS",
	PARAMETER_ADDRESS},
    [DOCTOR_BLOCKLISTS] = {"--blocklists",
	"ask DNS blocklists about the sending addresses and domains", .type = PARAMETER_FLAG},
};

/* Whether a single thing was asked for, such as one relay. */
static bool
asks_for_one(const struct cli_doctor *doctor)
{
	for (char *const *only = doctor->only; only && *only; only++)
		if ((*only)[first_word(*only)])
			return true;
	return false;
}

static bool
doctor_conclude(struct cli_call *call, const struct cli_doctor *doctor,
    const guint counts[STATE_FAIL + 1], GError **error)
{
	guint shown = counts[STATE_OK] + counts[STATE_WARN] + counts[STATE_FAIL];
	g_autofree char *count = cli_count(shown, "check", "checks");

	if (counts[STATE_FAIL] > 0)
		return base_fail(
		    error, PH_ERROR_FAILED, "%u of %s failed", counts[STATE_FAIL], count);
	if (shown == 0 && asks_for_one(doctor)) {
		call->status = EX_NOINPUT;
		return base_fail(error, PH_ERROR_NOT_FOUND, "there is nothing of this name");
	}
	if (counts[STATE_WARN] > 0)
		call->status = EXIT_WARN;
	return true;
}

static bool
run_checks(struct cli_call *call, GError **error)
{
	struct cli_doctor doctor = {
	    .config = call->config,
	    .only = call->values[DOCTOR_ONLY].texts,
	    .to = call->values[DOCTOR_TO].text,
	    .asks_blocklists = call->values[DOCTOR_BLOCKLISTS].number != 0,
	    .failures = g_ptr_array_new_with_free_func(g_free),
	    .results = g_ptr_array_new_with_free_func(cli_check_result_free),
	};
	guint counts[STATE_FAIL + 1] = {0};
	bool is_known = knows_names(&doctor, error);

	if (is_known)
		doctor_examine(call, &doctor, counts);
	else
		call->status = EX_USAGE;
	bool done = is_known && doctor_conclude(call, &doctor, counts, error);
	doctor_clear(&doctor);
	return done;
}

static const struct cli_command commands[] = {
    {NULL,
	"Check the installation. The result of each check is ok, or a warning or a failure with "
	"its remedy. The exit status is 0, 1 where there are warnings, or 78 where a check failed.",
	NEED_NOTHING, PARAMETERS(parameters), .run = run_checks},
};

const struct cli_noun cli_noun_doctor = {"doctor", commands, G_N_ELEMENTS(commands)};
