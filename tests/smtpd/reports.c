/* SPDX-License-Identifier: MIT */
/* Tests what comes for return paths and unsubscribe addresses. */
#include <criterion/criterion.h>
#include <string.h>

#include "domain/zone.h"
#include "link/return_path.h"
#include "service/service.h"
#include "store/domain/domain.h"
#include "store/email/email.h"
#include "store/workspace/workspace.h"
#include "tests/smtpd/door.h"
#include "tests/support/db.h"

TestSuite(smtpd_reports, .timeout = 600);

#define BOUNCE                                                                                     \
	"From: mailer-daemon@example.net\r\nContent-Type: multipart/report; "                      \
	"report-type=delivery-status;\r\n boundary=b\r\n\r\n--b\r\n\r\nGone.\r\n--b\r\n"           \
	"Content-Type: message/delivery-status\r\n\r\nReporting-MTA: dns; mx.example.net\r\n\r\n"  \
	"Final-Recipient: rfc822; b@example.net\r\nAction: failed\r\nStatus: "                     \
	"5.1.1\r\n\r\n--b--\r\n"

static struct store_email *
reports_email(struct door *door)
{
	g_autofree char *reply =
	    door_submit(door, "a@example.org", "b@example.net", "From: a@example.org\r\n\r\nx");
	struct base_id id;
	g_autoptr(GError) error = NULL;

	cr_assert(base_id_parse(strrchr(reply, ' ') + 1, &id), "got %s", reply);
	struct store_email *email =
	    store_email_get(door->house->db, &door->house->workspace, &id, 0, &error);
	cr_assert(email, "%s", error ? error->message : "");
	return email;
}

/* The reply of the door to a message for an address. */
static char *
reports_send(const struct door *door, const char *address, const char *message)
{
	g_autofree char *text = g_strdup_printf(
	    "EHLO mx\r\nMAIL FROM:<>\r\nRCPT TO:<%s>\r\nDATA\r\n%s.\r\nQUIT\r\n", address, message);
	g_autofree char *all = door_talk(door, text, strlen(text));
	const char *offers = strstr(all, "LOGIN\r\n");

	return g_strdup(offers + strlen("LOGIN\r\n"));
}

#define TAKEN                                                                                      \
	"250 2.1.0 OK\r\n250 2.1.5 OK\r\n354 End data with <CRLF>.<CRLF>\r\n250 2.0.0 "            \
	"recorded\r\n"                                                                             \
	"221 2.0.0 Bye\r\n"

Test(smtpd_reports, are_recorded)
{
	AUTO(door) door = door_open(NULL);
	AUTO(store_email) email = reports_email(door);
	g_autofree char *path = link_return_path(door->house->service, email, 0);
	static const char bounced[] =
	    "SELECT COUNT(*) FROM event WHERE smtp_response IS NOT NULL OR enhanced_code = '5.1.1'";

	for (guint i = 0; i < 2; i++) {
		g_autofree char *got = reports_send(door, path, BOUNCE);
		cr_expect_str_eq(got, TAKEN, "got %s", got);
		cr_expect_eq(test_db_number(door->house->db, bounced), 1);
	}
	g_autofree char *nothing = reports_send(door, path, "Subject: out of office\r\n\r\nx\r\n");
	cr_expect_str_eq(nothing, TAKEN, "got %s", nothing);
	/* The token has to be whole. */
	path[3] = path[3] == '0' ? '1' : '0';
	g_autofree char *forged = reports_send(door, path, BOUNCE);
	cr_expect(strstr(forged, "550 5.1.1 No such address here\r\n"), "got %s", forged);
}

