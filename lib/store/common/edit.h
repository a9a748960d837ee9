/* SPDX-License-Identifier: MIT */
/* Edits of what several people may edit at once: templates, broadcasts, segments and workflows. */
#ifndef STORE_COMMON_EDIT_H
#define STORE_COMMON_EDIT_H

#include <glib.h>
#include <stdbool.h>

/* The author of an edit, and the version that is to be replaced. Texts are borrowed. A NULL in
   place of an edit is one of nobody, and of any version. */
struct store_edit {
	const char *author; /* an email address, or the id of a key; NULL: not known */
	/* The tags of the versions that may be replaced, NULL-terminated; NULL: any. A tag is
	   another one for each version of a thing. */
	const char *const *tags;
	bool is_restore; /* makes a version even where it equals the newest one */
};

/* Inside a transaction that has locked the thing: whether its version, which has this tag, may be
   replaced. CHANGED "Changed by somebody else". */
bool store_edit_check(const struct store_edit *edit, const char *tag, GError **error);

/* The same for a thing whose versions are told apart by the time of the last change. */
bool store_edit_check_time(const struct store_edit *edit, gint64 updated, GError **error);

/* Writes that tag. */
#define STORE_EDIT_TAG_SIZE 24
const char *store_edit_tag(gint64 updated, char tag_r[STORE_EDIT_TAG_SIZE]);

/* The time of a change: now, and later than that of the change before, so that it is another one
   for each version. */
gint64 store_edit_time(gint64 before);

/* The author, or NULL. */
const char *store_edit_author(const struct store_edit *edit);

/* A version as a list shows it. The caller of the list owns it. */
struct store_edit_version {
	guint version;
	gint64 created;	  /* epoch ms */
	char *created_by; /* as the author of an edit */
};
void store_edit_version_free(void *version);

/* Sets NOT_FOUND "Version not found" and returns false. */
bool store_edit_version_missing(GError **error);

#endif
