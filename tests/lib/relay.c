/* SPDX-License-Identifier: MIT */
#include "relay/relay.h"

#include <criterion/criterion.h>
#include <glib/gstdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/clock.h"
#include "config/settings.h"
#include "smtp/session.h"
#include "tests/support/settings.h"

static char *
lib_relay_list(const char *dir, const char *text)
{
	AUTO(config_settings) settings = test_settings_load(dir, "relay", text);
	g_autoptr(GPtrArray) relays = relay_list(settings);
	GString *lines = g_string_new(NULL);

	for (guint i = 0; i < relays->len; i++) {
		const struct smtp_relay *relay = relays->pdata[i];
		g_string_append_printf(lines,
		    "%s:%u tls %d ca '%s' unverified %d user '%s' password '%s' helo '%s' "
		    "%u %u %u dsn %d\n",
		    relay->host, relay->port, relay->tls, relay->tls_ca, relay->unverified,
		    relay->user, relay->password, relay->helo, relay->connect_timeout_s,
		    relay->timeout_s, relay->dot_timeout_s, relay->dsn);
	}
	return g_string_free(lines, FALSE);
}

Test(relay, is_what_the_settings_say)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"", "127.0.0.1:25 tls 1 ca '' unverified 0 user '' password '' helo '' 5 60 600 dsn "
		 "1\n"},
	    {"[smtp]\nhost = a.example, b.example:2525 192.0.2.1:1\nport = 587\ntls = required\n"
	     "tls_ca = /ca.pem\ntls_verify = no\nuser = u\npassword = p\nhelo = "
	     "h.example\nconnect_timeout = 3\n"
	     "timeout = 7\ndata_timeout = 8\ndsn = no\n",
		"a.example:587 tls 2 ca '/ca.pem' unverified 1 user 'u' password 'p' helo "
		"'h.example' 3 7 8 "
		"dsn 0\n"
		"b.example:2525 tls 2 ca '/ca.pem' unverified 1 user 'u' password 'p' helo "
		"'h.example' 3 7 8 "
		"dsn 0\n"
		"192.0.2.1:1 tls 2 ca '/ca.pem' unverified 1 user 'u' password 'p' helo "
		"'h.example' 3 7 8 "
		"dsn 0\n"},
	};
	char *dir = g_dir_make_tmp("posthouse-XXXXXX", NULL);

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = lib_relay_list(dir, cases[i].text);
		cr_expect_str_eq(got, cases[i].want, "got\n%swant\n%s", got, cases[i].want);
	}
	test_folder_remove(dir);
}

static char *dir;

static void
relay_make_dir(void)
{
	dir = g_dir_make_tmp("posthouse-slot.XXXXXX", NULL);
	cr_assert(dir);
}

static void
relay_remove_dir(void)
{
	test_folder_remove(dir);
}

TestSuite(slot, .init = relay_make_dir, .fini = relay_remove_dir);

static struct config_settings *
relay_load(const char *smtp)
{
	g_autofree char *text = g_strconcat("[smtp]\n", smtp, NULL);

	return test_settings_load(dir, "slot", text);
}

/* Takes a slot as a delivery does; NULL when no relay takes a message by this route now. */
static struct relay_slot *
relay_take_by(const struct config_settings *settings, const char *route, int *index_r,
    struct relay_refusal *refusal_r)
{
	AUTO(relay_choice) choice = relay_choice_new(settings);
	struct relay_slot *slot = NULL;
	g_autoptr(GError) error = NULL;
	int resting;

	while (!slot) {
		*index_r = relay_choose(choice, route, "x.example", false, refusal_r, &resting);
		if (*index_r < 0)
			return NULL;
		slot = relay_slot_take(settings, (guint)*index_r, &error);
		cr_assert_not(error, "%s", error ? error->message : "");
		if (!slot)
			relay_choice_busy(choice, (guint)*index_r);
	}
	return slot;
}

static struct relay_slot *
relay_take(const struct config_settings *settings)
{
	struct relay_refusal refusal;
	int index;

	return relay_take_by(settings, NULL, &index, &refusal);
}

/* The index of the relay that a session would get now, -1 for none, -2 when they are busy. */
static int
next_by(const struct config_settings *settings, const char *route)
{
	struct relay_refusal refusal;
	int index;
	struct relay_slot *slot = relay_take_by(settings, route, &index, &refusal);

	g_clear_pointer(&slot, relay_slot_free);
	return index;
}

