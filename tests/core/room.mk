# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/core_test
TESTS += %D%/core_test
%C%_core_test_SOURCES = \
	%D%/main.c \
	%D%/attach.c \
	%D%/cancel.c \
	%D%/compose.c \
	%D%/consent.c \
	%D%/content.c \
	%D%/derive.c \
	%D%/domain_keys.c \
	%D%/sender.c \
	%D%/deliver.c \
	%D%/draft.c \
	%D%/envelope.c \
	%D%/erase.c \
	%D%/extras.c \
	%D%/journal.c \
	%D%/keyring.c \
	%D%/personal.c \
	%D%/posting.c %D%/posting.h \
	%D%/quota.c \
	%D%/record.c \
	%D%/recover.c \
	%D%/register.c \
	%D%/relay.c \
	%D%/bounce.c \
	%D%/report.c \
	%D%/retry.c \
	%D%/return_path.c \
	%D%/rewrite.c \
	%D%/robot.c \
	%D%/scene.c %D%/scene.h \
	%D%/send.c \
	%D%/relay_slot.c \
	%D%/spf.c \
	%D%/submit.c \
	%D%/suppress.c \
	%D%/template.c \
	%D%/tidy.c \
	%D%/token.c \
	%D%/unsubscribe.c \
	%D%/variables.c \
	%D%/verdict.c \
	%D%/verify.c \
	%D%/warmup.c \
	%D%/engagement.c \
	%D%/world.c %D%/world.h \
	%D%/zone.c \
	%D%/zone_match.c
%C%_core_test_CFLAGS = $(AM_CFLAGS) $(CRYPTO_CFLAGS) $(GMIME_CFLAGS) $(CRITERION_CFLAGS)
%C%_core_test_LDADD = $(SUPPORT_LIBS) $(CORE_LIBS)
# %D%/derive.c counts these calls
%C%_core_test_LDFLAGS = -Wl,--wrap=mail_html_parse
endif
