# SPDX-License-Identifier: MIT
# automation: events in, workflows and what runs them
noinst_LIBRARIES += libautomation.a
libautomation_a_SOURCES = \
	%D%/batch.c %D%/batch.h \
	%D%/cancel.c %D%/cancel.h \
	%D%/contact.c %D%/contact.h \
	%D%/engine.c %D%/engine.h \
	%D%/event.c %D%/event.h \
	%D%/event_wait.c %D%/event_wait.h \
	%D%/feedback.c %D%/feedback.h \
	%D%/intake.c %D%/intake.h \
	%D%/design_cache.c %D%/design_cache.h \
	%D%/mailing.c %D%/mailing.h \
	%D%/locked_contact.c %D%/locked_contact.h \
	%D%/progress.c %D%/progress.h \
	%D%/task.c %D%/task.h \
	%D%/walk.c %D%/walk.h \
	%D%/workflow.c %D%/workflow.h
libautomation_a_CFLAGS = $(AM_CFLAGS)
dist_man_MANS += man/posthouse-workflow.5
AUTOMATION_LIBS = libautomation.a $(CORE_LIBS)

# Its pure part: designs, rules, steps
libautomation_a_SOURCES += \
	%D%/describe.c %D%/describe.h \
	%D%/design.c %D%/design.h \
	%D%/design_check.c %D%/design_check.h \
	%D%/design_store.c %D%/design_store.h \
	%D%/design_walk.c %D%/design_walk.h \
	%D%/duration.c %D%/duration.h \
	%D%/event_name.c %D%/event_name.h \
	%D%/graph.c %D%/graph.h \
	%D%/node.c %D%/node.h \
	%D%/node_data.c %D%/node_data.h \
	%D%/node_email.c %D%/node_email.h \
	%D%/number.c %D%/number.h \
	%D%/operator.c %D%/operator.h \
	%D%/properties.c %D%/properties.h \
	%D%/rules.c %D%/rules.h \
	%D%/simulate.c %D%/simulate.h \
	%D%/simulate_world.c %D%/simulate_world.h \
	%D%/simulation.c %D%/simulation.h \
	%D%/split.c %D%/split.h \
	%D%/step.c %D%/step.h
