/* SPDX-License-Identifier: MIT */
/* Tests posthouse backup and restore on real databases. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/secret.h"
#include "tests/cli/office.h"

OFFICE_SUITE(backup);

/* A path in the folder of the tests, of this process alone. The caller owns it. */
static char *
backup_path_of(const char *name)
{
	return g_strdup_printf("%s/%s-%d", test_mariadb_dir(NULL), name, (int)getpid());
}

/* Another installation, with an empty database and without a secret. */
struct other {
	char *name, *config, *secret;
};

static void
other_free(struct other *other)
{
	g_free(other->name);
	g_free(other->config);
	g_free(other->secret);
	g_free(other);
}
DEFINE_AUTO(other, other_free)

static struct other *
other_new(void)
{
	struct other *other = g_new0(struct other, 1);

	other->name = g_strdup_printf("other_%d", (int)getpid());
	other->config = test_mariadb_file(NULL, other->name, NULL);
	other->secret = g_strdup_printf("%s/%s.secret", test_mariadb_dir(NULL), other->name);
	g_unlink(other->secret);
	return other;
}

/* Whether the database of an installation has no tables. */
static bool
backup_is_empty(const char *name)
{
	g_autofree char *count = test_mariadb_sql(
	    NULL, "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '%s'", name);

	return strcmp(count, "0") == 0;
}

#define RUN(config, status, output, errors, ...)                                                   \
	do {                                                                                       \
		g_autofree char *line_ = g_strdup_printf(__VA_ARGS__);                             \
		program_expect(config, line_, status, output, errors);                             \
	} while (0)

#define WRITTEN "The backup of 20*Z is in /*.\n"
#define RESTORED "The backup of 20*Z is restored. The old installation may have sent 0 messages *\n"

/* Changes a byte of a file. */
static void
damage(const char *dir, const char *name, off_t at)
{
	g_autofree char *path = g_build_filename(dir, name, NULL);
	char byte = 0;
	int fd = open(path, O_RDWR);

	cr_assert(fd >= 0 && pread(fd, &byte, 1, at) == 1, "%s", path);
	byte ^= 1;
	cr_assert_eq(pwrite(fd, &byte, 1, at), 1);
	close(fd);
}

/* A sum of all rows of all tables. The caller owns it. */
static char *
backup_sum_of(const char *name)
{
	g_autofree char *tables = test_mariadb_sql(NULL,
	    "SELECT GROUP_CONCAT('`%s`.`', table_name, '`' ORDER BY table_name)"
	    " FROM information_schema.tables WHERE table_schema = '%s'",
	    name, name);
	g_auto(GStrv) list = g_strsplit(tables, ",", -1);
	GString *sums = g_string_new(NULL);

	for (char **table = list; *table; table++) {
		g_autofree char *sum = test_mariadb_sql(NULL, "SELECT COUNT(*) FROM %s", *table);
		g_string_append_printf(sums, "%s %s\n", *table + strlen(name) + 3, sum);
	}
	return g_string_free(sums, FALSE);
}

Test(backup, brings_everything_back)
{
	g_autofree char *dir = backup_path_of("whole");
	AUTO(other) other = other_new();

	g_free(program_line(config, "audience create Readers"));
	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	RUN(other->config, 0, RESTORED, NULL, "restore %s", dir);
	program_expect(
	    other->config, "schema status", 0, "The database has schema version *\n", NULL);
	program_expect(other->config, "audience list", 0, "*Readers*", NULL);
	g_autofree char *ours =
	    backup_sum_of(config_settings_text(settings, SETTING_DATABASE_NAME));
	g_autofree char *theirs = backup_sum_of(other->name);
	cr_expect_str_eq(ours, theirs, "got\n%swant\n%s", theirs, ours);
	struct stat secret, folder;
	cr_assert_eq(stat(other->secret, &secret), 0);
	cr_expect_eq(secret.st_mode & 0777, 0600);
	cr_assert_eq(stat(dir, &folder), 0);
	cr_expect_eq(folder.st_mode & 0777, 0700);
}