/* Complaints come to the address that the message names. */
Test(smtpd_reports, take_complaints)
{
	AUTO(door) door = door_open(NULL);
	AUTO(store_email) email = reports_email(door);
	const struct link_return_path path = {email->id, 0};
	char token[RETURN_PATH_ENVID_SIZE];
	static const char complaint[] =
	    "From: fbl@example.net\r\nContent-Type: multipart/report; boundary=b\r\n\r\n--b\r\n"
	    "Content-Type: message/feedback-report\r\n\r\nFeedback-Type: abuse\r\n\r\n--b--\r\n";

	link_return_path_complaint(door->house->service, &path, token);
	g_autofree char *address = g_strdup_printf("C+%s@send.%s", token, email->domain);
	for (guint i = 0; i < 2; i++) {
		g_autofree char *got = reports_send(door, address, complaint);
		cr_expect_str_eq(got, TAKEN, "got %s", got);
		cr_expect_eq(
		    test_db_number(door->house->db, "SELECT COUNT(*) FROM event WHERE status = 4"),
		    1);
	}
	address[3] = address[3] == '0' ? '1' : '0';
	g_autofree char *forged = reports_send(door, address, complaint);
	cr_expect(strstr(forged, "550 5.1.1 No such address here\r\n"), "got %s", forged);
}

/* A domain may have another label than send; the hosts of its return paths follow. */
Test(smtpd_reports, come_to_the_label_of_the_domain)
{
	AUTO(door)
	door = door_open("[smtpd]\nhostname = mail.example.org\npostmaster = boss@example.net\n");
	AUTO(store_email) email = reports_email(door);

	test_db_plain(door->house->db, "UPDATE domain SET return_path = 'bounce'");
	email->return_path = g_strdup("bounce");
	g_autofree char *path = link_return_path(door->house->service, email, 0);
	cr_expect(g_str_has_suffix(path, "@bounce.example.org"), "%s", path);
	g_autofree char *got = reports_send(door, path, BOUNCE);
	cr_expect_str_eq(got, TAKEN, "got %s", got);
	g_autofree char *upper = g_ascii_strup(path, -1);
	g_autofree char *shouted = reports_send(door, upper, BOUNCE);
	cr_expect_str_eq(shouted, TAKEN, "got %s", shouted);
	/* Mail of before the label was known, and a host that is nobody's. */
	*strchr(path, '@') = '\0';
	g_autofree char *usual = g_strconcat(path, "@send.example.org", NULL);
	g_autofree char *old = reports_send(door, usual, BOUNCE);
	cr_expect_str_eq(old, TAKEN, "got %s", old);
	g_autofree char *other = g_strconcat(path, "@other.example.org", NULL);
	g_autofree char *strange = reports_send(door, other, BOUNCE);
	cr_expect(strstr(strange, "550 5.7.1 Relaying denied\r\n"), "got %s", strange);
	g_autofree char *master = reports_send(door, "postmaster@bounce.example.org",
	    "From: joe@example.net\r\nSubject: help\r\n\r\nx\r\n");
	cr_expect(strstr(master, "250 2.0.0 stored as "), "got %s", master);
}

#define ABOUT                                                                                      \
	"From: d@example.net\r\n\r\n<feedback><report_metadata><org_name>R</org_name><report_id>1" \
	"</report_id><date_range><begin>1</begin><end>2</end></date_range></report_metadata>\r\n"  \
	"<policy_published><domain>example.org</domain></policy_published></feedback>\r\n"

/* Reports about the domain come to the address that its DMARC record names. */
Test(smtpd_reports, come_about_a_domain)
{
	AUTO(door) door = door_open(NULL);
	g_autoptr(GError) error = NULL;
	AUTO(store_domain)
	domain = store_domain_find(door->house->db, &door->house->workspace, "example.org", &error);
	cr_assert(domain, "%s", error ? error->message : "");
	g_autofree char *address =
	    domain_zone_report_address(domain, door->house->service->settings);

	for (guint i = 0; i < 2; i++) {
		g_autofree char *got = reports_send(door, address, ABOUT);
		cr_expect_str_eq(got, TAKEN, "got %s", got);
		cr_expect_eq(
		    test_db_number(door->house->db, "SELECT COUNT(*) FROM domain_report"), 1);
	}
	g_autofree char *nothing = reports_send(door, address, "Subject: hello\r\n\r\nx\r\n");
	cr_expect_str_eq(nothing, TAKEN, "got %s", nothing);
	address[3] = address[3] == '0' ? '1' : '0';
	g_autofree char *forged = reports_send(door, address, ABOUT);
	cr_expect(strstr(forged, "550 5.1.1 No such address here\r\n"), "got %s", forged);
}

