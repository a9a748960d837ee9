/* SPDX-License-Identifier: MIT */
/* Finds who sends a mail of the service itself, and sends it. */
#include "submit/service_mail.h"

#include "base/error.h"
#include "config/settings.h"
#include "email/draft.h"
#include "email/submission.h"
#include "mail/address.h"
#include "service/service.h"
#include "store/common/found.h"
#include "store/domain/domain.h"
#include "store/workspace/user.h"
#include "submit/submit.h"

/* Sends from a domain; NULL: from none that is registered. */
static bool
service_mail_send_from(struct service *service, const struct submit_service_mail *mail,
    const char *sender, const struct store_domain *domain, GError **error)
{
	const char *to[] = {mail->to, NULL};
	const struct email_submission submission = {.purpose = EMAIL_PURPOSE_SERVICE,
	    .from = sender,
	    .to = to,
	    .subject = mail->subject,
	    .html = mail->html,
	    .text = mail->text};
	struct email_draft *draft = email_draft_service(service, &submission, domain, error);

	return draft && submit_send_draft(service, draft, error);
}

static bool
send_own(struct service *service, const struct submit_service_mail *mail, const char *sender,
    GError **error)
{
	AUTO(mail_address) from = mail_address_parse(sender, error);
	AUTO(store_domain) domain = NULL;

	return from &&
	       store_domain_find_verified(service->db, mail_address_domain(from), &domain, error) &&
	       service_mail_send_from(service, mail, sender, domain, error);
}

/* Finds the domain by which a workspace may send from its default sender; *domain_r is NULL when
   there is none. */
static bool
service_mail_find_domain(struct service *service, const struct store_user_workspace *workspace,
    struct store_domain **domain_r, GError **error)
{
	g_autoptr(GError) local = NULL;
	AUTO(mail_address)
	from =
	    workspace->default_sender ? mail_address_parse(workspace->default_sender, NULL) : NULL;

	*domain_r = NULL;
	if (!from)
		return true;
	AUTO(store_domain)
	domain = store_domain_find_sender(
	    service->db, &workspace->workspace_id, mail_address_domain(from), NULL, &local);
	if (domain && store_domain_verified(domain))
		*domain_r = g_steal_pointer(&domain);
	return store_found(g_steal_pointer(&local), NULL, error);
}

bool
submit_service_mail_send(
    struct service *service, const struct submit_service_mail *mail, GError **error)
{
	const char *own = config_settings_text(service->settings, SETTING_SERVICE_SENDER);

	if (*own)
		return send_own(service, mail, own, error);
	for (guint i = 0; i < mail->senders->len; i++) {
		const struct store_user_workspace *workspace = mail->senders->pdata[i];
		AUTO(store_domain) domain = NULL;

		if (!service_mail_find_domain(service, workspace, &domain, error))
			return false;
		if (domain)
			return service_mail_send_from(
			    service, mail, workspace->default_sender, domain, error);
	}
	return base_invalid(error,
	    "set sender in section [service], or the default sender of a workspace (posthouse "
	    "workspace sender) in a domain that may send");
}
