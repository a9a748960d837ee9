/* SPDX-License-Identifier: MIT */
/* The statuses of starts of workflows, which statements on their rows name. */
#ifndef STORE_AUTOMATION_START_STATUS_H
#define STORE_AUTOMATION_START_STATUS_H

/* Stored as number. */
enum store_start_status {
	START_PENDING = 1,
	START_RUNNING = 2,
	START_DONE = 3,
	START_CANCELLED = 4,
	START_SKIPPED = 5,
	START_FAILED = 6,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define START_PENDING_SQL "1"
#define START_RUNNING_SQL "2"

#endif
