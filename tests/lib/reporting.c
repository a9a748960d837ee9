/* SPDX-License-Identifier: MIT */
#include "tests/lib/reporting.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/secret.h"
#include "config/settings.h"
#include "link/return_path.h"
#include "store/consent/suppression.h"

static void
fill_tokens(struct fixture *fixture, const struct store_email *email, guint recipient,
    const char *path, const char *envid, GString *text)
{
	const struct link_return_path copy = {email->id, recipient};
	g_autofree char *address = link_return_path(fixture->service, email, recipient);
	char id[RETURN_PATH_ENVID_SIZE];

	*strchr(address, '@') = '\0';
	link_return_path_envid(fixture->service, &copy, id);
	g_string_replace(text, envid, id, 0);
	g_string_replace(text, path, address, 0);
}

static void
fill_unsubscribe(struct fixture *fixture, const struct store_email *email, GString *text)
{
	const struct base_secret *secret = config_settings_secret(fixture->service->settings);
	const struct link_token token = {TOKEN_UNSUBSCRIBE, email->id, 0, 0};
	char hex[TOKEN_HEX_SIZE], page[TOKEN_TEXT_SIZE];
	g_autofree char *address = NULL;

	link_token_write_hex(secret, &token, hex);
	link_token_write(secret, &token, NULL, page);
	address = g_strconcat("u+", hex, NULL);
	g_string_replace(text, "UNSUB", address, 0);
	g_string_replace(text, "PAGE", page, 0);
}

static void
fill_complaints(struct fixture *fixture, const struct store_email *email, GString *text)
{
	struct link_return_path path = {email->id, 0};
	char token[RETURN_PATH_ENVID_SIZE];

	link_return_path_complaint(fixture->service, &path, token);
	g_autofree char *address = g_strconcat("c+", token, NULL);
	g_string_replace(text, "CADDRESS", address, 0);
	g_string_replace(text, "CTOKEN", token, 0);
	path.recipient = RETURN_PATH_SHARED;
	link_return_path_complaint(fixture->service, &path, token);
	g_string_replace(text, "CSHARED", token, 0);
}

char *
reporting_fill(struct fixture *fixture, const struct base_id *id, const char *form)
{
	AUTO(store_email) email = fixture_email(fixture, id);
	bool one = email->recipients->len == 1;
	g_autoptr(GString) text = g_string_new(form);
	char plain[ID_TEXT_SIZE];

	g_string_replace(text, "<ID@", "<I-D@", 0);
	g_string_replace(text, "Envelope-Id: ID", "Envelope-Id: I-D", 0);
	fill_complaints(fixture, email, text);
	fill_tokens(fixture, email, one ? 0 : RETURN_PATH_SHARED, "TOKEN", "ENVID", text);
	fill_tokens(fixture, email, 0, "OWN", "ENV-OWN", text);
	fill_tokens(fixture, email, RETURN_PATH_SHARED, "OLD", "ENV-OLD", text);
	fill_unsubscribe(fixture, email, text);
	g_string_replace(text, "I-D", base_id_format(id, plain), 0);
	return g_strdup(text->str);
}

struct feedback_report_result
reporting_take(
    struct fixture *fixture, const struct base_id *id, const char *envelope, const char *form)
{
	g_autofree char *to = reporting_fill(fixture, id, envelope);
	g_autofree char *text = reporting_fill(fixture, id, form);
	const char *const recipients[] = {to, NULL};
	struct feedback_report_result result;
	g_autoptr(GError) error = NULL;

	cr_assert(
	    feedback_report(fixture->service, text, strlen(text), recipients, &result, &error),
	    "%s", error ? error->message : "");
	return result;
}

void
reporting_take_all(struct fixture *fixture, const struct reporting_report *reports, guint count,
    bool together, struct feedback_report_result *results_r)
{
	g_autofree struct feedback_report_taking *takings =
	    g_new0(struct feedback_report_taking, count);
	g_autofree const char **envelopes = g_new0(const char *, (gsize)2 * count);
	g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

	for (guint i = 0; i < count && !together; i++)
		results_r[i] =
		    reporting_take(fixture, &reports[i].id, reports[i].envelope, reports[i].text);
	if (!together)
		return;
	for (guint i = 0; i < count; i++) {
		char *text = reporting_fill(fixture, &reports[i].id, reports[i].text);

		envelopes[2 * i] = reporting_fill(fixture, &reports[i].id, reports[i].envelope);
		g_ptr_array_add(texts, text);
		g_ptr_array_add(texts, (char *)envelopes[2 * i]);
		takings[i] = (struct feedback_report_taking){text, strlen(text), &envelopes[2 * i]};
	}
	feedback_report_all(fixture->service, takings, count);
	for (guint i = 0; i < count; i++) {
		cr_assert(takings[i].is_done, "%u: %s", i,
		    takings[i].failure ? takings[i].failure->message : "not tried");
		results_r[i] = takings[i].result;
	}
}

char *
reporting_suppressed(struct fixture *fixture)
{
	g_autoptr(GPtrArray) entries =
	    store_suppression_list(fixture->db, &fixture->key.workspace_id, NULL, 100, NULL);
	GString *text = g_string_new(NULL);

	for (guint i = entries->len; i > 0; i--) {
		const struct store_suppression *entry = entries->pdata[i - 1];

		g_string_append_printf(
		    text, "%s %s\n", entry->email, store_suppression_reasons[entry->reason - 1]);
	}
	return g_string_free(text, FALSE);
}

void
reporting_expect(struct fixture *fixture, const char *name, const struct base_id *id,
    const char *want_events, const char *want_suppressed)
{
	g_autofree char *events = fixture_events(fixture, id);
	g_autofree char *list = reporting_suppressed(fixture);

	cr_expect_str_eq(events, want_events, "%s: got\n%swant\n%s", name, events, want_events);
	cr_expect_str_eq(list, want_suppressed, "%s: got\n%swant\n%s", name, list, want_suppressed);
}
