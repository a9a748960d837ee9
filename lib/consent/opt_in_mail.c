/* SPDX-License-Identifier: MIT */
/* Composes the mail that asks a person to confirm a membership, and its built-in texts. */
#include <string.h>

#include "base/error.h"
#include "mail/address.h"
#include "store/common/found.h"
#include "store/domain/domain.h"
#include "config/log.h"
#include "config/settings.h"
#include "consent/opt_in.h"
#include "email/draft.h"
#include "email/submission.h"
#include "json/strict.h"
#include "json/writer.h"
#include "link/tracking.h"
#include "person/contact_field.h"
#include "service/service.h"
#include "store/consent/opt_in.h"
#include "store/person/people.h"
#include "store/person/person.h"
#include "store/template/template.h"
#include "store/workspace/workspace.h"
#include "submit/submit.h"
#include "template/template.h"

#define CONFIRM_URL "confirm_url"

/* The built-in texts. {{audience}} is the name of the audience, {{email}} the person's address. */
struct texts {
	const char *language, *subject, *ask, *button, *ignore;
};

/* clang-format off */
static const struct texts built_in[] = {
	{"en", "Please confirm your subscription",
	    "Please confirm that {{email}} is to get mailings of “{{audience}}”.",
	    "Confirm",
	    "If you did not ask for this, do nothing: then you get no mailings."},
	{"de", "Bitte bestätigen Sie Ihre Anmeldung",
	    "Bitte bestätigen Sie, dass {{email}} Rundschreiben von „{{audience}}“ bekommen soll.",
	    "Bestätigen",
	    "Falls Sie das nicht wollten, tun Sie nichts: Dann bekommen Sie keine Rundschreiben."},
	{"fr", "Veuillez confirmer votre abonnement",
	    "Veuillez confirmer que {{email}} doit recevoir les lettres de « {{audience}} ».",
	    "Confirmer",
	    "Si vous n’avez rien demandé, ne faites rien : vous ne recevrez pas de lettres."},
	{"es", "Por favor, confirme su suscripción",
	    "Por favor, confirme que {{email}} debe recibir los boletines de «{{audience}}».",
	    "Confirmar",
	    "Si no lo ha pedido, no haga nada: entonces no recibirá boletines."},
	{"pt", "Por favor, confirme a sua subscrição",
	    "Por favor, confirme que {{email}} deve receber os boletins de “{{audience}}”.",
	    "Confirmar",
	    "Se não pediu isto, não faça nada: então não receberá boletins."},
};
/* clang-format on */

static const struct texts *
texts_of(const char *language)
{
	for (guint i = 0; language && i < G_N_ELEMENTS(built_in); i++)
		if (g_ascii_strncasecmp(language, built_in[i].language, 2) == 0 &&
		    (language[2] == '\0' || language[2] == '-'))
			return &built_in[i];
	return &built_in[0];
}

static char *
html_of(const struct texts *texts)
{
	return g_strdup_printf("<!DOCTYPE html>\n<html lang=\"%s\">\n<body>\n<p>%s</p>\n"
			       "<p><a href=\"{{" CONFIRM_URL "}}\" data-no-track>%s</a></p>\n"
			       "<p>%s</p>\n</body>\n</html>\n",
	    texts->language, texts->ask, texts->button, texts->ignore);
}

/* The fields of the person. A name that the mail has is newer than the person's. */
static struct person_contact_texts
opt_in_mail_fields_of(const struct consent_opt_in_mail *mail, const struct store_person *person)
{
	struct person_contact_texts fields = {.email = mail->to,
	    .first_name = mail->first_name,
	    .last_name = mail->last_name,
	    .language = mail->language};

	if (!person)
		return fields;
	if (!fields.first_name)
		fields.first_name = person->first_name;
	if (!fields.last_name)
		fields.last_name = person->last_name;
	if (person->language)
		fields.language = person->language;
	fields.time_zone = person->time_zone;
	fields.subscribed = person->is_subscribed ? "true" : "false";
	person_contact_field_set_created(&fields, person->created);
	return fields;
}

static void
opt_in_mail_write_fields(struct json_writer *writer, const struct person_contact_texts *fields)
{
	static const char *const names[] = {
	    "email", "first_name", "last_name", "language", "time_zone", "created", "subscribed"};

	for (gsize i = 0; i < G_N_ELEMENTS(names); i++) {
		const char *text = person_contact_field(fields, names[i]);
		g_autofree char *whole = g_strconcat(PERSON_CONTACT_PREFIX, names[i], NULL);

		if (!text || !*text)
			continue;
		json_writer_string(writer, whole, text);
		if (person_contact_field_is_short(names[i]))
			json_writer_string(writer, names[i], text);
	}
}

static struct json *
variables_of(const struct consent_opt_in_mail *mail, const struct person_contact_texts *fields,
    const char *url)
{
	AUTO(json_writer) writer = json_writer_new();

	json_writer_begin_object(writer, NULL);
	json_writer_string(writer, CONFIRM_URL, url);
	json_writer_string(writer, "audience", mail->opt_in->audience);
	opt_in_mail_write_fields(writer, fields);
	json_writer_end_object(writer);
	g_autofree char *text = json_writer_take(writer, NULL);
	return json_parse(text, strlen(text), NULL);
}

/* The subject: the opt-in's, else the template's, else the built-in one. */
static bool
find_subject(struct service *service, const struct consent_opt_in_mail *mail,
    const struct texts *texts, const char **subject_r, GError **error)
{
	bool found, has_subject = false;

	if (!mail->opt_in->subject && mail->opt_in->template_id &&
	    !store_template_find(service->db, mail->workspace, mail->opt_in->template_id, &found,
		&has_subject, error))
		return false;
	*subject_r = mail->opt_in->subject ? mail->opt_in->subject
		     : has_subject	   ? NULL
					   : texts->subject;
	return true;
}