Test(backup, answers_in_json)
{
	g_autofree char *dir = backup_path_of("json");
	AUTO(other) other = other_new();

	RUN(config, 0, "{\"dir\":\"/*\",\"begun\":1*,\"ended\":1*,\"encrypted\":false}\n", NULL,
	    "backup %s --json", dir);
	RUN(other->config, 0, "{\"begun\":1*,\"uncertain\":0,\"then\":\"retry\"}\n", NULL,
	    "restore %s --json", dir);
}

/* A machine that has nothing gets its settings too. */
Test(backup, brings_the_settings_back)
{
	g_autofree char *dir = backup_path_of("bare"), *copy = backup_path_of("new.conf");
	const char *name = config_settings_text(settings, SETTING_DATABASE_NAME);
	const char *secret = config_settings_text(settings, SETTING_SERVICE_SECRET_FILE);

	RUN(config, 0, WRITTEN, NULL, "backup %s/", dir);
	db_close(db);
	g_free(test_mariadb_sql(NULL, "DROP DATABASE `%s`", name));
	g_free(test_mariadb_sql(NULL, "CREATE DATABASE `%s`", name));
	g_unlink(secret);
	g_assert(g_rename(config, copy) == 0);
	RUN(config, 0, RESTORED, NULL, "restore %s", dir);
	g_autofree char *old = NULL, *new = NULL;
	cr_assert(g_file_get_contents(copy, &old, NULL, NULL));
	cr_assert(g_file_get_contents(config, &new, NULL, NULL));
	cr_expect_str_eq(new, old);
	db = test_db_open(settings);
}

Test(backup, says_where_it_may_not_write)
{
	g_autofree char *dir = backup_path_of("nowhere"), *none = backup_path_of("none/new.conf"),
			*folder = g_path_get_dirname(config);

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	RUN(none, 70, NULL,
	    "posthouse: */none/new.conf-* cannot be written: its folder has to be there, and this "
	    "user has to be able to write to it: * No such file or directory\n",
	    "restore %s --allow %s", dir, folder);
}

Test(backup, refuses_wrong_folders)
{
	g_autofree char *dir = backup_path_of("there"), *none = backup_path_of("none");

	g_assert(g_mkdir(dir, 0700) == 0);
	program_expect(config, "backup", 64, NULL, "posthouse: DIR is missing\n*");
	RUN(config, 73, NULL, "posthouse: * exists already; name a new folder\n", "backup %s", dir);
	RUN(config, 70, NULL,
	    "posthouse: cannot make a folder at */deeper: No such file or directory\n",
	    "backup %s/deeper", none);
	RUN(config, 66, NULL, "posthouse: there is no whole backup in *: MANIFEST: *\n",
	    "restore %s", none);
	RUN(config, 66, NULL, "posthouse: there is no whole backup in *: MANIFEST: *\n",
	    "restore %s", dir);
}

Test(backup, keeps_what_the_other_side_has)
{
	g_autofree char *dir = backup_path_of("kept");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	RUN(config, 73, NULL, "posthouse: the database * has tables already; *\n", "restore %s",
	    dir);
	cr_assert(g_file_set_contents(
	    other->secret, "another secret, which is long enough to be one\n", -1, NULL));
	g_chmod(other->secret, 0600);
	RUN(other->config, 73, NULL, "posthouse: * has another secret than the backup: *\n",
	    "restore %s", dir);
	cr_expect(backup_is_empty(other->name));
}

