/* SPDX-License-Identifier: MIT */
/* Tests the events of each provider in the form that it documents: what is recorded of them, that
   an altered request is refused, and that a repeated one counts once. */
#include "feedback/provider.h"

#include <criterion/criterion.h>
#include <string.h>

#include "base/clock.h"
#include "base/error.h"
#include "tests/lib/posting.h"
#include "tests/lib/reporter.h"
#include "tests/support/db.h"

static const struct smtp_script good = {.rules = {REPLY(".", 0, "250 2.0.0 Ok queued")}};

/* A fixture whose relay "a" has this provider. */
static struct fixture *
open_world(const struct smtp_server *relay, const char *provider, int sns_port)
{
	g_autofree char *text =
	    g_strdup_printf("[relay a]\nhost = 127.0.0.1\nport = %u\ntls = none\n"
			    "provider = %s\n[providers]\n"
			    "sns_hosts = 127.0.0.1:%d\n",
		smtp_server_port(relay), provider, sns_port);

	return fixture_open(NULL, text);
}

/* An event of a provider. In body, @REPLY@, @COPY@ and @EMAIL@ are the ids of the message, @ISO@,
   @S@ and @MS@ the time, a second after the message was sent. */
struct sample {
	const char *name, *body;
	const char *want;    /* the event, as fixture_events prints it; "": none */
	const char *columns; /* of the event: "ip user_agent link automated"; NULL: not compared */
	const char *suppressed; /* "reason scope" of the address; NULL: it is not */
};

static void
provider_replace(GString *text, const char *place, char *value)
{
	g_string_replace(text, place, value, 0);
	g_free(value);
}

static char *
provider_fill(struct fixture *fixture, const char *body, const struct base_id *email, gint64 at)
{
	GString *text = g_string_new(body);
	char id[ID_TEXT_SIZE], iso[CLOCK_ISO_SIZE];

	provider_replace(text, "@EMAIL@", g_strdup(base_id_format(email, id)));
	provider_replace(text, "@REPLY@", g_strdup_printf("reply-%.13s", id + 9));
	provider_replace(text, "@COPY@",
	    test_db_text(fixture->db, "SELECT LOWER(CONCAT_WS('-', SUBSTR(HEX(id), 1, 8),"
				      " SUBSTR(HEX(id), 9, 4), SUBSTR(HEX(id), 13, 4),"
				      " SUBSTR(HEX(id), 17, 4), SUBSTR(HEX(id), 21)))"
				      " FROM relay_copy ORDER BY email_id DESC LIMIT 1"));
	provider_replace(text, "@ISO@", g_strdup(base_clock_format(at, iso)));
	provider_replace(text, "@S@", g_strdup_printf("%" G_GINT64_FORMAT, at / 1000));
	provider_replace(text, "@MS@", g_strdup_printf("%" G_GINT64_FORMAT, at));
	return g_string_free(text, FALSE);
}

/* Sends an email, which gets the reply id that fill puts in place of @REPLY@. */
static struct base_id
provider_send(struct fixture *fixture)
{
	struct base_id id = posting_submit(fixture, "ada@x.org");
	char text[ID_TEXT_SIZE];

	posting_deliver(fixture);
	g_autofree char *update = g_strdup_printf("UPDATE relay_copy SET reply = 'reply-%.13s'"
						  " ORDER BY email_id DESC LIMIT 1",
	    base_id_format(&id, text) + 9);
	test_db_plain(fixture->db, update);
	return id;
}

static void
expect_taken(const struct reporter *reporter, struct fixture *fixture,
    const struct reporter_request *request, const char *name, guint want_recorded)
{
	struct feedback_provider_result result;
	g_autoptr(GError) error = reporter_take(reporter, fixture->service, request, &result);

	cr_expect(!error, "%s: %s", name, error ? error->message : "");
	cr_expect_eq(result.received, 1, "%s: received %u", name, result.received);
	cr_expect_eq(result.recorded, want_recorded, "%s: recorded %u", name, result.recorded);
}

static void
provider_expect_refused(const struct reporter *reporter, struct fixture *fixture,
    const struct reporter_request *request, const char *name)
{
	struct feedback_provider_result result;
	g_autoptr(GError) error = reporter_take(reporter, fixture->service, request, &result);

	cr_expect(g_error_matches(error, PH_ERROR, PH_ERROR_FORBIDDEN), "%s: %s", name,
	    error ? error->message : "taken");
	cr_expect_str_eq(error ? error->message : "", "Signature is not valid");
	cr_expect_eq(result.received, 0);
}

