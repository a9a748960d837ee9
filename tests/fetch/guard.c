/* SPDX-License-Identifier: MIT */
/* Tests the networks and ports that a URL may lead to. */
#include "fetch/address_policy.h"

#include <arpa/inet.h>
#include <criterion/criterion.h>
#include <glib.h>
#include <netinet/in.h>
#include <sys/un.h>

static enum fetch_verdict
guard_judge(const char *text, guint16 port, const struct fetch_rules *rules)
{
	struct sockaddr_in v4 = {.sin_family = AF_INET, .sin_port = htons(port)};
	struct sockaddr_in6 v6 = {.sin6_family = AF_INET6, .sin6_port = htons(port)};

	if (inet_pton(AF_INET, text, &v4.sin_addr) == 1)
		return fetch_address_policy_judge((struct sockaddr *)&v4, rules);
	cr_assert_eq(inet_pton(AF_INET6, text, &v6.sin6_addr), 1, "%s is no address", text);
	return fetch_address_policy_judge((struct sockaddr *)&v6, rules);
}

static bool
permits(const char *text, const char *const *allow)
{
	const struct fetch_rules rules = {allow, NULL};

	return guard_judge(text, 443, &rules) == FETCH_PERMITTED;
}

/* Each range of the table: the last address before it, its first, its last, the first after it. */
Test(guard, knows_where_each_range_begins_and_ends)
{
	static const struct {
		const char *before, *first, *last, *after; /* NULL where there is none */
		bool want_before, want_after;		   /* false where two ranges touch */
	} cases[] = {
	    {NULL, "0.0.0.0", "0.255.255.255", "1.0.0.0", false, true},
	    {"9.255.255.255", "10.0.0.0", "10.255.255.255", "11.0.0.0", true, true},
	    {"100.63.255.255", "100.64.0.0", "100.127.255.255", "100.128.0.0", true, true},
	    {"126.255.255.255", "127.0.0.0", "127.255.255.255", "128.0.0.0", true, true},
	    {"168.63.129.15", "168.63.129.16", "168.63.129.16", "168.63.129.17", true, true},
	    {"169.253.255.255", "169.254.0.0", "169.254.255.255", "169.255.0.0", true, true},
	    {"172.15.255.255", "172.16.0.0", "172.31.255.255", "172.32.0.0", true, true},
	    {"191.255.255.255", "192.0.0.0", "192.0.0.255", "192.0.1.0", true, true},
	    {"192.0.1.255", "192.0.2.0", "192.0.2.255", "192.0.3.0", true, true},
	    {"192.88.98.255", "192.88.99.0", "192.88.99.255", "192.88.100.0", true, true},
	    {"192.167.255.255", "192.168.0.0", "192.168.255.255", "192.169.0.0", true, true},
	    {"198.17.255.255", "198.18.0.0", "198.19.255.255", "198.20.0.0", true, true},
	    {"198.51.99.255", "198.51.100.0", "198.51.100.255", "198.51.101.0", true, true},
	    {"203.0.112.255", "203.0.113.0", "203.0.113.255", "203.0.114.0", true, true},
	    {"223.255.255.255", "224.0.0.0", "239.255.255.255", "240.0.0.0", true, false},
	    {"239.255.255.255", "240.0.0.0", "255.255.255.255", NULL, false, false},
	    {NULL, "::", "1fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2000::", false, true},
	    {"2000:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"2001::", "2001:1ff:ffff:ffff:ffff:ffff:ffff:ffff", "2001:200::", true, true},
	    {"2001:db7:ffff:ffff:ffff:ffff:ffff:ffff",
		"2001:db8::", "2001:db8:ffff:ffff:ffff:ffff:ffff:ffff", "2001:db9::", true, true},
	    {"2001:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"2002::", "2002:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "2003::", true, true},
	    {"3ffe:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"3fff::", "3fff:fff:ffff:ffff:ffff:ffff:ffff:ffff", "3fff:1000::", true, true},
	    {"3fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"4000::", "7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", "8000::", true, false},
	    {"7fff:ffff:ffff:ffff:ffff:ffff:ffff:ffff",
		"8000::", "ffff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", NULL, false, false},
	    /* The NAT64 prefix, where the IPv4 address inside decides: 8.8.8.8 and 10.0.0.0/8. */
	    {"64:ff9b::9.255.255.255", "64:ff9b::10.0.0.0", "64:ff9b::10.255.255.255",
		"64:ff9b::11.0.0.0", true, true},
	    {"64:ff9b::126.255.255.255", "64:ff9b::127.0.0.0", "64:ff9b::127.255.255.255",
		"64:ff9b::128.0.0.0", true, true},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_expect_not(permits(cases[i].first, NULL), "%s: got permitted", cases[i].first);
		cr_expect_not(permits(cases[i].last, NULL), "%s: got permitted", cases[i].last);
		if (cases[i].before)
			cr_expect_eq(permits(cases[i].before, NULL), cases[i].want_before,
			    "%s: want permitted %d", cases[i].before, cases[i].want_before);
		if (cases[i].after)
			cr_expect_eq(permits(cases[i].after, NULL), cases[i].want_after,
			    "%s: want permitted %d", cases[i].after, cases[i].want_after);
	}
}

Test(guard, judges_addresses_with_a_name)
{
	static const struct {
		const char *name, *address;
		bool want;
	} cases[] = {
	    {"a public server", "8.8.8.8", true},
	    {"a public server", "2606:4700:4700::1111", true},
	    {"a public server behind NAT64", "64:ff9b::8.8.8.8", true},
	    {"just before NAT64", "64:ff9a:ffff:ffff:ffff:ffff:ffff:ffff", false},
	    {"just after NAT64", "64:ff9b::1:0:0", false},
	    {"NAT64 of one's own", "64:ff9b:1::808:808", false},
	    {"metadata", "169.254.169.254", false},
	    {"metadata", "fd00:ec2::254", false},
	    {"metadata behind NAT64", "64:ff9b::169.254.169.254", false},
	    {"broadcast", "255.255.255.255", false},
	    {"loopback", "::1", false},
	    {"v4-mapped loopback", "::ffff:127.0.0.1", false},
	    {"v4-mapped, public inside", "::ffff:8.8.8.8", false},
	    {"v4-compatible", "::8.8.8.8", false},
	    {"translated, RFC 2765", "::ffff:0:8.8.8.8", false},
	    {"discard-only", "100::1", false},
	    {"Teredo", "2001:0:808:808::1", false},
	    {"benchmarking", "2001:2::1", false},
	    {"ORCHIDv2", "2001:20::1", false},
	    {"6to4 of a private address", "2002:a00:1::1", false},
	    {"segment identifiers", "5f00::1", false},
	    {"unique local", "fc00::1", false},
	    {"unique local", "fdff::1", false},
	    {"link-local", "fe80::1", false},
	    {"site-local", "fec0::1", false},
	    {"multicast", "ff02::1", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = permits(cases[i].address, NULL);
		cr_expect_eq(got, cases[i].want, "%s, %s: got %d, want %d", cases[i].name,
		    cases[i].address, got, cases[i].want);
	}
}

Test(guard, permits_what_is_allowed_and_no_more)
{
	static const char *const allow[] = {
	    "127.0.0.1", "10.16.0.0/12", "fd00::/9", "::1/128", "not a network", NULL};
	static const struct {
		const char *address;
		bool want;
	} cases[] = {
	    {"127.0.0.0", false},
	    {"127.0.0.1", true},
	    {"127.0.0.2", false},
	    {"10.15.255.255", false},
	    {"10.16.0.0", true},
	    {"10.31.255.255", true},
	    {"10.32.0.0", false},
	    {"fcff:ffff:ffff:ffff:ffff:ffff:ffff:ffff", false},
	    {"fd00::", true},
	    {"fd7f:ffff:ffff:ffff:ffff:ffff:ffff:ffff", true},
	    {"fd80::", false},
	    {"::", false},
	    {"::1", true},
	    {"::2", false},
	    {"::ffff:127.0.0.1", false},
	    {"64:ff9b::127.0.0.1", false},
	    {"8.8.8.8", true},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = permits(cases[i].address, allow);
		cr_expect_eq(got, cases[i].want, "%s: got %d, want %d", cases[i].address, got,
		    cases[i].want);
	}
}

Test(guard, permits_a_whole_family_and_not_the_other)
{
	static const char *const all4[] = {"0.0.0.0/0", NULL};
	static const char *const all6[] = {"::/0", NULL};

	cr_expect(permits("127.0.0.1", all4));
	cr_expect_not(permits("::1", all4));
	cr_expect(permits("::1", all6));
	cr_expect_not(permits("127.0.0.1", all6));
}

Test(guard, permits_no_other_family)
{
	struct sockaddr_un local = {.sun_family = AF_UNIX};

	static const struct fetch_rules rules;

	cr_expect_eq(fetch_address_policy_judge((struct sockaddr *)&local, &rules), FETCH_PRIVATE);
}

Test(guard, permits_two_ports_and_those_of_the_rules)
{
	static const char *const allow[] = {"10.0.0.0/8", "1.2.3.0/24", NULL};
	static const char *const ports[] = {"8080", "65535", NULL};
	static const struct {
		const char *address;
		guint16 port;
		enum fetch_verdict want, want_by_rules;
	} cases[] = {
	    {"9.9.9.9", 80, FETCH_PERMITTED, FETCH_PERMITTED},
	    {"9.9.9.9", 443, FETCH_PERMITTED, FETCH_PERMITTED},
	    {"9.9.9.9", 8080, FETCH_PORT, FETCH_PERMITTED},
	    {"9.9.9.9", 65535, FETCH_PORT, FETCH_PERMITTED},
	    {"9.9.9.9", 22, FETCH_PORT, FETCH_PORT},
	    {"9.9.9.9", 0, FETCH_PORT, FETCH_PORT},
	    {"2620:fe::fe", 443, FETCH_PERMITTED, FETCH_PERMITTED},
	    {"2620:fe::fe", 25, FETCH_PORT, FETCH_PORT},
	    {"10.1.2.3", 22, FETCH_PRIVATE, FETCH_PERMITTED},
	    {"1.2.3.4", 22, FETCH_PORT, FETCH_PERMITTED},
	    {"127.0.0.1", 8080, FETCH_PRIVATE, FETCH_PRIVATE},
	};
	static const struct fetch_rules none, rules = {allow, ports};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_expect_eq(guard_judge(cases[i].address, cases[i].port, &none), cases[i].want,
		    "%s %u", cases[i].address, cases[i].port);
		cr_expect_eq(guard_judge(cases[i].address, cases[i].port, &rules),
		    cases[i].want_by_rules, "%s %u, with rules", cases[i].address, cases[i].port);
	}
}

Test(guard, knows_a_connection_to_itself)
{
	static const char *const allow[] = {"9.9.9.0/24", "2620:fe::/48", NULL};
	static const struct {
		const char *peer, *local;
		bool want, want_by_rules;
	} cases[] = {
	    {"9.9.9.9", "9.9.9.9", true, false},
	    {"9.9.9.9", "9.9.9.8", false, false},
	    {"2620:fe::fe", "2620:fe::fe", true, false},
	    {"9.9.8.9", "9.9.8.9", true, true},
	};
	static const struct fetch_rules none, rules = {allow, NULL};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		cr_expect_eq(fetch_address_policy_is_self(cases[i].peer, cases[i].local, &none),
		    cases[i].want, "%s", cases[i].peer);
		cr_expect_eq(fetch_address_policy_is_self(cases[i].peer, cases[i].local, &rules),
		    cases[i].want_by_rules, "%s, with rules", cases[i].peer);
	}
}

Test(guard, knows_a_network)
{
	static const struct {
		const char *text;
		bool want;
	} cases[] = {
	    {"10.0.0.0/8", true},
	    {"10.1.2.3", true},
	    {"10.1.2.3/32", true},
	    {"0.0.0.0/0", true},
	    {"::/0", true},
	    {"fd00::/8", true},
	    {"::1/128", true},
	    {"::1", true},
	    {"", false},
	    {"/8", false},
	    {"10.0.0.0/", false},
	    {"10.0.0.0/33", false},
	    {"10.0.0.0/-1", false},
	    {"10.0.0.0/+8", false},
	    {"10.0.0.0/8 ", false},
	    {"10.0.0.0/8/8", false},
	    {"10.0.0.1/8", false},
	    {"10.128.0.0/8", false},
	    {"10.128.0.0/9", true},
	    {"10.0.0/8", false},
	    {"010.0.0.0/8", false},
	    {"::1/129", false},
	    {"fd00::1/8", false},
	    {"[::1]", false},
	    {"localhost", false},
	};

	for (size_t i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = fetch_address_policy_network_valid(cases[i].text);
		cr_expect_eq(got, cases[i].want, "\"%s\": got %d, want %d", cases[i].text, got,
		    cases[i].want);
	}
}
