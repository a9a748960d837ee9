/* SPDX-License-Identifier: MIT */
/* The words for authors and ways of choices. */
#include "store/consent/act.h"

#include <stddef.h>

const char *const store_consent_sources[] = {"api", "cli", "import", "form", "page", "one_click",
    "mail", "confirmation", "report", "event", "workflow", NULL};
const char *const store_consent_authors[] = {"person", "operator", "system", NULL};