/* Alters one byte: of the body where it is signed, else of the secret in the header. */
static void
alter(const struct reporter *reporter, struct reporter_request *request)
{
	char *secret = g_hash_table_lookup(request->headers, "Authorization");
	char *at = secret ? secret + strlen(secret) - 8
		   : reporter->provider == PROVIDER_MAILGUN
		       ? strstr(request->body, "\"token\":\"") + 9
		       : strstr(request->body, "ada@");

	if (!at)
		at = strstr(request->body, "reply-");
	*at = *at == 'x' ? 'y' : 'x';
}

static void
provider_check_columns(struct fixture *fixture, const struct sample *sample)
{
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT CONCAT_WS(' ', COALESCE(ip, '-'), COALESCE(user_agent, '-'),"
	    " COALESCE(link, '-'), automated) FROM event WHERE status IN (5, 6)"
	    " ORDER BY email_id DESC, id DESC LIMIT 1");

	cr_expect_str_eq(got, sample->columns, "%s: %s", sample->name, got);
}

static void
check_suppressed(struct fixture *fixture, const struct sample *sample)
{
	g_autofree char *got = test_db_text(fixture->db,
	    "SELECT COALESCE(MAX(CONCAT(reason, ' ', scope)), '-') FROM suppression"
	    " WHERE address = 'ada@x.org'");

	cr_expect_str_eq(got, sample->suppressed ? sample->suppressed : "-", "%s: suppressed %s",
	    sample->name, got);
	test_db_plain(fixture->db, "DELETE FROM suppression");
	test_db_plain(fixture->db, "DELETE FROM choice");
	test_db_plain(fixture->db, "DELETE FROM hearsay");
}

static void
check_sample(const struct reporter *reporter, struct fixture *fixture, const struct sample *sample)
{
	struct base_id email = provider_send(fixture);
	gint64 now = base_clock_now();
	g_autofree char *body = provider_fill(fixture, sample->body, &email, now + 1000);
	g_autofree char *want = g_strdup_printf("0 sent\n%s", sample->want);
	char id[ID_TEXT_SIZE];

	base_id_format(&email, id);
	AUTO(reporter_request) request = reporter_sign(reporter, NULL, body, id, now);
	AUTO(reporter_request) altered = reporter_sign(reporter, NULL, body, id, now);
	alter(reporter, altered);
	provider_expect_refused(reporter, fixture, altered, sample->name);
	expect_taken(reporter, fixture, request, sample->name, *sample->want ? 1 : 0);
	expect_taken(reporter, fixture, request, sample->name, 0);
	g_autofree char *events = fixture_events(fixture, &email);
	cr_expect_str_eq(events, want, "%s: %s", sample->name, events);
	if (sample->columns)
		provider_check_columns(fixture, sample);
	check_suppressed(fixture, sample);
}

static void
provider_check(enum provider_name provider, const struct sample *samples, gsize count)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(provider);
	AUTO(fixture) fixture = open_world(relay, provider_word(provider),
	    reporter->server ? http_server_port(reporter->server) : 1);

	reporter_add(reporter, fixture->service, "a");
	for (gsize i = 0; i < count; i++)
		check_sample(reporter, fixture, &samples[i]);
}
#define CHECK(provider, samples) provider_check(provider, samples, G_N_ELEMENTS(samples))

#define SES_MAIL                                                                                   \
	"'mail':{'timestamp':'2016-10-14T05:02:16.645Z','source':'a@example.com',"                 \
	"'sourceArn':'arn:aws:ses:us-east-1:123456789012:identity/a@example.com',"                 \
	"'sendingAccountId':'123456789012','messageId':'@REPLY@','destination':['ada@x.org'],"     \
	"'headersTruncated':false,'headers':[{'name':'From','value':'a@example.com'},"             \
	"{'name':'MIME-Version','value':'1.0'}],'commonHeaders':{'from':['a@example.com'],"        \
	"'to':['ada@x.org'],'messageId':'EXAMPLE7c191be45'},"                                      \
	"'tags':{'ses:configuration-set':['ConfigSet'],'ses:from-domain':['example.com']}}"
#define SES_BOUNCE(type, status, code)                                                             \
	"{'eventType':'Bounce','bounce':{'bounceType':'" type "','bounceSubType':'General',"       \
	"'bouncedRecipients':[{'emailAddress':'ada@x.org','action':'failed','status':'" status     \
	"','diagnosticCode':'smtp; " code "'}],'timestamp':'@ISO@',"                               \
	"'feedbackId':'01000157c44f053b-61b59c11-9236-11e6-8f96-7be8aexample-000000',"             \
	"'reportingMTA':'dsn; mta.example.com'}," SES_MAIL "}"

