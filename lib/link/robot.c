/* SPDX-License-Identifier: MIT */
/* The list of programs that fetch in place of a reader, and where each is described. To add one,
   add a line with its source; tests/lib/robot.c has a real User-Agent of each kind. */
#include "link/robot.h"

#include <glib.h>
#include <string.h>

struct robot {
	const char *part;   /* of its User-Agent, in lower case */
	const char *source; /* the page that describes it, or whose User-Agent it is */
};

static const struct robot robots[] = {
    /* Image proxies of mail providers */
    {"googleimageproxy", "https://support.google.com/mail/answer/145919"},
    {"ggpht.com", "https://support.google.com/mail/answer/145919"},
    {"yahoomailproxy", "https://help.yahoo.com/kb/yahoo-mail-proxy-SLN28749.html"},
    {"yahoocachesystem", "User-Agent of Yahoo's cache of images"},
    {"imageproxy", "the common name of such proxies, as in GoogleImageProxy"},
    {"image proxy", "the common name of such proxies"},
    {"mailproxy", "the common name of such proxies, as in YahooMailProxy"},
    {"mail proxy", "the common name of such proxies"},
    {"slack-imgproxy", "https://api.slack.com/robots"},

    /* Scanners of Outlook and Exchange */
    {"microsoft office existence discovery", "User-Agent of Office when it checks a link"},
    {"microsoft-urlanalyzer", "User-Agent of Microsoft Defender for Office 365"},
    {"safelinks", "https://learn.microsoft.com/defender-office-365/safe-links-about"},
    {"safe links", "https://learn.microsoft.com/defender-office-365/safe-links-about"},
    {"bingpreview", "https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0"},
    {"microsoftpreview",
	"https://www.bing.com/webmasters/help/which-crawlers-does-bing-use-8c184ec0"},

    /* Gateways and scanners: each names itself by its product or its maker */
    {"avanan", "https://www.avanan.com"},
    {"barracuda", "https://www.barracudacentral.org"},
    {"bitdefender", "https://www.bitdefender.com"},
    {"checkpoint", "https://www.checkpoint.com"},
    {"cloudmark", "https://www.cloudmark.com"},
    {"fireeye", "https://www.trellix.com"},
    {"forcepoint", "https://www.forcepoint.com"},
    {"fortiguard", "https://www.fortiguard.com"},
    {"fortimail", "https://www.fortinet.com/products/email-security"},
    {"fortinet", "https://www.fortinet.com"},
    {"hornetsecurity", "https://www.hornetsecurity.com"},
    {"ironport", "https://www.cisco.com"},
    {"kaspersky", "https://www.kaspersky.com"},
    {"mcafee", "https://www.mcafee.com"},
    {"messagelabs", "https://www.broadcom.com"},
    {"mimecast", "https://www.mimecast.com"},
    {"proofpoint", "https://www.proofpoint.com"},
    {"sonicwall", "https://www.sonicwall.com"},
    {"sophos", "https://www.sophos.com"},
    {"spamtitan", "https://www.spamtitan.com"},
    {"symantec", "https://www.broadcom.com"},
    {"trellix", "https://www.trellix.com"},
    {"trend micro", "https://www.trendmicro.com"},
    {"trendmicro", "https://www.trendmicro.com"},
    {"urldefense", "https://www.proofpoint.com"},
    {"vadesecure", "https://www.vadesecure.com"},
    {"virustotal", "https://www.virustotal.com"},
    {"websense", "https://www.forcepoint.com"},
    {"zscaler", "https://www.zscaler.com"},

    /* Link previews of chats and networks */
    {"facebookexternalhit", "https://developers.facebook.com/docs/sharing/webmasters/crawler"},
    {"facebot", "https://developers.facebook.com/docs/sharing/webmasters/crawler"},
    {"meta-externalagent", "https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"},
    {"meta-externalfetcher",
	"https://developers.facebook.com/docs/sharing/webmasters/web-crawlers"},
    {"whatsapp/", "User-Agent of WhatsApp when it previews a link"},
    {"slackbot", "https://api.slack.com/robots"},
    {"discordbot", "User-Agent, which names https://discordapp.com"},
    {"twitterbot",
	"https://developer.x.com/en/docs/x-for-websites/cards/guides/troubleshooting-cards"},
    {"linkedinbot", "User-Agent, which names http://www.linkedin.com"},
    {"telegrambot", "User-Agent TelegramBot (like TwitterBot)"},
    {"skypeuripreview", "User-Agent of Skype and Teams"},
    {"skype uri preview", "User-Agent of Skype"},
    {"snap url preview", "https://developers.snap.com/robots"},
    {"embedly", "User-Agent, which names http://support.embed.ly"},
    {"iframely", "User-Agent, which names https://iframely.com/docs/about"},
    {"vkshare", "User-Agent, which names http://vk.com/dev/Share"},
    {"synapse (bot", "User-Agent, which names https://github.com/matrix-org/synapse"},
    {"mastodon/", "https://docs.joinmastodon.org, User-Agent of its previews"},

    /* Services that read a page for somebody */
    {"google-read-aloud",
	"https://developers.google.com/search/docs/crawling-indexing/read-aloud-user-agent"},
    {"google-pagerenderer",
	"https://developers.google.com/search/docs/crawling-indexing/overview-google-crawlers"},
    {"google web preview", "User-Agent of the previews of Google's search"},
    {"googleother",
	"https://developers.google.com/search/docs/crawling-indexing/overview-google-crawlers"},
    {"google-safety",
	"https://developers.google.com/search/docs/crawling-indexing/overview-google-crawlers"},
    {"feedfetcher-google",
	"https://developers.google.com/search/docs/crawling-indexing/feedfetcher"},

    /* HTTP libraries and commands: each sends its own name unless it is given another */
    {"curl", "https://curl.se/docs/manpage.html#-A"},
    {"wget", "https://www.gnu.org/software/wget/manual/wget.html#HTTP-Options"},
    {"python-requests", "https://requests.readthedocs.io/en/latest/api/"},
    {"python-urllib", "https://docs.python.org/3/library/urllib.request.html"},
    {"python-httpx", "https://www.python-httpx.org/api/"},
    {"aiohttp/", "https://docs.aiohttp.org/en/stable/client_reference.html"},
    {"go-http-client", "https://pkg.go.dev/net/http#Request"},
    {"java/", "https://docs.oracle.com/javase/8/docs/technotes/guides/net/properties.html"},
    {"java-http-client", "https://docs.oracle.com/en/java/javase/17/docs/api/java.net.http/"},
    {"apache-httpclient", "https://hc.apache.org/httpcomponents-client-5.3.x/"},
    {"okhttp", "https://square.github.io/okhttp/"},
    {"libwww-perl", "https://metacpan.org/pod/LWP::UserAgent"},
    {"guzzlehttp", "https://docs.guzzlephp.org/en/stable/request-options.html"},
    {"node-fetch", "https://github.com/node-fetch/node-fetch"},
    {"axios/", "https://axios-http.com/docs/req_config"},
    {"http.rb/", "https://github.com/httprb/http"},
    {"scrapy/", "https://docs.scrapy.org/en/latest/topics/settings.html#user-agent"},
    {"postmanruntime/", "https://github.com/postmanlabs/postman-runtime"},
    {"httpie/", "https://httpie.io/docs/cli/request-headers"},
    {"insomnia/", "https://github.com/Kong/insomnia"},
    {"reqwest/", "the name that programs give with https://docs.rs/reqwest"},
    {"got (", "https://github.com/sindresorhus/got"},
    {"powershell/", "https://learn.microsoft.com/powershell, User-Agent of Invoke-WebRequest"},

    /* Crawlers, and browsers without a screen. Cubot, a make of phones, has neither "bot/" nor
       "bot-". */
    {"bot/", "RFC 9309 calls such names product tokens of crawlers: Googlebot/2.1"},
    {"bot-", "RFC 9309 likewise: Googlebot-Image, Mattermost-Bot"},
    {"crawler", "RFC 9309 section 1: the other name of robots"},
    {"spider", "the other name of crawlers: Baiduspider"},
    {"headlesschrome", "https://developer.chrome.com/docs/chromium/headless"},
    {"phantomjs", "https://phantomjs.org/api/webpage/property/settings.html"},
};

