/* SPDX-License-Identifier: MIT */
/* The fields of an email: which are required, which exclude each other, what type each has. */
#include <criterion/criterion.h>
#include <string.h>

#include "tests/http/email.h"

FIXTURE_SUITE(email_fields, 900);

Test(email_fields, are_required)
{
	static const struct refusal refusals[] = {
	    {"without from", NULL, "from is required", .without = "from"},
	    {"from null", "'from':null", "from is required"},
	    {"from empty", "'from':''", "from is required"},
	    {"without to", NULL, "to is required", .without = "to"},
	    {"to null", "'to':null", "to is required"},
	    {"to without elements", "'to':[]", "to is required"},
	    {"without subject", NULL, "subject is required", .without = "subject"},
	    {"subject null", "'subject':null", "subject is required"},
	    {"without html", NULL, "html or text is required when template_id is absent",
		.without = "html"},
	    {"html null", "'html':null", "html or text is required when template_id is absent"},
	    {"html, text and template_id null", "'html':null,'text':null,'template_id':null",
		"html or text is required when template_id is absent"},
	    {"html and text empty", "'html':'','text':''",
		"html or text is required when template_id is absent"},
	    {"text empty", "'text':''", "html or text is required when template_id is absent",
		.without = "html"},
	    {"html and template_id", "'template_id':'x'",
		"html is not allowed together with template_id"},
	    {"html empty and template_id", "'html':'','template_id':'x'",
		"html is not allowed together with template_id"},
	    {"template that is not there", "'template_id':'x','html':null", "Template not found"},
	    {"template that cannot be there", "'template_id':'\\u20ac','html':null",
		"Template not found"},
	    {"template_id empty", "'template_id':'','html':null",
		"html or text is required when template_id is absent"},
	};

	REFUSE_ALL(fixture, refusals);
}

Test(email_fields, may_be_null_or_unknown)
{
	static const struct acceptance acceptances[] = {
	    {"least", NULL, {"cc = []", "reply_to = []", "template_id = null", "tags = {}"}},
	    {"all others null",
		"'cc':null,'bcc':null,'reply_to':null,'text':null,'template_id':null,"
		"'variables':null,'attachments':null,'headers':null,'tags':null,"
		"'scheduled_at':null",
		{"cc = []", "bcc = []", "text = 'Hi\\n'", "scheduled_at = null"}},
	    {"all others empty",
		"'cc':[],'bcc':[],'reply_to':[],'text':'','variables':{},'attachments':[],"
		"'headers':{},'tags':{}",
		{"cc = []", "bcc = []", "text = ''", "tags = {}"}},
	    {"subject empty", "'subject':''", {"subject = ''"}},
	    {"text alone", "'text':'x'", {"html = ''", "text = 'x'"}, .without = "html"},
	    {"text of spaces alone", "'text':' '", {"html = ''", "text = ' '"}, .without = "html"},
	    {"text with empty html", "'text':'{{a|b}}','html':''", {"html = ''", "text = 'b'"}},
	    {"unknown fields", "'colour':7,'html ':7,'sender':[[[]]],'':null,'type':'automation'",
		{"type = 'transactional'"}},
	    {"null members of attachments",
		"'attachments':[{'filename':'a','content':'','path':null,'content_type':null,"
		"'content_id':null,'size':7}]",
		{"subject = 'S'"}},
	};

	ACCEPT_ALL(fixture, acceptances);
}

#define NOT_STRING 1
#define NOT_LIST 2
#define NOT_OBJECT 4
#define NOT_ARRAY 8
#define NOT_TIME 16

