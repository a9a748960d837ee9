/* SPDX-License-Identifier: MIT */
/* All limits on input. Sizes are in bytes, lengths in Unicode code points, times in milliseconds.
 */
#ifndef BASE_LIMITS_H
#define BASE_LIMITS_H

#define LIMIT_MIB (1024 * 1024)

/* Requests */
#define LIMIT_REQUEST_BYTES (128 * LIMIT_MIB) /* default of [limits] request_bytes */
#define LIMIT_PATH_BYTES 2048
#define LIMIT_QUERY_BYTES 8192
#define LIMIT_REQUEST_ID_LENGTH 128 /* of the header X-Request-Id */
#define LIMIT_FORM_BYTES (64 * 1024)
#define LIMIT_PUBLIC_BYTES (4 * 1024) /* of a JSON body that needs no key */
#define LIMIT_LARGE_WAIT_MS 5000      /* wait for other large requests to end */
#define LIMIT_JSON_DEPTH 32
#define LIMIT_JSON_VALUES 1000000 /* strings, numbers, arrays and so on in one body */
#define LIMIT_IGNORED_MEMBERS 20  /* members in the header Ignored-Members */
#define LIMIT_IGNORED_BYTES 64	  /* of each member in it */

/* Emails */
#define LIMIT_FROM_LENGTH 100
#define LIMIT_SUBJECT_LENGTH 100
#define LIMIT_RECIPIENTS 50		     /* in each of to, cc, bcc and reply_to */
#define LIMIT_ADDRESS_LIST_BYTES (64 * 1024) /* of each such field, its texts joined by ", " */
#define LIMIT_HTML_BYTES (40 * LIMIT_MIB)
#define LIMIT_TEXT_BYTES (10 * LIMIT_MIB)
#define LIMIT_OWN_CONTENT_BYTES (64 * 1024) /* of html, and of text, stored beside its email */
#define LIMIT_VARIABLES 100
#define LIMIT_VARIABLES_BYTES (8 * LIMIT_MIB) /* of all variables, as stored */
#define LIMIT_VARIABLE_NAME_LENGTH 100
#define LIMIT_VARIABLE_NUMBER_LENGTH 1000 /* of a number as it is written */
#define LIMIT_TIME_ZONE_BYTES 64
#define LIMIT_TEMPLATE_BLOCKS 32     /* one in another */
#define LIMIT_TEMPLATE_PARTIALS 8    /* templates, one in another */
#define LIMIT_TEMPLATE_TURNS 1000000 /* of each in one rendering */
#define LIMIT_TEMPLATE_STEPS                                                                       \
	50000000 /* of one rendering: tags, names that are looked up, and each 64 bytes that are   \
		    read or written */
#define LIMIT_RENDERED_BYTES (64 * LIMIT_MIB) /* a body after its variables are replaced */
#define LIMIT_RENDERED_SUBJECT_BYTES (64 * 1024)
#define LIMIT_ATTACHMENTS 10
#define LIMIT_ATTACHMENTS_BYTES (40 * LIMIT_MIB)
#define LIMIT_PREVIEW_LENGTH 200 /* of the text that mail programs show beside the subject */
#define LIMIT_FILENAME_LENGTH 255
#define LIMIT_CONTENT_TYPE_LENGTH 127
#define LIMIT_CONTENT_ID_LENGTH 128
#define LIMIT_URL_LENGTH 2048
#define LIMIT_HEADERS 25 /* names, and fields of all of them */
#define LIMIT_HEADER_NAME_LENGTH 76
#define LIMIT_HEADER_VALUE_LENGTH 998
#define LIMIT_TAGS 10
#define LIMIT_TAG_LENGTH 256
#define LIMIT_TAG_VALUES 200 /* of a name that have figures of their own */
#define LIMIT_PARSED_HTML_BYTES                                                                    \
	(2 * LIMIT_MIB) /* html above these limits is read tag by tag only */
