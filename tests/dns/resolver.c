/* SPDX-License-Identifier: MIT */
/* Tests the resolver against a real name server and a faulty one. */
#include "dns/resolver.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "tests/dns/faulty.h"
#include "tests/support/nsd.h"

#define LIMIT_MS 60000 /* of look-ups that are answered: long past what they take */

static const char *const zones[] = {"example.com", "other.test", "sub.example.com", NULL};

static const char records[] = "one IN TXT \"v=DKIM1; k=rsa; p=abc\"\n"
			      "joined IN TXT \"v=DKIM1; \" \"k=rsa; \" \"p=abc\"\n"
			      "several IN TXT \"first\"\n"
			      "several IN TXT \"second\" \" part\"\n"
			      "strange IN TXT \"a\\000b\\195\\164\\\"\\\\;\"\n"
			      "empty IN TXT \"\"\n"
			      "mail IN MX 20 second.example.com.\n"
			      "mail IN MX 10 mx\n"
			      "none IN MX 0 .\n"
			      "alias IN CNAME one\n"
			      "twice IN CNAME alias\n"
			      "abroad IN CNAME text.other.test.\n"
			      "broken IN CNAME gone.other.test.\n"
			      "loop IN CNAME pool\n"
			      "pool IN CNAME loop\n"
			      "host IN A 192.0.2.7\n"
			      "host IN A 192.0.2.8\n"
			      "4 IN PTR host\n"
			      "deep.er IN TXT \"below an empty name\"\n";

static const char *
resolver_word(enum dns_outcome outcome)
{
	static const char *const words[] = {[DNS_FOUND] = "found",
	    [DNS_NO_NAME] = "no name",
	    [DNS_NO_TYPE] = "no type",
	    [DNS_NO_ANSWER] = "no answer"};

	return words[outcome];
}

static gint
resolver_by_text(gconstpointer a, gconstpointer b)
{
	return strcmp(*(char *const *)a, *(char *const *)b);
}

/* The outcome, or what was found, sorted: "a | b", MX with the preference, SOA with all. */
static char *
resolver_summary(const struct dns_question *question)
{
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	if (question->outcome != DNS_FOUND)
		return g_strdup_printf("%s%s", resolver_word(question->outcome),
		    question->answers->len ? " and answers" : "");
	for (guint i = 0; i < question->answers->len; i++) {
		const struct dns_answer *a = question->answers->pdata[i];

		if (question->type == DNS_TXT || question->type == DNS_A ||
		    question->type == DNS_PTR)
			g_ptr_array_add(texts, g_strdup(a->text));
		else if (question->type == DNS_MX)
			g_ptr_array_add(texts, g_strdup_printf("%u %s", a->number, a->text));
		else
			g_ptr_array_add(texts, g_strdup_printf("%s %s %s %s", a->zone, a->text,
						   a->admin, a->number > 0 ? "numbered" : "0"));
	}
	g_ptr_array_sort(texts, resolver_by_text);
	g_ptr_array_add(texts, NULL);
	return g_strjoinv(" | ", (char **)texts->pdata);
}

static char *
dns_resolver_ask(const char *server, const char *name, enum dns_type type, guint limit_ms)
{
	AUTO(dns_question) question = dns_question_new(name, type);
	const char *const servers[] = {server, NULL};
	g_autoptr(GError) error = NULL;

	cr_assert(
	    dns_ask(servers, &question, 1, limit_ms, &error), "%s", error ? error->message : "");
	return resolver_summary(question);
}

static const struct answer_case {
	const char *name;
	enum dns_type type;
	const char *want;
} cases[] = {
    {"one.example.com", DNS_TXT, "v=DKIM1; k=rsa; p=abc"},
    {"ONE.Example.COM", DNS_TXT, "v=DKIM1; k=rsa; p=abc"},
    {"one.example.com.", DNS_TXT, "v=DKIM1; k=rsa; p=abc"},
    {"joined.example.com", DNS_TXT, "v=DKIM1; k=rsa; p=abc"},
    {"several.example.com", DNS_TXT, "first | second part"},
    {"strange.example.com", DNS_TXT, "a\\000b\\195\\164\"\\;"},
    {"empty.example.com", DNS_TXT, ""},
    {"alias.example.com", DNS_TXT, "v=DKIM1; k=rsa; p=abc"},
    {"twice.example.com", DNS_TXT, "v=DKIM1; k=rsa; p=abc"},
    {"abroad.example.com", DNS_TXT, "in another zone"},
    {"mail.example.com", DNS_TXT, "no type"},
    {"er.example.com", DNS_TXT, "no type"},
    {"missing.example.com", DNS_TXT, "no name"},
    {"broken.example.com", DNS_TXT, "no name"},
    {"not.served.here", DNS_TXT, "no answer"},
    {"mail.example.com", DNS_MX, "10 mx.example.com | 20 second.example.com"},
    {"none.example.com", DNS_MX, "0 "},
    {"one.example.com", DNS_MX, "no type"},
    {"missing.example.com", DNS_MX, "no name"},
    {"example.com", DNS_SOA, "example.com ns1.example.com host.master@example.com numbered"},
    {"one.example.com", DNS_SOA, "example.com ns1.example.com host.master@example.com numbered"},
    {"missing.example.com", DNS_SOA,
	"example.com ns1.example.com host.master@example.com numbered"},
    {"sub.example.com", DNS_SOA,
	"sub.example.com ns1.sub.example.com host.master@sub.example.com numbered"},
    {"not.served.here", DNS_SOA, "no answer"},
    {"host.example.com", DNS_A, "192.0.2.7 | 192.0.2.8"},
    {"one.example.com", DNS_A, "no type"},
    {"4.example.com", DNS_PTR, "host.example.com"},
    {"missing.example.com", DNS_PTR, "no name"},
    {"label-of-64-letters-xxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx.example.com", DNS_TXT,
	"no name"},
};