Test(providers, ses)
{
	static const struct sample samples[] = {
	    {"delivery",
		"{'eventType':'Delivery'," SES_MAIL ",'delivery':{'timestamp':'@ISO@',"
		"'processingTimeMillis':11893,'recipients':['ada@x.org'],"
		"'smtpResponse':'250 2.6.0 Message received','reportingMTA':'mta.example.com'}}",
		"0 delivered\n"},
	    {"notification",
		"{'notificationType':'Delivery'," SES_MAIL ",'delivery':{'timestamp':'@ISO@',"
		"'recipients':['ADA@x.org']}}",
		"0 delivered\n"},
	    {"delay",
		"{'eventType':'DeliveryDelay'," SES_MAIL ",'deliveryDelay':{'timestamp':'@ISO@',"
		"'delayType':'TransientCommunicationFailure',"
		"'expirationTime':'2020-06-16T00:25:40.914Z','delayedRecipients':[{"
		"'emailAddress':'ada@x.org','status':'4.4.1','diagnosticCode':"
		"'smtp; 421 4.4.1 Unable to connect to remote host'}]}}",
		"0 delayed 4.4.1: 421 4.4.1 Unable to connect to remote host\n"},
	    {"bounce", SES_BOUNCE("Permanent", "5.1.1", "550 5.1.1 user unknown"),
		"0 bounced Permanent 5.1.1: 550 5.1.1 user unknown\n", NULL, "1 1"},
	    {"policy", SES_BOUNCE("Permanent", "5.7.1", "550 5.7.1 not you"),
		"0 bounced Permanent 5.7.1: 550 5.7.1 not you\n"},
	    {"content", SES_BOUNCE("Permanent", "5.6.0", "554 5.6.0 bad"),
		"0 bounced Permanent 5.6.0: 554 5.6.0 bad\n"},
	    {"size", SES_BOUNCE("Permanent", "5.3.4", "552 5.3.4 large"),
		"0 bounced Permanent 5.3.4: 552 5.3.4 large\n"},
	    {"transient", SES_BOUNCE("Transient", "", "452 4.2.2 full"),
		"0 bounced Transient 4.2.2: 452 4.2.2 full\n"},
	    {"undetermined", SES_BOUNCE("Undetermined", "5.0.0", "550 no"),
		"0 bounced Transient 5.0.0: 550 no\n"},
	    {"complaint",
		"{'eventType':'Complaint','complaint':{'complainedRecipients':[{"
		"'emailAddress':'ada@x.org'}],'timestamp':'@ISO@','feedbackId':'01',"
		"'userAgent':'Amazon SES Mailbox Simulator','complaintFeedbackType':'abuse',"
		"'arrivalDate':'2017-08-05T00:41:02.669Z'}," SES_MAIL "}",
		"0 complained\n", NULL, "2 1"},
	    {"no complaint",
		"{'eventType':'Complaint','complaint':{'complainedRecipients':[{"
		"'emailAddress':'ada@x.org'}],'complaintFeedbackType':'not-spam'}," SES_MAIL "}",
		""},
	    {"reject", "{'eventType':'Reject'," SES_MAIL ",'reject':{'reason':'Bad content'}}",
		"0 failed: Bad content\n"},
	    {"rendering",
		"{'eventType':'Rendering Failure'," SES_MAIL ",'failure':{'errorMessage':"
		"'Attribute name is not present','templateName':'MyTemplate'}}",
		"0 failed: Attribute name is not present\n"},
	    {"open",
		"{'eventType':'Open'," SES_MAIL ",'open':{'ipAddress':'192.0.2.1',"
		"'timestamp':'@ISO@','userAgent':'Thunderbird/115'}}",
		"0 opened\n", "192.0.2.1 Thunderbird/115 - 0"},
	    {"click",
		"{'eventType':'Click','click':{'ipAddress':'192.0.2.1','link':"
		"'http://docs.aws.example/ses/','linkTags':{'samplekey0':['samplevalue0']},"
		"'timestamp':'@ISO@','userAgent':'Thunderbird/115'}," SES_MAIL "}",
		"0 clicked\n", "192.0.2.1 Thunderbird/115 http://docs.aws.example/ses/ 0"},
	    {"open by a machine",
		"{'eventType':'Open'," SES_MAIL ",'open':{'ipAddress':'192.0.2.1',"
		"'timestamp':'@ISO@','userAgent':'Thunderbird/115','isAutomated':true}}",
		"0 opened\n", "192.0.2.1 Thunderbird/115 - 1"},
	    {"open by a machine, in a word",
		"{'eventType':'Open'," SES_MAIL ",'open':{'ipAddress':'192.0.2.1',"
		"'timestamp':'@ISO@','userAgent':'Thunderbird/115','interactionType':"
		"'AUTOMATED'}}",
		"0 opened\n", "192.0.2.1 Thunderbird/115 - 1"},
	    {"open by no machine",
		"{'eventType':'Open'," SES_MAIL ",'open':{'ipAddress':'192.0.2.1',"
		"'timestamp':'@ISO@','userAgent':'Thunderbird/115','isAutomated':false,"
		"'botType':'none'}}",
		"0 opened\n", "192.0.2.1 Thunderbird/115 - 0"},
	    {"click by a machine",
		"{'eventType':'Click','click':{'ipAddress':'192.0.2.1','link':"
		"'http://docs.aws.example/ses/','machineGenerated':'true',"
		"'timestamp':'@ISO@','userAgent':'Thunderbird/115'}," SES_MAIL "}",
		"0 clicked\n", "192.0.2.1 Thunderbird/115 http://docs.aws.example/ses/ 1"},
	    {"click with tags of the sender",
		"{'eventType':'Click','click':{'ipAddress':'192.0.2.1','link':"
		"'http://docs.aws.example/ses/','linkTags':{'machine':['true']},"
		"'timestamp':'@ISO@','userAgent':'Thunderbird/115'}," SES_MAIL "}",
		"0 clicked\n", "192.0.2.1 Thunderbird/115 http://docs.aws.example/ses/ 0"},
	    {"subscription",
		"{'eventType':'Subscription'," SES_MAIL ",'subscription':{'contactList':"
		"'ContactListName','timestamp':'@ISO@','source':'UnsubscribeHeader',"
		"'newTopicPreferences':{'unsubscribeAll':true}}}",
		"0 unsubscribed\n", NULL, "3 2"},
	    {"send", "{'eventType':'Send'," SES_MAIL ",'send':{}}", ""},
	    {"a sentence", "Successfully validated topic, reply-1", ""},
	};

	CHECK(PROVIDER_SES, samples);
}

