/* SPDX-License-Identifier: MIT */
/* Tests valid and invalid settings files, and the consistency of the table. */
#include "config/settings.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>

#include "base/error.h"
#include "base/limits/email.h"
#include "base/limits/request.h"
#include "base/limits/webhook.h"
#include "base/limits/workflow.h"
#include "base/secret.h"

#define SECRET "0123456789abcdef0123456789abcdef"
#define BASE "[service]\nsecret_file=@/secret\n[spool]\ndir=/spool\n" /* 4 lines */

static char *dir;

static void
settings_put(const char *name, const char *text, int mode)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);

	cr_assert(g_file_set_contents(path, text, -1, NULL));
	cr_assert_eq(g_chmod(path, mode), 0);
}

static void
settings_setup(void)
{
	dir = g_dir_make_tmp("settings-XXXXXX", NULL);
	cr_assert(dir);
	settings_put("secret", "a newer secret, which signs and encrypts\n" SECRET "\n", 0640);
	settings_put("password", "tiger \\x\r\nsecond line\n", 0600);
	settings_put("public", "tiger\n" SECRET "\n", 0644);
	settings_put("executable", SECRET "\n", 0601);
	settings_put("empty", "", 0600);
	settings_put("newline", "\ntiger\n", 0600);
	settings_put("short", "0123456789abcdef0123456789abcde\n", 0600);
}

static void
settings_teardown(void)
{
	const char *name;
	GDir *list = g_dir_open(dir, 0, NULL);

	while ((name = g_dir_read_name(list))) {
		g_autofree char *path = g_build_filename(dir, name, NULL);
		g_unlink(path);
	}
	g_dir_close(list);
	g_rmdir(dir);
	g_free(dir);
}

TestSuite(settings, .init = settings_setup, .fini = settings_teardown);

/* text with the test's folder for each @. */
static char *
settings_at(const char *text)
{
	g_auto(GStrv) parts = g_strsplit(text, "@", -1);

	return g_strjoinv(dir, parts);
}

static struct config_settings *
settings_load(const char *text, int mode, GError **error)
{
	g_autofree char *full = settings_at(text);
	g_autofree char *path = settings_at("@/posthouse.conf");

	settings_put("posthouse.conf", full, mode);
	return config_settings_load(path, error);
}

static struct config_settings *
load_good(const char *text)
{
	g_autoptr(GError) error = NULL;
	struct config_settings *settings = settings_load(text, 0600, &error);

	cr_assert(settings, "%s", error ? error->message : "no error set");
	return settings;
}

