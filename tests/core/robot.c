/* SPDX-License-Identifier: MIT */
#include "core/robot.h"

#include <criterion/criterion.h>
#include <glib.h>

Test(robot, is_known_by_its_name)
{
	static const struct {
		const char *name, *user_agent;
		bool want;
	} cases[] = {
	    {"none", NULL, false},
	    {"empty", "", false},
	    {"Gmail",
		"Mozilla/5.0 (Windows NT 5.1; rv:11.0) Gecko Firefox/11.0 (via ggpht.com "
		"GoogleImageProxy)",
		true},
	    {"Yahoo", "YahooMailProxy; https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html",
		true},
	    {"Apple Mail Privacy Protection", "Mozilla/5.0", true},
	    {"another proxy", "Mozilla/5.0 (compatible; ExampleImageProxy/1.0)", true},
	    {"Barracuda", "BarracudaCentral Link Checker", true},
	    {"Proofpoint", "Mozilla/5.0 (proofpoint URL defense)", true},
	    {"Mimecast", "Mozilla/5.0 (compatible; MIMECAST)", true},
	    {"Office", "Microsoft Office Existence Discovery", true},
	    {"Bing's preview", "Mozilla/5.0 AppleWebKit/537.36 Safari/537.36 BingPreview/1.0b",
		true},
	    {"a crawler",
		"Mozilla/5.0 (compatible; Googlebot/2.1; +http://www.google.com/bot.html)", true},
	    {"Apple Mail",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 "
		"(KHTML, like Gecko)",
		false},
	    {"Outlook",
		"Mozilla/4.0 (compatible; ms-office; MSOffice 16) Microsoft Outlook 16.0.17126",
		false},
	    {"Thunderbird",
		"Mozilla/5.0 (X11; Linux x86_64; rv:115.0) Gecko/20100101 Thunderbird/115.3",
		false},
	    {"Chrome",
		"Mozilla/5.0 (Windows NT 10.0; Win64; x64) AppleWebKit/537.36 (KHTML, like Gecko) "
		"Chrome/120.0.0.0 Safari/537.36",
		false},
	    {"a phone of the make Cubot", "Mozilla/5.0 (Linux; Android 9; CUBOT X19) Chrome/74.0",
		false},
	    {"curl", "curl/7.88.1", false},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = core_robot_is(cases[i].user_agent);
		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].name, got);
	}
}