#define LIMIT_PARSED_HTML_TAGS 10000
#define LIMIT_PARSED_HTML_ATTRIBUTES 20000
#define LIMIT_PARSED_HTML_TAG_ATTRIBUTES 500 /* in one tag */
#define LIMIT_PARSED_HTML_OPEN 4000000	     /* elements that are open, summed over all tags */
#define LIMIT_DERIVED_TEXT_GROWTH 4	     /* the largest ratio of derived text to html */
#define LIMIT_DERIVED_KEPT_BYTES                                                                   \
	(16 * LIMIT_MIB) /* texts and links kept for further outbox entries                        \
			  */
#define LIMIT_UNFILLED_KEPT_BYTES (16 * LIMIT_MIB) /* outlines of templates, kept by a process */
#define LIMIT_SHOWN_LINK_BYTES (16 * 1024)	   /* of a link in derived text */
#define LIMIT_LINK_BYTES 2048	    /* of a tracked link: in the mail, and of its destination */
#define LIMIT_USER_AGENT_LENGTH 512 /* of the stored part */
#define LIMIT_ENGAGEMENTS 1000	    /* recorded opens and clicks of a recipient */
#define LIMIT_RECIPIENT_EVENTS 100  /* events of each recipient in the details of an email */
#define LIMIT_BATCH 100		    /* emails in a batch */
#define LIMIT_BATCH_BYTES (10 * LIMIT_MIB) /* of the request */
#define LIMIT_BROADCAST_AHEAD_MS (400LL * 24 * 60 * 60 * 1000)
#define LIMIT_BROADCAST_SPREAD_MS (7LL * 24 * 60 * 60 * 1000)
#define LIMIT_BROADCAST_DECIDE_MS (7LL * 24 * 60 * 60 * 1000)
#define LIMIT_BROADCAST_DECIDE_LEAST_MS (60LL * 60 * 1000)
#define LIMIT_BROADCAST_NAME_LENGTH 100
#define LIMIT_BROADCAST_TESTERS 10
#define LIMIT_BROADCAST_SAMPLE 10000		/* people looked at by a check */
#define LIMIT_BROADCAST_LINKS 100		/* links asked by a check */
#define LIMIT_BROADCAST_SIZE_BYTES (102 * 1024) /* of html; Gmail cuts off the rest */
#define LIMIT_BROADCAST_ATTACHMENTS_BYTES (10 * LIMIT_MIB)
#define LIMIT_BROADCAST_MESSAGE_BYTES 10240000 /* many servers, such as Postfix, take no more */
#define LIMIT_BROADCAST_SAMPLE_NS (2 * 1000000000LL) /* to fill the sample of a check */
#define LIMIT_BROADCAST_LISTS 100		     /* audiences and segments, together */
#define LIMIT_SCHEDULE_MS (30LL * 24 * 60 * 60 * 1000)
#define LIMIT_MOMENT_BYTES 100 /* of a time as people write it: "tomorrow at 9am" */
#define LIMIT_IDEMPOTENCY_KEY_LENGTH 255
#define LIMIT_RAW_BYTES (40 * LIMIT_MIB) /* of a message that sendmail takes */
#define LIMIT_RESEND_IDEMPOTENCY_KEY 256 /* under /resend */
#define LIMIT_ADDRESS_BYTES 254
#define LIMIT_LOCAL_PART_BYTES 64
#define LIMIT_ADDRESS_NAME_LENGTH 256 /* the name beside an address in a list */
#define LIMIT_SENDER_NAME_LENGTH 998

/* Incoming messages: delivery reports */
/* The part of a report that is read; the relevant fields are at its beginning. */
#define LIMIT_REPORT_BYTES (256 * 1024)
#define LIMIT_REPORT_RECIPIENTS 200
#define LIMIT_REPORT_NAMES 16 /* Message-IDs, and likewise return paths, in one report */
#define LIMIT_REPORT_DIAGNOSTIC_LENGTH 600
#define LIMIT_REPORTS 1000     /* recorded reports on one email */
#define LIMIT_FIELD_BYTES 4096 /* of one header field, unfolded */
#define LIMIT_PARTS 64
#define LIMIT_PART_DEPTH 8

/* Consent */
/* A link to resubscribe works for this long. */
#define LIMIT_RESUBSCRIBE_MS (30LL * 24 * 60 * 60 * 1000)
#define LIMIT_OVERRIDE_LENGTH 500 /* of the reason for an override */

