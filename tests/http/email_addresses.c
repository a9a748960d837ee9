/* SPDX-License-Identifier: MIT */
/* Addresses of an email: each form that is accepted, and each that is refused. */
#include <criterion/criterion.h>

#include "tests/http/email.h"

FIXTURE_SUITE(email_addresses, 900);

#define FIVE "b@example.net,b@example.net,b@example.net,b@example.net,b@example.net,"
#define FIFTY "'to':'" FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE FIVE "'"

Test(email_addresses, take_many_shapes)
{
	static const struct acceptance acceptances[] = {
	    {"from, bare", "'from':'a@example.com'", {"from = 'a@example.com'"}},
	    {"from, angle brackets", "'from':'<a@example.com>'", {"from = 'a@example.com'"}},
	    {"from, name", "'from':'Ann <a@example.com>'", {"from = 'Ann <a@example.com>'"}},
	    {"from, quoted name", "'from':'\\u0022Ann, B.\\u0022 <a@example.com>'",
		{"from = '\\'Ann, B.\\' <a@example.com>'"}},
	    {"from, quotes not needed", "'from':'\\u0022Ann\\u0022 <a@example.com>'",
		{"from = 'Ann <a@example.com>'"}},
	    {"from, other script", "'from':'\u5c71\u7530 <a@example.com>'",
		{"from = '\u5c71\u7530 <a@example.com>'"}},
	    {"from, other case", "'from':'A@EXAMPLE.COM'", {"from = 'A@example.com'"}},
	    {"from, a sub-domain", "'from':'a@news.example.com'", {"from = 'a@news.example.com'"}},
	    {"from, spaces around", "'from':'  Ann   <a@example.com>  '",
		{"from = 'Ann <a@example.com>'"}},
	    {"to, one in an array", "'to':['b@example.net']",
		{"to = ['b@example.net']", "recipient_statuses[0].recipient = 'b@example.net'"}},
	    {"to, a list", "'to':'b@example.net, \\u0022C, D\\u0022 <c@example.net>'",
		{"to = ['b@example.net','c@example.net']"}},
	    {"to, an array of lists", "'to':['b@example.net,c@example.net','D <d@example.net>']",
		{"to = ['b@example.net','c@example.net','d@example.net']"}},
	    {"to, without names", "'to':'B <b@example.net>'", {"to = ['b@example.net']"}},
	    {"to, comment", "'to':'b@example.net (B)'", {"to = ['b@example.net']"}},
	    {"to, empty elements", "'to':'b@example.net,, c@example.net,'",
		{"to = ['b@example.net','c@example.net']"}},
	    {"to, other domain script", "'to':'b@b\u00fccher.example'",
		{"to = ['b@xn--bcher-kva.example']"}},
	    {"to, a joiner in the domain",
		"'to':'b@\u0646\u0627\u0645\u0647\u200c\u0627\u06cc.example'",
		{"to = ['b@xn--mgba3gch31f060k.example']"}},
	    {"from, a name that needs quotes", "'from':'Acme, Inc. <a@example.com>'",
		{"from = '\\'Acme, Inc.\\' <a@example.com>'"}},
	    {"from, an address as the name", "'from':'a@example.com <a@example.com>'",
		{"from = '\\'a@example.com\\' <a@example.com>'"}},
	    {"to, a name that needs quotes", "'to':'Acme: Sales <b@example.net>'",
		{"to = ['b@example.net']", "recipient_statuses[1] = null"}},
	    {"cc, names that need quotes",
		"'cc':['Acme [x] <b@example.net>','Acme @ Home, Inc. <c@example.net>']",
		{"cc = ['b@example.net','c@example.net']"}},
	    {"to, fifty and a comma", FIFTY, {"recipient_statuses[50] = null"}},
	    {"none",
		"'cc':'','bcc':[''],'reply_to':'','scheduled_at':'','topic_id':'',"
		"'template_id':''",
		{"cc = []", "bcc = []", "reply_to = []", "scheduled_at = null"}},
	    {"none, twice", "'cc':['',''],'bcc':'','reply_to':['']",
		{"cc = []", "bcc = []", "reply_to = []"}},
	    {"to, domain in capitals", "'to':'B@EXAMPLE.NET'", {"to = ['B@example.net']"}},
	    {"to, needless quotes", "'to':'\\u0022b.c\\u0022@example.net'",
		{"to = ['b.c@example.net']"}},
	    {"to, plus and others", "'to':'b+c!#$%&*/=?^_`{|}~-@example.net'",
		{"to = ['b+c!#$%&*/=?^_`{|}~-@example.net']"}},
	    {"cc, bcc and reply_to",
		"'cc':'C <c@example.net>','bcc':['d@example.net'],'reply_to':'E <e@example.net>'",
		{"cc = ['c@example.net']", "bcc = ['d@example.net']",
		    "reply_to = ['e@example.net']",
		    "recipient_statuses[2].recipient = 'd@example.net'",
		    "recipient_statuses[3] = null"}},
	    {"one address in several lists",
		"'to':'b@example.net,B@example.net','cc':'b@EXAMPLE.net','bcc':'c@example.net'",
		{"to = ['b@example.net','B@example.net']", "cc = ['b@example.net']",
		    "recipient_statuses[0].recipient = 'b@example.net'",
		    "recipient_statuses[1].recipient = 'c@example.net'",
		    "recipient_statuses[2] = null"}},
	};

	ACCEPT_ALL(fixture, acceptances);
}

