/* SPDX-License-Identifier: MIT */
/* Tests each command on a real database. */
#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <unistd.h>

#include "base/limits/domain.h"
#include "base/limits/email.h"
#include "base/limits/person.h"
#include "base/limits/template.h"
#include "tests/cli/program.h"
#include "tests/support/mariadb.h"
#include "tests/support/settings.h"

static char *config;

static void
commands_begin(void)
{
	config = test_mariadb_file(NULL, NULL, NULL);
}

static void
begin_migrated(void)
{
	commands_begin();
	g_free(program_line(config, "schema migrate"));
}

static void
begin_with_workspace(void)
{
	begin_migrated();
	g_free(program_line(config, "workspace create One"));
}

static void
commands_end(void)
{
	g_free(config);
}

TestSuite(empty, .init = commands_begin, .fini = commands_end);
TestSuite(migrated, .init = begin_migrated, .fini = commands_end);
TestSuite(commands, .init = begin_with_workspace, .fini = commands_end);

/* A command line and its expected result. */
struct step {
	const char *line;
	int status;
	const char *output, *errors; /* patterns; NULL: nothing */
};

static void
commands_go(const struct step *steps, gsize count)
{
	for (gsize i = 0; i < count; i++)
		program_expect(
		    config, steps[i].line, steps[i].status, steps[i].output, steps[i].errors);
}
#define GO(...)                                                                                    \
	commands_go((const struct step[]){__VA_ARGS__},                                            \
	    G_N_ELEMENTS(((const struct step[]){__VA_ARGS__})))

#define UUID "*-*-7*-*-*"

Test(help, needs_no_settings)
{
	program_expect("/nowhere", "--help", 0, "Usage: posthouse *template put ID *", NULL);
	program_expect(
	    "/nowhere", "key --help", 0, "posthouse key create *posthouse key list*", NULL);
	program_expect("/nowhere", "key revoke --help", 0, "posthouse key revoke ID *", NULL);
	program_expect("/nowhere", "--version", 0, "posthouse ?*.?*.?*\n", NULL);
}

Test(help, follows_a_wrong_word)
{
	program_expect(NULL, "", 64, NULL, "posthouse: the noun is missing\n\nUsage: *");
	program_expect(
	    NULL, "key", 64, NULL, "posthouse: the verb is missing\n\nposthouse key create *");
	program_expect(NULL, "key crate", 64, NULL,
	    "posthouse: key has no verb \"crate\"; did you mean \"create\"?\n\nposthouse key "
	    "create *");
	program_expect(NULL, "key create --user x", 64, NULL, "posthouse: --user must be *\"x\"\n");
	program_expect(NULL, "key crate --json", 64, NULL,
	    "{\"error\":\"key has no verb *\",\"code\":\"usage\"}\n");
}

Test(settings, must_be_there)
{
	program_expect("/nowhere", "schema status", 78, NULL,
	    "posthouse: the settings file cannot be read: *(--config FILE or POSTHOUSE_CONFIG=FILE "
	    "names another)\n");
	program_expect("/nowhere", "--json schema status", 78, NULL,
	    "{\"error\":\"the settings file cannot be read: *\",\"code\":\"not_found\"}\n");
}

Test(empty, schema_is_migrated_and_compared)
{
	GO({"schema status", 75, "The database has schema version 0, this program ?*.\n",
	       "posthouse: *run \"posthouse schema migrate\"\n"},
	    {"workspace list", 75, NULL, "posthouse: *run \"posthouse schema migrate\"\n"},
	    {"key list", 75, NULL, "posthouse: *run \"posthouse schema migrate\"\n"},
	    {"schema migrate --dry-run", 0,
		"STEP *\n0001-workspace *workspace *makes a table *0 *0\n*\n0111-people *contact "
		"*changes "
		"rows in batches, online *0 *0\n*This is a new installation: *\nThis takes about 1 "
		"s. Nothing was changed; *\n",
		NULL},
	    {"schema migrate --dry-run --json", 0,
		"{\"steps\":[{\"step\":\"0001-workspace\",\"table\":\"workspace\",\"work\":\"makes "
		"a "
		"table\",\"rows\":0,\"seconds\":0},*]}\n",
		NULL},
	    {"schema status", 75, "The database has schema version 0, this program ?*.\n",
		"posthouse: *run \"posthouse schema migrate\"\n"},
	    {"schema migrate", 0,
		"The tables of a new installation are made.\nThe schema now has version ?*.\n",
		NULL},
	    {"schema migrate", 0, "The schema is up to date: version ?*.\n", NULL},
	    {"schema migrate --finish", 0, "The schema is up to date: version ?*.\n", NULL},
	    {"schema migrate --dry-run", 0, "The schema is up to date.\n", NULL},
	    {"schema migrate --dry-run --json", 0, "{\"steps\":[]}\n", NULL},
	    {"schema migrate --json", 0, "{\"version\":?*,\"changed\":false}\n", NULL},
	    {"schema status", 0, "The database has schema version *.\n", NULL},
	    {"schema status --json", 0, "{\"version\":?*,\"latest\":?*,\"up_to_date\":true}\n",
		NULL});
}

