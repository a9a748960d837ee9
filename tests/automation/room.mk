# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/engine_test
TESTS += %D%/engine_test
%C%_engine_test_SOURCES = \
	%D%/agreement.c \
	%D%/answer.c \
	%D%/consent.c \
	%D%/contact.c \
	%D%/design_cache.c \
	%D%/digest.c \
	%D%/engine.c \
	%D%/event.c \
	%D%/execution.c \
	%D%/feedback.c \
	%D%/gathered.c \
	%D%/history.c \
	%D%/journey.h %D%/journey_design.c %D%/journey_event.c \
	%D%/journey_model.c %D%/journey_model.h %D%/journey_start.c \
	%D%/journey_step.c \
	%D%/journey_play.c \
	%D%/leftovers.c \
	%D%/look.c \
	%D%/main.c \
	%D%/races.c %D%/races.h \
	%D%/random_design.c %D%/random_design.h \
	%D%/sample.c %D%/sample.h \
	%D%/results.c \
	%D%/segment.c \
	%D%/fixture.c %D%/fixture.h \
	%D%/start.c \
	%D%/stopping.c \
	%D%/storm.c \
	%D%/webhook.c \
	%D%/workflow.c
%C%_engine_test_LDFLAGS = $(KEPT_KEYS)
%C%_engine_test_LDADD = $(SUPPORT_LIBS) libstart.a $(AUTOMATION_LIBS)
endif
if HAVE_CRITERION
check_PROGRAMS += %D%/design_test
TESTS += %D%/design_test
%C%_design_test_SOURCES = \
	%D%/moment.c \
	%D%/design.c \
	%D%/ending.c \
	%D%/graph.c \
	%D%/journeys.c \
	%D%/manual.c \
	%D%/random.c \
	%D%/random_design.c %D%/random_design.h \
	%D%/rules.c \
	%D%/sample.c %D%/sample.h \
	%D%/simulate.c \
	%D%/step.c
%C%_design_test_LDADD = $(SUPPORT_LIBS) $(AUTOMATION_LIBS)
endif
EXTRA_DIST += %D%/journeys/abandoned-cart.json \
	%D%/journeys/abandoned-cart.simulated.json \
	%D%/journeys/birthday.json \
	%D%/journeys/birthday.simulated.json \
	%D%/journeys/digest.json \
	%D%/journeys/digest.simulated.json \
	%D%/journeys/double-opt-in.json \
	%D%/journeys/double-opt-in.simulated.json \
	%D%/journeys/onboarding.json \
	%D%/journeys/onboarding.simulated.json \
	%D%/journeys/re-engagement.json \
	%D%/journeys/re-engagement.simulated.json \
	%D%/journeys/renewal.json \
	%D%/journeys/renewal.simulated.json \
	%D%/journeys/trial-end.json \
	%D%/journeys/trial-end.simulated.json \
	%D%/journeys/welcome.json \
	%D%/journeys/welcome.simulated.json \
	%D%/journeys/win-back.json \
	%D%/journeys/win-back.simulated.json
# A design that React Flow has written, and what clients from npm send
dist_check_SCRIPTS += tests/http/client.sh
TESTS += tests/http/client.sh
EXTRA_DIST += tests/http/client/receive.mjs tests/http/client/send.mjs \
	tests/http/client/package.json tests/http/client/package-lock.json
dist_check_SCRIPTS += %D%/reactflow.sh
TESTS += %D%/reactflow.sh
EXTRA_DIST += %D%/reactflow/export.mjs %D%/reactflow/package.json \
	%D%/reactflow/package-lock.json
clean-local:
	rm -rf %D%/reactflow.build tests/http/client.build tests/resend/client.build tests/smtpd/nodemailer.build tests/smtpd/exim.build
