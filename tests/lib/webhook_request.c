/* SPDX-License-Identifier: MIT */
/* Tests the schedule of webhooks and the form of their requests. */
#include <criterion/criterion.h>
#include <string.h>

#include "webhook/request.h"
#include "webhook/schedule.h"

#define SECOND ((gint64)1000)

Test(webhook_schedule, has_ten_delays)
{
	static const int delays[] = {5, 60, 300, 1800, 7200, 18000, 36000, 50400, 72000, 86400};

	for (guint i = 0; i < G_N_ELEMENTS(delays); i++) {
		gint64 low = G_MAXINT64, high = 0;

		for (guint n = 0; n < 2000; n++) {
			gint64 delay = webhook_next_attempt(i + 1, 1000000) - 1000000;

			low = MIN(low, delay);
			high = MAX(high, delay);
		}
		gint64 want = delays[i] * SECOND;
		cr_expect(
		    low >= want && low < want + want / 50, "%d s: from %d ms", delays[i], (int)low);
		cr_expect(high <= want + want / 10 && high > want + want / 13, "%d s: to %d ms",
		    delays[i], (int)high);
	}
	cr_expect_eq(webhook_next_attempt(11, 1000000), 0);
}

Test(webhook_schedule, has_rests_that_double)
{
	static const struct {
		guint failures;
		int minutes;
	} cases[] = {{0, 0}, {1, 0}, {4, 0}, {5, 1}, {6, 2}, {7, 4}, {8, 8}, {9, 15}, {10, 15},
	    {1000, 15}, {G_MAXUINT, 15}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(webhook_rest(cases[i].failures), cases[i].minutes * 60 * SECOND,
		    "%u failures", cases[i].failures);
}

/* The example of standardwebhooks.com has this secret, id and time. */
Test(webhook_request, is_signed)
{
	gsize size;
	g_autofree guchar *key = g_base64_decode("MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw", &size);
	g_autoptr(GBytes) bytes = g_bytes_new(key, size);
	g_autoptr(GBytes) body = g_bytes_new_static("{\"test\": 2432232314}", 20);
	GBytes *keys[] = {bytes, bytes};
	struct base_id id;

	cr_assert(base_id_parse("01234567-89ab-7def-8123-456789abcdef", &id));
	g_auto(GStrv) headers = webhook_headers(&id, 1614265330999, body, keys, 2);
	g_autofree char *text =
	    g_strdup("01234567-89ab-7def-8123-456789abcdef.1614265330.{\"test\": 2432232314}");
	g_autofree char *hex = g_compute_hmac_for_string(G_CHECKSUM_SHA256, key, size, text, -1);
	guint8 digest[32];

	for (guint i = 0; i < sizeof(digest); i++)
		digest[i] = (guint8)(g_ascii_xdigit_value(hex[2 * i]) << 4 |
				     g_ascii_xdigit_value(hex[2 * i + 1]));
	g_autofree char *encoded = g_base64_encode(digest, sizeof(digest));
	g_autofree char *want = g_strdup_printf("webhook-signature: v1,%s v1,%s", encoded, encoded);
	cr_expect(g_strv_contains((const char *const *)headers, want), "%s", want);
	cr_expect(g_strv_contains((const char *const *)headers, "webhook-timestamp: 1614265330"));
	cr_expect(g_strv_contains((const char *const *)headers, "svix-timestamp: 1614265330"));
}

Test(webhook_request, of_a_batch_has_its_time)
{
	struct base_id id = base_id_at(1800000000123);
	g_autoptr(GPtrArray) events = g_ptr_array_new();
	char text[ID_TEXT_SIZE];
	gsize size;

	g_ptr_array_add(events, (char *)"{\"a\":1}");
	g_autoptr(GBytes) one = webhook_batch_body(&id, events);
	g_ptr_array_add(events, (char *)"{\"b\":2}");
	g_autoptr(GBytes) two = webhook_batch_body(&id, events);
	GBytes *const bodies[] = {one, two};
	const char *const lists[] = {"{\"a\":1}", "{\"a\":1},{\"b\":2}"};
	for (gsize i = 0; i < G_N_ELEMENTS(bodies); i++) {
		const char *bytes = g_bytes_get_data(bodies[i], &size);
		g_autofree char *got = g_strndup(bytes, size);
		g_autofree char *want = g_strdup_printf(
		    "{\"id\":\"%s\",\"type\":\"batch\",\"timestamp\":\"2027-01-15T08:00:00.123Z\","
		    "\"data\":[%s]}",
		    base_id_format(&id, text), lists[i]);

		cr_expect_str_eq(got, want);
	}
}