Test(empty, schema_is_migrated_in_json)
{
	GO({"schema status --json", 75, "{\"version\":0,\"latest\":?*,\"up_to_date\":false}\n",
	       "{\"error\":\"*\",\"code\":\"temporary\"}\n"},
	    {"schema migrate --json", 0, "{\"version\":?*,\"changed\":true}\n", NULL});
}

Test(migrated, workspace_is_made)
{
	g_autofree char *longest = g_strnfill(LIMIT_NAME_LENGTH, 'x');
	g_autofree char *at_limit = g_strconcat("workspace create ", longest, NULL),
			*past_it = g_strconcat("workspace create ", longest, "x", NULL);

	GO({"workspace list", 0, "There are no workspaces yet.\n", NULL},
	    {"workspace list --json", 0, "{\"workspaces\":[]}\n", NULL},
	    {"key list", 66, NULL, "posthouse: there is no workspace yet: *\n"},
	    {"workspace create One --from 'Ada <ada@x.org>'", 0, "Workspace \"One\" is created.\n",
		NULL},
	    {"workspace create One", 73, NULL, "posthouse: there is a workspace \"One\" already\n"},
	    {"workspace create Grüße --json", 0,
		"{\"id\":\"" UUID "\",\"name\":\"Grüße\",\"from\":null}\n", NULL},
	    {"workspace list", 0,
		"ID *  NAME   FROM             CREATED\n" UUID
		"  Grüße  -                20*\n" UUID "  One    Ada <ada@x.org>  20*\n",
		NULL},
	    {"workspace list --json", 0,
		"{\"workspaces\":[{\"id\":*},{\"id\":\"" UUID
		"\",\"name\":\"One\",\"from\":\"Ada <ada@x.org>\",\"created\":?*}]}\n",
		NULL},
	    {"workspace create Two --from nobody", 64, NULL, "posthouse: --from must be *\n"},
	    {at_limit, 0, "Workspace *", NULL},
	    {past_it, 64, NULL, "posthouse: NAME must be 1 to 100 characters, not 101\n"});
}

Test(commands, workspace_is_given_another_sender)
{
	GO({"workspace sender 'Ada <ADA@X.org>'", 0,
	       "Ada <ADA@x.org> sends the workflow emails of workspace \"One\" that name no "
	       "sender.\n",
	       NULL},
	    {"workspace list", 0, "*  One   Ada <ADA@x.org>  20*\n", NULL},
	    {"workspace sender bob@x.org --json", 0,
		"{\"id\":\"" UUID "\",\"name\":\"One\",\"from\":\"bob@x.org\"}\n", NULL},
	    {"workspace list", 0, "*  One   bob@x.org  20*\n", NULL},
	    {"workspace sender nobody", 64, NULL, "posthouse: ADDRESS must be *\n"},
	    {"workspace sender a@x.org --workspace Two", 66, NULL,
		"posthouse: there is no workspace \"Two\"\n"});
}

Test(commands, workspace_must_be_named_among_several)
{
	GO({"key list", 0, "There are no keys yet.\n", NULL},
	    {"workspace create Two", 0, "*", NULL},
	    {"key list", 64, NULL,
		"posthouse: there are several workspaces: say which with --workspace\n"},
	    {"key list --json", 64, NULL,
		"{\"error\":\"there are several *\",\"code\":\"usage\"}\n"},
	    {"key list --workspace Two", 0, "There are no keys yet.\n", NULL},
	    {"key list --workspace Three", 66, NULL,
		"posthouse: there is no workspace \"Three\"\n"});
}

