/* SPDX-License-Identifier: MIT */
/* Reads or makes the results of authentication of a message that came in. */
#include "received/authentication.h"

#include <string.h>

#include "base/clock.h"
#include "base/limits/received.h"
#include "config/settings.h"
#include "dns/question.h"
#include "dns/resolver.h"
#include "domain/dmarc.h"
#include "json/writer.h"
#include "mail/dkim_verify.h"
#include "mail/part.h"
#include "received/door.h"
#include "service/service.h"
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

/* The domain's last two labels. */
static const char *
authentication_end_of(const char *domain)
{
	const char *end = domain + strlen(domain);

	for (guint dots = 0; end > domain; end--)
		if (end[-1] == '.' && ++dots == 2)
			break;
	return end;
}

static bool
authentication_is_below(const char *name, const char *parent)
{
	gsize size = strlen(name), end = strlen(parent);

	return size > end && name[size - end - 1] == '.' &&
	       g_ascii_strcasecmp(name + size - end, parent) == 0;
}

/* Whether the walks of two domains can meet in an organizational domain: one is below the other, or
   they have two labels in common. */
static bool
authentication_may_align(const char *a, const char *b)
{
	return authentication_is_below(a, b) || authentication_is_below(b, a) ||
	       g_ascii_strcasecmp(authentication_end_of(a), authentication_end_of(b)) == 0;
}

/* The questions about a message, all asked at once: for the keys of its signatures, and on the ways
   up the trees of names (RFC 9989 section 4.10). */
struct authentication_questions {
	GPtrArray *keys;  /* by signature; NULL: it needs none */
	GPtrArray *from;  /* the tree of the domain of From; NULL: there is none */
	GPtrArray *trees; /* by signature; NULL: it aligns with From alone by being the same.
			     Signatures of one domain share theirs */
};

static void
authentication_tree_free(void *tree)
{
	if (tree)
		g_ptr_array_unref(tree);
}

static void
authentication_key_free(void *key)
{
	if (key)
		dns_question_free(key);
}

static void
authentication_questions_clear(struct authentication_questions *questions)
{
	g_ptr_array_unref(questions->keys);
	g_ptr_array_unref(questions->trees);
	g_clear_pointer(&questions->from, g_ptr_array_unref);
}

/* The tree of the signature's domain: that of an earlier signature, or a new one, of which there
   are so many that a stranger cannot have us ask for hundreds of names. NULL: it needs none. */
static GPtrArray *
authentication_tree_of(
    const GPtrArray *signatures, const GPtrArray *trees, const char *domain, guint *walks)
{
	const struct mail_dkim_signature *signature = signatures->pdata[trees->len];

	if (!signature->key_name || !domain || strcmp(signature->domain, domain) == 0 ||
	    !authentication_may_align(signature->domain, domain))
		return NULL;
	for (guint i = 0; i < trees->len; i++) {
		const struct mail_dkim_signature *earlier = signatures->pdata[i];

		if (trees->pdata[i] && strcmp(earlier->domain, signature->domain) == 0)
			return g_ptr_array_ref(trees->pdata[i]);
	}
	return (*walks)++ < LIMIT_RECEIVED_WALKS ? domain_dmarc_tree(signature->domain) : NULL;
}

static void
authentication_questions_make(
    struct authentication_questions *questions, const GPtrArray *signatures, const char *domain)
{
	guint walks = 0;

	*questions = (struct authentication_questions){
	    .keys = g_ptr_array_new_with_free_func(authentication_key_free),
	    .trees = g_ptr_array_new_with_free_func(authentication_tree_free),
	    .from = domain ? domain_dmarc_tree(domain) : NULL,
	};
	for (guint i = 0; i < signatures->len; i++) {
		const struct mail_dkim_signature *signature = signatures->pdata[i];

		g_ptr_array_add(questions->keys,
		    signature->key_name ? dns_question_new(signature->key_name, DNS_TXT) : NULL);
		g_ptr_array_add(questions->trees,
		    authentication_tree_of(signatures, questions->trees, domain, &walks));
	}
}

