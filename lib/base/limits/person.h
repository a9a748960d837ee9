/* SPDX-License-Identifier: MIT */
/* Limits of people: their names and properties, consent, forms, topics. The units are those of
 * base/limits/unit.h. */
#ifndef BASE_LIMITS_PERSON_H
#define BASE_LIMITS_PERSON_H

/* A link to resubscribe works for this long. */
#define LIMIT_RESUBSCRIBE_MS (30LL * 24 * 60 * 60 * 1000)
#define LIMIT_SNOOZE_DAYS 366	  /* ahead, at most */
#define LIMIT_OVERRIDE_LENGTH 500 /* of the reason for an override */
#define LIMIT_NAME_LENGTH 100	  /* of a person, an audience, a template, a key */
#define LIMIT_LANGUAGE_LENGTH 35  /* of a person's language tag */
#define LIMIT_TIME_ZONE_LENGTH 64 /* of the name of a person's time zone */
#define LIMIT_BULK_PEOPLE 100	  /* that one request changes */
#define LIMIT_HISTORY_EMAILS 5000 /* the newest ones, that the history of a person shows */
#define LIMIT_PROPERTY_KEY_LENGTH 50
#define LIMIT_PROPERTY_DEFAULT_BYTES 4096	    /* of the JSON text */
#define LIMIT_PROPERTIES 200			    /* definitions in a workspace */
#define LIMIT_FORM_HOUR_MS ((gint64)60 * 60 * 1000) /* in which uses of a form are counted */
#define LIMIT_FORM_PER_NETWORK 30 /* submissions in it, unless a form says otherwise */
#define LIMIT_FORM_PER_NETWORK_MAX 1000000
#define LIMIT_FORM_FIELDS 50
#define LIMIT_FORM_ORIGINS 20
#define LIMIT_FORM_STEP_MS 50	   /* the answers to submissions take a multiple of it */
#define LIMIT_FORM_AGE_MIN_MS 2000 /* of the time on a page, when it is sent back, */
#define LIMIT_FORM_AGE_MAX_MS ((gint64)24 * 60 * 60 * 1000) /* and at most */
#define LIMIT_CONFIRM_AGAIN_MS                                                                     \
	((gint64)60 * 60 * 1000) /* between two mails that an operator repeats */
#define LIMIT_TOPICS 100	 /* in a workspace */
#define LIMIT_TOPIC_DESCRIPTION_LENGTH 500
#define LIMIT_PAGE_TEXT_LENGTH 2000 /* of the page on which people choose, in one language */
#define LIMIT_PAGE_ADDRESS_LENGTH 500
#define LIMIT_LOGO_URL_LENGTH 2000

#endif