Test(backup, is_encrypted)
{
	g_autofree char *dir = backup_path_of("sealed"), *key = backup_path_of("key"),
			*wrong = backup_path_of("wrong");
	g_autofree char *brief = backup_path_of("brief");
	AUTO(other) other = other_new();

	cr_assert(g_file_set_contents(key, "0123456789abcdef0123456789abcdef\n", -1, NULL));
	cr_assert(g_file_set_contents(wrong, "0123456789abcdef0123456789abcdeF\n", -1, NULL));
	cr_assert(g_file_set_contents(brief, "0123456789abcdef0123456789abcde\n", -1, NULL));
	RUN(config, 65, NULL, "posthouse: the key in *brief*\n", "backup %s --encrypt %s", dir,
	    brief);
	RUN(config, 66, NULL, "posthouse: the key cannot be read: *",
	    "backup %s --encrypt /nowhere", dir);
	RUN(config, 66, NULL, "posthouse: the key cannot be read: *Is a directory\n",
	    "backup %s --encrypt /", dir);
	RUN(config, 0, WRITTEN, NULL, "backup %s --encrypt %s", dir, key);
	g_autofree char *path = g_build_filename(dir, "database.sql", NULL), *text = NULL;
	gsize size;
	cr_assert(g_file_get_contents(path, &text, &size, NULL));
	cr_expect(!memmem(text, size, "CREATE", 6));
	RUN(other->config, 65, NULL, "posthouse: the backup in * is encrypted: *\n", "restore %s",
	    dir);
	RUN(other->config, 65, NULL, "posthouse: * cannot be decrypted: *\n",
	    "restore %s --decrypt %s", dir, wrong);
	cr_expect(backup_is_empty(other->name));
	cr_expect_neq(access(other->secret, F_OK), 0);
	RUN(other->config, 0, RESTORED, NULL, "restore %s --decrypt %s", dir, key);
}

Test(backup, finds_damage)
{
	g_autofree char *dir = backup_path_of("damaged");
	g_autofree char *path = g_build_filename(dir, "journals", NULL);
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	damage(dir, "database.sql", 100);
	RUN(other->config, 65, NULL, "posthouse: */database.sql is damaged or incomplete\n",
	    "restore %s", dir);
	damage(dir, "database.sql", 100);
	g_unlink(path);
	RUN(other->config, 65, NULL, "posthouse: the backup lacks */journals: *\n", "restore %s",
	    dir);
	cr_expect(backup_is_empty(other->name));
}

/* Puts a program called mariadb-dump in front of the others. */
static void
replace_dump(const char *script)
{
	g_autofree char *bin = backup_path_of("bin"),
			*path = g_build_filename(bin, "mariadb-dump", NULL);
	g_autofree char *all = g_strconcat(bin, ":", g_getenv("PATH"), NULL);

	g_assert(g_mkdir(bin, 0700) == 0);
	cr_assert(g_file_set_contents(path, script, -1, NULL));
	g_chmod(path, 0700);
	g_setenv("PATH", all, TRUE);
}

/* The number of folders whose names begin as that of the backup. */
static guint
count_folders(const char *dir)
{
	g_autofree char *base = g_path_get_basename(dir);
	g_autoptr(GDir) listing = g_dir_open(test_mariadb_dir(NULL), 0, NULL);
	const char *name;
	guint count = 0;

	while ((name = g_dir_read_name(listing)))
		count += g_str_has_prefix(name, base);
	return count;
}

Test(backup, leaves_nothing_when_the_dump_fails)
{
	g_autofree char *dir = backup_path_of("failed");

	replace_dump("#!/bin/sh\necho 'CREATE TABLE half'; echo 'no such luck' >&2; exit 2\n");
	RUN(config, 70, NULL, "posthouse: mariadb-dump failed: no such luck\n", "backup %s", dir);
	cr_expect_eq(count_folders(dir), 0);
}

