/* SPDX-License-Identifier: MIT */
/* The answer to what is not served under /resend. */
#ifndef TESTS_RESEND_UNSERVED_H
#define TESTS_RESEND_UNSERVED_H

#define UNSERVED(message)                                                                          \
	"{'statusCode':501,'name':'application_error','message':'" message "','error':'" message   \
	"'}"

#endif
