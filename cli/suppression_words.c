/* SPDX-License-Identifier: MIT */
/* Translates the words of other services. To add one, add a line; tests/cli/suppression.c has a
   file of each service. */
#include "cli/suppression_words.h"

#include <glib.h>
#include <string.h>

#include "text/csv.h"

static const struct {
	const char *word; /* as of text_csv_fold */
	enum store_suppression_reason reason;
} words[] = {
    /* Amazon SES: BOUNCE, COMPLAINT. Resend: bounce, complaint, manual. Mailgun and SendGrid: the
       names of lists */
    {"bounce", SUPPRESSION_BOUNCED},
    {"bounced", SUPPRESSION_BOUNCED},
    {"bounces", SUPPRESSION_BOUNCED},
    {"complaint", SUPPRESSION_COMPLAINED},
    {"complaints", SUPPRESSION_COMPLAINED},
    {"complained", SUPPRESSION_COMPLAINED},
    {"unsubscribe", SUPPRESSION_UNSUBSCRIBED},
    {"unsubscribed", SUPPRESSION_UNSUBSCRIBED},
    {"unsubscribes", SUPPRESSION_UNSUBSCRIBED},
    {"manual", SUPPRESSION_MANUAL},
    /* SendGrid: the names of lists. Its reasons of bounces are replies of servers */
    {"invalidemail", SUPPRESSION_BOUNCED},
    {"invalidemails", SUPPRESSION_BOUNCED},
    {"spamreport", SUPPRESSION_COMPLAINED},
    {"spamreports", SUPPRESSION_COMPLAINED},
    {"globalunsubscribe", SUPPRESSION_UNSUBSCRIBED},
    {"globalunsubscribes", SUPPRESSION_UNSUBSCRIBED},
    {"groupunsubscribe", SUPPRESSION_UNSUBSCRIBED},
    {"groupunsubscribes", SUPPRESSION_UNSUBSCRIBED},
    /* Postmark: https://postmarkapp.com/developer/api/suppressions-api */
    {"hardbounce", SUPPRESSION_BOUNCED},
    {"spamcomplaint", SUPPRESSION_COMPLAINED},
    {"manualsuppression", SUPPRESSION_MANUAL},
    /* Brevo: the reasons of blocked contacts, as codes and as words */
    {"hardbounced", SUPPRESSION_BOUNCED},
    {"hardbounces", SUPPRESSION_BOUNCED},
    {"contactflaggedasspam", SUPPRESSION_COMPLAINED},
    {"markedasspam", SUPPRESSION_COMPLAINED},
    {"unsubscribedviaemail", SUPPRESSION_UNSUBSCRIBED},
    {"unsubscribedviaapi", SUPPRESSION_UNSUBSCRIBED},
    {"unsubscribedviama", SUPPRESSION_UNSUBSCRIBED},
    {"adminblocked", SUPPRESSION_MANUAL},
    {"flaggedasspam", SUPPRESSION_COMPLAINED},
    {"unsubscribedviamarketingautomation", SUPPRESSION_UNSUBSCRIBED},
    {"blockedbyadmin", SUPPRESSION_MANUAL},
    /* Others */
    {"spam", SUPPRESSION_COMPLAINED},
    {"abuse", SUPPRESSION_COMPLAINED},
    {"optout", SUPPRESSION_UNSUBSCRIBED},
    {"optedout", SUPPRESSION_UNSUBSCRIBED},
    {"blocked", SUPPRESSION_MANUAL},
    {"blocklisted", SUPPRESSION_MANUAL},
    /* Mailgun's codes for mail that it did not try to deliver */
    {"605", SUPPRESSION_BOUNCED},
    {"606", SUPPRESSION_UNSUBSCRIBED},
    {"607", SUPPRESSION_COMPLAINED},
};

/* RFC 5321 section 4.2.1 and RFC 3463: a reply, or an enhanced code, of a permanent failure. */
static bool
suppression_words_is_permanent(const char *text)
{
	return g_regex_match_simple("^5(\\d\\d|\\.\\d{1,3}\\.\\d{1,3})(\\D|$)", text, 0, 0);
}

enum store_suppression_reason
cli_suppression_word(const char *text)
{
	g_autofree char *folded = text_csv_fold(text);

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (strcmp(folded, words[i].word) == 0)
			return words[i].reason;
	g_autofree char *trimmed = g_strstrip(g_strdup(text));
	return suppression_words_is_permanent(trimmed) ? SUPPRESSION_BOUNCED : 0;
}