Test(backup, leaves_no_backup_when_it_is_killed)
{
	g_autofree char *dir = backup_path_of("killed");
	AUTO(other) other = other_new();

	replace_dump("#!/bin/sh\necho 'CREATE TABLE half'; kill -9 $PPID\n");
	RUN(config, -9, NULL, NULL, "backup %s", dir);
	cr_expect_neq(access(dir, F_OK), 0);
	cr_expect_eq(count_folders(dir), 1);
	g_autoptr(GDir) listing = g_dir_open(test_mariadb_dir(NULL), 0, NULL);
	g_autofree char *base = g_path_get_basename(dir);
	const char *name;
	while ((name = g_dir_read_name(listing)))
		if (g_str_has_prefix(name, base))
			RUN(other->config, 66, NULL, "posthouse: there is no whole backup in *\n",
			    "restore %s/%s", test_mariadb_dir(NULL), name);
	cr_expect(backup_is_empty(other->name));
}

Test(backup, names_the_program_that_is_missing)
{
	g_autofree char *dir = backup_path_of("missing"), *whole = backup_path_of("present");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", whole);
	g_setenv("PATH", "/nowhere", TRUE);
	RUN(config, 70, NULL,
	    "posthouse: the program mariadb-dump is not installed: * (package mariadb-client)\n",
	    "backup %s", dir);
	cr_expect_eq(count_folders(dir), 0);
	/* A restore needs no program. */
	RUN(other->config, 0, RESTORED, NULL, "restore %s", whole);
}

Test(backup, refuses_a_newer_one)
{
	g_autofree char *dir = backup_path_of("newer"),
			*path = g_build_filename(dir, "MANIFEST", NULL);
	g_autoptr(GKeyFile) list = g_key_file_new();
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	cr_assert(g_key_file_load_from_file(list, path, G_KEY_FILE_NONE, NULL));
	g_key_file_set_integer(list, "backup", "schema", 9999);
	cr_assert(g_key_file_save_to_file(list, path, NULL));
	RUN(other->config, 70, NULL, "posthouse: the backup has schema version 9999, newer *\n",
	    "restore %s", dir);
	g_key_file_set_integer(list, "backup", "format", 2);
	cr_assert(g_key_file_save_to_file(list, path, NULL));
	RUN(other->config, 65, NULL, "posthouse: the backup in * has another form *\n",
	    "restore %s", dir);
}

/* The file of a backup. The caller owns it. */
static char *
backup_file_of(const char *dir, const char *name)
{
	return g_build_filename(dir, name, NULL);
}

static GKeyFile *
backup_read_list(const char *dir)
{
	g_autofree char *path = backup_file_of(dir, "MANIFEST");
	GKeyFile *list = g_key_file_new();

	cr_assert(g_key_file_load_from_file(list, path, G_KEY_FILE_NONE, NULL));
	return list;
}

/* Puts the size and the sum of a file into the list, as whoever changed it would. */
static void
list_file(GKeyFile *list, const char *dir, const char *name)
{
	g_autofree char *path = backup_file_of(dir, name), *text = NULL;
	gsize size;

	cr_assert(g_file_get_contents(path, &text, &size, NULL));
	g_autofree char *sum =
	    g_compute_checksum_for_data(G_CHECKSUM_SHA256, (const guchar *)text, size);
	g_key_file_set_int64(list, name, "bytes", (gint64)size);
	g_key_file_set_string(list, name, "sha256", sum);
}

/* Writes the list, signed with the secret that the backup has; secret NULL: not signed. */
static void
backup_write_list(GKeyFile *list, const char *dir, const char *secret)
{
	g_autofree char *path = backup_file_of(dir, "MANIFEST"),
			*text = g_key_file_to_data(list, NULL, NULL);
	g_autoptr(GString) whole = g_string_new(text);
	guint8 tag[SHA256_SIZE];

	if (secret) {
		AUTO(base_secret) key = base_secret_parse(secret, NULL);
		base_secret_sign(key, "backup", text, strlen(text), tag, sizeof(tag));
		g_string_append(whole, "# end ");
		for (guint i = 0; i < sizeof(tag); i++)
			g_string_append_printf(whole, "%02x", tag[i]);
		g_string_append_c(whole, '\n');
	}
	cr_assert(g_file_set_contents(path, whole->str, -1, NULL));
}