/* A value, and what it is not. */
static const struct {
	const char *value;
	guint is_not;
} samples[] = {
    {"7", NOT_STRING | NOT_LIST | NOT_OBJECT | NOT_ARRAY},
    {"1.5", NOT_STRING | NOT_LIST | NOT_OBJECT | NOT_ARRAY | NOT_TIME},
    {"1e3", NOT_STRING | NOT_LIST | NOT_OBJECT | NOT_ARRAY | NOT_TIME},
    {"true", NOT_STRING | NOT_LIST | NOT_OBJECT | NOT_ARRAY | NOT_TIME},
    {"false", NOT_STRING | NOT_LIST | NOT_OBJECT | NOT_ARRAY | NOT_TIME},
    {"{}", NOT_STRING | NOT_LIST | NOT_ARRAY | NOT_TIME},
    {"{'0':'b@example.net'}", NOT_STRING | NOT_LIST | NOT_ARRAY | NOT_TIME},
    {"['x@example.net']", NOT_STRING | NOT_OBJECT | NOT_TIME},
    {"[]", NOT_STRING | NOT_OBJECT | NOT_TIME},
    {"'text'", NOT_OBJECT | NOT_ARRAY | NOT_TIME},
    {"''", NOT_OBJECT | NOT_ARRAY},
    {"['']", NOT_STRING | NOT_OBJECT | NOT_TIME},
};

#define IN_ATTACHMENT "'attachments':[{'content':''},{'filename':'a','content':'',%s}]"

static const struct {
	const char *name, *format;
	guint type;
	const char *want;
} fields[] = {
    {"from", "'from':%s", NOT_STRING, "from must be a string"},
    {"to", "'to':%s", NOT_LIST, "to must be a string or an array of strings"},
    {"cc", "'cc':%s", NOT_LIST, "cc must be a string or an array of strings"},
    {"bcc", "'bcc':%s", NOT_LIST, "bcc must be a string or an array of strings"},
    {"reply_to", "'reply_to':%s", NOT_LIST, "reply_to must be a string or an array of strings"},
    {"subject", "'subject':%s", NOT_STRING, "subject must be a string"},
    {"html", "'html':%s", NOT_STRING, "html must be a string"},
    {"text", "'text':%s", NOT_STRING, "text must be a string"},
    {"template_id", "'template_id':%s", NOT_STRING, "template_id must be a string"},
    {"variables", "'variables':%s", NOT_OBJECT, "variables must be an object"},
    {"headers", "'headers':%s", NOT_OBJECT, "headers must be an object"},
    {"tags", "'tags':%s", NOT_OBJECT, "tags must be an object"},
    {"scheduled_at", "'scheduled_at':%s", NOT_TIME,
	"scheduled_at must be epoch milliseconds or an ISO 8601 time"},
    {"attachments", "'attachments':%s", NOT_ARRAY, "attachments must be an array"},
    {"attachment", "'attachments':[{'filename':'a','content':''},%s]", NOT_OBJECT,
	"attachments[1] must be an object"},
    {"filename", "'attachments':[{'filename':%s,'content':''}]", NOT_STRING,
	"attachments[0].filename must be a string"},
    {"content", "'attachments':[{'filename':'a','content':%s}]", NOT_STRING,
	"attachments[0].content must be a string"},
    {"path", "'attachments':[{'filename':'a','path':%s}]", NOT_STRING,
	"attachments[0].path must be a string"},
    {"content_type", "'attachments':[{'filename':'a','content':'','content_type':%s}]", NOT_STRING,
	"attachments[0].content_type must be a string"},
    {"content_id", "'attachments':[{'filename':'a','content':'','content_id':%s}]", NOT_STRING,
	"attachments[0].content_id must be a string"},
};

Test(email_fields, have_types)
{
	for (gsize i = 0; i < G_N_ELEMENTS(fields); i++) {
		g_autoptr(GArray) refusals = g_array_new(FALSE, TRUE, sizeof(struct refusal));
		g_autoptr(GPtrArray) texts = g_ptr_array_new_with_free_func(g_free);

		for (gsize j = 0; j < G_N_ELEMENTS(samples); j++) {
			if (!(samples[j].is_not & fields[i].type))
				continue;
			g_auto(GStrv) parts = g_strsplit(fields[i].format, "%s", 2);
			char *change = g_strconcat(parts[0], samples[j].value, parts[1], NULL);
			const struct refusal refusal = {change, change, fields[i].want};
			g_ptr_array_add(texts, change);
			g_array_append_val(refusals, refusal);
		}
		email_refuse_all(fixture, (struct refusal *)(void *)refusals->data, refusals->len);
	}
}