Test(resolver, tells_what_a_server_says)
{
	AUTO(test_nsd) nsd = test_nsd_start(zones);

	test_nsd_set(nsd, "other.test", "text IN TXT \"in another zone\"\n");
	test_nsd_set(nsd, "example.com", records);
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		const struct answer_case *c = &cases[i];
		g_autofree char *got =
		    dns_resolver_ask(test_nsd_address(nsd), c->name, c->type, LIMIT_MS);

		cr_expect_str_eq(
		    got, c->want, "%s, type %d: got %s, want %s", c->name, c->type, got, c->want);
	}
}

Test(resolver, gives_up_on_aliases_in_a_circle)
{
	AUTO(test_nsd) nsd = test_nsd_start(zones);

	test_nsd_set(nsd, "example.com", records);
	g_autofree char *got =
	    dns_resolver_ask(test_nsd_address(nsd), "loop.example.com", DNS_TXT, LIMIT_MS);
	cr_expect(strcmp(got, "no answer") == 0 || strcmp(got, "no type") == 0, "got %s", got);
}

/* A text of this size in strings of 255. */
static char *
big_record(guint size)
{
	g_autoptr(GString) text = g_string_new("big IN TXT (");

	for (guint i = 0; i < size; i++) {
		if (i % 255 == 0)
			g_string_append(text, i > 0 ? "\" \"" : " \"");
		g_string_append_c(text, (char)('a' + i % 26));
	}
	g_string_append(text, "\" )\n");
	return g_strdup(text->str);
}

Test(resolver, fetches_by_tcp_what_is_too_large_for_udp)
{
	static const guint sizes[] = {255, 256, 3072, 60000};
	AUTO(test_nsd) nsd = test_nsd_start(zones);

	for (gsize i = 0; i < G_N_ELEMENTS(sizes); i++) {
		g_autofree char *record = big_record(sizes[i]);

		test_nsd_set(nsd, "example.com", record);
		g_autofree char *got =
		    dns_resolver_ask(test_nsd_address(nsd), "big.example.com", DNS_TXT, LIMIT_MS);
		cr_expect_eq(strlen(got), sizes[i], "got %zu of %u bytes: %.40s", strlen(got),
		    sizes[i], got);
		cr_expect_eq(got[sizes[i] - 1], 'a' + (char)((sizes[i] - 1) % 26));
	}
}

Test(resolver, asks_many_questions_at_once)
{
	enum { COUNT = 200 };
	AUTO(test_nsd) nsd = test_nsd_start(zones);
	g_autoptr(GString) text = g_string_new(NULL);
	struct dns_question *questions[COUNT];
	const char *const servers[] = {test_nsd_address(nsd), NULL};

	for (guint i = 0; i < COUNT; i++) {
		g_autofree char *name = g_strdup_printf("n%u.example.com", i);
		questions[i] = dns_question_new(name, DNS_TXT);
		g_string_append_printf(text, "n%u IN TXT \"text %u\"\n", i, i);
	}
	test_nsd_set(nsd, "example.com", text->str);
	cr_assert(dns_ask(servers, questions, COUNT, LIMIT_MS, NULL));
	for (guint i = 0; i < COUNT; i++) {
		g_autofree char *got = resolver_summary(questions[i]);
		g_autofree char *want = g_strdup_printf("text %u", i);

		cr_expect_str_eq(got, want);
		dns_question_free(questions[i]);
	}
}

Test(resolver, asks_nothing_when_there_is_no_question)
{
	const char *const servers[] = {"127.0.0.1:1", NULL};

	cr_expect(dns_ask(servers, NULL, 0, LIMIT_MS, NULL));
}