/* Names */
#define LIMIT_NAME_LENGTH 100 /* of a person, an audience, a template, a key */
#define LIMIT_WORKSPACE_NAME_MS (365LL * 24 * 60 * 60 * 1000) /* a name that is left stays */
#define LIMIT_LANGUAGE_LENGTH 35			      /* of a person's language tag */
#define LIMIT_TIME_ZONE_LENGTH 64 /* of the name of a person's time zone */
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
#define LIMIT_DOMAIN_MIN_LENGTH 4
#define LIMIT_RELAY_NAME_LENGTH 32	  /* of [relay NAME] */
#define LIMIT_WARMUP_RECIPIENTS 100000000 /* a number of [warmup] limits */
#define LIMIT_PACE_RATE 100000		  /* of [pace DOMAIN] rate */
#define LIMIT_ROUTE_LENGTH 2000 /* the names of its relays, with a blank between each two */
#define LIMIT_DOMAIN_LENGTH 253
#define LIMIT_SENDER_DOMAIN_LENGTH 192 /* leaves room for names below it: see core/register.c */
#define LIMIT_LABEL_LENGTH 63
#define LIMIT_TEMPLATE_ID_LENGTH 64 /* and of an alias */
#define LIMIT_TEMPLATE_VARIABLES 50 /* that a template declares */
#define LIMIT_TEMPLATE_SUBJECT_LENGTH 998
#define LIMIT_TEMPLATE_FROM_LENGTH 998

/* Suppressions */
#define LIMIT_SUPPRESSION_BATCH 100 /* of one request */
#define LIMIT_IMPORT_ROWS 1000	    /* of one request */

/* Imports of files */
#define LIMIT_IMPORT_BYTES (50 * LIMIT_MIB)  /* of the file */
#define LIMIT_IMPORT_OPTIONS_BYTES LIMIT_MIB /* of all other parts of the form */
#define LIMIT_IMPORTS 10		     /* of a workspace that are not done */
#define LIMIT_IMPORT_COLUMNS 1000	     /* of the file */
#define LIMIT_IMPORT_HEADER_BYTES (64 * 1024)
#define LIMIT_IMPORT_SAMPLE 5		     /* lines that the answer shows */
#define LIMIT_IMPORT_SAMPLE_LENGTH 200	     /* of each of their values */
#define LIMIT_IMPORT_FAULTS 10000	     /* of an import; more are counted only */
#define LIMIT_IMPORT_FAULT_BYTES (64 * 1024) /* of a line that is kept with its fault */
#define LIMIT_IMPORT_FILENAME_LENGTH 255
#define LIMIT_IMPORT_KEPT_MS (30LL * 24 * 60 * 60 * 1000)

/* Segments */
#define LIMIT_SEGMENT_RULES 100	    /* single rules of a segment */
#define LIMIT_SEGMENT_LEVELS 8	    /* of rules in rules, the outermost ones included */
#define LIMIT_SEGMENT_BYTES 65536   /* of the JSON text of the rules */
#define LIMIT_SEGMENT_DAYS 730	    /* within_days */
#define LIMIT_SEGMENT_AT_LEAST 1000 /* events */
#define LIMIT_SEGMENT_LOOKED 25000  /* people that a page looks at; and LIMIT_LOOK_NS holds */
#define LIMIT_SEGMENT_PREVIEW 10    /* people that a preview shows */

/* Webhooks */
#define LIMIT_WEBHOOK_URL_BYTES 2048
#define LIMIT_WEBHOOK_DESCRIPTION_LENGTH 200
#define LIMIT_WEBHOOK_SECRET_MS (24LL * 60 * 60 * 1000) /* a replaced secret signs too */
#define LIMIT_REPLAY 10000				/* deliveries that one request repeats */
#define LIMIT_DELIVERY_ATTEMPTS 100 /* of each delivery in an answer: the newest */

