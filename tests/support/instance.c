/* SPDX-License-Identifier: MIT */
/* Starts whole instances by ./quickstart, and sees to it that each is ended. */
#include "tests/support/instance.h"

#include <criterion/criterion.h>
#include <signal.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <glib/gstdio.h>

#include "tests/support/keep.h"
#include "tests/support/settings.h"

static char *
quickstart(void)
{
	const char *top = g_getenv("srcdir");
	g_autofree char *path = g_build_filename(top ? top : ".", "quickstart", NULL);

	return g_canonicalize_filename(path, NULL);
}

/* The output of a program; NULL if it fails, with its error output in *complaint_r. */
static char *
instance_run(const char *const *argv, char **complaint_r)
{
	g_autoptr(GError) error = NULL;
	g_autofree char *output = NULL, *complaint = NULL;
	int status = 0;

	if (g_spawn_sync(NULL, (char **)argv, NULL, G_SPAWN_SEARCH_PATH, NULL, NULL, &output,
		&complaint, &status, &error) &&
	    g_spawn_check_wait_status(status, &error)) {
		*complaint_r = NULL;
		return g_steal_pointer(&output);
	}
	*complaint_r = g_strdup_printf("%s: %s\n%s%s", argv[0], error->message,
	    complaint ? complaint : "", output ? output : "");
	return NULL;
}

static char *
must_run(const char *const *argv)
{
	char *complaint = NULL;
	char *output = instance_run(argv, &complaint);

	if (!output)
		g_error("%s", complaint);
	return output;
}

static GPtrArray *
arguments_of(const char *program, const char *const *arguments)
{
	GPtrArray *argv = g_ptr_array_new();

	g_ptr_array_add(argv, (char *)program);
	for (guint i = 0; arguments && arguments[i]; i++)
		g_ptr_array_add(argv, (char *)arguments[i]);
	return argv;
}

char *
test_instance_run(
    const struct test_instance *instance, const char *program, const char *const *arguments)
{
	g_autofree char *path = g_build_filename(instance->bin, program, NULL);
	g_autoptr(GPtrArray) argv = arguments_of(path, arguments);

	g_setenv("POSTHOUSE_CONFIG", instance->config, TRUE);
	g_ptr_array_add(argv, NULL);
	return must_run((const char *const *)argv->pdata);
}

static void
take_assignment(struct test_instance *instance, const char *name, char *value)
{
	const struct {
		const char *name;
		char **member;
	} known[] = {
	    {"POSTHOUSE_URL", &instance->url},
	    {"POSTHOUSE_KEY", &instance->key},
	    {"POSTHOUSE_CONFIG", &instance->config},
	    {"POSTHOUSE_DOMAIN", &instance->domain},
	    {"POSTHOUSE_MAILDIR", &instance->maildir},
	    {"POSTHOUSE_BIN", &instance->bin},
	    {"POSTHOUSE_SMTP", &instance->smtp},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(known); i++) {
		if (strcmp(known[i].name, name) != 0)
			continue;
		g_free(*known[i].member);
		*known[i].member = value;
		return;
	}
	g_error("unknown in env: %s", name);
}

static void
read_env(struct test_instance *instance)
{
	g_autofree char *path = g_build_filename(instance->dir, "env", NULL);
	g_autofree char *text = NULL;
	g_autoptr(GError) error = NULL;

	if (!g_file_get_contents(path, &text, NULL, &error))
		g_error("%s", error->message);
	g_auto(GStrv) lines = g_strsplit(g_strchomp(text), "\n", -1);
	for (char **line = lines; *line; line++) {
		char *equals = strchr(*line, '=');
		g_assert(equals);
		*equals = '\0';
		char *value = g_shell_unquote(equals + 1, &error);
		if (!value)
			g_error("%s: %s", path, error->message);
		take_assignment(instance, *line, value);
	}
	g_assert(instance->url && instance->key && instance->config && instance->domain &&
		 instance->maildir && instance->bin);
}

void
test_instance_restart(struct test_instance *instance, const char *const *options)
{
	g_autofree char *program = quickstart();
	const char *const fixed[] = {
	    "start", "--dir", instance->dir, "--no-demo", "--no-spool", NULL};
	g_autoptr(GPtrArray) argv = arguments_of(program, fixed);

	for (guint i = 0; options && options[i]; i++)
		g_ptr_array_add(argv, (char *)options[i]);
	g_ptr_array_add(argv, NULL);
	g_setenv("POSTHOUSE_BUILD", g_getenv("builddir") ? g_getenv("builddir") : ".", TRUE);
	g_free(must_run((const char *const *)argv->pdata));
	read_env(instance);
}

