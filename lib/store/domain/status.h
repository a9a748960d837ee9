/* SPDX-License-Identifier: MIT */
/* The statuses of domains, which statements on their rows name. */
#ifndef STORE_DOMAIN_STATUS_H
#define STORE_DOMAIN_STATUS_H

/* Stored as number. */
enum store_domain_status {
	DOMAIN_NOT_STARTED = 1,
	DOMAIN_PENDING = 2,
	DOMAIN_SUCCESS = 3,
	DOMAIN_FAILED = 4,
	DOMAIN_TEMPORARY_FAILURE = 5,
};
/* Their numbers in the text of a statement; tests/sql.py compares them. */
#define DOMAIN_SUCCESS_SQL "3"
#define DOMAIN_TEMPORARY_FAILURE_SQL "5"

#endif
