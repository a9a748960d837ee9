/* SPDX-License-Identifier: MIT */
/* Tests the spool folder check and exit statuses. */
#include "config/startup.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <string.h>
#include <sysexits.h>
#include <unistd.h>

#include "base/error.h"
#include "config/settings.h"
#include "tests/support/settings.h"

static char *dir, *config, *spool;

static void
startup_begin(void)
{
	dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);
	config = test_settings_write(dir, "s", "");
	spool = g_build_filename(dir, "s.spool", NULL);
}

static void
startup_end(void)
{
	g_autofree char *secret = g_build_filename(dir, "s.secret", NULL);

	g_unlink(config);
	g_unlink(secret);
	g_unlink(spool);
	g_rmdir(spool);
	g_rmdir(dir);
	g_free(config);
	g_free(spool);
	g_free(dir);
}

TestSuite(startup, .init = startup_begin, .fini = startup_end);

static void
startup_expect(const char *name, const char *argument, int code, const char *sentence)
{
	g_autoptr(GError) error = NULL;
	AUTO(config_settings) settings = config_startup_settings(argument, &error);

	cr_expect_eq(
	    settings != NULL, sentence == NULL, "%s: %s", name, error ? error->message : "taken");
	if (!settings && sentence) {
		cr_expect(g_error_matches(error, PH_ERROR, code), "%s: got %d", name, error->code);
		cr_expect(strstr(error->message, sentence), "%s: got %s, want %s", name,
		    error->message, sentence);
	}
}

Test(startup, takes_settings_and_spool_folder)
{
	static const mode_t good[] = {0700, 0750, 0755}, bad[] = {0720, 0702, 0777, 01777};

	for (gsize i = 0; i < G_N_ELEMENTS(good); i++) {
		cr_assert_eq(g_chmod(spool, good[i]), 0);
		startup_expect("good", config, 0, NULL);
	}
	for (gsize i = 0; i < G_N_ELEMENTS(bad); i++) {
		cr_assert_eq(g_chmod(spool, bad[i]), 0);
		startup_expect(
		    "bad", config, PH_ERROR_FAILED, "other users can write to the spool folder");
	}
}

Test(startup, misses_the_settings)
{
	startup_expect("none", "/nowhere", PH_ERROR_NOT_FOUND,
	    "(--config FILE or POSTHOUSE_CONFIG=FILE names another)");
	cr_assert(g_file_set_contents(config, "[nonsense]\n", -1, NULL));
	startup_expect("nonsense", config, PH_ERROR_INVALID, "there is no section [nonsense]");
}

Test(startup, misses_the_spool_folder)
{
	cr_assert_eq(g_rmdir(spool), 0);
	startup_expect(
	    "none", config, PH_ERROR_FAILED, "cannot be used: No such file or directory");
	cr_assert(g_file_set_contents(spool, "", 0, NULL));
	startup_expect("a file", config, PH_ERROR_FAILED, "is not a folder");
	cr_assert_eq(g_unlink(spool), 0);
	cr_assert_eq(symlink("/nowhere", spool), 0);
	startup_expect("a link to nothing", config, PH_ERROR_FAILED, "cannot be used");
}

/* Only root can give a folder away, and only others can be shut out of their own. */
Test(startup, wants_a_folder_of_our_own)
{
	if (geteuid() != 0) {
		cr_assert_eq(g_chmod(spool, 0500), 0);
		startup_expect("read only", config, PH_ERROR_FAILED, "cannot be written to");
		cr_assert_eq(g_chmod(spool, 0700), 0);
	} else {
		cr_assert_eq(chown(spool, 12345, 12345), 0);
		startup_expect("another's", config, PH_ERROR_FAILED,
		    "belongs to user 12345, but this program runs as root");
	}
}

Test(startup, ends_with_the_status_of_the_error)
{
	static const struct {
		enum ph_error code;
		int want;
	} cases[] = {
	    {PH_ERROR_INVALID, EX_DATAERR},
	    {PH_ERROR_UNAUTHORIZED, EX_NOPERM},
	    {PH_ERROR_FORBIDDEN, EX_NOPERM},
	    {PH_ERROR_NOT_FOUND, EX_NOINPUT},
	    {PH_ERROR_CONFLICT, EX_CANTCREAT},
	    {PH_ERROR_CHANGED, EX_CANTCREAT},
	    {PH_ERROR_TOO_LARGE, EX_DATAERR},
	    {PH_ERROR_LIMITED, EX_TEMPFAIL},
	    {PH_ERROR_TEMPORARY, EX_TEMPFAIL},
	    {PH_ERROR_UNCERTAIN, EX_TEMPFAIL},
	    {PH_ERROR_FAILED, EX_SOFTWARE},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GError) error = g_error_new(PH_ERROR, (int)cases[i].code, "x");
		int got = config_startup_exit(error);

		cr_expect_eq(got, cases[i].want, "code %d: got %d, want %d", (int)cases[i].code,
		    got, cases[i].want);
	}
	g_autoptr(GError) other = g_error_new(G_FILE_ERROR, G_FILE_ERROR_NOENT, "x");
	cr_expect_eq(config_startup_exit(other), EX_SOFTWARE);
	cr_expect_eq(config_startup_exit(NULL), EX_OK);
}

Test(startup, leaves_no_core_dump)
{
	g_setenv("POSTHOUSE_TRACEABLE", "yes", TRUE);
	config_startup_conceal();
#ifndef WITH_ASAN
	cr_expect_not(config_startup_is_concealed());
#endif
	g_unsetenv("POSTHOUSE_TRACEABLE");
	config_startup_conceal();
	cr_expect(config_startup_is_concealed());
}