Test(commands, user_is_added)
{
	GO({"user list", 0, "There are no users yet.\n", NULL},
	    {"user list --json", 0, "{\"users\":[]}\n", NULL});
	GO({"user add ada@x.org --first-name Ada --last-name Lovelace --picture "
	    "https://x.org/a.png",
	       0, "ada@x.org is a user of workspace \"One\".\n", NULL},
	    {"user list", 0,
		"ID *  EMAIL      FIRST_NAME  LAST_NAME  PICTURE              CREATED *ROLE   "
		"LAST_SEEN\n" UUID
		"  ada@x.org  Ada         Lovelace   https://x.org/a.png  20*Z  owner  -\n",
		NULL},
	    {"user add ADA@x.org", 73, NULL,
		"posthouse: workspace \"One\" has a user ADA@x.org already\n"},
	    {"user add bob@x.org --json", 0,
		"{\"id\":\"" UUID
		"\",\"email\":\"bob@x.org\",\"first_name\":null,\"last_name\":null,"
		"\"picture\":null,\"workspace\":\"One\",\"role\":\"member\"}\n",
		NULL},
	    {"user add ada", 64, NULL, "posthouse: EMAIL must be an email address *\n"},
	    {"user add c@x.org --picture a.png", 64, NULL, "posthouse: --picture must be *\n"},
	    {"user add c@x.org --first-name ''", 64, NULL,
		"posthouse: --first-name must not be empty\n"},
	    {"workspace create Two", 0, "*", NULL},
	    {"user add ada@x.org --workspace Two", 0, "*\"Two\".\n", NULL});
}

Test(commands, user_gets_a_role_a_link_and_an_end)
{
	GO({"user add ada@x.org", 0, "*", NULL},
	    {"user add eve@x.org --role admin", 64, NULL, "posthouse: --role must be *\n*"},
	    {"user role ada@x.org viewer", 73, NULL, "posthouse: A workspace needs an owner\n"},
	    {"user remove ada@x.org", 73, NULL, "posthouse: A workspace needs an owner\n"},
	    {"user add bob@x.org --role viewer --json", 0, "*\"role\":\"viewer\"}\n", NULL},
	    {"user role bob@x.org owner", 0, "bob@x.org is owner of workspace \"One\".\n", NULL},
	    {"user role bob@x.org boss", 64, NULL, "posthouse: ROLE must be *\n*"},
	    {"user role carl@x.org viewer", 66, NULL,
		"posthouse: there is no user carl@x.org in this workspace\n"},
	    {"user remove ADA@x.org --json", 0,
		"{\"id\":\"" UUID "\",\"email\":\"ADA@x.org\",\"removed\":true}\n", NULL},
	    {"user remove ada@x.org", 66, NULL, "*"},
	    {"user list --json", 0, "*\"role\":\"owner\",*\"status\":\"active\"}]}\n", NULL},
	    {"user role ada@x.org viewer --keep-keys", 66, NULL, "*"},
	    {"user link ada@x.org", 66, NULL, "posthouse: there is no user ada@x.org\n"},
	    {"key create --user ada@x.org", 66, NULL, "*"},
	    {"user link bob@x.org --json", 0, "{\"url\":\"http://localhost/dashboard/signin#*\"}\n",
		NULL},
	    {"workspace create Two", 0, "*", NULL},
	    {"user link bob@x.org", 0, "http://localhost/dashboard/signin#*\n", NULL},
	    {"user link bob@x.org --workspace Two", 66, NULL,
		"posthouse: there is no user bob@x.org in workspace \"Two\"\n"},
	    {"user add ada@x.org --workspace One", 0, "*", NULL});
	g_autofree char *link = program_line(config, "user link bob@x.org");
	cr_expect(g_regex_match_simple("#[A-Za-z0-9_-]{43}$", link, 0, 0), "got %s", link);
	g_autofree char *audit = test_mariadb_sql(NULL,
	    "SELECT GROUP_CONCAT(action ORDER BY id SEPARATOR ' ') FROM test_%d.audit"
	    " WHERE actor = 3 AND actor_name <> '' AND address IS NULL",
	    (int)getpid());
	cr_expect(strstr(audit, "user.added user.added user.changed user.removed workspace.created "
				"user.added"),
	    "%s", audit);
}

/* The audit's rows of the noun, oldest first, each with the beginning of the id and the name. */
static void
expect_audit(const char *noun, const char *want)
{
	g_autofree char *audit = test_mariadb_sql(NULL,
	    "SELECT GROUP_CONCAT(CONCAT_WS(' ', action, target_id, target_name) ORDER BY id"
	    " SEPARATOR '; ') FROM test_%d.audit WHERE target_type = '%s'",
	    (int)getpid(), noun);

	cr_expect(g_pattern_match_simple(want, audit), "%s: got %s, want %s", noun, audit, want);
}