static char *
backup_secret_of(const char *dir)
{
	g_autofree char *path = backup_file_of(dir, "service.secret_file");
	char *text = NULL;

	cr_assert(g_file_get_contents(path, &text, NULL, NULL));
	return text;
}

/* Changes a file so that its size and sum are right in the list; resigned: by whoever has read the
   secret in the backup. */
static void
forge(const char *dir, const char *name, const char *text, bool resigned)
{
	g_autofree char *path = backup_file_of(dir, name), *secret = backup_secret_of(dir);
	g_autoptr(GKeyFile) list = backup_read_list(dir);

	cr_assert(g_file_set_contents(path, text, -1, NULL));
	list_file(list, dir, name);
	backup_write_list(list, dir, resigned ? secret : "0123456789abcdef0123456789abcdef");
}

Test(backup, takes_no_list_that_was_changed)
{
	g_autofree char *dir = backup_path_of("forged"), *path = backup_file_of(dir, "MANIFEST"),
			*good = NULL;
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	cr_assert(g_file_get_contents(path, &good, NULL, NULL));
	forge(dir, "journals", "", false);
	RUN(other->config, 65, NULL, "posthouse: */MANIFEST was changed, or *\n", "restore %s",
	    dir);
	/* Cut off: the last line, and within it. */
	for (guint less = 1; less < 80; less += 70) {
		cr_assert(g_file_set_contents(path, good, (gssize)(strlen(good) - less), NULL));
		RUN(other->config, 65, NULL, "posthouse: the backup in * is not signed: *\n",
		    "restore %s", dir);
	}
	g_autoptr(GKeyFile) list = backup_read_list(dir);
	g_autofree char *secret = backup_secret_of(dir);
	g_key_file_remove_group(list, "journals", NULL);
	backup_write_list(list, dir, secret);
	RUN(other->config, 65, NULL, "posthouse: the backup lacks */journals\n", "restore %s", dir);
	cr_expect(backup_is_empty(other->name));
	cr_expect_neq(access(other->secret, F_OK), 0);
	cr_assert(g_file_set_contents(path, good, -1, NULL));
	RUN(other->config, 0, RESTORED, NULL, "restore %s", dir);
}

Test(backup, finds_an_emptied_file_of_an_encrypted_one)
{
	g_autofree char *dir = backup_path_of("emptied"), *key = backup_path_of("emptied-key");
	g_autofree char *journals = backup_file_of(dir, "journals");
	const char *text = "0123456789abcdef0123456789abcdef\n";
	AUTO(other) other = other_new();

	cr_assert(g_file_set_contents(key, text, -1, NULL));
	RUN(config, 0, WRITTEN, NULL, "backup %s --encrypt %s", dir, key);
	g_autoptr(GKeyFile) list = backup_read_list(dir);
	cr_assert(g_file_set_contents(journals, "", 0, NULL));
	list_file(list, dir, "journals");
	backup_write_list(list, dir, NULL);
	RUN(other->config, 65, NULL, "posthouse: */journals is damaged or incomplete\n",
	    "restore %s --decrypt %s --unsigned", dir, key);
	cr_expect(backup_is_empty(other->name));
}

/* A secret from outside of the backup tells who made it. */
Test(backup, is_checked_by_the_secret)
{
	g_autofree char *dir = backup_path_of("vouched"), *kept = backup_path_of("kept-secret"),
			*wrong = backup_path_of("other-secret");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	g_autofree char *secret = backup_secret_of(dir);
	cr_assert(g_file_set_contents(kept, secret, -1, NULL));
	cr_assert(g_file_set_contents(
	    wrong, "another secret, which is long enough to be one\n", -1, NULL));
	g_chmod(kept, 0600);
	g_chmod(wrong, 0600);
	RUN(other->config, 65, NULL, "posthouse: */MANIFEST was changed, or is of another *\n",
	    "restore %s --secret-file %s", dir, wrong);
	RUN(other->config, 0, "The backup of * ([smtp] uncertain).\n", NULL,
	    "restore %s --secret-file %s", dir, kept);
	g_free(test_mariadb_sql(NULL, "DROP DATABASE `%s`", other->name));
	g_free(test_mariadb_sql(NULL, "CREATE DATABASE `%s`", other->name));
	g_unlink(other->secret);
	RUN(other->config, 0, "The backup of * Only its own secret vouches for it: *\n", NULL,
	    "restore %s", dir);
}