static void
authentication_ask(const struct service *service, const struct authentication_questions *questions)
{
	g_autoptr(GPtrArray) all = g_ptr_array_new();

	for (guint i = 0; i < questions->keys->len; i++) {
		GPtrArray *tree = questions->trees->pdata[i];
		guint first = i;

		if (tree)
			g_ptr_array_find(questions->trees, tree, &first);
		if (questions->keys->pdata[i])
			g_ptr_array_add(all, questions->keys->pdata[i]);
		for (guint k = 0; tree && first == i && k < tree->len; k++)
			g_ptr_array_add(all, tree->pdata[k]);
	}
	for (guint k = 0; questions->from && k < questions->from->len; k++)
		g_ptr_array_add(all, questions->from->pdata[k]);
	if (all->len > 0)
		dns_ask(config_settings_list(service->settings, SETTING_DNS_SERVERS),
		    (struct dns_question *const *)all->pdata, all->len, LIMIT_RECEIVED_DNS_MS,
		    NULL);
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

/* Whether a signature aligns with the domain of From; tree: that of the signature's domain. */
static bool
authentication_aligns(const struct mail_dkim_signature *signature, const GPtrArray *tree,
    const char *domain, const char *organization, bool strict)
{
	if (signature->result != MAIL_DKIM_PASS)
		return false;
	return strcmp(signature->domain, domain) == 0 ||
	       (!strict && tree &&
		   strcmp(domain_dmarc_organization(signature->domain, tree), organization) == 0);
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

/* Whether DNS has answered about every name of a walk that was needed. */
static bool
authentication_is_known(const GPtrArray *tree, guint asked)
{
	for (guint i = 0; i < asked; i++)
		if (((const struct dns_question *)tree->pdata[i])->outcome == DNS_NO_ANSWER)
			return false;
	return true;
}

/* The word for DMARC once DNS has answered; NULL: there is a policy, and nothing aligns. */
static const char *
authentication_dmarc(const GPtrArray *signatures, const char *domain,
    const struct authentication_questions *questions)
{
	const struct domain_dmarc_policy policy = domain_dmarc_discover(domain, questions->from);
	bool strict = policy.has_policy && domain_dmarc_says(policy.record, "adkim", "s");

	for (guint i = 0; i < signatures->len; i++)
		if (authentication_aligns(signatures->pdata[i], questions->trees->pdata[i], domain,
			policy.organization, strict))
			return "pass";
	return !policy.has_policy && authentication_is_known(questions->from, policy.asked) ? "none"
											    : NULL;
}

static bool
authentication_count_from(const char *name, const char *value, void *context)
{
	guint *count = context;

	*count += g_ascii_strcasecmp(name, "From") == 0;
	return true;
}

/* Whether a message has one field From alone. A signature may cover the last of several, and people
   see the first: such a message says nothing about its writer (RFC 7489 section 6.6.1). */
static bool
authentication_has_one_from(const void *data, gsize size)
{
	gsize length, most = MIN(size, LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *text = mail_part_text(data, most, &length);
	const struct mail_part part = mail_part_split(text, length);
	guint count = 0;

	mail_part_fields(&part.header, authentication_count_from, &count);
	return count == 1;
}

static void
authentication_make(const struct service *service, const void *data, gsize size, const char *from,
    struct received_authentication *result)
{
	g_autoptr(GPtrArray) signatures =
	    mail_dkim_signatures(data, size, LIMIT_RECEIVED_SIGNATURES);
	const char *at =
	    from && authentication_has_one_from(data, size) ? strrchr(from, '@') : NULL;
	g_autofree char *domain = at ? g_ascii_strdown(at + 1, -1) : NULL;
	struct authentication_questions questions;

	authentication_questions_make(&questions, signatures, domain);
	authentication_ask(service, &questions);
	for (guint i = 0; i < signatures->len; i++)
		if (questions.keys->pdata[i])
			authentication_verify(signatures->pdata[i], questions.keys->pdata[i]);
	result->by = g_strdup("posthouse");
	result->dkim = g_strdup(mail_dkim_result_name(authentication_best(signatures)));
	if (domain)
		result->dmarc = g_strdup(authentication_dmarc(signatures, domain, &questions));
	authentication_questions_clear(&questions);
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
