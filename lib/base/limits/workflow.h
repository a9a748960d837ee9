/* SPDX-License-Identifier: MIT */
/* Limits of workflows, their events and executions. The units are those of base/limits/unit.h. */
#ifndef BASE_LIMITS_WORKFLOW_H
#define BASE_LIMITS_WORKFLOW_H

#include "base/limits/unit.h"

#define LIMIT_DESIGN_BYTES LIMIT_MIB
#define LIMIT_DESIGN_NODES 500
#define LIMIT_DESIGN_FAULTS 1000		  /* reported faults of one design */
#define LIMIT_DESIGN_CACHE_BYTES (32 * LIMIT_MIB) /* of the design cache of a process */
#define LIMIT_NODE_ID_LENGTH 64
#define LIMIT_EVENT_NAME_LENGTH 100
#define LIMIT_PROPERTY_LENGTH 256 /* a dot path in rules and designs */
#define LIMIT_PROPERTY_PARTS 16
#define LIMIT_HANDLE_LENGTH 64
#define LIMIT_WEIGHT 1000000	      /* of one side of a split */
#define LIMIT_STEPS 1000	      /* nodes that an execution visits */
#define LIMIT_WHY_LENGTH 1000	      /* of the reason of a step; the rest is cut off */
#define LIMIT_SIMULATION_EVENTS 100   /* of one request */
#define LIMIT_SIMULATION_SEGMENTS 100 /* of its contact */
#define LIMIT_SIMULATION_TRACE 1000   /* lines in its answer */
#define LIMIT_SIMULATION_MS 5000      /* elapsed time of it */
#define LIMIT_WAIT_MS (5 * 365LL * 24 * 60 * 60 * 1000)
#define LIMIT_DEDUPE_MS (30LL * 24 * 60 * 60 * 1000)
#define LIMIT_EVENT_PAST_MS (30LL * 24 * 60 * 60 * 1000) /* a given timestamp is no older, */
#define LIMIT_EVENT_AHEAD_MS (5LL * 60 * 1000)		 /* and no further ahead */
#define LIMIT_EVENT_PROPERTIES_BYTES (64 * 1024)
#define LIMIT_RESULTS_BYTES (256 * 1024) /* of all steps of an execution */
#define LIMIT_REQUEST_HEADERS 25
#define LIMIT_REQUEST_TIMEOUT 30 /* seconds */
#define LIMIT_REQUEST_ATTEMPTS 5
#define LIMIT_REQUEST_RESULT_BYTES (16 * 1024) /* of the answer that a step keeps */
#define LIMIT_CONTACT_PROPERTIES_BYTES (256 * 1024)
#define LIMIT_WORKFLOW_CHAIN 5 /* workflows that start one another by events of their emails */
#define LIMIT_CONDITIONS 10    /* of a goal, and exits */
#define LIMIT_GOAL_MS (90LL * 24 * 60 * 60 * 1000)   /* from the start */
#define LIMIT_DIGEST_MS (31LL * 24 * 60 * 60 * 1000) /* of the window of a digest */
#define LIMIT_DIGEST_EVENTS 100			     /* that a digest gives, the newest, */
#define LIMIT_DIGEST_BYTES (64 * 1024)		     /* and their properties */
#define LIMIT_KEY_BYTES 255			     /* of a key; a longer one is its hash */
#define LIMIT_STARTS 100			     /* of a workspace that are not over */
#define LIMIT_START_EMAILS 1000			     /* that one start names */
#define LIMIT_START_BATCH 500			     /* people in one transaction of a start */
#define LIMIT_SECRETS 100			     /* of a workspace */
#define LIMIT_SECRET_NAME_LENGTH 64
#define LIMIT_SECRET_VALUE_LENGTH 4096
#define LIMIT_WORKFLOWS 1000	      /* default of [limits] workflows */
#define LIMIT_WORKFLOWS_PER_EVENT 100 /* default of [limits] workflows_per_event */

#endif
