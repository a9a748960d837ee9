/* SPDX-License-Identifier: MIT */
/* How people's choices are made: by whom, and in which way. Stands alone, for files below the
   history of consent (store/consent/consent.h), too. */
#ifndef STORE_CONSENT_ACT_H
#define STORE_CONSENT_ACT_H

#include <glib.h>
#include <stdbool.h>

struct base_id;

/* The way in which a choice was made. Stored as number; 0: not known. */
enum store_consent_source {
	CONSENT_BY_API = 1,
	CONSENT_BY_CLI = 2,
	CONSENT_BY_IMPORT = 3,
	CONSENT_BY_FORM = 4,
	CONSENT_BY_PAGE = 5,
	CONSENT_BY_ONE_CLICK = 6,
	CONSENT_BY_MAIL = 7,
	CONSENT_BY_CONFIRMATION = 8,
	CONSENT_BY_REPORT = 9,
	CONSENT_BY_EVENT = 10,
	CONSENT_BY_WORKFLOW = 11,
};

/* Stored as number; 0: nobody, or not known. */
enum store_consent_author {
	CONSENT_OF_PERSON = 1,
	CONSENT_OF_OPERATOR = 2,
	CONSENT_OF_SYSTEM = 3,
};

/* The words of the API, NULL-terminated; the word of a number stands at that number less one. */
extern const char *const store_consent_sources[];
extern const char *const store_consent_authors[];

/* How a choice is made. All borrowed; NULL where there is none. */
struct store_consent_act {
	enum store_consent_source source;
	enum store_consent_author author;
	const struct base_id *user, *key; /* of the operator; NULL at the command line */
	const char *reason;		  /* of an override */
	const struct base_id *email;	  /* whose link or address the person used */
	const struct base_id *form;
	const char *ip, *user_agent;
};

/* A subscription, or the choice of a topic, as it becomes. */
struct store_consent_turn {
	bool subscribed;
	enum store_consent_author author;
	enum store_consent_source source;
	guint names; /* that have changed beside it, of enum store_webhook_changed */
};

#endif