Test(settings, faults_name_file_and_line)
{
	/* want: behind the file's name */
	static const struct {
		const char *name, *text;
		int mode;
		const char *want;
	} cases[] = {
	    {"no key", "[smtp]\nhost\n", 0600, ":2: this line cannot be read"},
	    {"first line", "tiger\n" BASE, 0600, ":1: this line cannot be read"},
	    {"key before any section", "# x\n\nhost=x\n" BASE, 0600, ":3: this line cannot"},
	    {"bad section", BASE "[smtp\nhost=x\n", 0600, ":5: this line cannot be read"},
	    {"comment behind a section", BASE "[smtp] # x\n", 0600, ":5: this line cannot"},
	    {"last line, no newline", BASE "[smtp]\nhost", 0600, ":6: this line cannot"},
	    {"unknown section", BASE "[smpt]\n", 0600, ":5: there is no section [smpt]"},
	    {"empty section name", BASE "[]\n", 0600, ":5: "},
	    {"unknown key", BASE "[smtp]\n\nhosts=a\n", 0600,
		":7: there is no setting [smtp] hosts"},
	    {"key of another section", BASE "batch=1\nmode=sync\n", 0600,
		":6: there is no setting [spool] mode"},
	    {"key with a language", BASE "batch[de]=1\n", 0600,
		":5: there is no setting [spool] batch[de]"},
	    {"file of what is no secret", BASE "[smtp]\nuser_file=@/password\n", 0600,
		":6: there is no setting [smtp] user_file"},
	    {"twice", BASE "batch=1\n[smtp]\n[spool]\nbatch=1\n", 0600,
		":8: [spool] batch is given twice, on line 5 too"},
	    {"number with a letter", BASE "batch = 1k\n", 0600,
		":5: [spool] batch is a number from 1 to 500, not '1k'"},
	    {"number with a comment", BASE "batch=1 # few\n", 0600,
		":5: [spool] batch is a number from 1 to 500, not '1 # few'"},
	    {"number below", BASE "batch=0\n", 0600, ":5: [spool] batch is a number from"},
	    {"number above", BASE "batch=501\n", 0600, ":5: [spool] batch is a number from"},
	    {"labels below", BASE "[metrics]\nlabels=0\n", 0600,
		":6: [metrics] labels is a number from 1 to 10000"},
	    {"labels above", BASE "[metrics]\nlabels=10001\n", 0600,
		":6: [metrics] labels is a number from 1 to 10000"},
	    {"huge number", BASE "batch=99999999999999999999\n", 0600, ":5: [spool] batch is a"},
	    {"no switch", BASE "[smtp]\ndsn=ja\n", 0600, ":6: [smtp] dsn is yes or no, not 'ja'"},
	    {"no choice", BASE "[smtp]\ntls=starttls\n", 0600,
		":6: [smtp] tls is one of none, opportunistic, required, implicit, not 'starttls'"},
	    {"relative path", BASE "[smtp]\ntls_ca=ca.pem\n", 0600,
		":6: [smtp] tls_ca is a path from the root (/...), not 'ca.pem'"},
	    {"bad entry", BASE "[smtp]\nhost=relay, ::1\n", 0600,
		":6: [smtp] host takes a host name or an IPv4 address"},
	    {"bad text", BASE "[service]\nurl=example.com/\n", 0600,
		":6: [service] url takes an absolute http or https URL without user, query and "
		"fragment, not 'example.com/'"},
	    {"bad escape", BASE "[smtp]\nuser=a\\b\n", 0600,
		":6: [smtp] user cannot be read: it is UTF-8 text, and a backslash"},
	    {"Latin-1", BASE "[smtp]\nuser=m\xfcller\n", 0600, ":6: [smtp] user cannot be read"},
	    {"no secret file", "[spool]\ndir=/spool\n", 0600, ": [service] secret_file is missing"},
	    {"empty name of the secret file", "[spool]\ndir=/spool\n[service]\nsecret_file=\n",
		0600, ":4: [service] secret_file is missing"},
	    {"no spool folder", "[service]\nsecret_file=@/secret\n", 0600,
		": [spool] dir is missing"},
	    {"empty file", "", 0600, ": [service] secret_file is missing"},
	    {"both", BASE "[smtp]\npassword=x\npassword_file=@/password\n", 0600,
		":7: [smtp] password is given both as password and as password_file"},
	    {"relative password file", BASE "[smtp]\npassword_file=password\n", 0600,
		":6: [smtp] password_file names its file with a path from the root"},
	    {"no such password file", BASE "[smtp]\npassword_file=@/none\n", 0600,
		":6: [smtp] password_file cannot be read: "},
	    {"public password file", BASE "[smtp]\npassword_file=@/public\n", 0600,
		":6: [smtp] password_file is a secret, but everybody"},
	    {"empty password file", BASE "[smtp]\npassword_file=@/empty\n", 0600,
		":6: [smtp] password_file is empty: "},
	    {"password file with an empty first line", BASE "[smtp]\npassword_file=@/newline\n",
		0600, ":6: [smtp] password_file is empty: "},
	    {"empty name of a password file", BASE "[smtp]\npassword_file=\n", 0600,
		":6: [smtp] password_file names its file"},
	    {"secret in a public file", BASE "[database]\npassword=tiger\n", 0604,
		":6: [database] password is a secret, but everybody"},
	    {"public secret file", "[service]\nsecret_file=@/public\n[spool]\ndir=/spool\n", 0600,
		":2: [service] secret_file is a secret, but everybody"},
	    {"secret file others may execute", "[service]\nsecret_file=@/executable\n", 0600,
		":2: [service] secret_file is a secret, but everybody"},
	    {"no such secret file", "[service]\nsecret_file=@/none\n", 0600,
		":2: [service] secret_file cannot be read: "},
	    {"folder for secret file", "[service]\nsecret_file=@\n", 0600,
		":2: [service] secret_file cannot be read: "},
	    {"empty secret file", "[service]\nsecret_file=@/empty\n", 0600,
		":2: [service] secret_file cannot use "},
	    {"short secret", "[service]\nsecret_file=@/short\n", 0600,
		":2: [service] secret_file cannot use "},
	};

	g_autofree char *path = settings_at("@/posthouse.conf");
	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *want = g_strconcat(path, cases[i].want, NULL);
		AUTO(config_settings) settings =
		    settings_load(cases[i].text, cases[i].mode, &error);
		const char *got = error ? error->message : "success";

		cr_expect(!settings && g_error_matches(error, PH_ERROR, PH_ERROR_INVALID) &&
			      g_str_has_prefix(got, want),
		    "%s: got '%s', want '%s...'", cases[i].name, got, want);
		cr_expect_null(strstr(got, "tiger"), "%s: '%s' shows a secret", cases[i].name, got);
	}
}