/* Complete User-Agents. Apple's Mail Privacy Protection sends only the first one:
   https://support.apple.com/guide/iphone/iphf084865c7/ios. The next two are those of Node's fetch
   (https://github.com/nodejs/undici), the last one that of Ruby's Net::HTTP
   (https://docs.ruby-lang.org/en/master/Net/HTTP.html). */
static const char *const robot_names[] = {"mozilla/5.0", "node", "undici", "ruby"};

bool
link_robot_is_agent(const char *user_agent)
{
	g_autofree char *lower = g_strstrip(g_ascii_strdown(user_agent ? user_agent : "", -1));

	if (!*lower)
		return true;
	for (gsize i = 0; i < G_N_ELEMENTS(robot_names); i++)
		if (strcmp(lower, robot_names[i]) == 0)
			return true;
	for (gsize i = 0; i < G_N_ELEMENTS(robots); i++)
		if (strstr(lower, robots[i].part))
			return true;
	return false;
}

/* https://wicg.github.io/nav-speculation/prefetch.html (Sec-Purpose: prefetch, prefetch;prerender),
   Chromium before it (Purpose: prefetch), Firefox (X-Moz: prefetch), Safari (X-Purpose: preview) */
bool
link_robot_is_ahead(const char *purpose)
{
	static const char *const words[] = {"prefetch", "prerender", "preview"};
	g_autofree char *lower = g_ascii_strdown(purpose ? purpose : "", -1);

	for (gsize i = 0; i < G_N_ELEMENTS(words); i++)
		if (strstr(lower, words[i]))
			return true;
	return false;
}
