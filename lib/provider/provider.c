/* SPDX-License-Identifier: MIT */
/* The table of providers. */
#include "provider/provider.h"

#include <string.h>

#include "base/error.h"
#include "base/secret.h"
#include "json/value.h"
#include "provider/forms.h"
#include "provider/sns.h"

#define MADE_BYTES 32

struct form {
	const char *word;
	enum provider_source source;
	bool signs_inside;
	enum provider_verdict (*verify)(const struct provider_request *request, const char *secret);
	bool (*read)(struct provider_batch *batch, const struct json *json);
	bool (*check)(const char *secret, GError **error); /* NULL: any text is a secret */
	char *(*make)(void);				   /* NULL: base64url */
	/* The provider's own header field, around the id of a message; NULL: it has none. */
	const char *field, *field_end;
};

static const struct form forms[] = {
    [PROVIDER_SES] = {"ses", PROVIDER_SECRET_NONE, true, provider_sns_verify, provider_ses_read,
	.field = "X-SES-MESSAGE-TAGS: posthouse-id=", .field_end = ""},
    [PROVIDER_MAILGUN] = {"mailgun", PROVIDER_SECRET_GIVEN, true, provider_mailgun_verify,
	provider_mailgun_read, .field = "X-Mailgun-Variables: {\"posthouse-id\":\"",
	.field_end = "\"}"},
    [PROVIDER_POSTMARK] = {"postmark", PROVIDER_SECRET_MADE, false, provider_postmark_verify,
	provider_postmark_read, .field = "X-PM-Metadata-posthouse-id: ", .field_end = ""},
    [PROVIDER_SENDGRID] = {"sendgrid", PROVIDER_SECRET_GIVEN, false, provider_sendgrid_verify,
	provider_sendgrid_read, provider_sendgrid_check,
	.field = "X-SMTPAPI: {\"unique_args\":{\"posthouse-id\":\"", .field_end = "\"}}"},
    [PROVIDER_BREVO] = {"brevo", PROVIDER_SECRET_MADE, false, provider_brevo_verify,
	provider_brevo_read, .field = "X-Mailin-custom: {\"posthouse-id\":\"", .field_end = "\"}"},
    [PROVIDER_RESEND] = {"resend", PROVIDER_SECRET_GIVEN, false, provider_standard_verify,
	provider_standard_read, provider_standard_check},
    [PROVIDER_GENERIC] = {"generic", PROVIDER_SECRET_EITHER, false, provider_standard_verify,
	provider_standard_read, provider_standard_check, provider_standard_new},
};

const char *
provider_word(enum provider_name provider)
{
	return forms[provider].word;
}

enum provider_name
provider_by_word(const char *word)
{
	for (guint i = PROVIDER_SES; i < G_N_ELEMENTS(forms); i++)
		if (strcmp(forms[i].word, word) == 0)
			return (enum provider_name)i;
	return PROVIDER_NONE;
}

enum provider_source
provider_secret_source(enum provider_name provider)
{
	return forms[provider].source;
}

bool
provider_secret_check(enum provider_name provider, const char *secret, GError **error)
{
	if (!*secret)
		return base_invalid(error, "the secret is empty");
	return !forms[provider].check || forms[provider].check(secret, error);
}

char *
provider_secret_new(enum provider_name provider)
{
	guint8 bytes[MADE_BYTES];

	if (forms[provider].make)
		return forms[provider].make();
	base_secret_random(bytes, sizeof(bytes));
	return base_secret_base64url(bytes, sizeof(bytes));
}

char *
provider_fields(enum provider_name provider, const char *id)
{
	const struct form *form = &forms[provider];
	GString *fields = g_string_new(NULL);

	if (provider != PROVIDER_NONE)
		g_string_append_printf(fields, "X-Posthouse-Id: %s\r\n", id);
	if (form->field)
		g_string_append_printf(fields, "%s%s%s\r\n", form->field, id, form->field_end);
	return g_string_free(fields, FALSE);
}

bool
provider_signs_inside(enum provider_name provider)
{
	return forms[provider].signs_inside;
}

enum provider_verdict
provider_verify(
    enum provider_name provider, const struct provider_request *request, const char *secret)
{
	return forms[provider].verify(request, secret);
}

char *
provider_signed_alone(enum provider_name provider, const struct provider_request *request)
{
	return provider == PROVIDER_MAILGUN ? provider_mailgun_signed(request) : NULL;
}

/* Gives each event without an id one of the request's id and of its place. A time before 1970 is
   none. */
static void
provider_complete(struct provider_batch *batch, const struct provider_request *request)
{
	const char *id = provider_standard_id(request);

	for (guint i = 0; i < batch->events->len; i++) {
		struct provider_event *event = batch->events->pdata[i];

		event->time = MAX(event->time, 0);
		if (event->key)
			continue;
		g_autofree char *key = g_strdup_printf("%s/%u", id ? id : "", i);
		event->key = g_string_chunk_insert(batch->texts, key);
	}
}

struct provider_batch *
provider_read(enum provider_name provider, const struct provider_request *request, GError **error)
{
	AUTO(provider_batch) batch = provider_batch_new();

	if (!forms[provider].read(batch, request->json)) {
		base_invalid(error, "body has not the form of %s", forms[provider].word);
		return NULL;
	}
	provider_complete(batch, request);
	return g_steal_pointer(&batch);
}

#define SHORTEST_ID 8

char *
provider_reply_trim(const char *text)
{
	text += strspn(text, " <");
	char *word = g_strndup(text, strcspn(text, " <>"));
	gsize size = strlen(word);

	if (size > 0 && word[size - 1] == '.')
		word[size - 1] = '\0';
	return word;
}

/* The text behind a mark that no letter or digit precedes; NULL: it is not there. */
static const char *
behind(const char *text, const char *mark)
{
	gsize size = strlen(mark);

	for (const char *at = text; *at; at++)
		if (g_ascii_strncasecmp(at, mark, size) == 0 &&
		    (at == text || !g_ascii_isalnum(at[-1])))
			return at + size;
	return NULL;
}

char *
provider_reply_id(const char *text)
{
	g_autofree char *line = g_strchomp(g_strdup(text));
	const char *found = behind(line, "queued as ");

	if (!found)
		found = behind(line, "id=");
	if (found) {
		g_autofree char *id = provider_reply_trim(found);
		return *id ? g_steal_pointer(&id) : NULL;
	}
	const char *last = strrchr(line, ' ');
	g_autofree char *id = provider_reply_trim(last ? last : line);
	return strlen(id) >= SHORTEST_ID ? g_steal_pointer(&id) : NULL;
}
