/* What a process keeps of automation from one event or batch to the next. */
#ifndef AUTOMATION_LIBRARY_H
#define AUTOMATION_LIBRARY_H

#include <glib.h>
#include <stdbool.h>

#include "base/id.h"

struct core;
struct design;

/* A version of a workflow. Versions never change, so they are read once. */
struct volume {
	struct design *design; /* NULL: there is no such version, or it cannot be read */
	bool asks_event;       /* something in it names a property of the event */
};

/* Makes room, if need be; what automation_library_get gave before is gone then. Between
   transactions. */
void automation_library_trim(struct core *core);

/* The version, which belongs to the library; NULL with errors of db/statement.h. */
const struct volume *automation_library_get(
    struct core *core, const struct id *workflow, guint version, GError **error);

#endif
