/* SPDX-License-Identifier: MIT */
#include "tests/http/confirmation.h"

#include <criterion/criterion.h>

#include "tests/http/arrival.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

void
confirmation_prepare(const struct fixture *fixture)
{
	test_db_plain(fixture->db,
	    "UPDATE workspace SET default_sender = 'News <news@" FIXTURE_DOMAIN
	    ">' WHERE id = @workspace");
}

struct arrival *
confirmation_mail(const struct fixture *fixture, const char *to, guint count)
{
	g_autofree char *path = g_strdup_printf("/v1/emails?to=%s", to);
	const struct exchange list = {"mails", "GET", path, NULL, 200};
	AUTO(answer) answer = exchange_expect(fixture, &list);

	cr_assert_eq(json_array_length(answer_at(answer, "emails")), count, "%s", answer->body);
	return arrival_wait(fixture, answer_text(answer, "emails[0].id"));
}

char *
confirmation_link(const struct fixture *fixture, const char *to, guint count)
{
	AUTO(arrival) mail = confirmation_mail(fixture, to, count);
	g_autofree char *html = tracking_html(mail);

	return tracking_path(fixture, html, "a href", "/t/s/");
}

struct answer *
confirmation_ask(
    const struct fixture *fixture, const char *method, const char *path, const char *language)
{
	g_autofree char *accept =
	    g_strdup_printf("Accept-Language: %s", language ? language : "en");
	const struct exchange exchange = {
	    path, method, path, NULL, .headers = {"Authorization:", accept}};

	return exchange_ask(fixture, &exchange);
}