/* The sender: the opt-in's, else the workspace's. The caller owns it. */
static char *
opt_in_mail_find_sender(
    struct service *service, const struct consent_opt_in_mail *mail, GError **error)
{
	char *sender = g_strdup(mail->opt_in->sender);

	if (!sender && !store_workspace_sender(service->db, mail->workspace, &sender, error))
		return NULL;
	if (!sender)
		base_invalid(error, "from is required: the workspace has no default sender");
	return sender;
}

/* Reads the person of the mail; *person_r is NULL where nobody is known. The caller frees it. */
static bool
opt_in_mail_find_person(struct service *service, const struct consent_opt_in_mail *mail,
    struct store_person **person_r, GError **error)
{
	GError *failure = NULL;

	*person_r = mail->address
			? store_people_get(service->db, mail->workspace, mail->address, &failure)
			: NULL;
	if (!failure || g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND)) {
		g_clear_error(&failure);
		return true;
	}
	g_propagate_error(error, failure);
	return false;
}

/* The host of links in mail of a sender; *host_r is NULL for that of [service] url. The caller owns
   it. */
static bool
opt_in_mail_find_host(struct service *service, const struct consent_opt_in_mail *mail,
    const char *sender, char **host_r, GError **error)
{
	AUTO(mail_address) from = mail_address_parse(sender, NULL);
	g_autoptr(GError) failure = NULL;

	*host_r = NULL;
	/* The sender is checked when the mail is made. */
	if (!from)
		return true;
	AUTO(store_domain)
	domain = store_domain_find_sender(
	    service->db, mail->workspace, mail_address_domain(from), NULL, &failure);
	if (domain && domain->tracking_used)
		*host_r = g_strdup(domain->tracking_host);
	return store_found(g_steal_pointer(&failure), NULL, error);
}

struct submit_sending *
consent_opt_in_compose(
    struct service *service, const struct consent_opt_in_mail *mail, bool claim, GError **error)
{
	struct store_person *known;
	if (!opt_in_mail_find_person(service, mail, &known, error))
		return NULL;
	AUTO(store_person) person = known;
	const struct person_contact_texts fields = opt_in_mail_fields_of(mail, person);
	const struct texts *texts = texts_of(fields.language);
	g_autofree char *html = html_of(texts);
	const char *to[] = {mail->to, NULL}, *subject;
	g_autofree char *host = NULL;

	if (!link_tracking_base(service->settings)) {
		base_invalid(error, "[service] url is not set");
		return NULL;
	}
	g_autofree char *sender = opt_in_mail_find_sender(service, mail, error);
	if (!sender || !opt_in_mail_find_host(service, mail, sender, &host, error) ||
	    !find_subject(service, mail, texts, &subject, error))
		return NULL;
	g_autofree char *url = link_tracking_confirm_url(service, host, mail->id);
	AUTO(json) variables = variables_of(mail, &fields, url);
	const struct email_submission submission = {
	    .purpose = EMAIL_PURPOSE_CONFIRMATION,
	    .from = sender,
	    .to = to,
	    .subject = subject,
	    .html = mail->opt_in->template_id ? NULL : html,
	    .template_id = mail->opt_in->template_id,
	    .variables = variables,
	};
	return submit_send_check(service, mail->workspace, &submission, NULL, claim, error);
}

static bool
opt_in_mail_check_template(struct service *service, const struct base_id *workspace,
    const char *template_id, GError **error)
{
	g_autoptr(GError) failure = NULL;
	AUTO(store_template)
	template = store_template_get(service->db, workspace, template_id, &failure);
	gsize size;

	if (!template && g_error_matches(failure, PH_ERROR, PH_ERROR_NOT_FOUND))
		return base_invalid(error, "Template not found");
	if (!template) {
		g_propagate_error(error, g_steal_pointer(&failure));
		return false;
	}
	const char *html = g_bytes_get_data(template->html, &size);
	return template_refers(html, size, CONFIRM_URL) ||
	       base_invalid(error, "template has no {{" CONFIRM_URL "}}");
}

/* Composes a mail to the sender, which is not stored. */
static bool
try_mail(struct service *service, const struct base_id *workspace,
    const struct store_opt_in *opt_in, GError **error)
{
	struct base_id id = base_id_new();
	struct consent_opt_in_mail mail = {.workspace = workspace, .opt_in = opt_in, .id = &id};
	g_autofree char *sender = opt_in_mail_find_sender(service, &mail, error);

	if (!sender)
		return false;
	mail.to = sender;
	struct submit_sending *sending = consent_opt_in_compose(service, &mail, false, error);
	if (sending)
		service_once_free(&sending->request);
	return sending != NULL;
}

bool
consent_opt_in_check(struct service *service, const struct base_id *workspace,
    const struct store_opt_in *opt_in, GError **error)
{
	return (!opt_in->template_id ||
		   opt_in_mail_check_template(service, workspace, opt_in->template_id, error)) &&
	       ((!opt_in->required && !opt_in->sender) ||
		   try_mail(service, workspace, opt_in, error));
}

bool
consent_opt_in_store(struct service *service, struct submit_sending *mail, GError **error)
{
	struct service_once *request = &mail->request;

	return request->kind->store(service, &request, 1, error);
}

void
consent_opt_in_failed(struct service *service, struct submit_sending *mail, const GError *failure)
{
	struct service_once *request = &mail->request;

	request->error = g_error_copy(failure);
	request->kind->failed(service, request);
	g_clear_error(&request->error);
}