#define MAILGUN(event, more)                                                                       \
	"{'event':'" event "','timestamp':@S@.873676,'id':'@EMAIL@'," more                         \
	"'recipient':'ada@x.org','recipient-domain':'x.org','tags':['my_tag_1'],"                  \
	"'user-variables':{'my_var_1':'1','posthouse-id':'@COPY@'},"                               \
	"'message':{'headers':{'to':'ada@x.org','message-id':"                                     \
	"'20130503182626.18666.16540@example.com','from':'a@example.com','subject':'Hello'},"      \
	"'attachments':[],'size':111},'campaigns':[],'flags':{'is-test-mode':false}}"
#define MAILGUN_READER                                                                             \
	"'ip':'192.0.2.1','client-info':{'client-type':'browser','client-os':'Linux',"             \
	"'device-type':'desktop','client-name':'Chrome','user-agent':'Thunderbird/115'},"

#define MAILGUN_BOT(bot)                                                                           \
	"'ip':'192.0.2.1','client-info':{'client-type':'browser','bot':'" bot                      \
	"','user-agent':'Thunderbird/115'},"

Test(providers, mailgun)
{
	static const struct sample samples[] = {
	    {"delivered",
		MAILGUN("delivered", "'delivery-status':{'code':250,'message':'OK','tls':true},"),
		"0 delivered\n"},
	    {"temporary",
		MAILGUN("failed", "'severity':'temporary','reason':'generic','delivery-status':{"
				  "'attempt-no':1,'message':'','code':498,'description':"
				  "'No MX for x.org','session-seconds':0},"),
		"0 delayed: 498 No MX for x.org\n"},
	    {"permanent",
		MAILGUN("failed", "'severity':'permanent','reason':'bounce','delivery-status':{"
				  "'code':550,'message':'5.1.1 unknown','description':''},"),
		"0 bounced Permanent 5.1.1: 550 5.1.1 unknown\n", NULL, "1 1"},
	    {"suppressed",
		MAILGUN("failed", "'severity':'permanent','reason':'suppress-bounce',"
				  "'delivery-status':{'code':605,'message':'','description':"
				  "'Not delivering to previously bounced address'},"),
		"0 suppressed: 605 Not delivering to previously bounced address\n"},
	    {"rejected",
		MAILGUN("rejected", "'reject':{'reason':'Sandbox subdomains are for test',"
				    "'description':''},"),
		"0 failed: Sandbox subdomains are for test\n"},
	    {"complained", MAILGUN("complained", ""), "0 complained\n", NULL, "2 1"},
	    {"opened", MAILGUN("opened", MAILGUN_READER), "0 opened\n",
		"192.0.2.1 Thunderbird/115 - 0"},
	    {"clicked", MAILGUN("clicked", "'url':'http://mailgun.example'," MAILGUN_READER),
		"0 clicked\n", "192.0.2.1 Thunderbird/115 http://mailgun.example 0"},
	    {"opened by a bot", MAILGUN("opened", MAILGUN_BOT("apple")), "0 opened\n",
		"192.0.2.1 Thunderbird/115 - 1"},
	    {"opened by no bot", MAILGUN("opened", MAILGUN_BOT("")), "0 opened\n",
		"192.0.2.1 Thunderbird/115 - 0"},
	    {"clicked by a bot",
		MAILGUN("clicked", "'url':'http://mailgun.example'," MAILGUN_BOT("generic")),
		"0 clicked\n", "192.0.2.1 Thunderbird/115 http://mailgun.example 1"},
	    {"unsubscribed", MAILGUN("unsubscribed", MAILGUN_READER), "0 unsubscribed\n", NULL,
		"3 2"},
	    {"accepted", MAILGUN("accepted", ""), ""},
	};

	CHECK(PROVIDER_MAILGUN, samples);
}