/* Automation */
#define LIMIT_DESIGN_BYTES LIMIT_MIB
#define LIMIT_DESIGN_NODES 500
#define LIMIT_DESIGN_FAULTS 1000		  /* reported faults of one design */
#define LIMIT_DESIGN_CACHE_BYTES (32 * LIMIT_MIB) /* of the design cache of a process */
#define LIMIT_NODE_ID_LENGTH 64
#define LIMIT_EVENT_NAME_LENGTH 100
#define LIMIT_PROPERTY_LENGTH 256 /* a dot path in rules and designs */
#define LIMIT_PROPERTY_PARTS 16
#define LIMIT_HANDLE_LENGTH 64
#define LIMIT_WEIGHT 1000000	    /* of one side of a split */
#define LIMIT_STEPS 1000	    /* nodes that an execution visits */
#define LIMIT_WHY_LENGTH 1000	    /* of the reason of a step; the rest is cut off */
#define LIMIT_SIMULATION_EVENTS 100 /* of one request */
#define LIMIT_SIMULATION_TRACE 1000 /* lines in its answer */
#define LIMIT_SIMULATION_MS 5000    /* elapsed time of it */
#define LIMIT_WAIT_MS (5 * 365LL * 24 * 60 * 60 * 1000)
#define LIMIT_DEDUPE_MS (30LL * 24 * 60 * 60 * 1000)
#define LIMIT_EVENT_PAST_MS (30LL * 24 * 60 * 60 * 1000) /* a given timestamp is no older, */
#define LIMIT_EVENT_AHEAD_MS (5LL * 60 * 1000)		 /* and no further ahead */
#define LIMIT_EVENT_PROPERTIES_BYTES (64 * 1024)
#define LIMIT_CONTACT_PROPERTIES_BYTES (256 * 1024)
#define LIMIT_WORKFLOW_CHAIN 5 /* workflows that start one another by events of their emails */

/* Work that kills its process: see process/isolate.h. After this many deaths it runs in a child: */
#define LIMIT_DEATHS 2			      /* processes that died of it */
#define LIMIT_APART_MS 60000		      /* elapsed time in the child */
#define LIMIT_APART_CPU_S 30		      /* processor time */
#define LIMIT_APART_BYTES (1024L * LIMIT_MIB) /* memory */

/* Webhooks */
#define LIMIT_WEBHOOK_MS 10000		     /* for one attempt */
#define LIMIT_WEBHOOK_ANSWER_BYTES 1024	     /* kept of the body of an answer */
#define LIMIT_WEBHOOK_BODY_BYTES (64 * 1024) /* read of it */
#define LIMIT_WEBHOOK_BATCH 100		     /* events in one request */

#define LIMIT_PROVIDER_BYTES (4 * 1024 * 1024) /* of a request in which a provider reports */
#define LIMIT_PROVIDER_SECRET_BYTES 4096       /* given for such requests */
#define LIMIT_PROVIDER_FETCH_BYTES (64 * 1024) /* of a certificate or a confirmation */
#define LIMIT_PROVIDER_FETCH_MS 5000	       /* to fetch it */
#define LIMIT_PROVIDER_CERTIFICATE_MS (24LL * 60 * 60 * 1000) /* a certificate is kept */
#define LIMIT_PROVIDER_EVENT_MS (30LL * 24 * 60 * 60 * 1000)  /* a repeated event is known */

/* The log of requests under /resend */
#define LIMIT_LOG_MS (30LL * 24 * 60 * 60 * 1000) /* kept */
#define LIMIT_LOG_BODY_BYTES (64 * 1024)
#define LIMIT_LOG_USER_AGENT 512 /* characters; the rest is cut off */

/* The list of requests */
#define LIMIT_CALLS 10000			   /* of a workspace */
#define LIMIT_CALLS_MS (7LL * 24 * 60 * 60 * 1000) /* kept */
#define LIMIT_CALLS_WAITING 100			   /* of a workspace in a second and a process */
#define LIMIT_CALL_MESSAGE 300			   /* characters; the rest is cut off */

/* Figures */
#define LIMIT_FIGURE_DAYS 1100
#define LIMIT_FIGURE_MS 253402300799999 /* the end of the year 9999 */

/* Waiting mail (GET /v1/waiting) */
#define LIMIT_QUEUE_COUNTED 10000 /* messages that are counted */
#define LIMIT_QUEUE_LOOKED 1000	  /* messages whose reasons are read, and held ones */
#define LIMIT_QUEUE_REASONS 50	  /* rows */

