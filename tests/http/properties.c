/* SPDX-License-Identifier: MIT */
/* Definitions of the properties of people. */
#include <criterion/criterion.h>

#include "base/limits/person.h"
#include "tests/http/exchange.h"
#include "tests/http/fixture.h"

FIXTURE_SUITE(properties, 900);

#define KEY_FAULT                                                                                  \
	"{'message':'key must be 1 to 50 letters, digits or _, and not begin with a digit'}"
#define FIFTY "a2345678901234567890123456789012345678901234567890"

Test(properties, are_checked)
{
	static const struct exchange exchanges[] = {
	    {"none", "POST", "/v1/properties", "{}", 400, "{'message':'key is required'}"},
	    {"empty", "POST", "/v1/properties", "{'key':'','type':'string'}", 400, KEY_FAULT},
	    {"a digit first", "POST", "/v1/properties", "{'key':'1a','type':'string'}", 400,
		KEY_FAULT},
	    {"a dot", "POST", "/v1/properties", "{'key':'a.b','type':'string'}", 400, KEY_FAULT},
	    {"no ASCII", "POST", "/v1/properties", "{'key':'ä','type':'string'}", 400, KEY_FAULT},
	    {"50", "POST", "/v1/properties", "{'key':'" FIFTY "','type':'string'}", 200,
		.want = {"key = '" FIFTY "'", "default = null"}},
	    {"51", "POST", "/v1/properties", "{'key':'" FIFTY "1','type':'string'}", 400,
		KEY_FAULT},
	    {"no type", "POST", "/v1/properties", "{'key':'a'}", 400,
		"{'message':'type is required'}"},
	    {"type", "POST", "/v1/properties", "{'key':'a','type':'list'}", 400,
		"{'message':'type must be one of string, number, boolean, date'}"},
	    {"default", "POST", "/v1/properties", "{'key':'a','type':'string','default':1}", 400,
		"{'message':'default must be a string'}"},
	    {"number", "POST", "/v1/properties", "{'key':'a','type':'number','default':'1'}", 400,
		"{'message':'default must be a number'}"},
	    {"boolean", "POST", "/v1/properties", "{'key':'a','type':'boolean','default':1}", 400,
		"{'message':'default must be a boolean'}"},
	    {"date", "POST", "/v1/properties", "{'key':'a','type':'date','default':'2026-02-30'}",
		400, "{'message':'default must be a date'}"},
	    {"a date", "POST", "/v1/properties", "{'key':'d','type':'date','default':'2026-02-28'}",
		200, .want = {"default = '2026-02-28'"}},
	    {"a time", "POST", "/v1/properties",
		"{'key':'_t','type':'date','default':'2026-02-28T10:00:00Z'}", 200},
	    {"a fraction", "POST", "/v1/properties", "{'key':'n','type':'number','default':1.5}",
		200,
		.want = {"type = 'number'", "default = 1.5", "created : integer",
		    "updated : integer"}},
	    {"twice", "POST", "/v1/properties", "{'key':'n','type':'string'}", 409,
		"{'message':'Property already exists'}"},
	    {"another case", "POST", "/v1/properties", "{'key':'N','type':'boolean'}", 200},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(properties, are_listed_changed_and_removed)
{
	static const struct exchange exchanges[] = {
	    {"b", "POST", "/v1/properties", "{'key':'b','type':'number'}", 200},
	    {"a", "POST", "/v1/properties", "{'key':'a','type':'string','default':'x'}", 200},
	    {"list", "GET", "/v1/properties", NULL, 200,
		.want = {"properties[0].key = 'a'", "properties[1].key = 'b'", "count = 2",
		    "cursor = null"}},
	    {"nothing", "PATCH", "/v1/properties/a", "{}", 200, .want = {"default = 'x'"}},
	    {"wrong", "PATCH", "/v1/properties/a", "{'default':true}", 400,
		"{'message':'default must be a string'}"},
	    {"null", "PATCH", "/v1/properties/a", "{'default':null}", 200,
		.want = {"default = null"}},
	    {"unknown", "PATCH", "/v1/properties/c", "{'default':null}", 404,
		"{'message':'Property not found'}"},
	    {"no ASCII", "DELETE", "/v1/properties/%C3%A4", NULL, 404,
		"{'message':'Property not found'}"},
	    {"removed", "DELETE", "/v1/properties/a", NULL, 200, "{'message':'Property deleted'}"},
	    {"again", "DELETE", "/v1/properties/a", NULL, 404, "{'message':'Property not found'}"},
	};

	EXPECT_ALL(fixture, exchanges);
}

Test(properties, have_limits)
{
	for (guint i = 0; i < LIMIT_PROPERTIES + 1; i++) {
		g_autofree char *body = g_strdup_printf("{'key':'p%u','type':'string'}", i);
		const struct exchange exchange = {"one", "POST", "/v1/properties", body,
		    i < LIMIT_PROPERTIES ? 200 : 409,
		    i < LIMIT_PROPERTIES ? NULL
					 : "{'message':'Limit reached: at most 200 properties'}"};

		AUTO(answer) answer = exchange_expect(fixture, &exchange);
		cr_expect(answer);
	}
	for (guint more = 0; more < 2; more++) {
		g_autofree char *text = g_strnfill(LIMIT_PROPERTY_DEFAULT_BYTES - 2 + more, 'x');
		g_autofree char *body = g_strdup_printf("{'default':'%s'}", text);
		const char *fault =
		    more ? "{'message':'default must be at most 4096 bytes'}" : NULL;
		const struct exchange exchanges[] = {
		    {"default", "PATCH", "/v1/properties/p0", body, more ? 400 : 200, fault},
		    {"unknown", "PATCH", "/v1/properties/none", body, more ? 400 : 404, fault},
		};

		EXPECT_ALL(fixture, exchanges);
	}
}
