/* SPDX-License-Identifier: MIT */
/* Tests posthouse backup and restore on real databases. */
#include <fcntl.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "tests/cli/office.h"

OFFICE_SUITE(backup);

/* A path in the folder of the tests, of this process alone. The caller owns it. */
static char *
path_of(const char *name)
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
is_empty(const char *name)
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
sum_of(const char *name)
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
	g_autofree char *dir = path_of("whole");
	AUTO(other) other = other_new();

	g_free(program_line(config, "audience create Readers"));
	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	RUN(other->config, 0, RESTORED, NULL, "restore %s", dir);
	program_expect(
	    other->config, "schema status", 0, "The database has schema version *\n", NULL);
	program_expect(other->config, "audience list", 0, "*Readers*", NULL);
	g_autofree char *ours = sum_of(base_settings_text(settings, SETTING_DATABASE_NAME));
	g_autofree char *theirs = sum_of(other->name);
	cr_expect_str_eq(ours, theirs, "got\n%swant\n%s", theirs, ours);
	struct stat secret, folder;
	cr_assert_eq(stat(other->secret, &secret), 0);
	cr_expect_eq(secret.st_mode & 0777, 0600);
	cr_assert_eq(stat(dir, &folder), 0);
	cr_expect_eq(folder.st_mode & 0777, 0700);
}

Test(backup, answers_in_json)
{
	g_autofree char *dir = path_of("json");
	AUTO(other) other = other_new();

	RUN(config, 0, "{\"dir\":\"/*\",\"begun\":1*,\"ended\":1*,\"encrypted\":false}\n", NULL,
	    "backup %s --json", dir);
	RUN(other->config, 0, "{\"begun\":1*,\"uncertain\":0,\"then\":\"retry\"}\n", NULL,
	    "restore %s --json", dir);
}

/* A machine that has nothing gets its settings too. */
Test(backup, brings_the_settings_back)
{
	g_autofree char *dir = path_of("bare"), *copy = path_of("new.conf");
	const char *name = base_settings_text(settings, SETTING_DATABASE_NAME);
	const char *secret = base_settings_text(settings, SETTING_SERVICE_SECRET_FILE);

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

Test(backup, refuses_wrong_folders)
{
	g_autofree char *dir = path_of("there"), *none = path_of("none");

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
	g_autofree char *dir = path_of("kept");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", dir);
	RUN(config, 73, NULL, "posthouse: the database * has tables already; *\n", "restore %s",
	    dir);
	cr_assert(g_file_set_contents(
	    other->secret, "another secret, which is long enough to be one\n", -1, NULL));
	g_chmod(other->secret, 0600);
	RUN(other->config, 73, NULL, "posthouse: * has another secret than the backup: *\n",
	    "restore %s", dir);
	cr_expect(is_empty(other->name));
}

Test(backup, is_encrypted)
{
	g_autofree char *dir = path_of("sealed"), *key = path_of("key"), *wrong = path_of("wrong");
	g_autofree char *brief = path_of("brief");
	AUTO(other) other = other_new();

	cr_assert(g_file_set_contents(key, "0123456789abcdef0123456789abcdef\n", -1, NULL));
	cr_assert(g_file_set_contents(wrong, "0123456789abcdef0123456789abcdeF\n", -1, NULL));
	cr_assert(g_file_set_contents(brief, "0123456789abcdef0123456789abcde\n", -1, NULL));
	RUN(config, 65, NULL, "posthouse: the key in *brief*\n", "backup %s --encrypt %s", dir,
	    brief);
	RUN(config, 0, WRITTEN, NULL, "backup %s --encrypt %s", dir, key);
	g_autofree char *path = g_build_filename(dir, "database.sql", NULL), *text = NULL;
	gsize size;
	cr_assert(g_file_get_contents(path, &text, &size, NULL));
	cr_expect(!memmem(text, size, "CREATE", 6));
	RUN(other->config, 65, NULL, "posthouse: the backup in * is encrypted: *\n", "restore %s",
	    dir);
	RUN(other->config, 65, NULL, "posthouse: * cannot be decrypted: *\n",
	    "restore %s --decrypt %s", dir, wrong);
	cr_expect(is_empty(other->name));
	cr_expect_neq(access(other->secret, F_OK), 0);
	RUN(other->config, 0, RESTORED, NULL, "restore %s --decrypt %s", dir, key);
}

Test(backup, finds_damage)
{
	g_autofree char *dir = path_of("damaged");
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
	cr_expect(is_empty(other->name));
}

/* Puts a program called mariadb-dump in front of the others. */
static void
replace_dump(const char *script)
{
	g_autofree char *bin = path_of("bin"), *path = g_build_filename(bin, "mariadb-dump", NULL);
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
	g_autofree char *dir = path_of("failed");

	replace_dump("#!/bin/sh\necho 'CREATE TABLE half'; echo 'no such luck' >&2; exit 2\n");
	RUN(config, 70, NULL, "posthouse: mariadb-dump failed: no such luck\n", "backup %s", dir);
	cr_expect_eq(count_folders(dir), 0);
}

Test(backup, leaves_no_backup_when_it_is_killed)
{
	g_autofree char *dir = path_of("killed");
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
	cr_expect(is_empty(other->name));
}

Test(backup, names_the_program_that_is_missing)
{
	g_autofree char *dir = path_of("missing"), *whole = path_of("present");
	AUTO(other) other = other_new();

	RUN(config, 0, WRITTEN, NULL, "backup %s", whole);
	g_setenv("PATH", "/nowhere", TRUE);
	RUN(config, 70, NULL,
	    "posthouse: the program mariadb-dump is not installed: * (package mariadb-client)\n",
	    "backup %s", dir);
	cr_expect_eq(count_folders(dir), 0);
	RUN(other->config, 70, NULL, "posthouse: the program mariadb is not installed: *\n",
	    "restore %s", whole);
}

Test(backup, refuses_a_newer_one)
{
	g_autofree char *dir = path_of("newer"), *path = g_build_filename(dir, "MANIFEST", NULL);
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