#define SHAPE " must be a string, a number or an object with value and default"

#define TEXTS " must be a string or an array of strings"

Test(email_fields, have_elements_of_types)
{
	static const struct refusal refusals[] = {
	    {"to, number", "'to':['b@example.net',7]", "to[1] must be a string"},
	    {"to, null", "'to':[null]", "to[0] must be a string"},
	    {"to, object", "'to':[{'email':'b@example.net'}]", "to[0] must be a string"},
	    {"to, array", "'to':[['b@example.net']]", "to[0] must be a string"},
	    {"cc, boolean", "'cc':['b@example.net','c@example.net',true]",
		"cc[2] must be a string"},
	    {"bcc, null", "'bcc':[null]", "bcc[0] must be a string"},
	    {"reply_to, number", "'reply_to':[0]", "reply_to[0] must be a string"},
	    {"attachment null", "'attachments':[null]", "attachments[0] must be an object"},
	    {"header, number", "'headers':{'X-A':7}", "headers.X-A" TEXTS},
	    {"header, null", "'headers':{'X-A':null}", "headers.X-A" TEXTS},
	    {"header, array", "'headers':{'X-A':['x',7]}", "headers.X-A" TEXTS},
	    {"header that stands once", "'headers':{'References':['<a@x.org>']}",
		"headers.References must be a string: a message has one field of this name"},
	    {"alternative", "'attachments':[{'filename':'a','content':'','alternative':1}]",
		"attachments[0].alternative must be a boolean"},
	    {"tag, number", "'tags':{'a':7}", "tags.a must be a string"},
	    {"tag, null", "'tags':{'a':null}", "tags.a must be a string"},
	    {"tag, object", "'tags':{'a':{}}", "tags.a must be a string"},
	    {"variable, boolean value", "'variables':{'a':{'value':false}}", "variables.a" SHAPE},
	    {"variable, object as value", "'variables':{'a':{'value':{}}}", "variables.a" SHAPE},
	    {"variable, array as default", "'variables':{'a':{'value':'x','default':[]}}",
		"variables.a" SHAPE},
	    {"the second variable", "'variables':{'a':1,'b.c':{'value':[]}}",
		"variables.b.c" SHAPE},
	};

	REFUSE_ALL(fixture, refusals);
}

#define NUL " must not contain the character U+0000"

Test(email_fields, hold_no_nul)
{
	static const struct refusal refusals[] = {
	    {"from", "'from':'a\\u0000@example.com'", "from" NUL},
	    {"to", "'to':'b@example.net\\u0000'", "to" NUL},
	    {"to, element", "'to':['b@example.net','\\u0000']", "to[1]" NUL},
	    {"subject", "'subject':'a\\u0000'", "subject" NUL},
	    {"html", "'html':'\\u0000'", "html" NUL},
	    {"text", "'text':'a\\u0000b'", "text" NUL},
	    {"template_id", "'template_id':'\\u0000','html':null", "template_id" NUL},
	    {"variable", "'variables':{'a':'\\u0000'}", "variables.a" NUL},
	    {"value of a variable", "'variables':{'a':{'value':'\\u0000'}}",
		"variables.a.value" NUL},
	    {"header", "'headers':{'X-A':'\\u0000'}", "headers.X-A" NUL},
	    {"tag", "'tags':{'a':'\\u0000'}", "tags.a" NUL},
	    {"filename", "'attachments':[{'filename':'a\\u0000.exe','content':''}]",
		"attachments[0].filename" NUL},
	    {"content", "'attachments':[{'filename':'a','content':'\\u0000'}]",
		"attachments[0].content" NUL},
	    {"scheduled_at", "'scheduled_at':'2030\\u0000'", "scheduled_at" NUL},
	};

	REFUSE_ALL(fixture, refusals);
}