#define INVALID(field, address, why) field " must be a valid email address: \"" address "\" " why

#define HYPHEN                                                                                     \
	"has a local part (before the @) that begins with a hyphen; such local parts cannot be "   \
	"sent"
#define NEEDS_QUOTES                                                                               \
	"has a local part (before the @) that needs quotes; such local parts cannot be sent"

Test(email_addresses, refuse_what_is_none)
{
	static const struct refusal refusals[] = {
	    {"no @", "'from':'a'", INVALID("from", "a", "has no domain")},
	    {"no domain", "'from':'a@'", INVALID("from", "a@", "has no domain")},
	    {"no local part", "'from':'@example.com'",
		INVALID("from", "@example.com", "has nothing before the @")},
	    {"two", "'from':'a@example.com, b@example.com'",
		INVALID("from", "a@example.com, b@example.com", "is a list")},
	    {"two @", "'from':'a@b@example.com'",
		INVALID("from", "a@b@example.com", "has no valid domain")},
	    {"open bracket", "'from':'Ann <a@example.com'",
		INVALID("from", "Ann <a@example.com", "is not one")},
	    {"text behind", "'from':'<a@example.com> Ann'",
		INVALID("from", "<a@example.com> Ann", "has text after the address")},
	    {"to, empty", "'to':''", INVALID("to", "", "is empty")},
	    {"to, blank", "'to':'  '", INVALID("to", "  ", "is empty")},
	    {"to, commas alone", "'to':',,'", INVALID("to", ",,", "is empty")},
	    {"to, one label", "'to':'b@localhost'",
		INVALID("to", "b@localhost", "has no valid domain")},
	    {"to, literal", "'to':'b@[127.0.0.1]'",
		INVALID("to", "b@[127.0.0.1]", "has an address literal in place of a domain")},
	    {"to, group", "'to':'all: b@example.net;'",
		INVALID("to", "all: b@example.net;",
		    "is a group; give its addresses, separated by commas")},
	    {"to, local part that is not ASCII", "'to':'\u00fc@example.net'",
		INVALID("to", "\u00fc@example.net",
		    "has a local part (before the @) that is not ASCII; such local parts cannot be "
		    "sent")},
	    {"from, quoted local part", "'from':'\\u0022a b\\u0022@example.com'",
		INVALID("from", "\"a b\"@example.com", NEEDS_QUOTES)},
	    {"to, quoted local part", "'to':'\\u0022a b\\u0022@example.net'",
		INVALID("to", "\"a b\"@example.net", NEEDS_QUOTES)},
	    {"cc, quoted local part", "'cc':'\\u0022a@b\\u0022@example.net'",
		INVALID("cc", "\"a@b\"@example.net", NEEDS_QUOTES)},
	    {"bcc, quoted local part", "'bcc':'\\u0022.a\\u0022@example.net'",
		INVALID("bcc", "\".a\"@example.net", NEEDS_QUOTES)},
	    {"reply_to, quoted local part", "'reply_to':'\\u0022a b\\u0022@example.net'",
		INVALID("reply_to", "\"a b\"@example.net", NEEDS_QUOTES)},
	    {"to, final dot", "'to':'b@example.net.'",
		INVALID("to", "b@example.net.", "has no valid domain")},
	    {"to, hyphen first", "'to':'b@-example.net'",
		INVALID("to", "b@-example.net", "has no valid domain")},
	    {"to, two dots", "'to':'b..c@example.net'",
		INVALID("to", "b..c@example.net", "has no valid text before the @")},
	    {"the second of an array", "'to':['b@example.net','c']",
		"to[1] must be a valid email address: \"c\" has no domain"},
	    {"cc", "'cc':'x'", INVALID("cc", "x", "has no domain")},
	    {"cc, commas alone", "'cc':' , '", INVALID("cc", " , ", "is empty")},
	    {"to, a hyphen first", "'to':'-g@example.net'",
		INVALID("to", "-g@example.net", HYPHEN)},
	    {"cc, a hyphen first", "'cc':['c@example.net','G <-g@example.net>']",
		"cc[1] must be a valid email address: \"G <-g@example.net>\" " HYPHEN},
	    {"bcc, a hyphen first", "'bcc':'-@example.net'",
		INVALID("bcc", "-@example.net", HYPHEN)},
	    {"from, a hyphen first", "'from':'-g@example.com'",
		INVALID("from", "-g@example.com", HYPHEN)},
	    {"to, a joiner that may not stand", "'to':'b@a\u200db.example'",
		INVALID("to", "b@a\u200db.example", "has no valid domain")},
	    {"to, a list with a fault, and a name behind it",
		"'to':'B <b@example.net>, c, D, E. <d@example.net>'",
		INVALID("to", "c", "has no domain")},
	    {"bcc", "'bcc':['c@example.net','x']",
		"bcc[1] must be a valid email address: \"x\" has no domain"},
	    {"reply_to", "'reply_to':'x@'", INVALID("reply_to", "x@", "has no domain")},
	};

	REFUSE_ALL(fixture, refusals);
}