Test(commands, changes_stand_in_the_audit_with_their_target)
{
	g_autofree char *page = g_strconcat(config, ".html", NULL);
	cr_assert(g_file_set_contents(page, "<p>Hi</p>", -1, NULL));
	g_autofree char *put = g_strconcat("template put hi --html ", page, NULL);
	g_autofree char *added = program_line(config, "topic add News");
	g_autofree char *end_topic = g_strconcat("topic remove", strrchr(added, ' '), NULL);

	GO({end_topic, 0, "*", NULL}, {"person set ann@x.org plan=pro", 0, "*", NULL},
	    {"person set ann@x.org plan=free", 0, "*", NULL},
	    {"person remove ann@x.org", 0, "*", NULL}, {put, 0, "*", NULL}, {put, 0, "*", NULL},
	    {"workspace limit One domains=5", 0, "*", NULL}, {"workspace limit One", 0, "*", NULL},
	    {"suppression add zoe@x.org", 0, "*", NULL},
	    {"suppression remove zoe@x.org", 0, "*", NULL},
	    {"person show ann@x.org", 66, NULL, "*"});
	expect_audit(
	    "suppression", "suppression.created z***@x.org; suppression.deleted z***@x.org");
	expect_audit("topic", "topic.created " UUID " News; topic.deleted " UUID " News");
	expect_audit("person", "person.created " UUID "; person.changed " UUID "; person.deleted");
	expect_audit("template", "template.created hi*; template.changed hi*");
	expect_audit("workspace", "workspace.created " UUID " One; workspace.changed " UUID " One");
	GO({"template remove hi", 0, "*", NULL}, {"stream pause broadcast", 0, "*", NULL},
	    {"property add plan string", 0, "*", NULL}, {"property remove plan", 0, "*", NULL},
	    {"audience create Old", 0, "*", NULL}, {"audience remove Old", 0, "*", NULL});
	expect_audit(
	    "template", "template.created hi*; template.changed hi*; template.deleted hi hi");
	expect_audit("stream", "stream.changed broadcast broadcast");
	expect_audit("property", "property.created plan; property.deleted plan");
	expect_audit("audience", "audience.created " UUID " Old; audience.deleted " UUID " Old");
	g_remove(page);
}

/* The key is one line of 46 characters. */
Test(commands, key_is_made_and_shown_once)
{
	GO({"user add ada@x.org", 0, "*", NULL});
	g_autofree char *key = program_line(config, "key create --user Ada@x.org --name site");
	g_autofree char *other = program_line(config, "key create --user ada@x.org");
	cr_expect(g_regex_match_simple("^ph_[A-Za-z0-9_-]{43}$", key, 0, 0), "got %s", key);
	cr_expect_str_neq(key, other);
	g_autofree char *stored = test_mariadb_sql(NULL,
	    "SELECT COUNT(*) FROM test_%d.api_key WHERE hash = UNHEX(SHA2('%s', 256))",
	    (int)getpid(), key);
	cr_expect_str_eq(stored, "1");
	g_autofree char *leaked = test_mariadb_sql(
	    NULL, "SELECT COUNT(*) FROM test_%d.api_key WHERE name LIKE '%%ph_%%'", (int)getpid());
	cr_expect_str_eq(leaked, "0");
}

Test(commands, key_has_scope_and_end)
{
	GO({"user add ada@x.org", 0, "*", NULL},
	    {"key create --user ada@x.org --scope read --expires 2100-01-01 --json", 0,
		"{\"id\":\"" UUID "\",\"key\":\"ph_*\",\"user\":\"ada@x.org\",\"scope\":\"read\","
		"\"name\":null,\"expires\":4102444800000}\n",
		NULL},
	    {"key create --user ada@x.org --scope all", 64, NULL,
		"posthouse: --scope must be one of full, send, read, metrics, not \"all\"\n"},
	    {"key create --user ada@x.org --expires 2020-01-01", 65, NULL,
		"posthouse: --expires must lie in the future\n"},
	    {"key create --user ada@x.org --expires soon", 64, NULL,
		"posthouse: --expires must be an ISO 8601 time *\n"},
	    {"key create --user bob@x.org", 66, NULL,
		"posthouse: there is no user bob@x.org in this workspace\n"},
	    {"key list", 0,
		"ID * NAME  USER       SCOPE  CREATED * EXPIRES * REVOKED\n" UUID
		"  -     ada@x.org  read   20*  2100-01-01T00:00:00.000Z  -\n",
		NULL});
}

/* The database names the creator of what the terminal makes: the first user, if there is one. */
Test(commands, things_are_of_the_first_user)
{
	GO({"domain add example.net", 0, "*", NULL}, {"user add ada@x.org", 0, "*", NULL},
	    {"user add bob@x.org", 0, "*", NULL}, {"domain add example.com", 0, "*", NULL},
	    {"audience create News", 0, "*", NULL});
	g_autofree char *creators = test_mariadb_sql(NULL,
	    "SELECT GROUP_CONCAT(IFNULL(u.email, '-') ORDER BY t.name) FROM"
	    " (SELECT name, user_id FROM test_%d.domain UNION ALL"
	    " SELECT name, user_id FROM test_%d.audience) t"
	    " LEFT JOIN test_%d.user u ON u.id = t.user_id",
	    (int)getpid(), (int)getpid(), (int)getpid());
	cr_expect_str_eq(creators, "ada@x.org,-,ada@x.org");
}

