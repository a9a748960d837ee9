/* SPDX-License-Identifier: MIT */
/* The order of requests that have the same Idempotency-Key. */
#ifndef SERVICE_ONCE_TURN_H
#define SERVICE_ONCE_TURN_H

struct service;
struct service_once_turn;
struct store_idempotency;

/* Waits until no other request of this host with the same key has its turn, but for
   LIMIT_IDEMPOTENCY_WAIT_S at most; NULL then. A turn is a lock on one byte of a file in the spool
   directory; two keys have the same byte by a chance of 1 to 2^40. It is for work before the
   transaction: only the transaction decides who is first. If the file cannot be written, all have
   their turn at once. Ended by service_once_turn_end, or with the process. */
struct service_once_turn *service_once_turn_take(
    struct service *service, const struct store_idempotency *key);
void service_once_turn_end(struct service_once_turn *turn);

#endif