Test(settings, files_that_cannot_be_read)
{
	g_autoptr(GError) none = NULL, folder = NULL;
	g_autofree char *missing = settings_at("@/none.conf");

	cr_expect_null(config_settings_load(missing, &none));
	cr_expect(g_error_matches(none, PH_ERROR, PH_ERROR_NOT_FOUND));
	cr_expect(none && strstr(none->message, missing), "got %s", none->message);
	cr_expect_null(config_settings_load(dir, &folder));
	cr_expect(g_error_matches(folder, PH_ERROR, PH_ERROR_FAILED));
}

Test(settings, files_with_nul_bytes)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *path = settings_at("@/posthouse.conf");

	cr_assert(g_file_set_contents(path, "[smtp]\n\0", 8, NULL));
	cr_expect_null(config_settings_load(path, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_INVALID));
}

Test(settings, what_is_left_out_is_the_default)
{
	AUTO(config_settings) settings = load_good(BASE);
	struct stat st;
	g_autofree char *path = settings_at("@/posthouse.conf");

	cr_expect_str_eq(config_settings_text(settings, SETTING_DATABASE_SOCKET), "");
	cr_expect_str_eq(config_settings_text(settings, SETTING_DATABASE_PASSWORD), "");
	cr_expect_str_eq(config_settings_text(settings, SETTING_DATABASE_NAME), "posthouse");
	cr_expect_eq(config_settings_number(settings, SETTING_DATABASE_PORT), 3306);
	cr_expect_eq(config_settings_switch(settings, SETTING_DATABASE_TLS_REQUIRED), false);
	cr_expect_str_eq(config_settings_list(settings, SETTING_SMTP_HOST)[0], "127.0.0.1");
	cr_expect_null(config_settings_list(settings, SETTING_SMTP_HOST)[1]);
	cr_expect_eq(config_settings_number(settings, SETTING_SMTP_PORT), 25);
	cr_expect_eq(config_settings_choice(settings, SETTING_SMTP_TLS), TLS_OPPORTUNISTIC);
	cr_expect_eq(config_settings_number(settings, SETTING_SMTP_TIMEOUT), 60);
	cr_expect_eq(config_settings_number(settings, SETTING_SMTP_CONNECT_TIMEOUT), 5);
	cr_expect_eq(config_settings_switch(settings, SETTING_SMTP_FINAL), false);
	cr_expect_eq(config_settings_choice(settings, SETTING_SMTP_UNCERTAIN), UNCERTAIN_RETRY);
	cr_expect_eq(config_settings_switch(settings, SETTING_SMTP_DSN), true);
	cr_expect_str_eq(config_settings_text(settings, SETTING_SERVICE_URL), "http://localhost");
	cr_expect_eq(config_settings_choice(settings, SETTING_SERVICE_MODE), MODE_SYNC);
	cr_expect_eq(config_settings_number(settings, SETTING_SERVICE_RECYCLE), 10000);
	cr_expect_null(config_settings_list(settings, SETTING_SERVICE_SPF)[0]);
	cr_expect_eq(config_settings_number(settings, SETTING_SPOOL_BATCH), 100);
	cr_expect_eq(config_settings_number(settings, SETTING_SPOOL_JOBS), 2);
	cr_expect_eq(config_settings_number(settings, SETTING_SPOOL_LEASE), 600);
	cr_expect_eq(
	    config_settings_number(settings, SETTING_LIMITS_REQUEST_BYTES), LIMIT_REQUEST_BYTES);
	cr_expect_eq(config_settings_number(settings, SETTING_SMTPD_SIZE), LIMIT_RAW_BYTES);
	cr_expect_eq(config_settings_number(settings, SETTING_LIMITS_EMAILS_PER_HOUR), 0);
	cr_expect_not(config_settings_given(settings, SETTING_LIMITS_BURST));
	cr_expect(config_settings_given(settings, SETTING_LIMITS_DOMAINS));
	cr_expect_eq(config_settings_number(settings, SETTING_LIMITS_WORKFLOWS), LIMIT_WORKFLOWS);
	cr_expect_eq(config_settings_number(settings, SETTING_LIMITS_WEBHOOKS), LIMIT_WEBHOOKS);
	cr_expect_eq(config_settings_number(settings, SETTING_LIMITS_WORKFLOWS_PER_EVENT),
	    LIMIT_WORKFLOWS_PER_EVENT);
	cr_expect_null(config_settings_list(settings, SETTING_FETCH_ALLOW)[0]);
	cr_expect_eq(config_settings_number(settings, SETTING_WEBHOOKS_CONNECTIONS), 20);
	cr_expect_eq(config_settings_number(settings, SETTING_WEBHOOKS_HOST_CONNECTIONS), 4);
	cr_expect_eq(config_settings_number(settings, SETTING_WEBHOOKS_KEEP), 30);
	cr_expect_str_eq(config_settings_text(settings, SETTING_MAILINGS_PAUSE_BOUNCES), "8");
	cr_expect_str_eq(config_settings_text(settings, SETTING_MAILINGS_PAUSE_COMPLAINTS), "0.3");
	cr_expect_eq(config_settings_number(settings, SETTING_MAILINGS_PAUSE_AFTER), 500);
	cr_expect_null(config_settings_list(settings, SETTING_DNS_SERVERS)[0]);
	cr_expect(stat(path, &st) == 0);
}

