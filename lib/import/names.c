/* SPDX-License-Identifier: MIT */
/* The names of columns in the exports of well-known products, which import/file.h finds. */
#include <string.h>

#include "base/scope.h"
#include "import/file.h"

/* Folded (text_csv_fold): letters and digits in lower case. "Address" is none, since it is the
   street in most exports; nor is "Status", whose words are each product's own. */
/* clang-format off */
static const struct {
	const char *name;
	enum import_use use;
	bool is_late; /* counts where no other column has the use */
} names[] = {
	{"email", IMPORT_EMAIL}, /* HubSpot, Brevo, Resend, listmonk, Klaviyo, SendGrid */
	{"emailaddress", IMPORT_EMAIL}, /* Mailchimp, Outlook "E-mail Address" */
	{"mail", IMPORT_EMAIL},
	{"mailaddress", IMPORT_EMAIL},
	{"email1value", IMPORT_EMAIL}, /* Google "E-mail 1 - Value" */
	{"email1address", IMPORT_EMAIL},
	{"primaryemail", IMPORT_EMAIL},
	{"subscriberemail", IMPORT_EMAIL},
	{"contactemail", IMPORT_EMAIL},
	{"emailadresse", IMPORT_EMAIL}, /* Outlook and Mailchimp in German */
	{"mailadresse", IMPORT_EMAIL},
	{"adresseemail", IMPORT_EMAIL},
	{"adressemail", IMPORT_EMAIL},
	{"adressedemessagerie", IMPORT_EMAIL}, /* Outlook in French */
	{"courriel", IMPORT_EMAIL},
	{"correoelectrónico", IMPORT_EMAIL},
	{"correoelectronico", IMPORT_EMAIL},
	{"direccióndecorreoelectrónico", IMPORT_EMAIL}, /* Outlook in Spanish */
	{"direccióndecorreo", IMPORT_EMAIL},
	{"endereçodeemail", IMPORT_EMAIL}, /* Outlook in Portuguese */
	{"endereçodecorreioeletrónico", IMPORT_EMAIL},
	{"endereçodecorreioeletrônico", IMPORT_EMAIL},
	{"indirizzoemail", IMPORT_EMAIL},
	{"indirizzodipostaelettronica", IMPORT_EMAIL}, /* Outlook in Italian */
	{"indirizzopostaelettronica", IMPORT_EMAIL},
	{"emailadres", IMPORT_EMAIL}, /* Outlook in Dutch */
	{"firstname", IMPORT_FIRST_NAME},
	{"givenname", IMPORT_FIRST_NAME}, /* Google */
	{"forename", IMPORT_FIRST_NAME},
	{"fname", IMPORT_FIRST_NAME}, /* Mailchimp's merge field */
	{"vorname", IMPORT_FIRST_NAME},
	{"prénom", IMPORT_FIRST_NAME},
	{"prenom", IMPORT_FIRST_NAME}, /* Brevo in French */
	{"nombre", IMPORT_FIRST_NAME},
	{"voornaam", IMPORT_FIRST_NAME},
	{"primeironome", IMPORT_FIRST_NAME},
	{"nomepróprio", IMPORT_FIRST_NAME},
	{"lastname", IMPORT_LAST_NAME},
	{"familyname", IMPORT_LAST_NAME}, /* Google */
	{"surname", IMPORT_LAST_NAME},
	{"lname", IMPORT_LAST_NAME}, /* Mailchimp's merge field */
	{"nachname", IMPORT_LAST_NAME},
	{"familienname", IMPORT_LAST_NAME},
	{"nom", IMPORT_LAST_NAME}, /* Brevo in French */
	{"nomdefamille", IMPORT_LAST_NAME},
	{"apellidos", IMPORT_LAST_NAME},
	{"apellido", IMPORT_LAST_NAME},
	{"sobrenome", IMPORT_LAST_NAME},
	{"apelido", IMPORT_LAST_NAME},
	{"cognome", IMPORT_LAST_NAME},
	{"achternaam", IMPORT_LAST_NAME},
	{"issubscribed", IMPORT_SUBSCRIBED}, /* our own, and the next one */
	{"subscribed", IMPORT_SUBSCRIBED},
	{"subscriptionstatus", IMPORT_SUBSCRIBED},
	{"subscriberstatus", IMPORT_SUBSCRIBED},
	{"emailmarketingconsent", IMPORT_SUBSCRIBED}, /* Klaviyo */
	{"acceptsemailmarketing", IMPORT_SUBSCRIBED}, /* Shopify */
	{"acceptsmarketing", IMPORT_SUBSCRIBED},
	{"optin", IMPORT_SUBSCRIBED},
	{"optedin", IMPORT_SUBSCRIBED},
	{"emailoptin", IMPORT_SUBSCRIBED},
	{"unsubscribed", IMPORT_UNSUBSCRIBED}, /* Resend */
	{"unsubscribedfromallemail", IMPORT_UNSUBSCRIBED}, /* HubSpot */
	{"globallyunsubscribed", IMPORT_UNSUBSCRIBED},
	{"blocklisted", IMPORT_UNSUBSCRIBED}, /* Brevo */
	{"blacklisted", IMPORT_UNSUBSCRIBED},
	{"emailblocklisted", IMPORT_UNSUBSCRIBED},
	{"emailblacklisted", IMPORT_UNSUBSCRIBED},
	{"optout", IMPORT_UNSUBSCRIBED},
	{"optedout", IMPORT_UNSUBSCRIBED},
	{"emailoptout", IMPORT_UNSUBSCRIBED}, /* Zoho */
	{"hasoptedoutofemail", IMPORT_UNSUBSCRIBED}, /* Salesforce */
	{"cleaned", IMPORT_UNSUBSCRIBED},
	{"unsubtime", IMPORT_UNSUBSCRIBED, true}, /* Mailchimp's unsubscribed and cleaned contacts */
	{"cleantime", IMPORT_UNSUBSCRIBED, true},
	{"unsubscribedat", IMPORT_UNSUBSCRIBED, true},
	{"unsubscribedon", IMPORT_UNSUBSCRIBED, true},
	{"unsubscribeddate", IMPORT_UNSUBSCRIBED, true},
	{"unsubscribedate", IMPORT_UNSUBSCRIBED, true},
	{"language", IMPORT_LANGUAGE},
	{"preferredlanguage", IMPORT_LANGUAGE}, /* HubSpot */
	{"sprache", IMPORT_LANGUAGE},
	{"langue", IMPORT_LANGUAGE},
	{"idioma", IMPORT_LANGUAGE},
	{"timezone", IMPORT_TIME_ZONE}, /* Mailchimp, HubSpot */
	{"zeitzone", IMPORT_TIME_ZONE},
	{"fuseauhoraire", IMPORT_TIME_ZONE},
	{"contacttimezone", IMPORT_TIME_ZONE, true}, /* Brevo */
};
/* clang-format on */

enum import_use
import_use_of(const char *header, bool *is_late_r)
{
	g_autofree char *folded = text_csv_fold(header);

	for (guint i = 0; i < G_N_ELEMENTS(names); i++)
		if (strcmp(folded, names[i].name) == 0) {
			*is_late_r = names[i].is_late;
			return names[i].use;
		}
	*is_late_r = false;
	return IMPORT_UNUSED;
}