static const struct fault_case {
	const char *name;
	enum fault fault;
	const char *want;
} faults[] = {
    {"silent", FAULT_SILENT, "no answer"},
    {"SERVFAIL", FAULT_SERVFAIL, "no answer"},
    {"REFUSED", FAULT_REFUSED, "no answer"},
    {"garbage", FAULT_GARBAGE, "no answer"},
    {"a cut answer", FAULT_CUT, "no answer"},
    {"an answer to another question", FAULT_OTHER, "no answer"},
    {"truncated, without TCP", FAULT_TRUNCATED, "no answer"},
};

Test(resolver, has_no_answer_where_a_server_has_none)
{
	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		const struct fault_case *c = &faults[i];
		AUTO(faulty) faulty = faulty_start(c->fault);
		gint64 start = base_clock_boot();
		g_autofree char *got =
		    dns_resolver_ask(faulty_address(faulty), "one.example.com", DNS_TXT, 600);
		gint64 took = base_clock_boot() - start;

		cr_expect_str_eq(got, c->want, "%s: got %s, want %s", c->name, got, c->want);
		cr_expect(took < 60000, "%s: took %d ms of 600", c->name, (int)took);
		cr_expect(faulty_count(faulty) > 0, "%s: was not asked", c->name);
	}
}

Test(resolver, waits_for_a_silent_server_until_the_limit)
{
	AUTO(faulty) faulty = faulty_start(FAULT_SILENT);
	gint64 start = base_clock_boot();

	g_free(dns_resolver_ask(faulty_address(faulty), "one.example.com", DNS_TXT, 600));
	gint64 took = base_clock_boot() - start;
	cr_expect(took >= 590, "it gave up after %d ms", (int)took);
	cr_expect(faulty_count(faulty) >= 2, "it asked %u times", faulty_count(faulty));
}

Test(resolver, goes_to_the_next_server)
{
	AUTO(test_nsd) nsd = test_nsd_start(zones);

	test_nsd_set(nsd, "example.com", records);
	for (gsize i = 0; i < G_N_ELEMENTS(faults); i++) {
		const struct fault_case *c = &faults[i];
		AUTO(faulty) faulty = faulty_start(c->fault);
		const char *const servers[] = {faulty_address(faulty), test_nsd_address(nsd), NULL};
		AUTO(dns_question) question = dns_question_new("one.example.com", DNS_TXT);

		/* Only a well-formed reply counts as an answer. The test does not wait for TCP. */
		if (c->fault == FAULT_CUT)
			continue;
		cr_assert(dns_ask(servers, &question, 1, 1200, NULL));
		g_autofree char *got = resolver_summary(question);
		cr_expect_str_eq(got, "v=DKIM1; k=rsa; p=abc", "after %s: got %s", c->name, got);
	}
}

/* From name 1 it is 7 aliases to name 8, from 0 it is 8; the name that asks counts for none. */
static const struct alias_case {
	const char *name, *want;
	guint want_queries;
} alias_cases[] = {
    {"8.alias", "no type", 1},
    {"7.alias", "no type", 2},
    {"0.alias", "no type", 9},
};

Test(resolver, follows_aliases_that_a_server_leaves_to_it)
{
	for (gsize i = 0; i < G_N_ELEMENTS(alias_cases); i++) {
		const struct alias_case *c = &alias_cases[i];
		AUTO(faulty) faulty = faulty_start(FAULT_ALIASES);
		g_autofree char *got =
		    dns_resolver_ask(faulty_address(faulty), c->name, DNS_TXT, LIMIT_MS);

		cr_expect_str_eq(got, c->want, "%s: got %s, want %s", c->name, got, c->want);
		cr_expect_eq(faulty_count(faulty), c->want_queries, "%s: %u queries, want %u",
		    c->name, faulty_count(faulty), c->want_queries);
	}
}

Test(resolver, stops_after_eight_aliases)
{
	AUTO(faulty) faulty = faulty_start(FAULT_ALIASES);
	/* The digit before 0: nine aliases to name 8. */
	g_autofree char *got =
	    dns_resolver_ask(faulty_address(faulty), "/.alias", DNS_TXT, LIMIT_MS);

	cr_expect_str_eq(got, "no answer", "got %s", got);
	cr_expect_eq(faulty_count(faulty), 9, "%u queries", faulty_count(faulty));
}

Test(resolver, refuses_servers_that_are_none)
{
	const char *const servers[] = {"not an address", NULL};
	AUTO(dns_question) question = dns_question_new("one.example.com", DNS_TXT);
	g_autoptr(GError) error = NULL;

	cr_expect_not(dns_ask(servers, &question, 1, LIMIT_MS, &error));
	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FAILED));
}
