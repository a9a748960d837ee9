/* SPDX-License-Identifier: MIT */
/* DNS answers: dns/reply.h of any message. The first byte is the type that was asked for. */
#include <string.h>

#include "base/limits/fetch.h"
#include "dns/reply.h"
#include "tests/fuzz/fuzz.h"

#define NAME "a.b"
#define ESCAPED 4 /* bytes that an octet takes in the text: \000 */

static void
dns_fuzzer_check_name(const char *name)
{
	g_assert(g_str_is_ascii(name));
	g_assert(strlen(name) <= LIMIT_DNS_NAME * ESCAPED);
}

static void
check_answer(const struct dns_answer *answer, enum dns_type type, gsize size)
{
	if (type == DNS_TXT) {
		g_assert(g_str_is_ascii(answer->text));
		g_assert(strlen(answer->text) <= size * ESCAPED);
		g_assert(!answer->admin && !answer->zone);
		return;
	}
	dns_fuzzer_check_name(answer->text);
	g_assert(type == DNS_SOA || answer->number <= G_MAXUINT16);
	if (type == DNS_SOA) {
		dns_fuzzer_check_name(answer->zone);
		dns_fuzzer_check_name(answer->admin);
	}
}

static void
check_outcome(const struct dns_question *question, const char *alias)
{
	if (alias) {
		g_assert(question->outcome == DNS_NO_ANSWER && question->answers->len == 0);
		g_assert(g_ascii_strcasecmp(alias, NAME) != 0);
		dns_fuzzer_check_name(alias);
		return;
	}
	g_assert((question->outcome == DNS_FOUND) == (question->answers->len > 0));
	g_assert(question->outcome != DNS_NO_ANSWER);
}

int
LLVMFuzzerTestOneInput(const guint8 *data, gsize size)
{
	if (size < 1)
		return -1;
	enum dns_type type = (enum dns_type)(data[0] % (DNS_PTR + 1));
	AUTO(dns_question) question = dns_question_new(NAME, type);
	g_autofree char *alias = NULL;

	if (!dns_reply_read(data + 1, size - 1, NAME, question, &alias)) {
		g_assert(!alias && question->outcome == DNS_NO_ANSWER);
		g_assert(question->answers->len == 0);
		return 0;
	}
	check_outcome(question, alias);
	for (guint i = 0; i < question->answers->len; i++)
		check_answer(question->answers->pdata[i], type, size);
	return 0;
}
