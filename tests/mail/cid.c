/* SPDX-License-Identifier: MIT */
#include "mail/cid.h"

#include <criterion/criterion.h>
#include <string.h>

Test(cid, completes_the_references)
{
	/* ids: "logo" and "b@x.org"; want NULL: html stays. named: those that it names. */
	static const struct {
		const char *html, *want;
		bool named[2];
	} cases[] = {
	    {"<img src=\"cid:logo\">", "<img src=\"cid:logo@d.org\">", {true, false}},
	    {"<img src='CID:logo'>", "<img src='CID:logo@d.org'>", {true, false}},
	    {"<img src=cid:logo>", "<img src=cid:logo@d.org>", {true, false}},
	    {"<img alt=x src=\" cid:logo \">", "<img alt=x src=\" cid:logo@d.org \">",
		{true, false}},
	    {"<img src=\"cid:b@x.org\">", NULL, {false, true}},
	    {"<img src=\"cid:b%40x.org\">", NULL, {false, true}},
	    {"<img src=\"cid:logo@d.org\">", NULL, {true, false}},
	    {"<img src=\"cid:l%6fgo\">", "<img src=\"cid:l%6fgo@d.org\">", {true, false}},
	    {"<td style=\"background:url(cid:logo)\">",
		"<td style=\"background:url(cid:logo@d.org)\">", {true, false}},
	    {"<td style=\"background:url(&quot;cid:logo&quot;)\">",
		"<td style=\"background:url(&quot;cid:logo@d.org&quot;)\">", {true, false}},
	    {"<style>a > b {background:url('cid:logo')}</style>",
		"<style>a > b {background:url('cid:logo@d.org')}</style>", {true, false}},
	    {"<!--[if mso]><v:fill src=\"cid:logo\"><![endif]-->",
		"<!--[if mso]><v:fill src=\"cid:logo@d.org\"><![endif]-->", {true, false}},
	    {"<img srcset=\"cid:logo 1x, cid:b@x.org 2x\">",
		"<img srcset=\"cid:logo@d.org 1x, cid:b@x.org 2x\">", {true, true}},
	    {"<img alt=\">\" src=\"cid:logo\"><img src=\"cid:logo\">",
		"<img alt=\">\" src=\"cid:logo@d.org\"><img src=\"cid:logo@d.org\">",
		{true, false}},
	    {"<p>cid:logo</p>", NULL, {false, false}},
	    {"<img src=\"cid:logo2\">", NULL, {false, false}},
	    {"<img src=\"cid:Logo\">", NULL, {false, false}},
	    {"<img src=\"acid:logo\">", NULL, {false, false}},
	    {"<img src=\"cid:", NULL, {false, false}},
	    {"<", NULL, {false, false}},
	    {"<style", NULL, {false, false}},
	    {"<style>cid:logo", "<style>cid:logo@d.org", {true, false}},
	    {"", NULL, {false, false}},
	};
	static const char *const ids[] = {"logo", "b@x.org", NULL};

	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		bool named[3] = {false, false, false};
		gsize size = 0;
		g_autofree char *got = mail_cid_complete(
		    cases[i].html, strlen(cases[i].html), ids, 3, "d.org", named, &size);

		cr_expect_eq(g_strcmp0(got, cases[i].want), 0, "%s: got %s", cases[i].html, got);
		cr_expect(!got || strlen(got) == size, "%s", cases[i].html);
		cr_expect(
		    named[0] == cases[i].named[0] && named[1] == cases[i].named[1] && !named[2],
		    "%s: named %d, %d", cases[i].html, named[0], named[1]);
	}
}
