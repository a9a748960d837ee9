/* SPDX-License-Identifier: MIT */
/* The programs that open messages and follow links, by the names that they give. */
#include "core/robot.h"

#include <glib.h>
#include <string.h>

/* Parts of names, in lower case. */
static const char *const names[] = {
    /* image proxies of mail providers */
    "googleimageproxy",
    "ggpht.com",
    "yahoomailproxy",
    "yahoocachesystem",
    "imageproxy",
    "image proxy",
    "mailproxy",
    "mail proxy",
    /* what looks at Outlook's and Exchange's mail */
    "microsoft office existence discovery",
    "microsoft-urlanalyzer",
    "safelinks",
    "safe links",
    "bingpreview",
    "microsoftpreview",
    "skypeuripreview",
    /* gateways and scanners */
    "avanan",
    "barracuda",
    "bitdefender",
    "checkpoint",
    "cloudmark",
    "fireeye",
    "forcepoint",
    "fortiguard",
    "fortimail",
    "fortinet",
    "hornetsecurity",
    "ironport",
    "kaspersky",
    "mcafee",
    "messagelabs",
    "mimecast",
    "proofpoint",
    "sonicwall",
    "sophos",
    "spamtitan",
    "symantec",
    "trellix",
    "trend micro",
    "trendmicro",
    "urldefense",
    "vadesecure",
    "virustotal",
    "websense",
    "zscaler",
    /* crawlers, previews of links, browsers without a screen */
    "bot/",
    "bot-",
    "crawler",
    "facebookexternalhit",
    "headlesschrome",
    "phantomjs",
    "spider",
    "whatsapp/",
};

/* Whole names: Apple's Mail Privacy Protection says no more than this. */
static const char *const whole[] = {"mozilla/5.0"};

bool
core_robot_is(const char *user_agent)
{
	g_autofree char *lower = g_ascii_strdown(user_agent ? user_agent : "", -1);

	for (gsize i = 0; i < G_N_ELEMENTS(whole); i++)
		if (strcmp(lower, whole[i]) == 0)
			return true;
	for (gsize i = 0; i < G_N_ELEMENTS(names); i++)
		if (strstr(lower, names[i]))
			return true;
	return false;
}