/* The signature of Mailgun does not cover the body: somebody who has seen one request must not send
   others with its signature. */
Test(providers, mailgun_signs_one_body)
{
	AUTO(smtp_server) relay = smtp_server_start(&good);
	AUTO(reporter) reporter = reporter_new(PROVIDER_MAILGUN);
	AUTO(fixture) fixture = open_world(relay, "mailgun", 1);
	struct base_id email = provider_send(fixture);
	gint64 now = base_clock_now();
	g_autofree char *opened = provider_fill(fixture, MAILGUN("opened", ""), &email, now);
	g_autofree char *complained =
	    provider_fill(fixture, MAILGUN("complained", ""), &email, now);
	g_autofree char *unknown = provider_fill(fixture, MAILGUN("accepted", ""), &email, now);

	reporter_add(reporter, fixture->service, "a");
	AUTO(reporter_request) first = reporter_sign(reporter, NULL, opened, "token-1", now);
	AUTO(reporter_request) other = reporter_sign(reporter, NULL, complained, "token-1", now);
	AUTO(reporter_request) again = reporter_sign(reporter, NULL, complained, "token-2", now);
	AUTO(reporter_request) empty = reporter_sign(reporter, NULL, unknown, "token-3", now);
	AUTO(reporter_request) filled = reporter_sign(reporter, NULL, complained, "token-3", now);
	expect_taken(reporter, fixture, first, "first", 1);
	provider_expect_refused(reporter, fixture, other, "another body");
	expect_taken(reporter, fixture, first, "repeated", 0);
	expect_taken(reporter, fixture, empty, "no event of ours", 0);
	provider_expect_refused(reporter, fixture, filled, "another body behind no event");
	g_autofree char *before = fixture_events(fixture, &email);
	cr_expect_str_eq(before, "0 sent\n0 opened\n");
	expect_taken(reporter, fixture, again, "another signature", 1);
	g_autofree char *after = fixture_events(fixture, &email);
	cr_expect_str_eq(after, "0 sent\n0 opened\n0 complained\n", "%s", after);
}

#define POSTMARK(record, more)                                                                     \
	"{'RecordType':'" record "','ServerID':23,'MessageStream':'outbound',"                     \
	"'MessageID':'@REPLY@','Tag':'welcome-email'," more                                        \
	"'Metadata':{'a_key':'a_value','b_key':'b_value'}}"
#define POSTMARK_BOUNCE(type)                                                                      \
	POSTMARK("Bounce", "'ID':42@S@,'Type':'" type "','TypeCode':1,'Name':'" type "',"          \
			   "'Description':'The server was unable to deliver your message.',"       \
			   "'Details':'smtp;550 5.1.1 no such user','Email':'ada@x.org',"          \
			   "'From':'a@example.com','BouncedAt':'@ISO@','DumpAvailable':true,"      \
			   "'Inactive':true,'CanActivate':true,'Subject':'Hello',")
#define POSTMARK_READER                                                                            \
	"'OS':{'Name':'OS X'},'Platform':'WebMail','UserAgent':'Thunderbird/115','Geo':{"          \
	"'CountryISOCode':'RS','IP':'192.0.2.1'},'Recipient':'ada@x.org','ReceivedAt':'@ISO@',"