static int
relay_next(const struct config_settings *settings)
{
	return next_by(settings, NULL);
}

static const struct relay_refusal no = {"relay x refused", "4.7.0"};

Test(slot, passes_over_relays_that_rest_for_a_minute)
{
	AUTO(config_settings) settings = relay_load("host=one,two:2525\n");
	gint64 now = 1800000000000;

	base_clock_set(now);
	for (int i = 0; i < 2; i++) {
		AUTO(relay_slot) slot = relay_take(settings);
		cr_assert(slot);
		cr_expect_eq(relay_slot_relay(slot)->port, i == 0 ? 25 : 2525);
		relay_slot_rest(slot, &no);
	}
	cr_expect_eq(relay_next(settings), -1, "both rest");
	base_clock_set(now + 59000);
	cr_expect_eq(relay_next(settings), -1, "both still rest");
	base_clock_set(now + 61000);
	cr_expect_eq(relay_next(settings), 0, "both have rested");
}

Test(slot, does_not_believe_a_rest_from_a_clock_that_was_set_back)
{
	AUTO(config_settings) settings = relay_load("host=one\n");

	base_clock_set(1800000000000);
	AUTO(relay_slot) slot = relay_take(settings);
	relay_slot_rest(slot, &no);
	base_clock_set(1700000000000);
	cr_expect_eq(relay_next(settings), 0);
}

/* The file of the relay as a process of an earlier boot, or of an earlier version, has left it. */
static void
relay_rewrite(const char *from, const char *to)
{
	g_autofree char *path = g_build_filename(dir, "slot.spool", "relay.one:25", NULL);
	g_autofree char *bytes = NULL;
	gsize size;

	cr_assert(g_file_get_contents(path, &bytes, &size, NULL));
	cr_assert(!from || g_str_has_prefix(bytes, from), "%s", bytes);
	memcpy(bytes, to, strlen(to));
	cr_assert(g_file_set_contents(path, bytes, from ? (gssize)size : 16, NULL));
}

Test(slot, does_not_believe_a_rest_from_before_the_boot)
{
	AUTO(config_settings) settings = relay_load("host=one\n");
	g_autofree char *boot = NULL;

	cr_assert(g_file_get_contents("/proc/sys/kernel/random/boot_id", &boot, NULL, NULL));
	for (int i = 0; i < 2; i++) {
		AUTO(relay_slot) slot = relay_take(settings);
		cr_assert(slot);
		relay_slot_rest(slot, &no);
		cr_expect_eq(relay_next(settings), -1, "it rests");
		relay_rewrite(i == 0 ? boot : NULL, "another boot");
		cr_expect_eq(relay_next(settings), 0, "%d", i);
	}
}

Test(slot, holds_sessions_to_each_relays_limit)
{
	static const struct {
		const char *settings;
		int want; /* sessions until none is left */
	} cases[] = {
	    {"host=one\nconnections=1\n", 1},
	    {"host=one\nconnections=3\n", 3},
	    {"host=one,two\nconnections=2\n", 4},
	    {"host=one,two,three\nconnections=2,1\n", 4},
	    {"host=one\n", 20},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(config_settings) settings = relay_load(cases[i].settings);
		g_autoptr(GPtrArray) slots =
		    g_ptr_array_new_with_free_func((GDestroyNotify)relay_slot_free);
		struct relay_slot *slot;

		while (slots->len < 50 && (slot = relay_take(settings)))
			g_ptr_array_add(slots, slot);
		cr_expect_eq((int)slots->len, cases[i].want, "%s: got %u, want %d",
		    cases[i].settings, slots->len, cases[i].want);
		g_ptr_array_set_size(slots, (gint)slots->len - 1);
		cr_expect_neq(
		    relay_next(settings), -1, "%s: one was given back", cases[i].settings);
	}
}

Test(slot, knows_no_limit_of_zero)
{
	AUTO(config_settings) settings = relay_load("host=one\nconnections=0\n");
	g_autoptr(GPtrArray) slots =
	    g_ptr_array_new_with_free_func((GDestroyNotify)relay_slot_free);

	for (guint i = 0; i < 100; i++) {
		struct relay_slot *slot = relay_take(settings);
		cr_assert(slot, "session %u", i);
		g_ptr_array_add(slots, slot);
	}
}

