/* SPDX-License-Identifier: MIT */
/* Reads or makes the results of authentication of a message that came in. */
#include "received/authentication.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits/received.h"
#include "config/settings.h"
#include "dns/question.h"
#include "dns/resolver.h"
#include "json/writer.h"
#include "mail/dkim_verify.h"
#include "mail/part.h"
#include "received/door.h"
#include "service/service.h"
#include "text/hostname.h"
#include "text/network.h"

#define FIELD "Authentication-Results"

static const char *
authentication_id(const struct service *service)
{
	return config_settings_text(service->settings, SETTING_RECEIVING_AUTHSERV_ID);
}

bool
received_authentication_believed(
    const struct service *service, const struct received_session *session)
{
	const char *const *front = config_settings_list(service->settings, SETTING_RECEIVING_FRONT);
	struct text_network_address address;

	return *authentication_id(service) &&
	       (session->is_pipe || !session->address ||
		   (text_network_address(session->address, &address) &&
		       text_network_holds(front, &address)));
}

/* Whether the value of such a field begins with the id. */
static bool
authentication_is_of(const char *value, const char *id)
{
	gsize size = strlen(id);

	value += strspn(value, " \t");
	return g_ascii_strncasecmp(value, id, size) == 0 &&
	       (!value[size] || strchr(" \t;", value[size]));
}

GBytes *
received_authentication_strip(const struct service *service, const void *data, gsize size)
{
	const char *text = data, *id = authentication_id(service);
	g_autoptr(GString) out = g_string_sized_new(size);
	bool leaves = false, in_header = true;

	for (gsize at = 0; at < size;) {
		const char *end = memchr(text + at, '\n', size - at);
		gsize next = end ? (gsize)(end - text) + 1 : size;
		g_autofree char *line = in_header ? g_strndup(text + at, next - at) : NULL;

		if (in_header && (*line == '\n' || *line == '\r'))
			in_header = leaves = false;
		else if (in_header && *line != ' ' && *line != '\t')
			leaves = *id &&
				 g_ascii_strncasecmp(line, FIELD ":", strlen(FIELD ":")) == 0 &&
				 authentication_is_of(line + strlen(FIELD ":"), id);
		if (!in_header) {
			g_string_append_len(out, text + at, (gssize)(size - at));
			break;
		}
		if (!leaves)
			g_string_append_len(out, text + at, (gssize)(next - at));
		at = next;
	}
	return g_string_free_to_bytes(g_steal_pointer(&out));
}

/* The topmost field of the server in front. */
struct authentication_search {
	const char *id;
	char *found;
};

static bool
authentication_find(const char *name, const char *value, void *context)
{
	struct authentication_search *search = context;

	if (g_ascii_strcasecmp(name, FIELD) == 0 && authentication_is_of(value, search->id))
		search->found = g_strdup(value);
	return !search->found;
}

