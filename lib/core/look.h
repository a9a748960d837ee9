/* One look at what DNS shows of a domain: questions, and what the answers make of it. Pure: it asks
   nobody, and has no clock. */
#ifndef CORE_LOOK_H
#define CORE_LOOK_H

#include <glib.h>

#include "base/scope.h"
#include "core/verdict.h"

struct domain;
struct settings;

struct look {
	struct domain *domain;
	GPtrArray *records; /* of struct zone_record */
	GPtrArray
	    *questions; /* of struct dns_question: one for each record, then what else is asked */
};

/* What has to be asked of a domain that has been read whole. The look owns the domain; the caller
   frees it. */
struct look *core_look_new(struct domain *domain, const struct settings *settings);
void core_look_free(struct look *look);
DEFINE_AUTO(look, core_look_free)

/* After the questions have their outcomes: sets each record's state (one that DNS did not answer
   for keeps what was known), the keys that DNS shows, in the domain's check error, findings and
   SOA. Where it shows a new RSA key, the new keys become active and those before retire, at now. */
enum verdict core_look_judge(struct look *look, gint64 now);

#endif