Test(email_addresses, are_of_verified_domains)
{
	static const struct refusal refusals[] = {
	    {"another domain", "'from':'a@example.org'", "Domain example.org is not registered",
		403},
	    {"begins like one", "'from':'a@example.com.evil.org'",
		"Domain example.com.evil.org is not registered", 403},
	    {"ends like one", "'from':'a@notexample.com'",
		"Domain notexample.com is not registered", 403},
	    {"other script", "'from':'a@b\u00fccher.org'",
		"Domain xn--bcher-kva.org is not registered", 403},
	    {"registered", "'from':'a@new.example'", "Domain new.example is not verified", 403},
	    {"below a registered one", "'from':'a@x.new.example'",
		"Domain x.new.example is not verified", 403},
	    {"another workspace's", "'from':'hello@posthouse.example'",
		"Domain posthouse.example is not registered", 403},
	    {"after all fields", "'from':'a@example.org','headers':{'X':7}",
		"headers.X must be a string or an array of strings"},
	};

	g_free(TEST_RUN(fixture->instance, "posthouse", "domain", "add", "new.example",
	    "--workspace", fixture->name));
	REFUSE_ALL(fixture, refusals);
}

/* The nearest registered domain counts, though one above it is verified. */
Test(email_addresses, are_of_the_nearest_domain)
{
	static const struct refusal refusals[] = {
	    {"registered itself", "'from':'a@new.example.com'",
		"Domain new.example.com is not verified", 403},
	    {"below it", "'from':'a@x.new.example.com'", "Domain x.new.example.com is not verified",
		403},
	};
	static const struct acceptance acceptances[] = {
	    {"beside it", "'from':'a@old.example.com'", {"from = 'a@old.example.com'"}}};

	g_free(TEST_RUN(fixture->instance, "posthouse", "domain", "add", "new.example.com",
	    "--workspace", fixture->name));
	REFUSE_ALL(fixture, refusals);
	ACCEPT_ALL(fixture, acceptances);
}

Test(email_addresses, are_of_domains_in_any_script)
{
	static const struct acceptance acceptances[] = {
	    {"as it is written", "'from':'B <a@b\u00fccher.example>'",
		{"from = 'B <a@xn--bcher-kva.example>'"}},
	    {"in capitals", "'from':'a@B\u00dcCHER.example'", {"from = 'a@xn--bcher-kva.example'"}},
	    {"in A-labels", "'from':'a@xn--bcher-kva.example'",
		{"from = 'a@xn--bcher-kva.example'"}},
	};

	g_free(TEST_RUN(fixture->instance, "posthouse", "domain", "add", "b\u00fccher.example",
	    "--workspace", fixture->name));
	g_free(TEST_RUN(fixture->instance, "posthouse", "domain", "trust", "b\u00fccher.example",
	    "--workspace", fixture->name));
	ACCEPT_ALL(fixture, acceptances);
}