Test(settings, every_type_is_read)
{
	AUTO(config_settings) settings =
	    load_good("# a comment\r\n" BASE "  [smtp]  \r\n"
		      "host = relay.example.com:587,10.0.0.1\\t, backup \r\n"
		      "  port\t=\t587  \n"
		      "tls=required\n"
		      "user=m\xc3\xbcller\\\\x \n"
		      "password=tiger\\s\n"
		      "final=on\n"
		      "dsn=\n"
		      "helo = \n"
		      "[service]\n"
		      "url=https://mail.example.com/post/\n"
		      "mode=spool\n"
		      "[spool]\n"
		      "batch=500\n"
		      "[database]\n"
		      "socket=/run/mysqld/mysqld.sock\n"
		      "password_file=@/password\n");
	const char *const *hosts = config_settings_list(settings, SETTING_SMTP_HOST);

	cr_assert_eq(g_strv_length((char **)hosts), 3);
	cr_expect_str_eq(hosts[0], "relay.example.com:587");
	cr_expect_str_eq(hosts[1], "10.0.0.1");
	cr_expect_str_eq(hosts[2], "backup");
	cr_expect_eq(config_settings_number(settings, SETTING_SMTP_PORT), 587);
	cr_expect_eq(config_settings_choice(settings, SETTING_SMTP_TLS), TLS_REQUIRED);
	cr_expect_str_eq(config_settings_text(settings, SETTING_SMTP_USER), "m\xc3\xbcller\\x");
	cr_expect_str_eq(config_settings_text(settings, SETTING_SMTP_PASSWORD), "tiger ");
	cr_expect_eq(config_settings_switch(settings, SETTING_SMTP_FINAL), true);
	cr_expect_eq(config_settings_switch(settings, SETTING_SMTP_DSN), true, "empty is default");
	cr_expect_str_eq(config_settings_text(settings, SETTING_SMTP_HELO), "");
	cr_expect_str_eq(
	    config_settings_text(settings, SETTING_SERVICE_URL), "https://mail.example.com/post");
	cr_expect_eq(config_settings_choice(settings, SETTING_SERVICE_MODE), MODE_SPOOL);
	cr_expect_eq(config_settings_number(settings, SETTING_SPOOL_BATCH), 500);
	cr_expect_str_eq(
	    config_settings_text(settings, SETTING_DATABASE_SOCKET), "/run/mysqld/mysqld.sock");
	cr_expect_str_eq(config_settings_text(settings, SETTING_DATABASE_PASSWORD), "tiger \\x");
	cr_expect_str_eq(config_settings_text(settings, SETTING_SPOOL_DIR), "/spool");
}

