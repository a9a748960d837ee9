/* SPDX-License-Identifier: MIT */
/* The statuses of broadcasts, which statements on their rows name. */
#ifndef STORE_BROADCAST_STATUS_H
#define STORE_BROADCAST_STATUS_H

/* Stored as number. */
enum store_broadcast_status {
	BROADCAST_DRAFT = 1,
	BROADCAST_SCHEDULED = 2,
	BROADCAST_SENDING = 3,
	BROADCAST_TESTING = 4, /* the test share has left, the rest waits for the winner */
	BROADCAST_PAUSED = 5,
	BROADCAST_SENT = 6,
	BROADCAST_CANCELLED = 7,
	BROADCAST_FAILED = 8,  /* it could not start */
	BROADCAST_REMOVED = 9, /* its rows are still to be removed; nobody sees it any more */
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define BROADCAST_DRAFT_SQL "1"
#define BROADCAST_SCHEDULED_SQL "2"
#define BROADCAST_SENDING_SQL "3"
#define BROADCAST_TESTING_SQL "4"
#define BROADCAST_PAUSED_SQL "5"
#define BROADCAST_SENT_SQL "6"
#define BROADCAST_CANCELLED_SQL "7"
#define BROADCAST_FAILED_SQL "8"
#define BROADCAST_REMOVED_SQL "9"

#endif
