/* SPDX-License-Identifier: MIT */
#include "link/robot.h"

#include <criterion/criterion.h>
#include <glib.h>

Test(robot, is_known_by_its_name)
{
	static const struct {
		const char *name, *user_agent;
		bool want;
	} cases[] = {
	    {"none", NULL, true},
	    {"empty", "", true},
	    {"blanks", "  ", true},
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
	    {"Outlook for Android",
		"Mozilla/5.0 (Linux; Android 14; Pixel 8 Build/UQ1A; wv) AppleWebKit/537.36 "
		"(KHTML, like Gecko) Version/4.0 Chrome/126.0 Mobile Safari/537.36 "
		"Outlook-Android/2.0",
		false},
	    {"a mail program of Android", "Dalvik/2.1.0 (Linux; U; Android 14; SM-S911B)", false},
	    {"Safari in WhatsApp",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 17_5 like Mac OS X) AppleWebKit/605.1.15 "
		"(KHTML, like Gecko) Mobile/15E148",
		false},
	    {"curl", "curl/7.88.1", true},
	    {"wget", "Wget/1.21.3", true},
	    {"requests", "python-requests/2.31.0", true},
	    {"aiohttp", "Python/3.11 aiohttp/3.9.1", true},
	    {"Go", "Go-http-client/1.1", true},
	    {"Java", "Java/17.0.2", true},
	    {"okhttp", "okhttp/4.12.0", true},
	    {"Telegram", "TelegramBot (like TwitterBot)", true},
	    {"Google Read Aloud",
		"Mozilla/5.0 (Linux; Android 7.0; SM-G930V) AppleWebKit/537.36 (KHTML, like Gecko) "
		"Chrome/125.0 Mobile Safari/537.36 (compatible; Google-Read-Aloud; "
		"+https://support.google.com/webmasters/answer/1061943)",
		true},
	    {"Slack", "Slackbot-LinkExpanding 1.0 (+https://api.slack.com/robots)", true},
	    {"Slack's images", "Slack-ImgProxy (+https://api.slack.com/robots)", true},
	    {"Facebook",
		"facebookexternalhit/1.1 (+http://www.facebook.com/externalhit_uatext.php)", true},
	    {"WhatsApp", "WhatsApp/2.23.20.0", true},
	    {"Discord", "Mozilla/5.0 (compatible; Discordbot/2.0; +https://discordapp.com)", true},
	    {"Twitter", "Twitterbot/1.0", true},
	    {"LinkedIn",
		"LinkedInBot/1.0 (compatible; Mozilla/5.0; Apache-HttpClient "
		"+http://www.linkedin.com)",
		true},
	    {"Postman", "PostmanRuntime/7.36.0", true},
	    {"HTTPie", "HTTPie/3.2.2", true},
	    {"Insomnia", "insomnia/8.6.1", true},
	    {"reqwest", "reqwest/0.11", true},
	    {"got", "got (https://github.com/sindresorhus/got)", true},
	    {"PowerShell",
		"Mozilla/5.0 (Windows NT; Windows NT 10.0; en-US) WindowsPowerShell/5.1.19041.1",
		true},
	    {"Node", "node", true},
	    {"undici", "undici", true},
	    {"Ruby", "Ruby", true},
	    {"Skype", "Mozilla/5.0 (Windows NT 6.1; WOW64) SkypeUriPreview Preview/0.5", true},
	    {"iMessage",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_11_1) AppleWebKit/601.2.4 (KHTML, like "
		"Gecko) Version/9.0.1 Safari/601.2.4 facebookexternalhit/1.1 Facebot "
		"Twitterbot/1.0",
		true},
	};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool got = link_robot_is_agent(cases[i].user_agent);
		cr_expect_eq(got, cases[i].want, "%s: got %d", cases[i].name, got);
	}
}

Test(robot, says_that_it_is_ahead_of_a_reader)
{
	static const struct {
		const char *purpose;
		bool want;
	} cases[] = {{NULL, false}, {"", false}, {"prefetch", true}, {"Prefetch", true},
	    {"prefetch;prerender", true}, {"prefetch;anonymous-client-ip", true}, {"preview", true},
	    {"navigate", false}};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++)
		cr_expect_eq(
		    link_robot_is_ahead(cases[i].purpose), cases[i].want, "%s", cases[i].purpose);
}