Test(settings, switches)
{
	static const struct {
		const char *word;
		bool want;
	} cases[] = {
	    {"yes", true},
	    {"true", true},
	    {"on", true},
	    {"no", false},
	    {"false", false},
	    {"off", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat(BASE "[smtp]\ndsn=", cases[i].word, "\n", NULL);
		AUTO(config_settings) settings = load_good(text);
		bool got = config_settings_switch(settings, SETTING_SMTP_DSN);

		cr_expect_eq(
		    got, cases[i].want, "%s: got %d, want %d", cases[i].word, got, cases[i].want);
	}
}

/* Each number at its limits, and one past them. */
Test(settings, numbers_have_ranges)
{
	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct config_setting_row *row = config_settings_describe(i);
		const gint64 values[] = {row->min - 1, row->min, row->max, row->max + 1};

		if (row->type != SETTING_TYPE_NUMBER)
			continue;
		for (int k = 0; k < 4; k++) {
			bool want = k == 1 || k == 2;
			g_autofree char *text =
			    g_strdup_printf(BASE "[%s]\n%s=%" G_GINT64_FORMAT "\n", row->section,
				row->key, values[k]);
			AUTO(config_settings) settings = settings_load(text, 0600, NULL);

			cr_expect_eq(!!settings, want,
			    "%s.%s=%" G_GINT64_FORMAT ": got %d, want %d", row->section, row->key,
			    values[k], !!settings, want);
			if (settings)
				cr_expect_eq(config_settings_number(settings, i), values[k]);
		}
	}
}

