/* SPDX-License-Identifier: MIT */
/* Reads the tracked URLs in messages. */
#include "tests/http/tracking.h"

#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/arrival.h"
#include "tests/http/email.h"

#define PATIENCE_S 120

void
tracking_enable(const struct fixture *fixture, bool opens, bool clicks)
{
	const struct exchange list = {"list", "GET", "/v1/domains", NULL, 200};
	AUTO(answer) domains = exchange_expect(fixture, &list);
	g_autofree char *path =
	    g_strdup_printf("/v1/domains/%s", answer_text(domains, "domains[0].id"));
	g_autofree char *body =
	    g_strdup_printf("{'open_tracking_enabled':%s,'click_tracking_enabled':%s}",
		opens ? "true" : "false", clicks ? "true" : "false");
	const struct exchange patch = {"patch", "PATCH", path, body, 200};

	answer_free(exchange_expect(fixture, &patch));
}

char *
tracking_path(
    const struct fixture *fixture, const char *html, const char *attribute, const char *prefix)
{
	g_autofree char *begin =
	    g_strdup_printf("%s=\"%s%s", attribute, fixture->instance->url, prefix);
	const char *found = strstr(html, begin);

	cr_assert(found, "no %s in %s", begin, html);
	found += strlen(attribute) + strlen("=\"") + strlen(fixture->instance->url);
	GString *path = g_string_new_len(found, (gssize)strcspn(found, "\""));
	g_string_replace(path, "&amp;", "&", 0);
	return g_string_free(path, FALSE);
}

char *
tracking_html(const struct arrival *arrival)
{
	char *html = arrival_content(arrival, 1, NULL);

	cr_assert(html);
	return html;
}

struct answer *
tracking_wait(const struct fixture *fixture, const char *id, guint events)
{
	gint64 end = g_get_monotonic_time() + PATIENCE_S * G_USEC_PER_SEC;

	for (;;) {
		struct answer *email = email_get(fixture, id);
		guint count =
		    (guint)json_array_length(answer_at(email, "recipient_statuses[0].events"));

		if (count >= events)
			return email;
		cr_assert_lt(
		    g_get_monotonic_time(), end, "%u events of %u: %s", count, events, email->body);
		answer_free(email);
		g_usleep(10000);
	}
}
