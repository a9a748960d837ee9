/* SPDX-License-Identifier: MIT */
/* Looks up domain and recipients of several requests in one statement.

   The check of an email needs the sender's domain, and whether the recipient is suppressed: one
   round trip for each email, which costs more than all else of the check. Requests that wait at the
   same time mostly come from one client, with one sender's domain. So one statement serves them:
   1. email_prefetch_add collects workspace, domain and recipient of each request
      (fcgi/api/sending.c reads them from its JSON, before it is checked). The first request decides
      on workspace and domain; those of another are left out, and so is an email with several
      recipients.
   2. email_prefetch_look reads the domain, and whether any of the recipients is suppressed.
   3. email_draft_new asks email_prefetch_domain. An answer stands for both: the domain is there,
      and the recipient gets mail. NULL: the draft looks both up by itself.

   One suppressed recipient makes the whole prefetch worth nothing: the statement does not say which
   one it is, and such requests are rare. An error keeps nothing either. Mailings never use it,
   since their choices are read with more than these rows. */
#include "email/prefetch.h"

#include <string.h>

#include "base/id.h"
#include "mail/address.h"
#include "person/suppress.h"
#include "service/service.h"
#include "store/domain/domain.h"

struct email_prefetch {
	struct base_id workspace;
	char *name;		     /* of the sender's domain; NULL: no request yet */
	GPtrArray *recipients;	     /* char *, at most STORE_SUPPRESSION_TOGETHER */
	struct store_domain *domain; /* NULL: not known */
};

struct email_prefetch *
email_prefetch_new(void)
{
	struct email_prefetch *ahead = g_new0(struct email_prefetch, 1);

	ahead->recipients = g_ptr_array_new_with_free_func(g_free);
	return ahead;
}

void
email_prefetch_free(struct email_prefetch *ahead)
{
	g_clear_pointer(&ahead->domain, store_domain_free);
	g_ptr_array_unref(ahead->recipients);
	g_free(ahead->name);
	g_free(ahead);
}

static bool
prefetch_is_of(
    const struct email_prefetch *ahead, const struct base_id *workspace, const char *name)
{
	return base_id_equal(&ahead->workspace, workspace) && strcmp(ahead->name, name) == 0;
}

void
email_prefetch_add(
    struct email_prefetch *ahead, const struct base_id *workspace, const char *from, const char *to)
{
	AUTO(mail_address) sender = from && to ? mail_address_parse(from, NULL) : NULL;
	AUTO(mail_address) recipient = sender ? mail_address_parse(to, NULL) : NULL;

	if (!recipient || ahead->recipients->len == STORE_SUPPRESSION_TOGETHER)
		return;
	if (!ahead->name) {
		ahead->workspace = *workspace;
		ahead->name = g_strdup(mail_address_domain(sender));
	}
	if (prefetch_is_of(ahead, workspace, mail_address_domain(sender)))
		g_ptr_array_add(ahead->recipients, g_strdup(recipient->address));
}

guint
email_prefetch_count(const struct email_prefetch *ahead)
{
	return ahead->recipients->len;
}

/* Whether each recipient has one hash; it has several while the secret changes. */
static bool
has_one_hash(const struct person_suppress_keys *keys, guint count)
{
	for (guint i = 0; i < count; i++)
		if (person_suppress_key(keys, i)->count != 1)
			return false;
	return true;
}

void
email_prefetch_look(struct service *service, struct email_prefetch *ahead)
{
	guint count = ahead->recipients->len;

	AUTO(person_suppress_keys)
	keys = person_suppress_keys(service, (const char *const *)ahead->recipients->pdata, count);
	struct store_domain_recipients to = {.keys = person_suppress_key(keys, 0), .count = count};
	if (has_one_hash(keys, count))
		ahead->domain = store_domain_find_sender(
		    service->db, &ahead->workspace, ahead->name, &to, NULL);
	if (to.suppressed)
		g_clear_pointer(&ahead->domain, store_domain_free);
}

const struct store_domain *
email_prefetch_domain(const struct email_prefetch *ahead, const struct base_id *workspace,
    const char *name, const char *recipient)
{
	if (!ahead || !ahead->domain || !prefetch_is_of(ahead, workspace, name))
		return NULL;
	for (guint i = 0; i < ahead->recipients->len; i++)
		if (strcmp(ahead->recipients->pdata[i], recipient) == 0)
			return ahead->domain;
	return NULL;
}
