#include "core/send.h"

#include <criterion/criterion.h>
#include <gmime/gmime.h>
#include <string.h>

#include "core/deliver.h"
#include "json/strict.h"
#include "tests/core/world.h"
#include "tests/support/db.h"

static GMimeMessage *
parse(const struct smtp_mail *mail)
{
	g_mime_init();
	GMimeStream *stream = g_mime_stream_mem_new_with_buffer(mail->bytes->str, mail->bytes->len);
	GMimeParser *parser = g_mime_parser_new_with_stream(stream);
	GMimeMessage *message = g_mime_parser_construct_message(parser, NULL);

	g_object_unref(parser);
	g_object_unref(stream);
	cr_assert(message, "%s", mail->bytes->str);
	return message;
}

/* The parts that are no multipart: "text/plain: content", a line for each. */
static void
add_part(GMimeObject *parent, GMimeObject *part, void *lines)
{
	if (GMIME_IS_MULTIPART(part))
		return;
	GMimeStream *stream = g_mime_stream_mem_new();
	g_mime_data_wrapper_write_to_stream(g_mime_part_get_content(GMIME_PART(part)), stream);
	GByteArray *bytes = g_mime_stream_mem_get_byte_array(GMIME_STREAM_MEM(stream));
	const char *name = g_mime_part_get_filename(GMIME_PART(part));
	g_autofree char *type =
	    g_mime_content_type_get_mime_type(g_mime_object_get_content_type(part));

	g_autofree char *text = g_strndup((const char *)bytes->data, bytes->len);
	g_string_append_printf(lines, "%s %s: %s\n", type, name ? name : "-", g_strstrip(text));
	g_object_unref(stream);
}

static char *
parts_of(GMimeMessage *message)
{
	GString *lines = g_string_new(NULL);

	g_mime_message_foreach(message, add_part, lines);
	return g_string_free(lines, FALSE);
}

static const struct smtp_script good = {.extensions = "8BITMIME\nENHANCEDSTATUSCODES"};

static struct id
send(struct world *world, const struct submission *submission)
{
	struct sending sending;
	g_autoptr(GError) error = NULL;

	cr_assert(core_send(world->core, &world->key, submission, NULL, &sending, &error), "%s",
	    error ? error->message : "");
	cr_assert_not(sending.delivery, "it goes on");
	cr_assert_not(sending.replayed);
	g_autofree char *answer = sending.answer;
	return world_answer_id(answer);
}

Test(send, goes_from_a_request_to_the_relay_and_back_as_events)
{
	AUTO(world) world = world_open(&good, "final = yes\n");
	static const char variables[] = "{\"name\": \"Bob & Co\", \"n\": 1.50}";
	AUTO(json) given = json_parse(variables, strlen(variables), NULL);
	const struct submission_attachment file = {
	    .filename = "a.txt", .content = "SGVsbG8=", .content_type = "text/plain"};
	g_autoptr(GArray) attachments = world_attachments(&file, 1);
	struct submission submission = world_submission();

	submission.subject = "For {{name}}";
	submission.html = "<p>Dear {{name}}, {{n}}</p>";
	submission.variables = given;
	submission.attachments = attachments;
	submission.cc = (const char *[]){"Cy <c@x.org>, b@X.org", NULL};
	struct id id = send(world, &submission);

	smtp_server_stop(world->relay);
	cr_assert_eq(smtp_server_count(world->relay), 1, "log: %s", smtp_server_log(world->relay));
	const struct smtp_mail *mail = smtp_server_mail(world->relay, 0);
	cr_expect(g_str_has_prefix(mail->sender, "MAIL FROM:<b+"), "%s", mail->sender);
	cr_expect_eq(mail->recipients->len, 2);
	GMimeMessage *message = parse(mail);
	cr_expect_str_eq(g_mime_message_get_subject(message), "For Bob & Co");
	const char *signature = g_mime_object_get_header(GMIME_OBJECT(message), "DKIM-Signature");
	cr_expect(signature && strstr(signature, "d=example.com"), "%s", mail->bytes->str);
	g_autofree char *parts = parts_of(message);
	cr_expect_str_eq(parts, "text/plain -: Dear Bob & Co, 1.50\n"
				"text/html -: <p>Dear Bob &amp; Co, 1.50</p>\n"
				"text/plain a.txt: Hello\n");
	g_object_unref(message);

	g_autofree char *events = world_events(world, &id);
	cr_expect_str_eq(events, "0 sent\n0 delivered\n1 sent\n1 delivered\n");
	g_autofree char *outbox = world_outbox(world);
	cr_expect_str_eq(outbox, "");
	AUTO(email) email = world_email(world, &id);
	cr_expect_str_eq(email->subject, "For Bob & Co");
	cr_expect_str_eq(email->to, "b@x.org");
	cr_expect_str_eq(email->cc, "Cy <c@x.org>, b@x.org");
	cr_expect_str_eq(email->domain, "example.com");
	cr_expect_eq(email->recipients->len, 2);
	cr_expect_eq(email->parts->len, 2);
	cr_expect(email->sent >= email->created);
}