/* The message of an email (GET /v1/emails/{id}/message) */
#define LIMIT_MESSAGE_SHOWN LIMIT_MIB /* bytes of it in an answer */

/* Lists */
#define LIMIT_PAGE 50
#define LIMIT_PAGE_AUDIENCES 10
#define LIMIT_LOOK_NS 35000000LL      /* elapsed time in which a page looks for its rows, */
#define LIMIT_LOOK_LEAST 2000	      /* from so many rows on */
#define LIMIT_BROADCAST_LOOKED 25000  /* recipients that a page of one status looks at */
#define LIMIT_DELIVERIES_LOOKED 10000 /* that a page of one type, or of pending ones, looks at */
#define LIMIT_EMAILS_LOOKED                                                                        \
	10000 /* emails that a page of one type, or by several filters, looks at */
#define LIMIT_PAGE_FIGURES 400
#define LIMIT_SEARCH_LEAST 2	  /* characters of a search of a list */
#define LIMIT_SEARCH_LENGTH 100	  /* likewise, at most */
#define LIMIT_SEARCH_SORTED 5000  /* matches of a kind that are sorted; of more the list is read */
#define LIMIT_SEARCH_JOINED 2000  /* the same for people who are looked for in another list */
#define LIMIT_SEARCH_LOOKED 10000 /* rows that a page looks at where the list is read through */
#define LIMIT_SEARCH_ROWS 2000	  /* the same where each row is looked for among the people */
#define LIMIT_SEARCH_PEOPLE 25000 /* people, where those who match are probed for membership */
#define LIMIT_SEARCH_EMAILS 4000  /* emails */
#define LIMIT_RESEND_PAGE 100	  /* under /resend */
#define LIMIT_RESEND_FROM_LENGTH 998
#define LIMIT_RESEND_SUBJECT_LENGTH 998
#define LIMIT_RESEND_TAGS 50
#define LIMIT_RESEND_LINKS 10000      /* of a broadcast's clicked links */
#define LIMIT_RESEND_DELAY_DAYS 30    /* of a step */
#define LIMIT_RESEND_EVENT_FIELDS 100 /* of a declared event */
#define LIMIT_RESEND_ATTACHMENTS 100
#define LIMIT_RESEND_IMPORT_KEYS 100	     /* properties of an import */
#define LIMIT_RESEND_PARTS 100		     /* segments or topics of a request for a contact */
#define LIMIT_DOWNLOAD_MS (60LL * 60 * 1000) /* the URL of an attachment works for this long */

/* Settings */
#define LIMIT_SECRET_MIN_BYTES 32
#define LIMIT_WORKFLOWS 1000	      /* default of [limits] workflows */
#define LIMIT_WEBHOOKS 50	      /* default of [limits] webhooks */
#define LIMIT_WORKFLOWS_PER_EVENT 100 /* default of [limits] workflows_per_event */
#define LIMIT_OF_LIMITS 1000000000    /* the largest value of a limit of a workspace */

/* Processor time of a rendering, of reading html, and of rules (base/budget.h): for each MiB, and
   at least and at most */
#define LIMIT_BUDGET_MIB_NS 200000000LL
#define LIMIT_BUDGET_LEAST_NS 200000000LL
#define LIMIT_BUDGET_MOST_NS 5000000000LL

/* DNS */
#define LIMIT_DNS_NAME 255 /* octets of a name in a reply (RFC 1035 section 2.3.4) */

/* Times */
#define LIMIT_SYNC_ATTEMPT_MS 15000
#define LIMIT_FETCH_MS 20000
#define LIMIT_LINK_MS 5000	      /* for one link of a broadcast's check */
#define LIMIT_SPAM_MS 20000	      /* for the opinion of a spam filter */
#define LIMIT_DNS_MS 5000	      /* for all look-ups of one call */
#define LIMIT_DESTINATION_DNS_MS 2000 /* for the MX of recipients' domains */
#define LIMIT_FETCH_REDIRECTS 3
#define LIMIT_FETCH_HEADER_BYTES (64 * 1024) /* of one answer, including interim ones */
#define LIMIT_IDEMPOTENCY_WAIT_S 5
#define LIMIT_IDEMPOTENCY_MS (24LL * 60 * 60 * 1000)

#endif