#define POSTMARK_CHANGE(reason, stops)                                                             \
	POSTMARK("SubscriptionChange",                                                             \
	    "'ChangedAt':'@ISO@','Recipient':'ada@x.org','Origin':'Recipient',"                    \
	    "'SuppressSending':" stops ",'SuppressionReason':" reason ",")
#define POSTMARK_FIELD(name, value)                                                                \
	"{'RecordType':'Open','MessageID':'another','Recipient':'ada@x.org','Headers':["           \
	"{'Name':'" name "','Value':'" value "'}]}"

Test(providers, postmark)
{
	static const struct sample samples[] = {
	    {"delivery",
		POSTMARK("Delivery", "'Recipient':'ada@x.org','DeliveredAt':'@ISO@',"
				     "'Details':'Test delivery webhook details',"),
		"0 delivered\n"},
	    {"hard", POSTMARK_BOUNCE("HardBounce"),
		"0 bounced Permanent 5.1.1: 550 5.1.1 no such user\n", NULL, "1 1"},
	    {"bad address", POSTMARK_BOUNCE("BadEmailAddress"),
		"0 bounced Permanent 5.1.1: 550 5.1.1 no such user\n", NULL, "1 1"},
	    {"transient", POSTMARK_BOUNCE("Transient"),
		"0 delayed 5.1.1: 550 5.1.1 no such user\n"},
	    {"deactivated", POSTMARK_BOUNCE("ManuallyDeactivated"),
		"0 suppressed 5.1.1: 550 5.1.1 no such user\n"},
	    {"API", POSTMARK_BOUNCE("SMTPApiError"), "0 failed 5.1.1: 550 5.1.1 no such user\n"},
	    {"soft", POSTMARK_BOUNCE("SoftBounce"),
		"0 bounced Transient 5.1.1: 550 5.1.1 no such user\n"},
	    {"DMARC", POSTMARK_BOUNCE("DMARCPolicy"),
		"0 bounced Transient 5.1.1: 550 5.1.1 no such user\n"},
	    {"responder", POSTMARK_BOUNCE("AutoResponder"), ""},
	    {"change", POSTMARK_BOUNCE("AddressChange"), ""},
	    {"subscribe", POSTMARK_BOUNCE("Subscribe"), ""},
	    {"unsubscribe", POSTMARK_BOUNCE("Unsubscribe"), ""},
	    {"challenge", POSTMARK_BOUNCE("ChallengeVerification"), ""},
	    {"relay test", POSTMARK_BOUNCE("OpenRelayTest"), ""},
	    {"complaint",
		POSTMARK("SpamComplaint", "'ID':43@S@,'Type':'SpamComplaint','TypeCode':512,"
					  "'Email':'ada@x.org','BouncedAt':'@ISO@',"),
		"0 complained\n", NULL, "2 1"},
	    {"open", POSTMARK("Open", "'FirstOpen':true," POSTMARK_READER), "0 opened\n",
		"192.0.2.1 Thunderbird/115 - 0"},
	    {"click",
		POSTMARK("Click", "'ClickLocation':'HTML','OriginalLink':"
				  "'https://example.com'," POSTMARK_READER),
		"0 clicked\n", "192.0.2.1 Thunderbird/115 https://example.com 0"},
	    {"left", POSTMARK_CHANGE("'ManualSuppression'", "true"), "0 unsubscribed\n", NULL,
		"3 2"},
	    {"came back", POSTMARK_CHANGE("null", "false"), ""},
	    {"inbound", POSTMARK("Inbound", ""), ""},
	    {"our id", POSTMARK_FIELD("X-Posthouse-Id", "@COPY@"), "0 opened\n"},
	    {"our Message-ID", POSTMARK_FIELD("Message-ID", "<@EMAIL@@example.com>"), "0 opened\n"},
	};

	CHECK(PROVIDER_POSTMARK, samples);
}

#define SENDGRID(event, more)                                                                      \
	"[{'email':'ada@x.org','timestamp':@S@,'smtp-id':'<14c5d75ce93.dfd.64b469@ismtpd-555>',"   \
	"'event':'" event "','category':['cat facts'],'sg_event_id':'@EMAIL@'," more               \
	"'sg_message_id':'@REPLY@.filter0001.16648.5515E0B88.0'}]"
#define SENDGRID_READER "'useragent':'Thunderbird/115','ip':'192.0.2.1'"