Test(settings, modes_matter_only_for_secrets)
{
	static const struct {
		const char *name, *text;
		int mode;
		bool want;
	} cases[] = {
	    {"no secret, public", BASE, 0644, true},
	    {"empty password, public", BASE "[smtp]\npassword=\n", 0644, true},
	    {"password in a file, public", BASE "[smtp]\npassword_file=@/password\n", 0644, true},
	    {"password, owner", BASE "[smtp]\npassword=x\n", 0600, true},
	    {"password, group", BASE "[smtp]\npassword=x\n", 0660, true},
	    {"password, others read", BASE "[smtp]\npassword=x\n", 0604, false},
	    {"password, others write", BASE "[smtp]\npassword=x\n", 0602, false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(config_settings) settings = settings_load(cases[i].text, cases[i].mode, NULL);

		cr_expect_eq(!!settings, cases[i].want, "%s: got %d, want %d", cases[i].name,
		    !!settings, cases[i].want);
	}
}

Test(settings, secrets_are_those_of_secret_file)
{
	AUTO(config_settings) settings = load_good(BASE);
	AUTO(base_secret) old = base_secret_parse(SECRET, NULL);
	guint8 tag[SHA256_SIZE];

	base_secret_sign(old, "click", "x", 1, tag, sizeof(tag));
	cr_expect(base_secret_verify(
	    config_settings_secret(settings), "click", "x", 1, tag, sizeof(tag)));
	base_secret_sign(config_settings_secret(settings), "click", "x", 1, tag, sizeof(tag));
	cr_expect_not(base_secret_verify(old, "click", "x", 1, tag, sizeof(tag)));
}

/* Each row has all that its type needs, and a default that the file could give. */
Test(settings, table_holds_together)
{
	g_autoptr(GHashTable) names = g_hash_table_new_full(g_str_hash, g_str_equal, g_free, NULL);

	for (int i = 0; i < SETTING_COUNT; i++) {
		const struct config_setting_row *row = config_settings_describe(i);
		char *name = g_strdup_printf("%s.%s", row->section, row->key);
		bool of_rate = i == SETTING_LIMITS_BURST || i == SETTING_LIMITS_KEY_BURST;
		bool with_default = (row->type == SETTING_TYPE_NUMBER && !of_rate) ||
				    row->type == SETTING_TYPE_SWITCH ||
				    row->type == SETTING_TYPE_CHOICE;

		cr_expect(row->section && row->key, "row %d is empty", i);
		cr_expect(!with_default || row->fallback, "%s has no default", name);
		cr_expect_eq(
		    row->type == SETTING_TYPE_NUMBER, row->min < row->max, "%s: range", name);
		cr_expect_eq(
		    row->type == SETTING_TYPE_CHOICE, row->choices[0] != NULL, "%s: choices", name);
		cr_expect_eq(!row->check, !row->form, "%s: check and form", name);
		cr_expect(
		    !row->check || row->type == SETTING_TYPE_TEXT || row->type == SETTING_TYPE_LIST,
		    "%s: a check that its type does not run", name);
		cr_expect(!row->secret || (row->type == SETTING_TYPE_TEXT && !row->check),
		    "%s: a secret whose value a message could show", name);
		cr_expect(!row->required || !row->fallback, "%s: required, with a default", name);
		cr_expect(g_hash_table_add(names, name), "%s stands twice", name);
		if (row->fallback) {
			g_autofree char *text = g_strdup_printf(
			    BASE "[%s]\n%s=%s\n", row->section, row->key, row->fallback);
			AUTO(config_settings) settings = load_good(text);
		}
	}
}

Test(settings, path_is_argument_variable_or_default)
{
	static const struct {
		const char *argument, *variable, *want;
	} cases[] = {
	    {"/a", "/v", "/a"},
	    {"/a", NULL, "/a"},
	    {NULL, "/v", "/v"},
	    {NULL, "", SYSCONFDIR "/posthouse/posthouse.conf"},
	    {NULL, NULL, SYSCONFDIR "/posthouse/posthouse.conf"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		if (cases[i].variable)
			g_setenv("POSTHOUSE_CONFIG", cases[i].variable, TRUE);
		else
			g_unsetenv("POSTHOUSE_CONFIG");
		cr_expect_str_eq(config_settings_path(cases[i].argument), cases[i].want);
	}
}

#define RELAY BASE "[relay a]\nhost=mx.example.com\n" /* 6 lines */

Test(settings_relay, faults_name_file_line_section_and_key, .init = settings_setup,
    .fini = settings_teardown)
{
	/* want: behind the file's name */
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
	    {"no name", BASE "[relay ]\n", ":5: [relay ] names its relay with"},
	    {"capitals", BASE "[relay Ses]\n", ":5: [relay Ses] names its relay with"},
	    {"33 characters", BASE "[relay aaaaaaaaaabbbbbbbbbbccccccccccddd]\n",
		":5: [relay aaaaaaaaaabbbbbbbbbbccccccccccddd] names its relay"},
	    {"no host", BASE "[relay a]\nport=25\n", ":5: [relay a] host is missing"},
	    {"host with port", BASE "[relay a]\nhost=mx:25\n",
		":6: [relay a] host takes a host name or an IPv4 address, without a port"},
	    {"unknown key", RELAY "hosts=x\n", ":7: there is no setting [relay a] hosts"},
	    {"twice", RELAY "order=1\n[relay a]\norder=2\n",
		":9: [relay a] order is given twice, on line 7 too"},
	    {"port below", RELAY "port=0\n", ":7: [relay a] port is a number from 1 to 65535"},
	    {"port above", RELAY "port=65536\n", ":7: [relay a] port is a number from"},
	    {"order above", RELAY "order=101\n", ":7: [relay a] order is a number from 1 to 100"},
	    {"weight below", RELAY "weight=0\n", ":7: [relay a] weight is a number from 1 to 1000"},
	    {"messages above", RELAY "messages=10001\n",
		":7: [relay a] messages is a number from 1 to 10000"},
	    {"connections above", RELAY "connections=1001\n", ":7: [relay a] connections is a"},
	    {"tls", RELAY "tls=starttls\n",
		":7: [relay a] tls is one of none, opportunistic, required, implicit, not"},
	    {"auth", RELAY "auth=digest-md5\n", ":7: [relay a] auth is one of auto, plain, login,"},
	    {"provider", RELAY "provider=aws\n", ":7: [relay a] provider is one of ses, mailgun,"},
	    {"source", RELAY "source=::1\n", ":7: [relay a] source takes an IPv4 address"},
	    {"tls_name", RELAY "tls_name=a b\n", ":7: [relay a] tls_name takes a host name"},
	    {"password without TLS", RELAY "tls=none\nuser=u\npassword=p\n",
		":7: [relay a] tls is none, but there is a user"},
	    {"certificate without key", RELAY "tls_cert=/c\n",
		":7: [relay a] tls_cert needs tls_key"},
	    {"key without certificate", RELAY "tls_key=/c\n",
		":7: [relay a] tls_key needs tls_cert"},
	    {"door: certificate without key", BASE "[smtpd]\ntls_cert=/c\n",
		":6: [smtpd] tls_cert needs tls_key"},
	    {"door: key without certificate", BASE "[smtpd]\ntls_key=/c\n",
		":6: [smtpd] tls_key needs tls_cert"},
	    {"user without password", RELAY "user=u\n", ":7: [relay a] user needs a password"},
	    {"both passwords", RELAY "user=u\npassword=p\npassword_file=@/password\n",
		":9: [relay a] password is given both as password and as password_file"},
	    {"public password", RELAY "user=u\npassword_file=@/public\n",
		":8: [relay a] password_file is a secret, but everybody"},
	    {"xoauth2 without command", RELAY "user=u\nauth=xoauth2\n",
		":8: [relay a] auth is xoauth2, which needs a token_command"},
	    {"xoauth2 without user", RELAY "auth=xoauth2\ntoken_command=x\n",
		":7: [relay a] auth is xoauth2, which needs a user"},
	    {"command without xoauth2", RELAY "token_command=x\n",
		":7: [relay a] token_command is only for auth = xoauth2"},
	    {"host of [smtp]", RELAY "[smtp]\nhost=x\n",
		":8: [smtp] host cannot stand beside [relay a]"},
	    {"port of [smtp]", BASE "[smtp]\nport=25\n[relay a]\nhost=x\n",
		":6: [smtp] port cannot"},
	    {"tls of [smtp]", RELAY "[smtp]\ntls=none\n", ":8: [smtp] tls cannot stand"},
	    {"tls_ca of [smtp]", RELAY "[smtp]\ntls_ca=/x\n", ":8: [smtp] tls_ca cannot stand"},
	    {"user of [smtp]", RELAY "[smtp]\nuser=x\n", ":8: [smtp] user cannot stand"},
	    {"password of [smtp]", RELAY "[smtp]\npassword_file=@/password\n",
		":8: [smtp] password cannot stand"},
	    {"connections of [smtp]", RELAY "[smtp]\nconnections=2\n",
		":8: [smtp] connections cannot stand"},
	    {"pace without a name", BASE "[pace ]\n", ":5: [pace ] names its destination with a"},
	    {"pace in capitals", BASE "[pace Gmail.com]\n", ":5: [pace Gmail.com] names its"},
	    {"pace connections", BASE "[pace x.org]\nconnections=1001\n",
		":6: [pace x.org] connections is a number from 0 to 1000"},
	    {"pace rate above", BASE "[pace x.org]\nrate=100001/m\n",
		":6: [pace x.org] rate takes N, N/s, N/m or N/h, N from 0 to 100000, not"},
	    {"pace rate unit", BASE "[pace x.org]\nrate=1/d\n", ":6: [pace x.org] rate takes N"},
	    {"pace rate units", BASE "[pace x.org]\nrate=1/ms\n", ":6: [pace x.org] rate takes N"},
	    {"pace rate below", BASE "[pace x.org]\nrate=-1\n", ":6: [pace x.org] rate takes N"},
	    {"pace key", BASE "[pace x.org]\nlimit=1\n",
		":6: there is no setting [pace x.org] limit"},
	    {"warm-up", BASE "[warmup]\nlimits=10,x\n",
		":6: [warmup] limits takes a number from 0"},
	    {"warm-up above", BASE "[warmup]\nlimits=100000001\n", ":6: [warmup] limits takes a"},
	    {"rate of [smtp]", RELAY "[smtp]\nrate=2\n", ":8: [smtp] rate cannot stand"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = NULL;
		g_autofree char *want = g_strdup_printf("%s/posthouse.conf%s", dir, cases[i].want);
		AUTO(config_settings) settings = settings_load(cases[i].text, 0600, &error);

		cr_expect_null(settings, "%s: loaded", cases[i].name);
		cr_expect(error && g_str_has_prefix(error->message, want),
		    "%s: got \"%s\", want \"%s\"", cases[i].name,
		    error ? error->message : "no error", want);
	}
}

Test(settings_relay, defaults_depend_on_port_tls_and_user, .init = settings_setup,
    .fini = settings_teardown)
{
#define LOGIN "user=u\npassword=p\n"
	static const struct {
		const char *name, *text;
		guint port;
		enum config_setting_tls tls;
		bool verifies;
	} cases[] = {
	    {"nothing", "", 25, TLS_OPPORTUNISTIC, false},
	    {"user", LOGIN, 587, TLS_REQUIRED, true},
	    {"port 465", "port=465\n", 465, TLS_IMPLICIT, true},
	    {"implicit", "tls=implicit\n", 465, TLS_IMPLICIT, true},
	    {"implicit and user", "tls=implicit\n" LOGIN, 465, TLS_IMPLICIT, true},
	    {"required at 465", "tls=required\nport=465\n", 465, TLS_REQUIRED, true},
	    {"opportunistic and user", "tls=opportunistic\n" LOGIN, 587, TLS_OPPORTUNISTIC, true},
	    {"none", "tls=none\n", 25, TLS_NONE, false},
	    {"not verified", LOGIN "tls_verify=no\n", 587, TLS_REQUIRED, false},
	    {"verified", "tls_verify=yes\n", 25, TLS_OPPORTUNISTIC, true},
	    {"not verified by [smtp]", "tls=required\n[smtp]\ntls_verify=no\n", 25, TLS_REQUIRED,
		false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat(RELAY, cases[i].text, NULL);
		AUTO(config_settings) settings = load_good(text);
		const struct config_relay *relay = config_settings_relay(settings, 0);

		cr_expect_eq(relay->port, cases[i].port, "%s: port %u", cases[i].name, relay->port);
		cr_expect_eq((int)relay->tls, (int)cases[i].tls, "%s: tls %d", cases[i].name,
		    (int)relay->tls);
		cr_expect_eq(relay->verifies, cases[i].verifies, "%s: verifies", cases[i].name);
	}
}

Test(settings_relay, smtp_gives_defaults, .init = settings_setup, .fini = settings_teardown)
{
	AUTO(config_settings) settings =
	    load_good(RELAY "dsn=no\nhelo=own.example.com\n[relay b-2_x]\nhost=127.0.0.1\n"
			    "provider=ses\ntls=none\nuser=u\npassword_file=@/password\n"
			    "[smtp]\ntimeout=7\nfinal=yes\nhelo=all.example.com\n");
	const struct config_relay *a = config_settings_relay(settings, 0);
	const struct config_relay *b = config_settings_relay(settings, 1);

	cr_assert_eq(config_settings_relay_count(settings), 2);
	cr_expect_str_eq(a->name, "a");
	cr_expect_str_eq(b->name, "b-2_x");
	cr_expect_str_eq(a->helo, "own.example.com");
	cr_expect_str_eq(b->helo, "all.example.com");
	cr_expect_str_eq(b->password, "tiger \\x");
	cr_expect_str_eq(b->provider, "ses");
	cr_expect(a->final && b->final && !a->dsn && !b->dsn && a->is_default);
	cr_expect_eq(a->timeout_s, 7);
	cr_expect_eq(a->messages, 100);
	cr_expect_eq(a->connections, 20);
	cr_expect_eq(a->weight, 100);
}

Test(settings_relay, hosts_of_smtp_are_relays, .init = settings_setup, .fini = settings_teardown)
{
	AUTO(config_settings) settings =
	    load_good(BASE "[smtp]\nhost=a, b:26\ntls=implicit\nconnections=3 4\n");

	cr_assert_eq(config_settings_relay_count(settings), 2);
	cr_expect_str_eq(config_settings_relay(settings, 0)->name, "a:25");
	cr_expect_str_eq(config_settings_relay(settings, 1)->name, "b:26");
	cr_expect_eq(config_settings_relay(settings, 1)->connections, 4);
	cr_expect_eq((int)config_settings_relay(settings, 0)->tls, (int)TLS_IMPLICIT);
	cr_expect(config_settings_relay(settings, 0)->verifies);
}

Test(settings_pace, has_connections_and_a_rate, .init = settings_setup, .fini = settings_teardown)
{
	AUTO(config_settings) settings = load_good(
	    BASE "[pace default]\nrate=100000\n[pace x.org]\nconnections=1000\n"
		 "[pace y.org]\nrate=7/s\n[pace z.org]\nrate=8/m\n[pace a.org]\nrate=9/h\n");
	static const struct {
		const char *domain;
		guint connections, count;
		const char *unit;
		gint64 seconds;
	} want[] = {
	    {"default", 0, 100000, "a second", 1},
	    {"x.org", 1000, 0, "a second", 1},
	    {"y.org", 0, 7, "a second", 1},
	    {"z.org", 0, 8, "a minute", 60},
	    {"a.org", 0, 9, "an hour", 3600},
	};

	cr_assert_eq(config_settings_pace_count(settings), G_N_ELEMENTS(want));
	for (guint i = 0; i < G_N_ELEMENTS(want); i++) {
		const struct config_pace *got = config_settings_pace(settings, i);

		cr_expect_str_eq(got->domain, want[i].domain);
		cr_expect_eq(got->connections, want[i].connections, "%s", got->domain);
		cr_expect_eq(got->rate.count, want[i].count, "%s", got->domain);
		cr_expect_str_eq(got->rate.unit, want[i].unit);
		cr_expect_eq(got->rate.unit_us, want[i].seconds * G_USEC_PER_SEC);
	}
}
