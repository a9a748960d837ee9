/* SPDX-License-Identifier: MIT */
/* Tests the translation of error numbers. */
#include "db/failure.h"

#include <criterion/criterion.h>

#include "base/error.h"

Test(failure, means)
{
	static const struct {
		guint code;
		const char *sqlstate, *message;
		enum ph_error want_error;
		enum db_cause want_cause;
		bool want_dead, want_passes;
		const char *want_key;
	} cases[] = {
	    /* code, SQLSTATE, message; error, cause, dead, passes, key */
	    {1062, "23000", "Duplicate entry 'a' for key 'PRIMARY'", PH_ERROR_CONFLICT,
		DB_CAUSE_DUPLICATE, false, false, "PRIMARY"},
	    {1062, "23000", "Duplicate entry 'x' for key 'y' for key 'z'", PH_ERROR_CONFLICT,
		DB_CAUSE_DUPLICATE, false, false, "z"},
	    {1062, "23000", "Doppelter Eintrag", PH_ERROR_CONFLICT, DB_CAUSE_DUPLICATE, false,
		false, ""},
	    {1062, "23000", " for key '", PH_ERROR_CONFLICT, DB_CAUSE_DUPLICATE, false, false, ""},
	    {1586, "23000", "Duplicate entry 'a' for key 'k'", PH_ERROR_CONFLICT,
		DB_CAUSE_DUPLICATE, false, false, "k"},
	    {1452, "23000", "parent", PH_ERROR_CONFLICT, DB_CAUSE_MISSING, false, false, ""},
	    {1451, "23000", "child", PH_ERROR_CONFLICT, DB_CAUSE_REFERRED, false, false, ""},
	    {1213, "40001", "deadlock", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false, true, ""},
	    {1461, "42000", "too many prepared", PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false, false,
		""},
	    {1305, "42000", "SAVEPOINT", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false, true, ""},
	    {1206, "HY000", "lock table full", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false, true,
		""},
	    {1020, "HY000", "changed", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false, true, ""},
	    {1412, "HY000", "altered", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false, true, ""},
	    {1615, "HY000", "altered", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false, true, ""},
	    {1205, "HY000", "wait", PH_ERROR_TEMPORARY, DB_CAUSE_LOCK_WAIT, false, true, ""},
	    {1047, "08S01", "WSREP", PH_ERROR_TEMPORARY, DB_CAUSE_UNREADY, false, true, ""},
	    {1644, "45R00", "reason", PH_ERROR_CONFLICT, DB_CAUSE_REFUSED, false, false, "reason"},
	    {1644, "40001", "signal", PH_ERROR_TEMPORARY, DB_CAUSE_DEADLOCK, false, true, ""},
	    {1040, "08004", "full", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {1053, "08S01", "shutdown", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {1927, "70100", "killed", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {2002, "HY000", "socket", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {2003, "HY000", "host", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {2005, "HY000", "unknown", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {2006, "HY000", "gone", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {2013, "HY000", "lost", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {2055, "HY000", "lost", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {1290, "HY000", "read-only", PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false, false, ""},
	    {1317, "70100", "killed query", PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false, false, ""},
	    {1114, "HY000", "full", PH_ERROR_TEMPORARY, DB_CAUSE_OTHER, false, false, ""},
	    {1045, "28000", "denied", PH_ERROR_FAILED, DB_CAUSE_OTHER, false, false, ""},
	    {1049, "42000", "no db", PH_ERROR_FAILED, DB_CAUSE_OTHER, false, false, ""},
	    {1406, "22001", "too long", PH_ERROR_FAILED, DB_CAUSE_OTHER, false, false, ""},
	    {1153, "08S01", "packet", PH_ERROR_FAILED, DB_CAUSE_OTHER, true, false, ""},
	    {2020, "HY000", "packet", PH_ERROR_FAILED, DB_CAUSE_OTHER, true, false, ""},
	    {2026, "HY000", "TLS", PH_ERROR_FAILED, DB_CAUSE_OTHER, true, false, ""},
	    {2014, "HY000", "sync", PH_ERROR_FAILED, DB_CAUSE_OTHER, true, false, ""},
	    {5013, "HY000", "read", PH_ERROR_TEMPORARY, DB_CAUSE_LOST, true, false, ""},
	    {5999, "HY000", "?", PH_ERROR_FAILED, DB_CAUSE_OTHER, true, false, ""},
	    {1644, "45G00", "a guard", PH_ERROR_FORBIDDEN, DB_CAUSE_DENIED, false, false, ""},
	    {1644, "45000", "a signal", PH_ERROR_FAILED, DB_CAUSE_OTHER, false, false, ""},
	    {4025, "23000", "check", PH_ERROR_LIMITED, DB_CAUSE_CHECK, false, false, ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		struct db_failure got;
		g_autoptr(GError) error = NULL;

		db_failure_read(
		    &got, cases[i].code, cases[i].sqlstate, cases[i].message, NULL, &error);
		cr_expect(error->domain == PH_ERROR && error->code == (int)cases[i].want_error,
		    "%u: error: got %d, want %d", cases[i].code, error->code, cases[i].want_error);
		cr_expect_eq(got.cause, cases[i].want_cause, "%u: cause: got %d, want %d",
		    cases[i].code, got.cause, cases[i].want_cause);
		cr_expect_eq(
		    got.dead, cases[i].want_dead, "%u: dead: got %d", cases[i].code, got.dead);
		cr_expect_eq(db_failure_passes(&got), cases[i].want_passes, "%u: passes: got %d",
		    cases[i].code, !cases[i].want_passes);
		cr_expect_str_eq(got.key, cases[i].want_key, "%u: key: got %s, want %s",
		    cases[i].code, got.key, cases[i].want_key);
	}
}

Test(failure, of_a_duplicate_does_not_show_the_value)
{
	struct db_failure got;
	g_autoptr(GError) error = NULL;

	db_failure_read(&got, 1062, "23000", "Duplicate entry 'jo@x.org' for key 'email'",
	    "INSERT INTO t VALUES (?)", &error);
	cr_assert(!strstr(error->message, "jo@") && strstr(error->message, "email"), "got %s",
	    error->message);
}

Test(failure, quotes_the_statement_that_is_wrong_up_to_a_point)
{
	struct db_failure got;
	g_autoptr(GError) error = NULL;
	g_autofree char *sql = g_strnfill(101, 'x');

	db_failure_read(&got, 1064, "42000", "syntax", sql, &error);
	sql[100] = '\0';
	cr_assert(g_str_has_suffix(error->message, sql), "got %s", error->message);
	cr_assert_not(g_str_has_suffix(error->message, "xx"
						       "x") &&
			  strlen(strstr(error->message, "xxx")) > 100,
	    "got %s", error->message);
}
