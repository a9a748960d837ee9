/* SPDX-License-Identifier: MIT */
/* How the operation that sends one email is gathered with others, in each front. */
#ifndef FCGI_API_SENDING_H
#define FCGI_API_SENDING_H

/* An email that is attempted at once, or has an attachment by URL, is stored alone; of others the
   sender and the only recipient are looked up together. */
extern const struct fcgi_gathering fcgi_sending_gathering;

#endif
