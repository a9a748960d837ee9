/* SPDX-License-Identifier: MIT */
#include "tests/http/confirmation.h"

#include <criterion/criterion.h>

#include "tests/http/arrival.h"
#include "tests/http/tracking.h"
#include "tests/support/db.h"

void
confirmation_prepare(const struct tenant *tenant)
{
	test_db_plain(tenant->db, "UPDATE workspace SET default_sender = 'News <news@" TENANT_DOMAIN
				  ">' WHERE id = @workspace");
}

struct arrival *
confirmation_mail(const struct tenant *tenant, const char *to, guint count)
{
	g_autofree char *path = g_strdup_printf("/v1/emails?to=%s", to);
	const struct exchange list = {"mails", "GET", path, NULL, 200};
	AUTO(answer) answer = exchange_expect(tenant, &list);

	cr_assert_eq(json_array_length(answer_at(answer, "emails")), count, "%s", answer->body);
	return arrival_wait(tenant, answer_text(answer, "emails[0].id"));
}

char *
confirmation_link(const struct tenant *tenant, const char *to, guint count)
{
	AUTO(arrival) mail = confirmation_mail(tenant, to, count);
	g_autofree char *html = tracking_html(mail);

	return tracking_path(tenant, html, "a href", "/t/s/");
}

struct answer *
confirmation_ask(
    const struct tenant *tenant, const char *method, const char *path, const char *language)
{
	g_autofree char *accept =
	    g_strdup_printf("Accept-Language: %s", language ? language : "en");
	const struct exchange exchange = {
	    path, method, path, NULL, .headers = {"Authorization:", accept}};

	return exchange_ask(tenant, &exchange);
}