Test(commands, key_is_held_to_a_domain)
{
	GO({"user add ada@x.org", 0, "*", NULL}, {"domain add example.com", 0, "*", NULL},
	    {"key create --user ada@x.org --domain example.com", 65, NULL,
		"posthouse: --domain is for keys of --scope send\n"},
	    {"key create --user ada@x.org --scope send --domain example.org", 66, NULL,
		"posthouse: there is no domain example.org*"},
	    {"key create --user ada@x.org --scope send --domain 'a b'", 65, NULL,
		"posthouse: --domain must be a domain name\n"},
	    {"key create --user ada@x.org --scope send --domain Example.COM", 0, "ph_*\n", NULL},
	    {"key list", 0,
		"ID * NAME  USER       SCOPE  CREATED * DOMAIN       USED  EXPIRES  REVOKED\n" UUID
		"  -     ada@x.org  send   20*  example.com  -     -        -\n",
		NULL},
	    {"domain remove example.com", 0, "*", NULL}, {"key list", 0, "*  (removed)  -*", NULL});
	g_autofree char *used = test_mariadb_sql(
	    NULL, "UPDATE test_%d.api_key SET last_used = 1800000000000", (int)getpid());
	GO({"key list --json", 0,
	    "{\"keys\":[{*\"domain\":\"(removed)\",\"used\":1800000000000,*}]}\n", NULL});
}

Test(commands, key_is_revoked)
{
	GO({"user add ada@x.org", 0, "*", NULL},
	    {"key create --user ada@x.org", 0, "ph_*\n", NULL});
	g_autofree char *id = test_mariadb_sql(NULL,
	    "SELECT LOWER(INSERT(INSERT(INSERT(INSERT(HEX(id), 21, 0, '-'), 17, 0, '-'), 13, 0, "
	    "'-'), 9, 0,"
	    " '-')) FROM test_%d.api_key",
	    (int)getpid());
	g_autofree char *revoke = g_strconcat("key revoke ", id, NULL),
			*elsewhere = g_strconcat("key revoke --workspace Two ", id, NULL);
	GO({"workspace create Two", 0, "*", NULL},
	    {elsewhere, 66, NULL, "posthouse: API key not found\n"});
	g_autofree char *here = g_strconcat(revoke, " --workspace One", NULL),
			*json = g_strconcat(here, " --json", NULL);
	GO({here, 0, "The key is revoked.\n", NULL},
	    {json, 0, "{\"id\":\"" UUID "\",\"revoked\":true}\n", NULL},
	    {"key list --workspace One --json", 0,
		"{\"keys\":[{*\"expires\":null,\"revoked\":1*}]}\n", NULL},
	    {"key revoke abc", 64, NULL, "posthouse: ID must be a UUID*\n"},
	    {"key revoke 01a1f8a1-607f-759a-87fa-484e2ad0e860 --workspace One", 66, NULL,
		"posthouse: API key not found\n"});
}

Test(commands, domain_is_registered_and_trusted)
{
	GO({"domain list", 0, "There are no domains yet.\n", NULL},
	    {"domain trust example.com", 66, NULL,
		"posthouse: *add it first: posthouse domain add example.com\n"},
	    {"domain add Example.COM", 0, "Domain example.com is registered.*\n", NULL},
	    {"domain add example.com", 73, NULL,
		"posthouse: Domain example.com is registered already\n"},
	    {"domain list --json", 0,
		"{\"domains\":[{\"id\":\"" UUID "\",\"name\":\"example.com\",\"status\":"
		"\"NOT_STARTED\",\"trusted\":false,\"created\":1*}]}\n",
		NULL},
	    {"domain trust EXAMPLE.com", 0, "Domain example.com is trusted*\n", NULL},
	    {"domain trust example.com --json", 0, "{\"name\":\"example.com\",\"trusted\":true}\n",
		NULL},
	    {"domain add bücher.de --json", 0,
		"{\"id\":\"" UUID "\",\"name\":\"xn--bcher-kva.de\",\"status\":\"NOT_STARTED\",*"
		"\"dns_records\":[{\"type\":\"TXT\",*}]}\n",
		NULL},
	    {"domain list", 0,
		"ID *\n* xn--bcher-kva.de  NOT_STARTED  no  *\n* example.com  *  SUCCESS      yes  "
		"*\n",
		NULL},
	    {"domain add co.uk", 65, NULL, "posthouse: name must not be a public suffix\n"},
	    {"domain add nonsense", 65, NULL, "posthouse: name must be a valid domain name\n"},
	    {"domain add a.b", 64, NULL, "posthouse: NAME must be 4 to 253 characters, not 3\n"},
	    {"domain trust 'a b.com'", 65, NULL, "posthouse: NAME must be a domain name\n"});
}