Test(backup, of_an_older_program_is_taken_on_request)
{
	g_autofree char *dir = backup_path_of("older");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	g_autoptr(GKeyFile) list = backup_read_list(dir);
	backup_write_list(list, dir, NULL);
	RUN(other->config, 65, NULL, "posthouse: the backup in * is not signed: *--unsigned *\n",
	    "restore %s", dir);
	RUN(other->config, 0, RESTORED, NULL, "restore %s --unsigned", dir);
}

/* Somebody who has read a backup that is not encrypted can sign another one. It decides on the rows
   of our tables, and on nothing else: @ stands for a file that must not be there after all. */
Test(backup, runs_nothing_but_what_a_dump_needs)
{
	static const struct {
		const char *dump, *want;
	} cases[] = {
	    {"\\! touch @\n", "a command of the client"},
	    {"SET @x = 1;\n\\! touch @\n", "a line that begins with a backslash"},
	    {"SELECT 1 \\! touch @\n;", "a command of the client"},
	    {"CREATE TABLE `a` (\n\\! touch @\n`b` int);\n", "a line that begins with a backslash"},
	    {"INSERT INTO `a` VALUES ('\n\\! touch @\n');\n",
		"a line that begins with a backslash"},
	    {"system touch @\n;", "a statement"},
	    {"source /etc/passwd\n;", "a statement"},
	    {"tee @\n;", "a statement"},
	    {"delimiter //\nGRANT ALL ON *.* TO x//\n;", "a statement"},
	    {"SELECT 'x' INTO OUTFILE '@';", "a statement"},
	    {"LOAD DATA INFILE '/etc/passwd' INTO TABLE `a`;", "a statement"},
	    {"GRANT ALL ON *.* TO `x`;", "a statement"},
	    {"CREATE USER x;", "a statement"},
	    {"CREATE DEFINER=`root`@`localhost` TRIGGER `t` BEFORE INSERT ON `a` FOR EACH ROW SET "
	     "@a = 1;",
		"a statement"},
	    {"CREATE OR REPLACE VIEW `v` AS SELECT 1;", "a statement"},
	    {"USE mysql;", "a statement"},
	    {"DROP TABLE `a`;", "a statement"},
	    {"INSERT INTO `mysql`.`user` VALUES (1);", "rows that are no literals"},
	    {"INSERT INTO mysql.user VALUES (1);", "a statement"},
	    {"INSERT INTO `a` VALUES (LOAD_FILE('/etc/passwd'));", "rows that are no literals"},
	    {"INSERT INTO `a` SELECT 1;", "rows that are no literals"},
	    {"INSERT INTO `a` VALUES (`x`(1));", "rows that are no literals"},
	    {"INSERT INTO `a` VALUES (@@version);", "rows that are no literals"},
	    {"INSERT INTO `a` VALUES (1 /*!50000 , SLEEP(9) */);", "a comment in a statement"},
	    {"INSERT INTO `a` VALUES (1) -- x\n;", "a comment in a statement"},
	    {"INSERT INTO `a` VALUES (1) # x\n;", "a comment in a statement"},
	    {"CREATE TABLE `a`.`b` (`c` int);", "a table with other contents"},
	    {"CREATE TABLE `a` (`c` int) SELECT 1;", "a table with other contents"},
	    {"CREATE TABLE `a` (`c` int) ENGINE=InnoDB DATA DIRECTORY='/tmp';",
		"a table with other contents"},
	    {"CREATE TABLE `a` (`c` int) ENGINE=CSV;", "a table of another engine"},
	    {"CREATE TABLE `a` (`c` int) ENGINE CONNECT CONNECTION='mysql://x';",
		"a table of another engine"},
	    {"CREATE TABLE `a` (`c` int);\nINSERT INTO `a` VALUES (1)", NULL},
	    {"INSERT INTO `a` VALUES ('x", NULL},
	    {"/* never closed", NULL},
	};
	g_autofree char *dir = backup_path_of("hostile"), *made = backup_path_of("made");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) dump = g_string_new(cases[i].dump);
		g_autofree char *want =
		    cases[i].want
			? g_strdup_printf(
			      "posthouse: the dump of the database has %s, *\n", cases[i].want)
			: g_strdup("posthouse: the dump of the database ends inside *\n");

		g_string_replace(dump, "@\n", "x\n", 0);
		g_string_replace(dump, "'@'", made, 0);
		forge(dir, "database.sql", dump->str, true);
		RUN(other->config, 65, NULL, want, "restore %s", dir);
		cr_expect_neq(access(made, F_OK), 0, "%s", cases[i].dump);
		if (!cases[i].want)
			g_free(test_mariadb_sql(NULL, "DROP TABLE IF EXISTS `%s`.a", other->name));
		cr_expect(backup_is_empty(other->name), "%s", cases[i].dump);
	}
}

