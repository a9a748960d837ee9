/* SPDX-License-Identifier: MIT */
/* The footer of broadcasts whose authors left out the link to unsubscribe. */
#ifndef BROADCAST_FOOTER_H
#define BROADCAST_FOOTER_H

/* A source with a footer that has the link, if it has none itself. NULL and "" stay as they are.
   The caller owns it. */
char *broadcast_footer_html(const char *source);
char *broadcast_footer_text(const char *source);

/* A source without the footer of the functions above. NULL stays NULL. The caller owns it. */
char *broadcast_footer_take(const char *source);

#endif
