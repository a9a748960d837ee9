/* SPDX-License-Identifier: MIT */
#ifndef FCGI_LOCATION_H
#define FCGI_LOCATION_H

/* An absolute http or https URL as a Location header takes it (RFC 9110 section 10.2.2): ASCII that
   leads to the same place. A host in another script becomes A-labels; controls, spaces and what is
   not ASCII are percent-encoded; all else is as it was. The caller owns it. */
char *fcgi_location_of(const char *url);

#endif