static void
instance_leave_session(gpointer nothing)
{
	setsid();
}

/* quickstart stop fails when a sanitizer reports in the logs of the programs. A failure is also a
   secret in a line of theirs: a key, a webhook's secret, a token of a link or an endpoint, a query
   string, credentials.
 */
static const char farewell[] =
    "cat; \"$0\" stop --dir \"$1\" >/dev/null; faults=$?; cat \"$1\"/log/* \"$1\"/*.log "
    "2>/dev/null | grep -E '^(\\{\"time\":\"|time=)' |"
    "grep -E 'ph_[A-Za-z0-9_-]{16}|whsec_|/(t/[oc]|unsubscribe)/[A-Za-z0-9]|/in/[a-z]+/[A-Za-z0-9]|"
    "(Basic|Bearer) |route=[^ ]*[?]|\"route\":\"[^\"]*[?]' >&2;"
    "secrets=$?; rm -rf -- \"$1\"; [ $faults = 0 ] && [ $secrets = 1 ]";

/* A process that waits until ours is gone or closes the leash, and ends the instance then. */
static void
instance_keep(struct test_instance *instance)
{
	g_autofree char *program = quickstart();
	const char *argv[] = {"/bin/sh", "-c", farewell, program, instance->dir, NULL};
	g_autoptr(GError) error = NULL;

	if (!g_spawn_async_with_pipes(NULL, (char **)argv, NULL,
		G_SPAWN_DO_NOT_REAP_CHILD | G_SPAWN_CLOEXEC_PIPES, instance_leave_session, NULL,
		&instance->keeper, &instance->leash, NULL, NULL, &error))
		g_error("%s", error->message);
}

static struct test_instance *
instance_start(const char *server)
{
	struct test_instance *instance = g_new0(struct test_instance, 1);
	const char *const options[] = {"--port", "0", "--server", server, "--set",
	    "dns.servers=" TEST_NOBODY_TO_ASK, "--set", "log.level=info", NULL};

	instance->dir = test_folder_make();
	instance_keep(instance);
	test_instance_restart(instance, options);
	return instance;
}

struct test_instance *
test_instance_shared(void)
{
	struct test_instance *instance = g_new0(struct test_instance, 1);
	const char *dir = g_getenv(TEST_INSTANCE_DIR);

	if (!dir)
		g_error("this suite has no main with test_instance_main");
	instance->dir = g_strdup(dir);
	read_env(instance);
	return instance;
}

void
test_instance_close(struct test_instance *instance)
{
	int status = 0;

	if (instance->keeper) {
		close(instance->leash);
		waitpid(instance->keeper, &status, 0);
		if (status != 0)
			g_error("%s did not end well", instance->dir);
	}
	g_free(instance->dir);
	g_free(instance->url);
	g_free(instance->key);
	g_free(instance->config);
	g_free(instance->domain);
	g_free(instance->maildir);
	g_free(instance->bin);
	g_free(instance->smtp);
	g_free(instance);
}

/* The name of a missing program, or NULL. */
static const char *
instance_missing(const char *server)
{
	const char *programs[] = {"bash", "curl", "mariadbd", "mariadb", "mariadb-install-db",
	    strcmp(server, "apache") == 0 ? "apache2" : "lighttpd"};
	const char *const catcher[] = {"/usr/bin/python3", "-c", "import aiosmtpd", NULL};
	g_autofree char *path = g_strconcat(g_getenv("PATH"), ":/usr/sbin", NULL);
	char *complaint = NULL;

	g_setenv("PATH", path, TRUE);
	for (gsize i = 0; i < G_N_ELEMENTS(programs); i++) {
		g_autofree char *found = g_find_program_in_path(programs[i]);
		if (!found)
			return programs[i];
	}
	g_free(instance_run(catcher, &complaint));
	return complaint ? "aiosmtpd of Python" : NULL;
}

int
test_instance_main(int argc, char **argv, const char *server, guint jobs)
{
	struct criterion_test_set *tests = criterion_initialize();
	const char *lack = instance_missing(server);
	int result = 0;

	if (lack) {
		g_printerr("%s is not installed: skipped\n", lack);
		return 77;
	}
	if (criterion_handle_args(argc, argv, true)) {
		AUTO(test_instance) instance = instance_start(server);
		g_setenv(TEST_INSTANCE_DIR, instance->dir, TRUE);
		if (jobs > 0)
			criterion_options.jobs = jobs;
		result = !criterion_run_all_tests(tests);
	}
	criterion_finalize(tests);
	return result;
}