/* Comments that the server would run are not run. */
Test(backup, passes_over_what_it_sets_itself)
{
	g_autofree char *dir = backup_path_of("passed");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	forge(dir, "database.sql",
	    "/*M!999999\\- enable the sandbox mode */ \n-- a line; 'with\n"
	    "/*!50000 CREATE TABLE `evil` (`a` int) */;\n/*!40101 SET NAMES utf8mb4 */;\n"
	    "set autocommit=0;\nLOCK TABLES `a` WRITE;\nDROP TABLE IF EXISTS `a`;\n"
	    "CREATE TABLE `a;``b` (`c` text DEFAULT ';-- \\'/*' COMMENT '#') ENGINE=InnoDB;\n"
	    "INSERT INTO `a;``b` (`c`) VALUES\n('it''s; "
	    "\\\\'),(NULL),(0x5C),(-1.5e+20),(\"\\\";\");\n"
	    "COMMIT;\nUNLOCK TABLES;\n",
	    true);
	/* The tables of an installation are not there, so that it ends here. */
	RUN(other->config, 70, NULL, "posthouse: *\n", "restore %s", dir);
	g_autofree char *rows =
	    test_mariadb_sql(NULL, "SELECT GROUP_CONCAT(HEX(c)) FROM `%s`.`a;``b`", other->name);
	cr_expect_str_eq(rows, "697427733B205C,5C,2D312E35653230,223B", "%s", rows);
	g_autofree char *evil = test_mariadb_sql(NULL,
	    "SELECT COUNT(*) FROM information_schema.tables WHERE table_schema = '%s'"
	    " AND table_name = 'evil'",
	    other->name);
	cr_expect_str_eq(evil, "0");
}

