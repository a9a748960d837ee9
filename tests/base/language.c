/* SPDX-License-Identifier: MIT */
#include "text/language.h"

#include <criterion/criterion.h>
#include <glib.h>

/* RFC 5646 section 2.1.1 and appendix A. */
Test(language, has_a_standard_form)
{
	static const char *const cases[][2] = {
	    {"DE", "de"},
	    {"de-at", "de-AT"},
	    {"EN-gb", "en-GB"},
	    {"ZH-HANT-tw", "zh-Hant-TW"},
	    {"zh-cmn-hans-cn", "zh-cmn-Hans-CN"},
	    {"ES-419", "es-419"},
	    {"SL-ROZAJ-BISKE", "sl-rozaj-biske"},
	    {"de-ch-1901", "de-CH-1901"},
	    {"sgn-be-fr", "sgn-BE-FR"},
	    {"EN-CA-X-CA", "en-CA-x-ca"},
	    {"de-DE-U-CO-PHONEBK", "de-DE-u-co-phonebk"},
	    {"X-WHATEVER-DE", "x-whatever-de"},
	    {"I-KLINGON", "i-klingon"},
	};

	cr_expect_null(text_language_standard(NULL));
	for (gsize i = 0; i < G_N_ELEMENTS(cases); i++) {
		g_autofree char *got = text_language_standard(cases[i][0]);

		cr_expect(text_language_is_tag(cases[i][0]), "%s", cases[i][0]);
		cr_expect_str_eq(got, cases[i][1], "%s: got %s", cases[i][0], got);
	}
}
