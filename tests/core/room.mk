# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/core_test
TESTS += %D%/core_test
%C%_core_test_SOURCES = \
	%D%/attachment.c \
	%D%/batch.c \
	%D%/bounce.c \
	%D%/calls.c \
	%D%/compose.c \
	%D%/consent.c \
	%D%/content.c \
	%D%/deliver.c \
	%D%/derive.c \
	%D%/destination.c \
	%D%/dmarc.c \
	%D%/dns_check.c \
	%D%/domain.c \
	%D%/draft.c \
	%D%/engagement.c \
	%D%/erase.c \
	%D%/figures.c \
	%D%/journal.c \
	%D%/keyring.c \
	%D%/main.c \
	%D%/metrics.c \
	%D%/moment.c \
	%D%/pace.c \
	%D%/personal.c \
	%D%/posting.c %D%/posting.h \
	%D%/provided.c %D%/provided.h \
	%D%/provider.c \
	%D%/provider_endpoint.c \
	%D%/provider_request.c \
	%D%/provider_rules.c \
	%D%/quota.c \
	%D%/record.c \
	%D%/recover.c \
	%D%/relay.c \
	%D%/route.c \
	%D%/report.c \
	%D%/report_suppress.c \
	%D%/reporter.c %D%/reporter.h \
	%D%/reporting.c %D%/reporting.h \
	%D%/return_path.c \
	%D%/scene.c %D%/scene.h \
	%D%/schedule.c \
	%D%/send.c \
	%D%/sender.c \
	%D%/sendmail.c \
	%D%/spf.c \
	%D%/submission.c \
	%D%/submission_attach.c \
	%D%/submission_extras.c \
	%D%/submit.c \
	%D%/suppress.c \
	%D%/template.c \
	%D%/test_address.c \
	%D%/template_draft.c \
	%D%/tidy.c \
	%D%/token.c \
	%D%/token_cut.c \
	%D%/tracking.c \
	%D%/unsubscribe.c \
	%D%/utm.c \
	%D%/variables.c \
	%D%/webhook_payload.c \
	%D%/warmup.c \
	%D%/webhook.c \
	%D%/webhook_request.c \
	%D%/world.c %D%/world.h \
	%D%/zone.c \
	%D%/zone_match.c
# A row of a table ends where there is no more to say.
%C%_core_test_CFLAGS = $(AM_CFLAGS) -Wno-missing-field-initializers $(CRYPTO_CFLAGS) $(GMIME_CFLAGS) $(CRITERION_CFLAGS)
%C%_core_test_LDADD = $(SUPPORT_LIBS) $(CORE_LIBS)
# %D%/derive.c counts these calls
%C%_core_test_LDFLAGS = -Wl,--wrap=mail_html_parse
endif
check_PROGRAMS += %D%/fill_templates
%C%_fill_templates_SOURCES = %D%/fill_templates.c
%C%_fill_templates_LDADD = $(CORE_LIBS)
dist_check_SCRIPTS += %D%/handlebars.sh
TESTS += %D%/handlebars.sh
EXTRA_DIST += \
	%D%/handlebars/cases.json %D%/handlebars/judge.mjs \
	%D%/handlebars/package.json %D%/handlebars/package-lock.json
