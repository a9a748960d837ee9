/* SPDX-License-Identifier: MIT */
/* The results of the checks of posthouse doctor. */
#include <string.h>

#include "base/error.h"
#include "base/limits/fetch.h"
#include "cli/doctor.h"
#include "config/settings_table.h"
#include "dns/resolver.h"

void
cli_check_result_free(void *data)
{
	struct cli_check_result *result = data;

	g_free(result->check);
	g_free(result->text);
	g_free(result->remedy);
	g_free(result);
}

bool
cli_check_is_wanted(const struct cli_doctor *doctor, const char *check)
{
	gsize size = strcspn(check, " ");

	for (char *const *only = doctor->only; only && *only; only++)
		if (strcmp(*only, check) == 0 ||
		    (strlen(*only) == size && strncmp(*only, check, size) == 0))
			return true;
	return !doctor->only;
}

static void
check_note(struct cli_doctor *doctor, const char *check, enum cli_state state, const char *remedy,
    char *text)
{
	struct cli_check_result *result = g_new0(struct cli_check_result, 1);

	*result = (struct cli_check_result){g_strdup(check), state, text, g_strdup(remedy)};
	if (cli_check_is_wanted(doctor, check) || (doctor->is_basis && state == STATE_FAIL))
		g_ptr_array_add(doctor->results, result);
	else
		cli_check_result_free(result);
}

void
cli_check_ok(struct cli_doctor *doctor, const char *check, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	check_note(doctor, check, STATE_OK, NULL, g_strdup_vprintf(format, args));
	va_end(args);
}

void
cli_check_bad(struct cli_doctor *doctor, const char *check, enum cli_state state,
    const char *remedy, const char *format, ...)
{
	va_list args;

	va_start(args, format);
	check_note(doctor, check, state, remedy, g_strdup_vprintf(format, args));
	va_end(args);
}

const char *
cli_check_advice(const char *text, enum config_setting setting)
{
	const struct config_setting_row *row = config_settings_describe(setting);
	g_autofree char *place = g_strdup_printf("%s in section [%s]", row->key, row->section);
	g_auto(GStrv) parts = g_strsplit(text, "SETTING", -1);
	g_autofree char *advice = g_strjoinv(place, parts);

	return g_intern_string(advice);
}

void
cli_check_failed(struct cli_doctor *doctor, const char *check, const GError *error)
{
	cli_check_bad(doctor, check, STATE_FAIL,
	    "Look into the log of MariaDB, and run posthouse doctor again.", "%s", error->message);
}

void
cli_faults_add(
    struct cli_faults *faults, enum cli_state state, const char *remedy, const char *format, ...)
{
	va_list args;

	if (!faults->texts) {
		faults->texts = g_string_new(NULL);
		faults->remedies = g_string_new(NULL);
	}
	faults->state = MAX(faults->state, state);
	if (faults->texts->len > 0)
		g_string_append(faults->texts, "; ");
	va_start(args, format);
	g_string_append_vprintf(faults->texts, format, args);
	va_end(args);
	if (strstr(faults->remedies->str, remedy))
		return;
	if (faults->remedies->len > 0)
		g_string_append_c(faults->remedies, ' ');
	g_string_append(faults->remedies, remedy);
}

bool
cli_faults_tell(struct cli_faults *faults, struct cli_doctor *doctor, const char *check)
{
	if (!faults->texts)
		return false;
	cli_check_bad(
	    doctor, check, faults->state, faults->remedies->str, "%s", faults->texts->str);
	g_string_free(faults->texts, TRUE);
	g_string_free(faults->remedies, TRUE);
	faults->texts = faults->remedies = NULL;
	return true;
}

struct dns_question *
cli_check_ask_dns(
    const struct cli_doctor *doctor, const char *name, enum dns_type type, GError **error)
{
	struct dns_question *question = dns_question_new(name, type);

	if (dns_ask(config_settings_list(doctor->settings, SETTING_DNS_SERVERS), &question, 1,
		LIMIT_DNS_MS, error))
		return question;
	dns_question_free(question);
	return NULL;
}