Test(commands, domain_has_a_name_that_is_not_too_long)
{
	g_autofree char *label = g_strnfill(61, 'a');
	g_autofree char *name = g_strdup_printf("%s.%s.%s.bbb.co", label, label, label);
	g_autofree char *at_limit = g_strconcat("domain add ", name, NULL),
			*past_it = g_strconcat("domain add b", name, NULL),
			*in_ascii = g_strdup_printf("domain add b\u00fc%s", name + 8),
			*gone = g_strconcat("domain remove b", name, NULL);

	cr_assert_eq(strlen(name), LIMIT_SENDER_DOMAIN_LENGTH);
	GO({past_it, 65, NULL,
	       "posthouse: name must be at most 192 characters in ASCII, where it has 193: a "
	       "longer one leaves no room for the return path\n"},
	    {in_ascii, 65, NULL,
		"posthouse: name must be at most 192 characters in ASCII, where it has 193: a "
		"longer one leaves no room for the return path\n"},
	    {at_limit, 0, "Domain *", NULL}, {gone, 66, NULL, "posthouse: there is no domain *"});
}

/* Writes a file beside the settings; returns option and path. */
static char *
file_option(const char *option, const char *name, const char *content)
{
	g_autofree char *path =
	    g_strdup_printf("%s/%d-%s", test_mariadb_dir(NULL), (int)getpid(), name);

	cr_assert(g_file_set_contents(path, content, -1, NULL));
	return g_strdup_printf(" %s %s", option, path);
}

Test(commands, template_is_put)
{
	g_autofree char *html = file_option("--html", "a.html", "<p>{{name|you}}"),
			*next = file_option("--html", "b.html", "<p>new"),
			*text = file_option("--text", "a.txt", "Hi {{name}}"),
			*variables = file_option("--variables", "v.json", " {\"a\": 1.50}");
	g_autofree char *first =
	    g_strconcat("template put welcome --subject 'Hi {{name}}' --name 'A b' "
			"--variables '{\"name\": \"you\"}'",
		html, text, NULL);
	g_autofree char *again = g_strconcat("template put welcome", next, variables, NULL);
	g_autofree char *json = g_strconcat("template put other --json", html, NULL);
	static const char show[] =
	    "SELECT CONCAT_WS(' ', t.name, COALESCE(subject, 'none'), variables, h.data,"
	    " COALESCE(x.data, 'none')) FROM test_%d.template t JOIN test_%d.body h ON h.hash = "
	    "html"
	    " LEFT JOIN test_%d.body x ON x.hash = text WHERE t.id = 'welcome'";

	GO({first, 0, "Template welcome is created.\n", NULL});
	g_autofree char *got =
	    test_mariadb_sql(NULL, show, (int)getpid(), (int)getpid(), (int)getpid());
	cr_expect_str_eq(
	    got, "A b Hi {{name}} {\"name\":\"you\"} <p>{{name|you}} Hi {{name}}", "got %s", got);
	GO({again, 0, "Template welcome is replaced.\n", NULL});
	g_autofree char *replaced =
	    test_mariadb_sql(NULL, show, (int)getpid(), (int)getpid(), (int)getpid());
	cr_expect_str_eq(replaced, "welcome none {\"a\":1.50} <p>new none", "got %s", replaced);
	GO({json, 0, "{\"id\":\"other\",\"name\":\"other\",\"subject\":null,\"created\":true}\n",
	    NULL});
}