Test(providers, sendgrid)
{
	static const struct sample samples[] = {
	    {"delivered", SENDGRID("delivered", "'response':'250 OK',"), "0 delivered\n"},
	    {"deferred",
		SENDGRID("deferred", "'response':'400 4.2.1 try again later','attempt':'5',"),
		"0 delayed 4.2.1: 400 4.2.1 try again later\n"},
	    {"bounce",
		SENDGRID("bounce", "'reason':'500 unknown recipient','status':'5.0.0',"
				   "'type':'bounce',"),
		"0 bounced Permanent 5.0.0: 500 unknown recipient\n", NULL, "1 1"},
	    {"without a type", SENDGRID("bounce", "'reason':'550 unknown','status':'5.1.1',"),
		"0 bounced Permanent 5.1.1: 550 unknown\n", NULL, "1 1"},
	    {"blocked",
		SENDGRID("bounce", "'reason':'550 5.7.1 spam','status':'5.7.1',"
				   "'type':'blocked',"),
		"0 bounced Transient 5.7.1: 550 5.7.1 spam\n"},
	    {"dropped", SENDGRID("dropped", "'reason':'Bounced Address','status':'5.0.0',"),
		"0 suppressed 5.0.0: Bounced Address\n"},
	    {"spam", SENDGRID("dropped", "'reason':'Spam Content',"), "0 failed: Spam Content\n"},
	    {"spamreport", SENDGRID("spamreport", ""), "0 complained\n", NULL, "2 1"},
	    {"open", SENDGRID("open", SENDGRID_READER ",'sg_machine_open':false,"), "0 opened\n",
		"192.0.2.1 Thunderbird/115 - 0"},
	    {"machine", SENDGRID("open", SENDGRID_READER ",'sg_machine_open':true,"), "0 opened\n",
		"192.0.2.1 Thunderbird/115 - 1"},
	    {"click", SENDGRID("click", SENDGRID_READER ",'url':'http://www.sendgrid.example/',"),
		"0 clicked\n", "192.0.2.1 Thunderbird/115 http://www.sendgrid.example/ 0"},
	    {"unsubscribe", SENDGRID("unsubscribe", ""), "0 unsubscribed\n", NULL, "3 2"},
	    {"group", SENDGRID("group_unsubscribe", "'asm_group_id':10,"), "0 unsubscribed\n", NULL,
		"3 2"},
	    {"back", SENDGRID("group_resubscribe", "'asm_group_id':10,"), ""},
	    {"processed", SENDGRID("processed", ""), ""},
	};

	CHECK(PROVIDER_SENDGRID, samples);
}

#define BREVO(event, more)                                                                         \
	"{'event':'" event "','email':'ada@x.org','id':26224,'date':'2026-11-22 10:00:00',"        \
	"'ts':@S@,'message-id':'<@REPLY@>','ts_event':@S@,'subject':'Hello'," more                 \
	"'tag':'[\\\"transactional\\\"]','sending_ip':'198.51.100.1','ts_epoch':@MS@,"             \
	"'tags':['transactional'],'X-Mailin-custom':'some_custom_header'}"

Test(providers, brevo)
{
	static const struct sample samples[] = {
	    {"delivered", BREVO("delivered", ""), "0 delivered\n"},
	    {"deferred", BREVO("deferred", "'reason':'421 4.7.0 busy',"),
		"0 delayed 4.7.0: 421 4.7.0 busy\n"},
	    {"hard", BREVO("hard_bounce", "'reason':'550 5.1.1 nobody',"),
		"0 bounced Permanent 5.1.1: 550 5.1.1 nobody\n", NULL, "1 1"},
	    {"invalid", BREVO("invalid_email", ""), "0 bounced Permanent\n", NULL, "1 1"},
	    {"soft", BREVO("soft_bounce", "'reason':'full',"), "0 bounced Transient: full\n"},
	    {"blocked", BREVO("blocked", ""), "0 suppressed\n"},
	    {"error", BREVO("error", "'reason':'no',"), "0 failed: no\n"},
	    {"spam", BREVO("spam", ""), "0 complained\n", NULL, "2 1"},
	    {"complaint", BREVO("complaint", ""), "0 complained\n", NULL, "2 1"},
	    {"opened", BREVO("opened", ""), "0 opened\n", "- - - 0"},
	    {"first", BREVO("unique_opened", "'user_agent':'Thunderbird/115','ip':'192.0.2.1',"),
		"0 opened\n", "192.0.2.1 Thunderbird/115 - 0"},
	    {"proxy", BREVO("proxy_open", ""), "0 opened\n", "- - - 1"},
	    {"first proxy", BREVO("unique_proxy_open", ""), "0 opened\n", "- - - 1"},
	    {"click", BREVO("click", "'link':'https://example.com',"), "0 clicked\n",
		"- - https://example.com 0"},
	    {"unsubscribed", BREVO("unsubscribed", ""), "0 unsubscribed\n", NULL, "3 2"},
	    {"unsubscribe", BREVO("unsubscribe", ""), "0 unsubscribed\n", NULL, "3 2"},
	    {"request", BREVO("request", ""), ""},
	};

	CHECK(PROVIDER_BREVO, samples);
}