Test(smtpd_reports, come_to_a_fixed_return_path)
{
	AUTO(door) door = door_open("[smtp]\nreturn_path = bounces@example.net\n");
	g_autofree char *got = reports_send(door, "Bounces@example.net", BOUNCE);

	cr_expect_str_eq(got, TAKEN, "got %s", got);
}

Test(smtpd_reports, have_clean_lines)
{
	AUTO(door) door = door_open("[smtp]\nreturn_path = bounces@example.net\n");
	g_autofree char *got = reports_send(door, "bounces@example.net", "A: b\n\r\nx\r\n");

	cr_expect(strstr(got, "550 5.6.11 Lines must end in CRLF\r\n"), "got %s", got);
}

/* Mail for the postmaster is stored, and forwarded. */
Test(smtpd_reports, come_to_the_postmaster)
{
	static const char *const addresses[] = {
	    "postmaster@mail.example.org", "Abuse@send.example.org"};
	AUTO(door)
	door = door_open("[smtpd]\nhostname = mail.example.org\npostmaster = boss@example.net\n");

	for (guint i = 0; i < G_N_ELEMENTS(addresses); i++) {
		g_autofree char *got = reports_send(
		    door, addresses[i], "From: joe@example.net\r\nSubject: help\r\n\r\nx\r\n");
		cr_expect(strstr(got, "250 2.0.0 stored as "), "got %s", got);
	}
	g_autofree char *nobody = reports_send(door, "joe@mail.example.org", "x\r\n");
	cr_expect(strstr(nobody, "550 5.1.1 No such address here\r\n"), "got %s", nobody);
	g_autofree char *strange = reports_send(door, "postmaster@example.org", "x\r\n");
	cr_expect(strstr(strange, "550 5.7.1 Relaying denied\r\n"), "got %s", strange);
	cr_expect_eq(test_db_number(door->house->db,
			 "SELECT COUNT(*) FROM recipient WHERE address = 'boss@example.net'"),
	    2);
}

/* The host of the door is often below no domain. Its mail is forwarded by the workspace of the
   postmaster's domain, else by the only one, from the default sender. */
Test(smtpd_reports, come_to_the_postmaster_of_any_host)
{
	static const char *const masters[] = {"boss@example.org", "boss@example.net"};

	for (guint i = 0; i < G_N_ELEMENTS(masters); i++) {
		g_autofree char *settings =
		    g_strdup_printf("[smtpd]\nhostname = box\npostmaster = %s\n", masters[i]);
		AUTO(door) door = door_open(settings);
		struct db *db = door->house->db;
		test_db_plain(db, "UPDATE workspace SET default_sender = 'Us <us@example.org>'");
		g_autofree char *got = reports_send(door, i == 0 ? "postmaster" : "Abuse@BOX",
		    "From: joe@example.com\r\nSubject: help\r\n\r\nx\r\n");
		cr_expect(strstr(got, "250 2.0.0 stored as "), "got %s", got);
		g_autofree char *query = g_strdup_printf(
		    "SELECT COUNT(*) FROM recipient WHERE address = '%s'", masters[i]);
		cr_expect_eq(test_db_number(db, query), 1, "%s", masters[i]);
		cr_expect_eq(
		    test_db_number(
			db, "SELECT COUNT(*) FROM email WHERE sender LIKE '%<us@example.org>'"),
		    1);
		/* With a second workspace, the postmaster's domain alone tells which it is. */
		struct base_id second;
		cr_assert(store_workspace_create(db, "second", NULL, &second, NULL));
		g_autofree char *again = reports_send(
		    door, "postmaster", "From: joe@example.com\r\nSubject: again\r\n\r\nx\r\n");
		cr_expect(strstr(again, i == 0 ? "250 2.0.0 stored as "
					       : "550 5.1.1 No such address here\r\n"),
		    "%s: got %s", masters[i], again);
	}
}