Test(slot, spaces_messages_by_the_rate_across_sessions)
{
	AUTO(config_settings) settings = relay_load("host=one\nrate=10\n");
	AUTO(relay_slot) a = relay_take(settings);
	AUTO(relay_slot) b = relay_take(settings);
	gint64 begin = g_get_monotonic_time();

	for (gint64 i = 0; i < 10; i++) {
		gint64 wait = relay_slot_wait(i % 2 ? a : b);
		gint64 passed = (g_get_monotonic_time() - begin) / 1000;

		cr_expect(wait <= i * 100 && wait >= i * 100 - passed - 2,
		    "message %d waits %d ms after %d", (int)i, (int)wait, (int)passed);
	}
}

Test(slot, reports_rest_and_sessions)
{
	AUTO(config_settings) settings = relay_load("host=one,two:2525\n");
	struct relay_report report;

	base_clock_set(1800000000000);
	AUTO(relay_slot) slot = relay_slot_take(settings, 1, NULL);
	cr_assert(relay_slot_report(settings, 1, &report));
	cr_expect_str_eq(report.relay->name, "two:2525");
	cr_expect_eq(report.sessions, 1);
	cr_expect_eq(report.rests_until, 0);
	relay_slot_rest(slot, &no);
	cr_assert(relay_slot_report(settings, 1, &report));
	gint64 now = base_clock_now();
	cr_expect(report.rests_until >= 1800000060000 - 1 && report.rests_until <= now + 60001);
	cr_expect_str_eq(report.refusal.text, no.text);
	cr_expect_str_eq(report.refusal.enhanced, no.enhanced);
	cr_assert(relay_slot_report(settings, 0, &report));
	cr_expect_eq(report.sessions, 0);
	cr_expect_not(relay_slot_report(settings, 2, &report));
}