#define RESEND(type, more)                                                                         \
	"{'type':'email." type "','created_at':'@ISO@','data':{'broadcast_id':"                    \
	"'8b146471-e88e-4322-86af-016cd36fd216','created_at':'@ISO@','email_id':'@REPLY@',"        \
	"'from':'Acme <a@example.com>','to':['ada@x.org']," more "'subject':'Hello'}}"

Test(providers, resend)
{
	static const struct sample samples[] = {
	    {"delivered", RESEND("delivered", ""), "0 delivered\n"},
	    {"delayed", RESEND("delivery_delayed", ""), "0 delayed\n"},
	    {"bounced",
		RESEND("bounced", "'bounce':{'message':'550 5.1.1 The address does not exist',"
				  "'subType':'General','type':'Permanent'},"),
		"0 bounced Permanent 5.1.1: 550 5.1.1 The address does not exist\n", NULL, "1 1"},
	    {"without a type", RESEND("bounced", ""), "0 bounced Permanent\n", NULL, "1 1"},
	    {"transient", RESEND("bounced", "'bounce':{'message':'full','type':'Transient'},"),
		"0 bounced Transient: full\n"},
	    {"undetermined", RESEND("bounced", "'bounce':{'type':'Undetermined'},"),
		"0 bounced Transient\n"},
	    {"suppressed", RESEND("suppressed", ""), "0 suppressed\n"},
	    {"failed", RESEND("failed", "'failed':{'reason':'reached_daily_quota'},"),
		"0 failed: reached_daily_quota\n"},
	    {"complained", RESEND("complained", ""), "0 complained\n", NULL, "2 1"},
	    {"opened", RESEND("opened", ""), "0 opened\n", "- - - 0"},
	    {"clicked",
		RESEND("clicked",
		    "'click':{'ipAddress':'192.0.2.1','link':'https://resend.example',"
		    "'timestamp':'@ISO@','userAgent':'Thunderbird/115'},"),
		"0 clicked\n", "192.0.2.1 Thunderbird/115 https://resend.example 0"},
	    {"sent", RESEND("sent", ""), ""},
	    {"contact", "{'type':'contact.created','data':{'email':'ada@x.org'}}", ""},
	};

	CHECK(PROVIDER_RESEND, samples);
}

#define GENERIC(type, more)                                                                        \
	"{'type':'email." type "','timestamp':'@ISO@','data':{'email_id':'@REPLY@'," more          \
	"'recipient':'ada@x.org'}}"

Test(providers, generic)
{
	static const struct sample samples[] = {
	    {"delivered", GENERIC("delivered", ""), "0 delivered\n"},
	    {"in a list", "[" GENERIC("delivered", "") "]", "0 delivered\n"},
	    {"delayed", GENERIC("delayed", "'bounce':{'code':'4.2.0','message':'451 later'},"),
		"0 delayed 4.2.0: 451 later\n"},
	    {"bounced",
		GENERIC(
		    "bounced", "'bounce':{'type':'Permanent','code':'5.1.1','message':'550 no'},"),
		"0 bounced Permanent 5.1.1: 550 no\n", NULL, "1 1"},
	    {"failed", GENERIC("failed", "'bounce':{'message':'554 5.6.0 no'},"),
		"0 failed 5.6.0: 554 5.6.0 no\n"},
	    {"opened",
		GENERIC("opened", "'open':{'ip':'2001:DB8::1','user_agent':'GoogleImageProxy'},"),
		"0 opened\n", "2001:db8::1 GoogleImageProxy - 1"},
	    {"clicked",
		GENERIC("clicked", "'click':{'link':'https://x.example','ip':'192.0.2.1',"
				   "'user_agent':'Thunderbird/115'},"),
		"0 clicked\n", "192.0.2.1 Thunderbird/115 https://x.example 0"},
	    {"unsubscribed", GENERIC("unsubscribed", ""), "0 unsubscribed\n", NULL, "3 2"},
	};

	CHECK(PROVIDER_GENERIC, samples);
}