/* Settings of a backup write no file outside of the installation's folders. */
Test(backup, writes_no_files_elsewhere)
{
	g_autofree char *dir = backup_path_of("elsewhere"), *away = backup_path_of("away"),
			*folder = backup_path_of("fresh"),
			*settings_file = backup_file_of(dir, "settings");
	g_autofree char *target = g_build_filename(away, "cron", NULL),
			*fresh = g_build_filename(folder, "posthouse.conf", NULL),
			*hidden = g_build_filename(folder, ".ssh", NULL), *text = NULL;
	const struct {
		const char *key, *path;
	} cases[] = {
	    {"secret_file", target},
	    {"secret_file", "/etc/cron.d/posthouse-test"},
	    {"secret_file", hidden},
	    {"dir", away},
	};
	g_autofree char *name = g_strdup_printf("fresh_%d", (int)getpid());
	g_autofree char *sample = test_mariadb_file(NULL, name, NULL), *base = NULL;

	g_assert(g_mkdir(away, 0700) == 0 && g_mkdir(folder, 0700) == 0);
	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	cr_assert(g_file_get_contents(sample, &base, NULL, NULL));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GKeyFile) keys = g_key_file_new();

		cr_assert(g_key_file_load_from_data(keys, base, (gsize)-1, G_KEY_FILE_NONE, NULL));
		g_autofree char *own = g_build_filename(folder, "secret", NULL);
		g_key_file_set_string(keys, "service", "secret_file", own);
		g_key_file_set_string(keys, "spool", "dir", folder);
		g_key_file_set_string(
		    keys, *cases[i].key == 's' ? "service" : "spool", cases[i].key, cases[i].path);
		g_autofree char *forged = g_key_file_to_data(keys, NULL, NULL);
		forge(dir, "settings", forged, true);
		RUN(fresh, 65, NULL,
		    "posthouse: * in the settings of the backup is *, which is in no folder of "
		    "this "
		    "installation: add --allow *\n",
		    "restore %s", dir);
		cr_expect_neq(access(fresh, F_OK), 0, "%s", cases[i].path);
		cr_expect_neq(access(cases[i].path, F_OK), *cases[i].key == 's' ? 0 : -1, "%s",
		    cases[i].path);
		if (i > 0)
			continue;
		RUN(fresh, 0, RESTORED, NULL, "restore %s --allow /nowhere --allow %s", dir, away);
		cr_expect_eq(access(target, F_OK), 0);
		g_unlink(fresh);
		g_unlink(target);
		g_free(test_mariadb_sql(NULL, "DROP DATABASE `%s`", name));
		g_free(test_mariadb_sql(NULL, "CREATE DATABASE `%s`", name));
	}
}

#define KINDS                                                                                      \
	"SELECT GROUP_CONCAT(SHA2(CONCAT_WS('|', id, HEX(b), HEX(t), d, n, j, s, g), 256)"         \
	" ORDER BY id) FROM `%s`.kinds"

/* Values of all kinds come back as they were. */
Test(backup, brings_back_every_byte)
{
	const char *name = config_settings_text(settings, SETTING_DATABASE_NAME);
	g_autofree char *dir = backup_path_of("bytes");
	AUTO(other) other = other_new();
	g_free(test_mariadb_sql(NULL,
	    "CREATE TABLE `%s`.kinds (id int PRIMARY KEY, b longblob, t longtext CHARACTER SET "
	    "utf8mb4,"
	    " d double, n decimal(20,5), j json, s timestamp NULL,"
	    " g int GENERATED ALWAYS AS (id + 1) VIRTUAL) ENGINE=InnoDB",
	    name));
	g_free(test_mariadb_sql(NULL,
	    "INSERT INTO `%s`.kinds (id, b, t, d, n, j, s) VALUES (0, '', '', 0, 0, '[]', NULL),"
	    " (1, UNHEX('00275C22600A0D1AFF'), '\\n\\\\! x\\n-- \\'\\\"`;/*#\\0\\Z\\r\\tð', "
	    "-1.5e300,"
	    " -12345.678, '{\"a\": \"\\\\u0001\"}', '2026-03-29 01:30:00'),"
	    " (2, REPEAT(UNHEX('27'), 3000000), REPEAT('\\'', 3000000), NULL, NULL, NULL, NULL)",
	    name));
	g_autofree char *want = test_mariadb_sql(NULL, KINDS, name);
	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	RUN(other->config, 0, RESTORED, NULL, "restore %s", dir);
	g_autofree char *got = test_mariadb_sql(NULL, KINDS, other->name);
	cr_expect_str_eq(got, want);
	cr_expect_eq(strlen(want), 3 * 64 + 2, "%s", want);
	g_free(test_mariadb_sql(NULL, "DROP TABLE `%s`.kinds", name));
}