/* A rest, its reason and its pace are those of the relay that the settings had then. */
Test(slot, forgets_the_rest_when_the_settings_of_the_relay_change)
{
	static const char before[] =
	    "[relay a]\nhost=one\nport=587\ntls=required\nuser=u\npassword=p\n";
	static const struct {
		const char *name, *text;
		bool want_rests;
	} cases[] = {
	    {"the same", before, true},
	    {"weight",
		"[relay a]\nhost=one\nport=587\ntls=required\nuser=u\npassword=p\nweight=2\n",
		true},
	    {"host", "[relay a]\nhost=two\nport=587\ntls=required\nuser=u\npassword=p\n", false},
	    {"port", "[relay a]\nhost=one\nport=588\ntls=required\nuser=u\npassword=p\n", false},
	    {"tls", "[relay a]\nhost=one\nport=587\ntls=implicit\nuser=u\npassword=p\n", false},
	    {"tls_name",
		"[relay a]\nhost=one\nport=587\ntls=required\nuser=u\npassword=p\ntls_name=x\n",
		false},
	    {"user", "[relay a]\nhost=one\nport=587\ntls=required\nuser=v\npassword=p\n", false},
	    {"password", "[relay a]\nhost=one\nport=587\ntls=required\nuser=u\npassword=q\n",
		false},
	    {"auth",
		"[relay a]\nhost=one\nport=587\ntls=required\nuser=u\npassword=p\nauth=login\n",
		false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(config_settings) old = test_settings_load(dir, "slot", before);
		struct relay_report report;

		AUTO(relay_slot) slot = relay_slot_take(old, 0, NULL);
		if (slot)
			relay_slot_rest(slot, &no);
		AUTO(config_settings) settings = test_settings_load(dir, "slot", cases[i].text);
		cr_assert(relay_slot_report(settings, 0, &report));
		cr_expect_eq(report.rests_until > 0, cases[i].want_rests, "%s: rests: got %d",
		    cases[i].name, report.rests_until > 0);
		cr_expect_str_eq(report.refusal.text, cases[i].want_rests ? no.text : "",
		    "%s: got %s", cases[i].name, report.refusal.text);
		cr_expect_eq(
		    relay_next(settings), cases[i].want_rests ? -1 : 0, "%s", cases[i].name);
	}
}

static struct config_settings *
load_relays(const char *text)
{
	return test_settings_load(dir, "slot", text);
}

#define HOST "host=127.0.0.1\ntls=none\n"

Test(choice, takes_the_lowest_order_that_does_not_rest, .init = relay_make_dir,
    .fini = relay_remove_dir)
{
	AUTO(config_settings) settings =
	    load_relays("[relay a]\norder=2\n" HOST "[relay b]\nconnections=1\n" HOST
			"[relay c]\ndefault=no\n" HOST);
	struct relay_refusal refusal;
	int index;

	cr_expect_eq(relay_next(settings), 1, "the lowest order");
	AUTO(relay_slot) b = relay_take(settings);
	cr_expect_eq(relay_next(settings), -2, "it waits for the one that is busy");
	relay_slot_rest(b, &no);
	cr_expect_eq(relay_next(settings), 0, "it rests");
	cr_expect_eq(next_by(settings, "c"), 2, "by a route");
	cr_expect_eq(next_by(settings, "old c"), 2, "by what the settings have of a route");
	cr_expect_eq(next_by(settings, "b"), -1);
	cr_expect_null(relay_take_by(settings, "b", &index, &refusal));
	cr_expect_str_eq(refusal.text, no.text);
	cr_expect_null(relay_take_by(settings, "old older", &index, &refusal));
	cr_expect_str_eq(refusal.text,
	    "no relay: the route of x.example names only old, older, which the settings do not "
	    "have");
	cr_expect_str_eq(refusal.enhanced, "");
}

Test(choice, shares_by_weight_within_any_100_in_a_row, .init = relay_make_dir,
    .fini = relay_remove_dir)
{
	AUTO(config_settings) settings =
	    load_relays("[relay a]\nweight=70\n" HOST "[relay b]\nweight=20\n" HOST
			"[relay c]\nweight=10\n" HOST "[relay d]\norder=2\n" HOST);
	static const guint want[] = {70, 20, 10, 0};
	guint chosen[1000], got[4] = {0};

	for (guint i = 0; i < 1000; i++) {
		chosen[i] = (guint)relay_next(settings);
		got[chosen[i]]++;
		if (i >= 100)
			got[chosen[i - 100]]--;
		for (guint j = 0; i >= 99 && j < 4; j++)
			cr_assert(got[j] + 10 >= want[j] && got[j] <= want[j] + 10,
			    "message %u, relay %u: got %u of 100, want %u", i, j, got[j], want[j]);
	}
}

/* A relay without the TLS that a domain enforces is passed over for that domain alone. */
Test(choice, passes_over_relays_without_the_tls_of_a_domain, .init = relay_make_dir,
    .fini = relay_remove_dir)
{
	static const struct relay_refusal lacks = {"relay a does not offer STARTTLS", "4.7.5"};
	AUTO(config_settings) settings = relay_load("host=one,two\n");
	AUTO(relay_choice) choice = relay_choice_new(settings);
	struct relay_refusal refusal;
	int resting;

	relay_choice_lack(choice, 0, "x.example", &lacks);
	cr_expect_not(relay_choice_is_free(choice, 0, "x.example"));
	cr_expect(relay_choice_is_free(choice, 0, "y.example"));
	cr_expect(relay_choice_is_free(choice, 0, NULL));
	cr_expect_eq(relay_choose(choice, NULL, "x.example", true, &refusal, &resting), 1);
	cr_expect_eq(relay_choose(choice, NULL, "x.example", false, &refusal, &resting), 0);
	cr_expect_eq(relay_choose(choice, NULL, "y.example", true, &refusal, &resting), 0);
	relay_choice_lack(choice, 1, "x.example", &lacks);
	cr_expect_eq(relay_choose(choice, NULL, "x.example", true, &refusal, &resting), RELAY_NONE);
	cr_expect_str_eq(refusal.text, lacks.text);
	cr_expect_str_eq(refusal.enhanced, "4.7.5");
	cr_expect_eq(resting, 1);
	/* A relay that rests would have it, perhaps. */
	relay_choice_rest(choice, 1, &no);
	cr_expect_eq(relay_choose(choice, NULL, "x.example", true, &refusal, &resting), RELAY_NONE);
	cr_expect_str_eq(refusal.text, no.text);
}