Test(commands, template_keeps_its_text_for_previews)
{
	g_autofree char *html = file_option("--html", "p.html", "<p>");
	g_autofree char *longest = g_strnfill(LIMIT_PREVIEW_LENGTH, 'p');
	g_autofree char *put = g_strconcat("template put t", html, NULL);
	g_autofree char *with = g_strconcat(put, " --preview-text 'A {{x}}'", NULL);
	g_autofree char *at_limit = g_strconcat(put, " --preview-text ", longest, NULL);
	g_autofree char *past_it = g_strconcat(at_limit, "p", NULL);
	g_autofree char *none = g_strconcat(put, " --preview-text ''", NULL);
	g_autofree char *broken = g_strconcat(put, " --preview-text '{{'", NULL);
	g_autofree char *of_longest = g_strconcat("*\npreview_text ", longest, "\n*", NULL);
	static const char created[] = "Template t is created.\n",
			  replaced[] = "Template t is replaced.\n", show[] = "template show t";

	GO({with, 0, created, NULL}, {show, 0, "*\npreview_text A {{x}}\n*", NULL},
	    {put, 0, replaced, NULL}, {show, 0, "*\npreview_text A {{x}}\n*", NULL},
	    {at_limit, 0, replaced, NULL}, {show, 0, of_longest, NULL},
	    {past_it, 64, NULL, "posthouse: --preview-text must be 1 to 200 characters, not 201\n"},
	    {broken, 65, NULL, "posthouse: preview_text: line 1: *\n"}, {show, 0, of_longest, NULL},
	    {none, 0, replaced, NULL}, {show, 0, "*\npreview_text -\n*", NULL},
	    {put, 0, replaced, NULL}, {show, 0, "*\npreview_text -\n*", NULL});
}

Test(commands, template_is_checked)
{
	g_autofree char *good = file_option("--html", "good.html", "<p>"),
			*broken = file_option("--html", "broken.html", "<p>\n{{name"),
			*text = file_option("--text", "broken.txt", "{{ }}"),
			*list = file_option("--variables", "list.json", "[1]");
	g_autoptr(GString) many = g_string_new(" --variables '{");
	for (int i = 0; i <= LIMIT_VARIABLES; i++)
		g_string_append_printf(many, "%s\"v%d\":1", i ? "," : "", i);
	g_string_append(many, "}'");
	g_autofree char *at_limit = g_strndup(many->str, many->len - strlen(",\"v100\":1}'"));
	const struct {
		const char *options[3];
		int status;
		const char *want;
	} cases[] = {
	    {{" x"}, 64, "posthouse: --html FILE is missing\n*"},
	    {{" x --html /nowhere/a.html"}, 66,
		"posthouse: --html cannot be read: /nowhere/a.html: *\n"},
	    {{" x --html /"}, 66, "posthouse: --html cannot be read: /: Is a directory\n"},
	    {{" x --html /dev/null/a"}, 66,
		"posthouse: --html cannot be read: /dev/null/a: Not a directory\n"},
	    {{" x", broken}, 65, "posthouse: html: line 2: *\n"},
	    {{" x", good, text}, 65, "posthouse: text: line 1: *\n"},
	    {{" x --subject '{{'", good}, 65, "posthouse: subject: line 1: *\n"},
	    {{" x/y", good}, 65, "posthouse: id must be *\n"},
	    {{" x", good, list}, 65, "posthouse: --variables must be a JSON object\n"},
	    {{" x --variables '{'", good}, 65, "posthouse: --variables is not valid JSON: *\n"},
	    {{" x --variables '{\"a\":[]}'", good}, 65,
		"posthouse: variables.a must be a string or a number\n"},
	    {{" x --variables /nowhere/v", good}, 66, "posthouse: --variables cannot be read: *\n"},
	    {{" x", good, many->str}, 65,
		"posthouse: --variables must have at most 100 properties\n"},
	    {{" x", good, at_limit}, 0, NULL},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *line =
		    g_strconcat("template put", cases[i].options[0], cases[i].options[1],
			cases[i].options[2], cases[i].options[2] == at_limit ? "}'" : "", NULL);

		program_expect(config, line, cases[i].status,
		    cases[i].status ? NULL : "Template x is created.\n", cases[i].want);
	}
	g_autofree char *count =
	    test_mariadb_sql(NULL, "SELECT COUNT(*) FROM test_%d.template", (int)getpid());
	cr_expect_str_eq(count, "1");
}

Test(commands, say_when_the_answer_goes_nowhere)
{
	g_autofree char *line = g_strdup_printf(
	    "exec \"${builddir:-.}\"/posthouse --config %s workspace list >/dev/full", config);
	const char *argv[] = {"/bin/sh", "-c", line, NULL};
	g_autofree char *errors = NULL;
	int status = 0;

	cr_assert(g_spawn_sync(
	    NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &errors, &status, NULL));
	cr_expect_eq(WEXITSTATUS(status), 74, "got %d: %s", WEXITSTATUS(status), errors);
}

/* The reader closes its end of the pipe, and then lets the command begin. */
Test(commands, say_nothing_to_a_reader_that_has_gone)
{
	g_autofree char *fifo = g_strdup_printf("%s.fifo", config);
	g_autofree char *line =
	    g_strdup_printf("mkfifo %s && { read _ <%s; \"${builddir:-.}\"/posthouse --config %s "
			    "workspace list; echo $? >&2; } | { exec <&-; echo >%s; }",
		fifo, fifo, config, fifo);
	const char *argv[] = {"/bin/sh", "-c", line, NULL};
	g_autofree char *errors = NULL;

	cr_assert(g_spawn_sync(
	    NULL, (char **)argv, NULL, G_SPAWN_DEFAULT, NULL, NULL, NULL, &errors, NULL, NULL));
	cr_expect_str_eq(errors, "74\n", "got %s", errors);
	unlink(fifo);
}

