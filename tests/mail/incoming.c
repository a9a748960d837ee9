/* SPDX-License-Identifier: MIT */
#include "mail/incoming.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/limits/received.h"
#include "base/limits/report.h"

static struct mail_incoming *
incoming_of(const char *text, const char *sender)
{
	return mail_incoming_read(text, strlen(text), sender);
}

#define QUOTE "\n> old\n> older\n"

Test(incoming, finds_what_is_new)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
	    {"nothing quoted", "Hello\n\nAda\n", "Hello\n\nAda"},
	    {"Gmail", "Yes!\n\nOn Fri, Nov 20, 2026 at 8:00 AM Bob <bob@x.org> wrote:\n" QUOTE,
		"Yes!"},
	    {"Gmail, folded",
		"Yes!\n\nOn Fri, Nov 20, 2026 at 8:00 AM A Very Long Name\n<bob@x.org> "
		"wrote:\n" QUOTE,
		"Yes!"},
	    {"Apple Mail",
		"Yes!\n\n> On 20 Nov 2026, at 08:00, Bob <bob@x.org> wrote:\n> \n> old\n", "Yes!"},
	    {"Thunderbird", "On 11/20/26 08:00, Bob wrote:\n> old\nYes!\n",
		"On 11/20/26 08:00, Bob wrote:\n> old\nYes!\n"},
	    {"Outlook",
		"Yes!\n\n________________________________\nFrom: Bob\nSent: Friday\nTo: "
		"Ada\nSubject: x\n\n"
		"old\n",
		"Yes!"},
	    {"Outlook without a line",
		"Yes!\n\nFrom: Bob <bob@x.org>\nSent: Friday\nTo: Ada\nSubject: x\n\nold\n",
		"Yes!"},
	    {"Outlook's HTML",
		"Yes!\n\n----------\n\nFrom: Bob\nSent: Friday\nTo: Ada\nSubject: x\n\nold\n",
		"Yes!"},
	    {"hyphens in front of no quote", "Yes!\n\n----------\n", "Yes!\n\n----------"},
	    {"Outlook in bold",
		"Yes!\n\n*From:* Bob\n*Sent:* Friday\n*To:* Ada\n*Subject:* x\n\nold\n", "Yes!"},
	    {"original message", "Yes!\n-----Original Message-----\nFrom: Bob\n\nold\n", "Yes!"},
	    {"de", "Ja!\n\nAm 20.11.26 um 08:00 schrieb Bob <bob@x.org>:\n" QUOTE, "Ja!"},
	    {"de, Outlook", "Ja!\n\nVon: Bob\nGesendet: Freitag\nAn: Ada\nBetreff: x\n\nalt\n",
		"Ja!"},
	    {"de, original", "Ja!\n-----Ursprüngliche Nachricht-----\nalt\n", "Ja!"},
	    {"fr", "Oui !\n\nLe ven. 20 nov. 2026 à 08:00, Bob <bob@x.org> a écrit :\n" QUOTE,
		"Oui !"},
	    {"fr, no-break space", "Oui !\n\nLe 20/11/2026 à 08:00, Bob a écrit\xc2\xa0:\n" QUOTE,
		"Oui !"},
	    {"es", "Sí\n\nEl vie, 20 nov 2026 a las 8:00, Bob (<bob@x.org>) escribió:\n" QUOTE,
		"Sí"},
	    {"pt", "Sim\n\nEm sex., 20 de nov. de 2026 às 08:00, Bob <bob@x.org> escreveu:\n" QUOTE,
		"Sim"},
	    {"pt, Apple", "Sim\n\nNo dia 20/11/2026, às 08:00, Bob <bob@x.org> escreveu:\n" QUOTE,
		"Sim"},
	    {"pt, Gmail in Portugal",
		"Sim\n\nBob <bob@x.org> escreveu (sexta, 20/11/2026 à(s) 08:00):\n" QUOTE, "Sim"},
	    {"pt, Gmail in Portugal, with the day",
		"Sim\n\nBob <bob@x.org> escreveu no dia sexta, 20/11/2026 à(s) 08:00:\n" QUOTE,
		"Sim"},
	    {"de, Gmail on a phone",
		"Ja!\n\nBob <bob@x.org> schrieb am Fr., 20. Nov. 2026,\n08:00:\n" QUOTE, "Ja!"},
	    {"de, K-9", "Ja!\n\nBob <bob@x.org> schrieb:\n" QUOTE, "Ja!"},
	    {"fr, K-9", "Oui\n\nBob <bob@x.org> a écrit :\n" QUOTE, "Oui"},
	    {"es, Gmail with a number", "Sí\n\n2026-11-20 8:00 GMT+01:00 Bob <bob@x.org>:\n\nold\n",
		"Sí"},
	    {"the same, folded", "Sí\n\n2026-11-20 8:00 GMT+01:00 Bob <\nbob@x.org>:\n" QUOTE,
		"Sí"},
	    {"a date with dots", "Ja!\n\n20.11.2026, 08:00, \"Bob\" <bob@x.org>:\n" QUOTE, "Ja!"},
	    {"dates alone", "2026-11-20 8:00\n20.11.2026: Bob\n",
		"2026-11-20 8:00\n20.11.2026: Bob"},
	    {"it, In data",
		"Sì\n\nIn data 20 novembre 2026 08:00:00 Bob <bob@x.org> ha scritto:\n\nold\n",
		"Sì"},
	    {"At", "Yes!\n\nAt 11/20/2026 08:00 AM, you wrote:\n" QUOTE, "Yes!"},
	    {"Zoho",
		"Yes!\n\n---- On Fri, 20 Nov 2026 08:00:00 +0100 Bob <bob@x.org> wrote "
		"----\n\nold\n",
		"Yes!"},
	    {"fr, Orange",
		"Oui\n\nMessage du : 20/11/2026 08:00\nDe : \"Bob\" <bob@x.org>\nA : ann@x.org\n"
		"Sujet : Hi\n\nold\n",
		"Oui"},
	    {"numbers alone", "42\n3.5\n1.2.\n2026-11\nyes\n", "42\n3.5\n1.2.\n2026-11\nyes"},
	    {"a sentence of a date", "20.11.2026 treffe ich\nBob <bob@x.org>:\n- Punkt 1\n",
		"20.11.2026 treffe ich\nBob <bob@x.org>:\n- Punkt 1"},
	    {"a sentence with At", "At the end you wrote:\n\"the price is 5\"\nIt is 6.\n",
		"At the end you wrote:\n\"the price is 5\"\nIt is 6."},
	    {"a sentence with In data",
		"In data 3 marzo il cliente ci ha scritto:\nciao\nCosa rispondo?\n",
		"In data 3 marzo il cliente ci ha scritto:\nciao\nCosa rispondo?"},
	    {"a journey", "Book me:\n\nDate: 5 December\nFrom: Vienna\nTo: Berlin\n\nThanks\n",
		"Book me:\n\nDate: 5 December\nFrom: Vienna\nTo: Berlin\n\nThanks"},
	    {"an address in a sentence", "Ask <bob@x.org> schrieb:\nmore\n",
		"Ask <bob@x.org> schrieb:\nmore"},
	    {"es, Outlook on a phone",
		"Sí\n\n________________________________\nDe: Bob\nEnviado: viernes\n\nold\n", "Sí"},
	    {"fr, Outlook in bold",
		"Oui\n\n*De :* Bob\n*Envoyé :* vendredi\n*À :* Ada\n*Objet :* x\n\nold\n", "Oui"},
	    {"pt, Outlook", "Sim\n\nDe: Bob\nEnviada em: sexta\nPara: Ada\nAssunto: x\n\nold\n",
		"Sim"},
	    {"nl, Outlook", "Ja\n\nVan: Bob\nVerzonden: vrijdag\nAan: Ada\nOnderwerp: x\n\nold\n",
		"Ja"},
	    {"it, Outlook", "Si\n\nDa: Bob\nInviato: venerdì\nA: Ada\nOggetto: x\n\nold\n", "Si"},
	    {"fr, original", "Oui\n-----Message d'origine-----\nDe : Bob\nold\n", "Oui"},
	    {"es, original", "Si\n-----Mensaje original-----\nold\n", "Si"},
	    {"it, original", "Si\n-----Messaggio originale-----\nold\n", "Si"},
	    {"nl, original", "Ja\n-----Oorspronkelijk bericht-----\nold\n", "Ja"},
	    {"pt, original", "Sim\n-----Mensagem original-----\nold\n", "Sim"},
	    {"it",
		"Sì\n\nIl giorno ven 20 nov 2026 alle ore 08:00 Bob <bob@x.org> ha "
		"scritto:\n" QUOTE,
		"Sì"},
	    {"nl", "Ja\n\nOp vr 20 nov 2026 om 08:00 schreef Bob <bob@x.org>:\n" QUOTE, "Ja"},
	    {"nl, Apple",
		"Ja\n\nOp 20 nov 2026, om 08:00 heeft Bob <bob@x.org> het volgende "
		"geschreven:\n" QUOTE,
		"Ja"},
	    {"a signature", "Yes!\n-- \nAda\nexample.net\n", "Yes!"},
	    {"two hyphens are none", "Yes!\n--\nAda\n", "Yes!\n--\nAda"},
	    {"quotes between own lines", "> one\nyes\n> two\nno\n", "> one\nyes\n> two\nno"},
	    {"quotes at the end", "yes\n\n> one\n>\n> two\n\n", "yes"},
	    {"nothing new", "> one\n> two\n", "> one\n> two\n"},
	    {"a phone",
		"Yes!\n\nSent from my iPhone\n\n> On 20 Nov 2026, at 08:00, Bob wrote:\n> old\n",
		"Yes!\n\nSent from my iPhone"},
	    {"Gmail on a phone",
		"Yes!\n\nOn Fri, Nov 20, 2026, 8:00\xe2\x80\xaf\x41M Bob <bob@x.org> "
		"wrote:\n" QUOTE,
		"Yes!"},
	    {"Thunderbird, answer above",
		"Yes!\n\nAda\n\nOn 11/20/26 08:00, Bob wrote:\n> old\n> --\n> Bob\n",
		"Yes!\n\nAda"},
	    {"Outlook on a phone",
		"Yes!\n\nGet Outlook for iOS<https://aka.ms/o0ukef>\n"
		"________________________________\nFrom: Bob <bob@x.org>\nSent: Friday, November "
		"20, 2026 8:00:00 AM\nTo: Ada <ada@x.org>\nSubject: Re: x\n\nold\n",
		"Yes!\n\nGet Outlook for iOS<https://aka.ms/o0ukef>"},
	    {"Outlook on a Mac",
		"Yes!\n\nFrom: Bob <bob@x.org>\nDate: Friday, 20 November 2026 at 08:00\nTo: Ada "
		"<ada@x.org>\nSubject: x\nold\n",
		"Yes!"},
	    {"Samsung",
		"Yes!\n\n-------- Original message --------\nFrom: Bob <bob@x.org>\nDate: "
		"20/11/2026 08:00 (GMT+01:00)\nTo: Ada\nSubject: x\n\nold\n",
		"Yes!"},
	    {"GMX",
		"Ja!\n\n\nGesendet: Freitag, 20. November 2026 um 08:00 Uhr\nVon: \"Bob\" "
		"<bob@x.org>\nAn: ada@x.org\nBetreff: x\nalt\n",
		"Ja!"},
	    {"Hotmail",
		"Yes!\n\nDate: Fri, 20 Nov 2026 08:00:00 +0100\nSubject: x\nFrom: bob@x.org\n"
		"To: ada@x.org\n\nold\n",
		"Yes!"},
	    {"a field of one's own", "Subject: tea\nTo: be or not\n\nBob\n",
		"Subject: tea\nTo: be or not\n\nBob"},
	    {"passed on by Gmail",
		"See below.\n\n---------- Forwarded message ---------\nFrom: Bob <bob@x.org>\n"
		"Date: Fri, 20 Nov 2026 at 08:00\nSubject: x\nTo: <ada@x.org>\n\nold\n",
		"See below."},
	    {"passed on by Thunderbird",
		"Siehe unten.\n\n-------- Weitergeleitete Nachricht --------\nBetreff: x\n"
		"Datum: Fri, 20 Nov 2026 08:00:00 +0100\nVon: Bob <bob@x.org>\n\nalt\n",
		"Siehe unten."},
	    {"passed on by Apple Mail",
		"See below.\n\n> Begin forwarded message:\n> \n> From: Bob <bob@x.org>\n> \n> "
		"old\n",
		"See below."},
	    {"passed on by Apple Mail, without quotes",
		"See below.\n\nBegin forwarded message:\n\nFrom: Bob <bob@x.org>\n\nold\n",
		"See below."},
	    {"Yahoo",
		"Yes!\n\n    On Friday, November 20, 2026 at 08:00:00 AM GMT+1, Bob <bob@x.org> "
		"wrote:  \n \n old\n",
		"Yes!"},
	    {"a short line of underscores", "a\n_________\nb\n", "a\n_________\nb"},
	    {"a line of ten", "a\n__________\nb\n", "a"},
	    {"a word that begins like one", "One day\nI wrote: hello\n", "One day\nI wrote: hello"},
	    {"empty", "", ""},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = mail_incoming_reply(cases[i].text);

		cr_expect_str_eq(got, cases[i].want, "%s: got [%s], want [%s]", cases[i].name, got,
		    cases[i].want);
	}
}

