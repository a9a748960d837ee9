/* SPDX-License-Identifier: MIT */
#include "tests/resend/letter.h"

struct answer *
letter_post(const struct fixture *fixture, const char *change, const char *without, guint status,
    const char *want)
{
	g_autofree char *body = exchange_merged(BASE, change, without);
	const struct exchange exchange = {change, "POST", "/resend/emails", body, status, want};

	return exchange_expect(fixture, &exchange);
}

char *
letter_send(const struct fixture *fixture, const char *change)
{
	exchange_next_moment();
	AUTO(answer) answer = letter_post(fixture, change, NULL, 200, NULL);
	return g_strdup(answer_text(answer, "id"));
}

void
letter_expect(const struct fixture *fixture, const char *id, const char *const *want)
{
	g_autofree char *path = g_strconcat("/resend/emails/", id, NULL);
	struct exchange exchange = {path, "GET", path, .want_status = 200};

	for (guint i = 0; want[i]; i++)
		exchange.want[i] = want[i];
	answer_free(exchange_expect(fixture, &exchange));
}