/* The result of a method, such as spf=pass; NULL: none. The caller owns it. */
static char *
authentication_word(const char *value, const char *method)
{
	gsize size = strlen(method);

	for (const char *p = strchr(value, ';'); p; p = strchr(p, ';')) {
		p++;
		p += strspn(p, " \t");
		if (g_ascii_strncasecmp(p, method, size) != 0)
			continue;
		const char *equals = p + size + strspn(p + size, " \t");
		if (*equals != '=')
			continue;
		equals += 1 + strspn(equals + 1, " \t");
		gsize length =
		    strspn(equals, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ");
		return length > 0 ? g_ascii_strdown(equals, (gssize)length) : NULL;
	}
	return NULL;
}

/* Several signatures have several results: one that passed counts. */
static char *
authentication_dkim_word(const char *value)
{
	g_autofree char *folded = g_ascii_strdown(value, -1);

	return strstr(folded, "dkim=pass") ? g_strdup("pass") : authentication_word(value, "dkim");
}

/* Reads what the server in front has found. False where it says nothing. */
static bool
authentication_take(const struct service *service, const void *data, gsize size,
    struct received_authentication *result)
{
	gsize length, most = MIN(size, LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *text = mail_part_text(data, most, &length);
	const struct mail_part part = mail_part_split(text, length);
	struct authentication_search search = {authentication_id(service), NULL};

	mail_part_fields(&part.header, authentication_find, &search);
	g_autofree char *value = search.found;
	if (!value)
		return false;
	result->by = g_strdup(search.id);
	result->spf = authentication_word(value, "spf");
	result->dkim = authentication_dkim_word(value);
	result->dmarc = authentication_word(value, "dmarc");
	return true;
}

static const char *
authentication_organization(const char *domain)
{
	const char *apex = text_hostname_registrable(domain);

	return apex ? apex : domain;
}

/* The questions about a message: the keys of its signatures, and then the policies of its From,
   which are one at the top of an organization. */
static GPtrArray *
authentication_questions(const GPtrArray *signatures, const char *domain)
{
	GPtrArray *questions = g_ptr_array_new_with_free_func(dns_question_destroy);
	const char *apex = domain ? authentication_organization(domain) : NULL;

	for (guint i = 0; i < signatures->len; i++) {
		const struct mail_dkim_signature *signature = signatures->pdata[i];

		if (signature->key_name)
			g_ptr_array_add(questions, dns_question_new(signature->key_name, DNS_TXT));
	}
	if (domain) {
		g_autofree char *own = g_strconcat("_dmarc.", domain, NULL);
		g_autofree char *above = g_strconcat("_dmarc.", apex, NULL);
		g_ptr_array_add(questions, dns_question_new(own, DNS_TXT));
		if (g_ascii_strcasecmp(own, above) != 0)
			g_ptr_array_add(questions, dns_question_new(above, DNS_TXT));
	}
	return questions;
}

static void
authentication_verify(struct mail_dkim_signature *signature, const struct dns_question *question)
{
	g_autoptr(GPtrArray) records = g_ptr_array_new();

	for (guint i = 0; i < question->answers->len; i++)
		g_ptr_array_add(records, ((struct dns_answer *)question->answers->pdata[i])->text);
	mail_dkim_signature_verify(signature, (const char *const *)records->pdata, records->len,
	    question->outcome != DNS_NO_ANSWER, base_clock_now() / 1000);
}

/* The DMARC record that an answer has; NULL: none. */
static const char *
authentication_policy(const struct dns_question *question)
{
	const char *found = NULL;

	for (guint i = 0; i < question->answers->len; i++) {
		const char *text = ((struct dns_answer *)question->answers->pdata[i])->text;

		if (!g_str_has_prefix(text, "v=DMARC1"))
			continue;
		/* Two records count as none. */
		if (found)
			return NULL;
		found = text;
	}
	return found;
}

static bool
authentication_is_strict(const char *policy)
{
	g_auto(GStrv) tags = g_strsplit(policy ? policy : "", ";", -1);

	for (char **tag = tags; *tag; tag++) {
		char *equals = strchr(*tag, '=');

		if (!equals)
			continue;
		*equals = '\0';
		if (strcmp(g_strstrip(*tag), "adkim") == 0)
			return strcmp(g_strstrip(equals + 1), "s") == 0;
	}
	return false;
}

static bool
authentication_aligns(const struct mail_dkim_signature *signature, const char *domain, bool strict)
{
	if (signature->result != MAIL_DKIM_PASS || !domain)
		return false;
	return g_ascii_strcasecmp(signature->domain, domain) == 0 ||
	       (!strict && g_ascii_strcasecmp(authentication_organization(signature->domain),
			       authentication_organization(domain)) == 0);
}

/* The result of all signatures: the best one. */
static enum mail_dkim_result
authentication_best(const GPtrArray *signatures)
{
	static const enum mail_dkim_result order[] = {
	    MAIL_DKIM_PASS, MAIL_DKIM_TEMPERROR, MAIL_DKIM_FAIL, MAIL_DKIM_PERMERROR};

	for (guint k = 0; k < G_N_ELEMENTS(order); k++)
		for (guint i = 0; i < signatures->len; i++)
			if (((struct mail_dkim_signature *)signatures->pdata[i])->result ==
			    order[k])
				return order[k];
	return MAIL_DKIM_NONE;
}

/* Sets the word for DMARC by the answers about the policies. */
static void
authentication_set_dmarc(struct received_authentication *result, const GPtrArray *signatures,
    const char *domain, const struct dns_question *own, const struct dns_question *above)
{
	const char *policy = authentication_policy(own);

	if (!policy)
		policy = authentication_policy(above);
	bool strict = authentication_is_strict(policy);
	for (guint i = 0; i < signatures->len; i++)
		if (authentication_aligns(signatures->pdata[i], domain, strict)) {
			result->dmarc = g_strdup("pass");
			return;
		}
	if (!policy && own->outcome != DNS_NO_ANSWER && above->outcome != DNS_NO_ANSWER)
		result->dmarc = g_strdup("none");
}

static void
authentication_make(const struct service *service, const void *data, gsize size, const char *from,
    struct received_authentication *result)
{
	g_autoptr(GPtrArray) signatures =
	    mail_dkim_signatures(data, size, LIMIT_RECEIVED_SIGNATURES);
	const char *at = from ? strrchr(from, '@') : NULL;
	const char *domain = at ? at + 1 : NULL;
	g_autoptr(GPtrArray) questions = authentication_questions(signatures, domain);
	guint next = 0;

	if (questions->len > 0)
		dns_ask(config_settings_list(service->settings, SETTING_DNS_SERVERS),
		    (struct dns_question *const *)questions->pdata, questions->len,
		    LIMIT_RECEIVED_DNS_MS, NULL);
	for (guint i = 0; i < signatures->len; i++) {
		struct mail_dkim_signature *signature = signatures->pdata[i];

		if (signature->key_name)
			authentication_verify(signature, questions->pdata[next++]);
	}
	result->by = g_strdup("posthouse");
	result->dkim = g_strdup(mail_dkim_result_name(authentication_best(signatures)));
	if (domain)
		authentication_set_dmarc(result, signatures, domain, questions->pdata[next],
		    questions->pdata[questions->len - 1]);
}

void
received_authentication_read(const struct service *service, const struct received_session *session,
    const void *data, gsize size, const char *from, struct received_authentication *result_r)
{
	*result_r = (struct received_authentication){NULL};
	if (!received_authentication_believed(service, session) ||
	    !authentication_take(service, data, size, result_r))
		authentication_make(service, data, size, from, result_r);
}

void
received_authentication_clear(struct received_authentication *result)
{
	g_free(result->by);
	g_free(result->spf);
	g_free(result->dkim);
	g_free(result->dmarc);
}

void
received_authentication_write(
    struct json_writer *writer, const struct received_authentication *result)
{
	json_writer_begin_object(writer, "authentication");
	json_writer_string(writer, "by", result->by);
	json_writer_string(writer, "spf", result->spf);
	json_writer_string(writer, "dkim", result->dkim);
	json_writer_string(writer, "dmarc", result->dmarc);
	json_writer_end_object(writer);
}