Test(incoming, tells_programs_from_persons)
{
	static const struct {
		const char *name, *header, *sender;
		enum mail_incoming_automatic want;
	} cases[] = {
	    {"a person", "Subject: Hi\n", "a@x.org", MAIL_INCOMING_PERSON},
	    {"an unknown sender", "Subject: Hi\n", NULL, MAIL_INCOMING_PERSON},
	    {"an empty sender", "Subject: Hi\n", "", MAIL_INCOMING_REPORT},
	    {"a report", "Content-Type: multipart/report; boundary=x\n", "a@x.org",
		MAIL_INCOMING_REPORT},
	    {"a notification", "Content-Type: message/disposition-notification\n", "a@x.org",
		MAIL_INCOMING_REPORT},
	    {"a list", "List-Id: <a.x.org>\n", "a@x.org", MAIL_INCOMING_BULK},
	    {"bulk", "Precedence: Bulk\n", "a@x.org", MAIL_INCOMING_BULK},
	    {"junk", "Precedence: junk\n", "a@x.org", MAIL_INCOMING_BULK},
	    {"precedence of a list", "Precedence: list\n", "a@x.org", MAIL_INCOMING_BULK},
	    {"first class", "Precedence: first-class\n", "a@x.org", MAIL_INCOMING_PERSON},
	    {"a list replies", "List-Id: <a>\nAuto-Submitted: auto-replied\n", "a@x.org",
		MAIL_INCOMING_BULK},
	    {"auto-replied", "Auto-Submitted: auto-replied\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"with words", "Auto-Submitted: auto-generated; x=y\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"no", "Auto-Submitted: No\n", "a@x.org", MAIL_INCOMING_PERSON},
	    {"X-Autoreply", "X-Autoreply: yes\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"X-Autorespond", "X-Autorespond: x\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"auto_reply", "Precedence: auto_reply\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"suppress alone", "X-Auto-Response-Suppress: All\n", "a@x.org", MAIL_INCOMING_PERSON},
	    {"en", "Subject: Automatic reply: Hi\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"en, out", "Subject: out of office: Hi\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"en, one word", "Subject: Autoreply: Hi\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"de", "Subject: Automatische Antwort: Hi\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"de, note", "Subject: Abwesenheitsnotiz: Hi\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"fr", "Subject: =?utf-8?q?R=C3=A9ponse_automatique_:_Hi?=\n", "a@x.org",
		MAIL_INCOMING_REPLY},
	    {"fr, accents apart", "Subject: =?utf-8?q?Re=CC=81ponse_automatique:_Hi?=\n", "a@x.org",
		MAIL_INCOMING_REPLY},
	    {"es", "Subject: =?utf-8?q?Respuesta_autom=C3=A1tica:_Hi?=\n", "a@x.org",
		MAIL_INCOMING_REPLY},
	    {"pt", "Subject: =?utf-8?q?Resposta_autom=C3=A1tica:_Hi?=\n", "a@x.org",
		MAIL_INCOMING_REPLY},
	    {"it", "Subject: Risposta automatica: Hi\n", "a@x.org", MAIL_INCOMING_REPLY},
	    {"nl", "Subject: Automatisch antwoord: Hi\n", "a@x.org", MAIL_INCOMING_REPLY},
	    /* Exchange says so in a field, whatever the language of the subject. */
	    {"sv", "Subject: Autosvar: Hi\nAuto-Submitted: auto-generated\n", "a@x.org",
		MAIL_INCOMING_REPLY},
	    {"da", "Subject: Automatisk svar: Hi\nAuto-Submitted: auto-generated\n", "a@x.org",
		MAIL_INCOMING_REPLY},
	    {"pl",
		"Subject: =?utf-8?q?Odpowied=C5=BA_automatyczna:_Hi?=\n"
		"X-Auto-Response-Suppress: All\nAuto-Submitted: auto-generated\n",
		"a@x.org", MAIL_INCOMING_REPLY},
	    {"ja",
		"Subject: =?utf-8?b?6Ieq5YuV5b+c562U?=: Hi\nAuto-Submitted: auto-replied "
		"(vacation)\n",
		"a@x.org", MAIL_INCOMING_REPLY},
	    {"Gmail's vacation responder",
		"Subject: Away Re: Hi\nPrecedence: bulk\nX-Autoreply: yes\nAuto-Submitted: "
		"auto-replied\n",
		"a@x.org", MAIL_INCOMING_BULK},
	    {"an answer to one", "Subject: Re: Automatic reply: Hi\n", "a@x.org",
		MAIL_INCOMING_PERSON},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *text = g_strconcat(cases[i].header, "\nx\n", NULL);
		AUTO(mail_incoming) got = incoming_of(text, cases[i].sender);

		cr_expect_eq(got->automatic, cases[i].want, "%s: got %d, want %d", cases[i].name,
		    got->automatic, cases[i].want);
	}
}

Test(incoming, has_the_fields_decoded)
{
	AUTO(mail_incoming)
	got = incoming_of(
	    "From: =?utf-8?q?J=C3=B6rg?= <Joerg@X.org>\nTo: a@x.org, \"B, C\" <b@x.org>,\n"
	    " staff: d@x.org;\nCc: undisclosed-recipients:;\nReply-To: r@x.org\n"
	    "Subject: =?iso-8859-1?q?Gr=FC=DFe?=\n folded\nMessage-ID: <1@x.org>\n"
	    "In-Reply-To: <2@x.org>\nReferences: <3@x.org>\n <2@x.org>\n"
	    "Date: Fri, 20 Nov 2026 08:00:00 +0100\nX-Loop: l@x.org\n\nHello\r\nyou\n",
	    "a@x.org");

	cr_expect_str_eq(got->from, "Jörg <Joerg@x.org>");
	cr_expect_str_eq(got->from_address, "Joerg@x.org");
	cr_assert_eq(got->to->len, 3u);
	cr_expect_str_eq(got->to->pdata[1], "\"B, C\" <b@x.org>");
	cr_expect_str_eq(got->to->pdata[2], "d@x.org");
	cr_expect_eq(got->cc->len, 0u);
	cr_expect_str_eq(got->reply_to->pdata[0], "r@x.org");
	cr_expect_str_eq(got->subject, "Grüße folded");
	cr_expect_str_eq(got->message_id, "1@x.org");
	cr_expect_str_eq(got->in_reply_to, "2@x.org");
	cr_assert_eq(got->references->len, 2u);
	cr_expect_str_eq(got->references->pdata[1], "2@x.org");
	cr_expect_eq(got->date, G_GINT64_CONSTANT(1795158000000));
	cr_expect_str_eq(got->text, "Hello\nyou\n");
	cr_expect_null(got->html);
	cr_expect_str_eq(got->loops->pdata[0], "l@x.org");
	cr_expect_eq(got->headers->len, 10u, "got %u", got->headers->len);
}

/* Outlook writes long names as several words, each with its own padding. */
Test(incoming, has_the_names_of_parts)
{
	AUTO(mail_incoming)
	got = incoming_of("Content-Type: multipart/mixed; boundary=b\n\n--b\nContent-Type: "
			  "text/plain; name=\"=?utf-8?B?R3I=?= =?utf-8?B?w7w=?=\n "
			  "=?utf-8?B?w59lLnR4dA==?=\"\nContent-Disposition: attachment\n\nx\n--b\n"
			  "Content-Disposition: attachment;\n filename=\"=?utf-8?B?YQ==?=\n "
			  "=?utf-8?B?Yi50eHQ=?=\"\n\nx\n--b--\n",
	    "a@x.org");

	cr_assert_eq(got->parts->len, 2u);
	const struct mail_incoming_part *first = got->parts->pdata[0];
	const struct mail_incoming_part *second = got->parts->pdata[1];
	cr_expect_str_eq(first->filename, "Grüße.txt", "got %s", first->filename);
	cr_expect_str_eq(second->filename, "ab.txt", "got %s", second->filename);
}

/* Text that looks like an encoded word may span the quotes of two parameters. */
Test(incoming, has_a_name_that_is_cut_within_a_word)
{
	AUTO(mail_incoming)
	got = incoming_of("Content-Type: image/png\nContent-Disposition: attachment;\n "
			  "filename*0=\"=?utf-8?B?YW\"; filename*1=\"Jj?=\"\n\nx\n",
	    "a@x.org");
	const struct mail_incoming_part *part = got->parts->pdata[0];

	cr_expect_str_eq(part->filename, "abc", "got %s", part->filename);
}

/* A field of addresses for each recipient is no reason to lose some. */
Test(incoming, has_the_addresses_of_all_fields)
{
	AUTO(mail_incoming)
	got = incoming_of(
	    "From: a@x.org\nFrom: z@x.org\nTo: b@x.org\nCc: c@x.org\nto: Us: d@x.org, "
	    "e@x.org; (the (end))\nCC: f@x.org\nReply-To: g@x.org\nReply-To: h@x.org\n\nx\n",
	    "a@x.org");

	cr_expect_str_eq(got->from, "a@x.org");
	cr_assert_eq(got->to->len, 3u);
	cr_expect_str_eq(got->to->pdata[1], "d@x.org");
	cr_expect_str_eq(got->to->pdata[2], "e@x.org");
	cr_assert_eq(got->cc->len, 2u);
	cr_expect_str_eq(got->cc->pdata[1], "f@x.org");
	cr_assert_eq(got->reply_to->len, 2u);
	cr_expect_str_eq(got->reply_to->pdata[1], "h@x.org");
}

/* Bytes without a charset, or of one that does not have them, are no reason to lose letters. */
Test(incoming, reads_bytes_of_no_charset)
{
#define NAMED(type) "From: J\xf6rg <w@x.org>\nSubject: Gr\xfc\xdf\x65\n" type "\n\xe4\n"
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
	    {"none", NAMED(""), "ä\n"},
	    {"ASCII", NAMED("Content-Type: text/plain; charset=us-ascii\n"), "ä\n"},
	    {"a strange one", NAMED("Content-Type: text/plain; charset=x-y\n"), "ä\n"},
	    {"its own", NAMED("Content-Type: text/plain; charset=iso-8859-5\n"), "ф\n"},
	    {"a letter that the charset lacks",
		"From: J\xf6rg <w@x.org>\nSubject: Gr\xfc\xdf\x65\n"
		"Content-Type: text/plain; charset=gb2312\n\n\x86\xb4\n",
		"喆\n"},
	    {"Outlook in Korea",
		"From: J\xf6rg <w@x.org>\nSubject: Gr\xfc\xdf\x65\n"
		"Content-Type: text/plain; charset=\"ks_c_5601-1987\"\n\n\xb0\xa1\n",
		"가\n"},
	    {"broken Unicode", NAMED("Content-Type: text/plain; charset=UTF-8\n"),
		"\xef\xbf\xbd\n"},
	};
#undef NAMED

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_incoming) got = incoming_of(cases[i].text, "a@x.org");

		cr_expect_str_eq(got->from, "Jörg <w@x.org>", "%s: %s", cases[i].name, got->from);
		cr_expect_str_eq(got->subject, "Grüße", "%s: %s", cases[i].name, got->subject);
		cr_expect_str_eq(got->text, cases[i].want, "%s: %s", cases[i].name, got->text);
	}
	AUTO(mail_incoming)
	file = incoming_of("Content-Type: image/png\nContent-Disposition: attachment; "
			   "filename=\"\xe4.png\"\n\nx\n",
	    "a@x.org");
	cr_expect_str_eq(
	    ((const struct mail_incoming_part *)file->parts->pdata[0])->filename, "ä.png");
}