Test(commands, show_nothing_that_moves_the_cursor)
{
	g_free(test_mariadb_sql(NULL,
	    "UPDATE test_%d.workspace SET name = CONCAT('a\\nb', CHAR(27), '[2J')", (int)getpid()));
	GO({"workspace list", 0, "ID *\n" UUID "  a\\u{a}b\\u{1b}[2J  *\n", NULL});
}

Test(commands, workspace_limits_are_shown_and_set)
{
	GO({"workspace limit One", 0,
	       "NAME *VALUE *SOURCE\nrequests_per_second *0 *settings\n*workflows *1000 *settings\n"
	       "webhooks *50 *settings\nworkflows_per_event *100 *settings\n",
	       NULL},
	    {"workspace limit One requests_per_second=7 domains=0 webhooks=1000000000 --json", 0,
		"{\"limits\":[{\"name\":\"requests_per_second\",\"value\":7,\"source\":"
		"\"workspace\"},{\"name\":\"burst\",\"value\":14,\"source\":\"settings\"},"
		"*{\"name\":\"domains\",\"value\":0,\"source\":\"workspace\"},*"
		"{\"name\":\"webhooks\",\"value\":1000000000,\"source\":\"workspace\"},*]}\n",
		NULL},
	    {"workspace limit One requests_per_second=default webhooks=default", 0,
		"*requests_per_second *0 *settings\n*domains *0 *workspace\n*", NULL},
	    {"workspace limit Two", 66, NULL, "posthouse: there is no workspace \"Two\"\n"},
	    {"workspace limit", 64, NULL, "posthouse: NAME is missing\n*"},
	    {"workspace limit One domains", 64, NULL, "posthouse: LIMIT must be *\"domains\"\n"},
	    {"workspace limit One request_bytes=1", 64, NULL, "posthouse: LIMIT must be *\n"},
	    {"workspace limit One domains=", 64, NULL, "posthouse: LIMIT must have *\n"},
	    {"workspace limit One domains=-1", 64, NULL, "posthouse: LIMIT must have *\n"},
	    {"workspace limit One domains=1.5", 64, NULL, "posthouse: LIMIT must have *\n"},
	    {"workspace limit One domains=1000000001 --json", 64, NULL,
		"{\"error\":\"LIMIT must have *\",\"code\":\"usage\"}\n"},
	    {"workspace limit One audiences=5 domains=x", 64, NULL,
		"posthouse: LIMIT must have *\n"},
	    {"workspace limit One --json", 0,
		"*{\"name\":\"audiences\",\"value\":0,\"source\":\"settings\"}*", NULL});
}

Test(commands, what_they_create_is_limited)
{
	GO({"workspace limit One domains=1 audiences=1", 0, "*", NULL},
	    {"domain add one.example.com", 0, "*", NULL},
	    {"domain add two.example.com", 73, NULL,
		"posthouse: Limit reached: at most 1 domains\n"},
	    {"audience create One", 0, "*", NULL},
	    {"audience create Two", 73, NULL, "posthouse: Limit reached: at most 1 audiences\n"});
}

/* Each line has a database user of its own, who may connect once. */
Test(commands, connect_once)
{
	static const char *const lines[] = {"suppression add a@x.org", "suppression show a@x.org",
	    "suppression remove a@x.org", "event send order a@x.org", "contact erase a@x.org",
	    "domain add example.org"};
	g_autofree char *database = g_strdup_printf("test_%d", (int)getpid());

	for (gsize i = 0; i < G_N_ELEMENTS(lines); i++) {
		g_autofree char *user = g_strdup_printf("once%d_%d", (int)i, (int)getpid());
		g_autofree char *section =
		    g_strdup_printf("[database]\nsocket = %s/s\nuser = %s\nname = %s\n",
			test_mariadb_dir(NULL), user, database);
		g_autofree char *once = test_settings_write(test_mariadb_dir(NULL), user, section);

		g_free(test_mariadb_sql(
		    NULL, "CREATE USER `%s`@localhost WITH MAX_USER_CONNECTIONS 1", user));
		g_free(test_mariadb_sql(
		    NULL, "GRANT ALL ON `%s`.* TO `%s`@localhost", database, user));
		program_expect(once, lines[i], 0, "*", NULL);
	}
}
