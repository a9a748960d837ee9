/* SPDX-License-Identifier: MIT */
/* Tests the forms of setting values. */
#include <criterion/criterion.h>
#include <glib.h>
#include <string.h>

#include "config/settings_table.h"

struct check_case {
	const char *text;
	bool want;
};

static void
settings_table_run(
    const char *name, enum config_setting setting, const struct check_case *cases, size_t count)
{
	for (size_t i = 0; i < count; i++) {
		g_autofree char *entry = g_strdup(cases[i].text);
		bool got = config_settings_describe(setting)->check(entry);

		cr_expect_eq(got, cases[i].want, "%s '%s': got %d, want %d", name, cases[i].text,
		    got, cases[i].want);
	}
}

Test(settings_check, name)
{
	static const struct check_case cases[] = {
	    {"localhost", true},
	    {"mx.example.com", true},
	    {"192.0.2.1", false},
	    {"a b", false},
	};

	settings_table_run("name", SETTING_SERVICE_MAIL_FROM_MX, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, helo)
{
	static const struct check_case cases[] = {
	    {"mail.example.com", true},
	    {"[192.0.2.1]", true},
	    {"[IPv6:2001:db8::1]", true},
	    {"192.0.2.1", false},
	    {"[2001:db8::1]", false},
	    {"[]", false},
	    {"[", false},
	    {"[192.0.2.1", false},
	    {"a b", false},
	};

	settings_table_run("helo", SETTING_SMTP_HELO, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, mailbox)
{
	static const struct check_case cases[] = {
	    {"bounces@example.com", true},
	    {"b+x.y@mx.example.com", true},
	    {"bounces", false},
	    {"@example.com", false},
	    {"bounces@", false},
	    {"bounces@localhost", false},
	    {"bounces@192.0.2.1", false},
	    {"a b@example.com", false},
	    {"<b@example.com>", false},
	    {"b@example.com, c@example.com", false},
	    {".b@example.com", false},
	    {"b.@example.com", false},
	    {"b..c@example.com", false},
	    {"a@b@example.com", false},
	    {"l234567890123456789012345678901234567890123456789012345678901234@x.org", true},
	    {"l2345678901234567890123456789012345678901234567890123456789012345@x.org", false},
	};

	settings_table_run("mailbox", SETTING_SMTP_RETURN_PATH, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, relay)
{
	static const struct check_case cases[] = {
	    {"127.0.0.1", true},
	    {"127.0.0.1:2525", true},
	    {"relay", true},
	    {"relay.example.com:587", true},
	    {"relay.example.com:1", true},
	    {"relay.example.com:65535", true},
	    {"relay.example.com:0", false},
	    {"relay.example.com:65536", false},
	    {"relay.example.com:", false},
	    {"relay.example.com:smtp", false},
	    {"relay.example.com:-1", false},
	    {":25", false},
	    {"::1", false},
	    {"[::1]", false},
	    {"[::1]:25", false},
	    {"2001:db8::1", false},
	    {"127.0.0.256", false},
	    {"127.0.0", false},
	    {"smtp://relay", false},
	};

	settings_table_run("relay", SETTING_SMTP_HOST, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, url)
{
	static const struct check_case cases[] = {
	    {"http://localhost", true},
	    {"https://mail.example.com", true},
	    {"https://mail.example.com/", true},
	    {"https://mail.example.com/post/", true},
	    {"https://mail.example.com//", true},
	    {"http://127.0.0.1:8080", true},
	    {"http://[::1]:8080/x", true},
	    {"HTTPS://example.com", true},
	    {"http://", false},
	    {"http:///", false},
	    {"http:/example.com", false},
	    {"/", false},
	    {"", false},
	    {"example.com", false},
	    {"//example.com", false},
	    {"ftp://example.com", false},
	    {"http://user@example.com", false},
	    {"http://example.com?x", false},
	    {"http://example.com/#x", false},
	    {"http://example.com:0", false},
	    {"http://example.com:65536", false},
	    {"http://example.com/a b", false},
	    {"http://m\xc3\xbc.example", false},
	};

	settings_table_run("url", SETTING_SERVICE_URL, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, url_loses_final_slashes_alone)
{
	static const struct {
		const char *text, *want;
	} cases[] = {
	    {"http://localhost", "http://localhost"},
	    {"https://mail.example.com/", "https://mail.example.com"},
	    {"https://mail.example.com/post//", "https://mail.example.com/post"},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = g_strdup(cases[i].text);

		cr_assert(config_settings_describe(SETTING_SERVICE_URL)->check(got));
		cr_expect_str_eq(
		    got, cases[i].want, "%s: got %s, want %s", cases[i].text, got, cases[i].want);
	}
}

Test(settings_check, spf)
{
	static const struct check_case cases[] = {
	    {"mx", true},
	    {"a", true},
	    {"+mx", true},
	    {"?a:relay.example.com", true},
	    {"a/24", true},
	    {"mx:example.com/24", true},
	    {"include:_spf.example.com", true},
	    {"INCLUDE:_spf.example.com", true},
	    {"ip4:192.0.2.1", true},
	    {"ip4:192.0.2.0/24", true},
	    {"ip6:2001:db8::/32", true},
	    {"ip6:2001:db8::1", true},
	    {"exists:%{i}._spf.example.com", true},
	    {"", false},
	    {"+", false},
	    {"all", false},
	    {"~all", false},
	    {"ptr", false},
	    {"include", false},
	    {"include:", false},
	    {"include/24", false},
	    {"mx:", false},
	    {"ip4", false},
	    {"ip4:example.com", false},
	    {"ip4:192.0.2.0/33", false},
	    {"ip4:2001:db8::1", false},
	    {"ip6:192.0.2.1", false},
	    {"v=spf1", false},
	    {"redirect=example.com", false},
	    {"include:a\"b", false},
	    {"amx", false},
	};

	settings_table_run("spf", SETTING_SERVICE_SPF, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, sender)
{
	static const struct check_case cases[] = {
	    {"posthouse@example.com", true},
	    {"Posthouse <posthouse@example.com>", true},
	    {"Grüße der Post <post@example.com>", true},
	    {"\"Post, House\" <post@example.com>", true},
	    {"<post@example.com>", true},
	    {"", false},
	    {"Posthouse", false},
	    {"Posthouse <posthouse>", false},
	    {"Post, House <post@example.com>", false},
	    {"Post <a@example.com> <b@example.com>", false},
	    {"Post <post@example.com", false},
	    {"Post <post@example.com> x", false},
	    {"a\tb <post@example.com>", false},
	    {"\"a\"b\" <post@example.com>", false},
	    {"a@example.com, b@example.com", false},
	};

	settings_table_run("sender", SETTING_SERVICE_SENDER, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, network)
{
	static const struct check_case cases[] = {
	    {"10.0.0.0/8", true},
	    {"127.0.0.1/8", true},
	    {"192.0.2.1/32", true},
	    {"0.0.0.0/0", true},
	    {"::1/128", true},
	    {"fd00::/8", true},
	    {"192.0.2.1/33", false},
	    {"::1/129", false},
	    {"192.0.2.1/-1", false},
	    {"192.0.2.1/", false},
	    {"192.0.2.1", false},
	    {"192.0.2/24", false},
	    {"/8", false},
	    {"[::1]/128", false},
	    {"example.com/8", false},
	};

	settings_table_run("network", SETTING_FETCH_ALLOW, cases, G_N_ELEMENTS(cases));
}

Test(settings_check, server)
{
	static const struct check_case cases[] = {
	    {"192.0.2.1:53", true},
	    {"127.0.0.1:65535", true},
	    {"[2001:db8::1]:53", true},
	    {"192.0.2.1", false},
	    {"192.0.2.1:", false},
	    {"192.0.2.1:0", false},
	    {"192.0.2.1:65536", false},
	    {"2001:db8::1:53", false},
	    {"[2001:db8::1]", false},
	    {"[192.0.2.1]:53", false},
	    {"[]:53", false},
	    {"[:53", false},
	    {"]:53", false},
	    {":53", false},
	    {"dns.example.com:53", false},
	};

	settings_table_run("server", SETTING_DNS_SERVERS, cases, G_N_ELEMENTS(cases));
}