/* Text in every charset that iconv knows is UTF-8 for those who read it. */
Test(incoming, reads_charsets)
{
	static const struct {
		const char *charset, *base64, *want;
	} cases[] = {
	    {"utf-16", "/v8AZwD8AG4AcwB0AGkAZwAKIKw=", "günstig\n€"},
	    {"utf-16", "//5nAPwAbgBzAHQAaQBnAA0ACgCsIA==", "günstig\n€"},
	    {"UTF-16", "ZwD8AG4AcwB0AGkAZwAKAKwg", "günstig\n€"},
	    {"utf-16", "AGcA/ABuAHMAdABpAGcACiCs", "günstig\n€"},
	    {"utf-16le", "ZwD8AG4AcwB0AGkAZwAKAKwg", "günstig\n€"},
	    {"utf-16be", "AGcA/ABuAHMAdABpAGcACiCs", "günstig\n€"},
	    {"unicode", "//5nAPwAbgBzAHQAaQBnAAoArCA=", "günstig\n€"},
	    {"ucs-2", "AGcA/ABuAHMAdABpAGcACiCs", "günstig\n€"},
	    {"utf-8", "//5nAPwAbgBzAHQAaQBnAAoArCA=", "günstig\n€"},
	    {"utf-16", "2D3eAABh", "😀a"},
	    {"utf-16be", "2D0AYQBi",
		"\xef\xbf\xbd"
		"ab"},
	    {"utf-16be", "AGEAYgA=", "ab\xef\xbf\xbd"},
	    {"utf-16be", "AGEAAABi", "a b"},
	    {"utf-32", "AAD+/wAAAGcAAAD8AAAgrA==", "gü€"},
	    {"utf-32", "//4AAGcAAAD8AAAArCAAAA==", "gü€"},
	    {"utf-32le", "ZwAAAPwAAACsIAAA", "gü€"},
	    {"utf-32", "AAAAZwAAAPwAACCs", "gü€"},
	    {"utf-8", "77u/Z8O8", "gü"},
	    {"utf-7", "ZytBUHctbnN0aWc=", "günstig"},
	    {"unicode-1-1-utf-7", "ZytBUHctbnN0aWc=", "günstig"},
	    {"iso-2022-jp", "GyRCRnxLXBsoQg==", "日本"},
	    {"iso-2022-jp", "GyRCRnxLXBsoQv9h",
		"日本\xef\xbf\xbd"
		"a"},
	    {"shift_jis", "k/qWe4dA", "日本①"},
	    {"euc-jp", "xvzL3A==", "日本"},
	    {"big5", "pKSk5Q==", "中文"},
	    {"windows-1258", "YQ==", "a"},
	    {"iso-8859-1", "k2fklA==", "“gä”"},
	    {"macintosh", "Z58=", "gü"},
	    {"ibm850", "Z4E=", "gü"},
	    {"cp437", "Z4E=", "gü"},
	    {"koi8-r", "8NLJ18XU", "Привет"},
	    {"iso-8859-8-i", "+ezl7Q==", "שלום"},
	    {"windows-874", "ysfRyrTV", "สวัสดี"},
	    {"x-unknown", "Z/w=", "gü"},
	    {"utf-16//IGNORE", "Z/w=", "gü"},
	    {"../../tmp/x", "Z/w=", "gü"},
	    {"us-ascii", "Z8O8", "gü"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (guint html = 0; html < 2; html++) {
			g_autofree char *text =
			    g_strdup_printf("From: w@x.org\nContent-Type: text/%s; charset=\"%s\"\n"
					    "Content-Transfer-Encoding: base64\n\n%s\n",
				html ? "html" : "plain", cases[i].charset, cases[i].base64);
			AUTO(mail_incoming) got = incoming_of(text, "a@x.org");
			const char *body = html ? got->html : got->text;

			cr_expect_str_eq(body ? body : "NULL", cases[i].want, "%s %s: got %s",
			    cases[i].charset, cases[i].base64, body);
		}
}

/* The limit is one of the text, in whatever charset it came. */
Test(incoming, limits_converted_text)
{
	static const struct {
		const char *name, *unit;
		gsize size, count;
		bool truncated;
	} cases[] = {
	    {"letters", "\x00\xfc", 2, LIMIT_RECEIVED_TEXT_BYTES / 2, false},
	    {"more letters", "\x00\xfc", 2, LIMIT_RECEIVED_TEXT_BYTES / 2 + 1, true},
	    {"lines", "\x00\r\x00\n", 4, LIMIT_RECEIVED_TEXT_BYTES, false},
	    {"more lines", "\x00\r\x00\n", 4, LIMIT_RECEIVED_TEXT_BYTES + 1, true},
	};

	for (guint i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autoptr(GString) bytes = g_string_new(NULL);
		for (gsize k = 0; k < cases[i].count; k++)
			g_string_append_len(bytes, cases[i].unit, (gssize)cases[i].size);
		g_autofree char *base64 = g_base64_encode((const guchar *)bytes->str, bytes->len);
		g_autofree char *text =
		    g_strconcat("From: w@x.org\nContent-Type: text/plain; charset=utf-16be\n"
				"Content-Transfer-Encoding: base64\n\n",
			base64, "\n", NULL);
		AUTO(mail_incoming) got = incoming_of(text, "a@x.org");

		cr_expect_eq(strlen(got->text), (gsize)LIMIT_RECEIVED_TEXT_BYTES, "%s: %zu",
		    cases[i].name, strlen(got->text));
		cr_expect_eq(got->truncated, cases[i].truncated, "%s", cases[i].name);
	}
}

Test(incoming, reads_what_is_uuencoded)
{
	static const struct {
		const char *name, *text, *want;
	} cases[] = {
	    {"x-uuencode",
		"Content-Transfer-Encoding: x-uuencode\n\nbegin 644 a.txt\n%:&5L;&\\`\n`\nend\n",
		"hello"},
	    {"words in front",
		"Content-Transfer-Encoding: uuencode\n\nbeginning\n\nbegin 644 a.txt\n%:&5L;&\\`\n"
		"`\nend\n",
		"hello"},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		AUTO(mail_incoming) got = incoming_of(cases[i].text, "a@x.org");

		cr_expect_str_eq(got->text, cases[i].want, "%s: %s", cases[i].name, got->text);
	}
}

Test(incoming, has_the_parts_by_their_places)
{
	static const char text[] =
	    "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\n"
	    "Content-Type: text/html\r\n\r\n<p>Hi\r\n--b\r\n"
	    "Content-Type: image/png; name=\"a.png\"\r\nContent-ID: <i@x>\r\n"
	    "Content-Disposition: inline\r\nContent-Transfer-Encoding: "
	    "base64\r\n\r\naGVs\r\nbG8=\r\n"
	    "--b\r\nContent-Type: text/plain\r\nContent-Disposition: attachment;"
	    " filename*=utf-8''%C3%A4.txt\r\n\r\nfile\r\n--b\r\nContent-Type: text/html\r\n\r\n"
	    "second\r\n--b--\r\n";
	AUTO(mail_incoming) got = mail_incoming_read(text, sizeof(text) - 1, "a@x.org");

	cr_expect_str_eq(got->html, "<p>Hi");
	cr_expect_null(got->text);
	cr_assert_eq(got->parts->len, 3u);
	const struct mail_incoming_part *image = got->parts->pdata[0], *file = got->parts->pdata[1];
	cr_expect_str_eq(image->filename, "a.png");
	cr_expect_str_eq(image->content_id, "i@x");
	cr_expect_str_eq(image->disposition, "inline");
	cr_expect_eq(image->size, 5u);
	g_autoptr(GBytes) encoded = g_bytes_new(text + image->begin, image->end - image->begin);
	cr_expect_eq(g_bytes_get_size(encoded), strlen("aGVs\r\nbG8="));
	g_autoptr(GBytes) content = mail_incoming_decode(encoded, image->encoding);
	cr_expect_eq(memcmp(g_bytes_get_data(content, NULL), "hello", 5), 0);
	cr_expect_str_eq(file->filename, "ä.txt");
	cr_expect_eq(memcmp(text + file->begin, "file\r\n", 6), 0);
	cr_expect_eq(file->end - file->begin, 4u);
}

/* A message of so many parts. */
static char *
incoming_parts(guint count)
{
	GString *text = g_string_new("Content-Type: multipart/mixed; boundary=b\n\n");

	for (guint i = 0; i < count; i++)
		g_string_append(text, "--b\nContent-Type: application/x\n\nx\n");
	g_string_append(text, "--b--\n");
	return g_string_free(text, FALSE);
}

/* A message whose multiparts are so deep. */
static char *
incoming_deep(guint depth)
{
	GString *text = g_string_new(NULL);

	for (guint i = 0; i < depth; i++)
		g_string_append_printf(
		    text, "Content-Type: multipart/mixed; boundary=b%u\n\n--b%u\n", i, i);
	g_string_append(text, "Content-Type: text/plain\n\nx\n");
	return g_string_free(text, FALSE);
}

Test(incoming, keeps_to_its_limits)
{
	static const struct {
		const char *name;
		char *(*make)(guint count);
		guint most;
	} cases[] = {
	    {"parts", incoming_parts, LIMIT_PARTS}, {"depth", incoming_deep, LIMIT_PART_DEPTH}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		for (guint more = 0; more < 2; more++) {
			g_autofree char *text = cases[i].make(cases[i].most + more);
			AUTO(mail_incoming) got = incoming_of(text, "a@x.org");

			cr_expect_eq(got->error != NULL, more == 1, "%s + %u: %s", cases[i].name,
			    more, got->error ? got->error : "no error");
			cr_expect(!got->error || (!got->text && got->parts->len == 0));
		}
}

/* A multipart whose boundary is missing or wrong has the parts that its delimiters show, else it is
   text; and so is a Content-Type that is none. No error is told. */
Test(incoming, reads_broken_types)
{
	static const struct {
		const char *name, *type, *body, *text;
		guint parts;
	} cases[] = {
	    {"no boundary", "multipart/mixed", "--x\n\nhello\n--x--\n", "hello", 0},
	    {"another boundary", "multipart/mixed; boundary=y", "--x\n\nhello\n--x--\n", "hello",
		0},
	    {"only words", "multipart/mixed; boundary=x", "hello\n", "hello\n", 0},
	    {"nothing", "multipart/mixed; boundary=x", "\n", NULL, 0},
	    {"no end", "multipart/mixed; boundary=x", "--x\n\nhello\n", "hello", 0},
	    {"one inside without a boundary", "multipart/mixed; boundary=x",
		"--x\n\nhello\n--x\nContent-Type: multipart/mixed\n\nbye\n--x--\n", "hello", 1},
	    {"no subtype", "text", "hello\n", "hello\n", 0},
	    {"no subtype, with a charset", "TEXT; charset=iso-8859-1", "\xe4\n", "ä\n", 0},
	    {"a slash behind", "foo; name=a/b", "hello\n", "hello\n", 0},
	    {"another type", "foo/bar", "hello\n", NULL, 1},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *mail = g_strdup_printf(
		    "Subject: x\nContent-Type: %s\n\n%s", cases[i].type, cases[i].body);
		AUTO(mail_incoming) got = incoming_of(mail, "a@x.org");

		cr_expect_eq(g_strcmp0(got->text, cases[i].text), 0, "%s: text %s", cases[i].name,
		    got->text ? got->text : "none");
		cr_expect_eq(got->parts->len, cases[i].parts, "%s: %u parts", cases[i].name,
		    got->parts->len);
		cr_expect_null(got->error, "%s: %s", cases[i].name, got->error);
	}
}

/* A message with a header of so many bytes. */
static char *
incoming_header(gsize size)
{
	GString *text = g_string_new("Subject: Hi\nX-Long: ");

	while (text->len < size - 1)
		g_string_append_c(text, text->len % 100 ? 'x' : '\n');
	return g_string_free(g_string_append(text, "\n\nbody\n"), FALSE);
}

Test(incoming, reads_so_much_of_a_header_and_a_text)
{
	g_autofree char *fits = incoming_header(LIMIT_RECEIVED_HEADER_BYTES);
	g_autofree char *large = incoming_header(LIMIT_RECEIVED_HEADER_BYTES + 1);
	AUTO(mail_incoming) whole = incoming_of(fits, "a@x.org");
	AUTO(mail_incoming) cut = incoming_of(large, "a@x.org");

	cr_expect_null(whole->error);
	cr_expect_str_eq(whole->text, "body\n");
	cr_expect_str_eq(cut->error, "The header is larger than 256 KiB");
	cr_expect_null(cut->text);
	cr_expect_str_eq(cut->subject, "Hi");
	for (guint more = 0; more < 2; more++) {
		GString *text = g_string_new("Subject: Hi\n\n");
		while (text->len < 13 + LIMIT_RECEIVED_TEXT_BYTES + more)
			g_string_append_c(text, 'x');
		AUTO(mail_incoming) got = mail_incoming_read(text->str, text->len, "a@x.org");
		cr_expect_eq(got->truncated, more == 1);
		cr_expect_eq(strlen(got->text), (gsize)LIMIT_RECEIVED_TEXT_BYTES);
		g_string_free(text, TRUE);
	}
}
