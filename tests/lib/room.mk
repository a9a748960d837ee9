# SPDX-License-Identifier: MIT
if HAVE_CRITERION
check_PROGRAMS += %D%/lib_test
TESTS += %D%/lib_test
%C%_lib_test_SOURCES = \
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
	%D%/domain.c %D%/domain_report.c %D%/dmarc_advice.c \
	%D%/draft.c \
	%D%/engagement.c \
	%D%/robot.c \
	%D%/erase.c \
	%D%/figures.c \
	%D%/footer.c \
	%D%/import_file.c \
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
	%D%/received_authentication.c \
	%D%/record.c \
	%D%/recover.c \
	%D%/relay.c \
	%D%/route.c \
	%D%/report.c \
	%D%/report_cases.c \
	%D%/cfbl.c %D%/report_suppress.c %D%/report_together.c \
	%D%/reporter.c %D%/reporter.h \
	%D%/reporting.c %D%/reporting.h \
	%D%/return_path.c \
	%D%/scene.c %D%/scene.h \
	%D%/schedule.c \
	%D%/send.c \
	%D%/sender.c \
	%D%/sending.c \
	%D%/sending_model.c \
	%D%/sendmail.c \
	%D%/source.c \
	%D%/spf.c \
	%D%/stream.c \
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
	%D%/fixture.c %D%/fixture.h \
	%D%/zone.c \
	%D%/zone_match.c
%C%_lib_test_LDADD = $(SUPPORT_LIBS) $(UPKEEP_LIBS)
# %D%/derive.c counts these calls
%C%_lib_test_LDFLAGS = $(KEPT_KEYS) -Wl,--wrap=html_parse
endif
check_PROGRAMS += %D%/fill_templates
%C%_fill_templates_SOURCES = %D%/fill_templates.c
%C%_fill_templates_LDADD = $(UPKEEP_LIBS)
dist_check_SCRIPTS += %D%/handlebars.sh
TESTS += %D%/handlebars.sh
EXTRA_DIST += \
	%D%/handlebars/cases.json %D%/handlebars/judge.mjs \
	%D%/handlebars/package.json %D%/handlebars/package-lock.json
# bounces as the world writes them, and what must become of each
EXTRA_DIST += \
	%D%/bounces/1und1-wrapped.eml \
	%D%/bounces/5.2.1-ip-blacklisted.eml \
	%D%/bounces/boxbe-action-without-recipient.eml \
	%D%/bounces/domino-text.eml \
	%D%/bounces/dovecot-mdn-reject.eml \
	%D%/bounces/dragonfly.eml \
	%D%/bounces/dsn-action-failure.eml \
	%D%/bounces/dsn-fields-without-mime.eml \
	%D%/bounces/dsn-xdelivery-status.eml \
	%D%/bounces/exim-all-hosts-failing-wrapped.eml \
	%D%/bounces/exim-full-generated-by.eml \
	%D%/bounces/exim-undisclosed-generated-from.eml \
	%D%/bounces/expected.tsv \
	%D%/bounces/fixedpath-final-recipient-is-a-file.eml \
	%D%/bounces/fixedpath-mxlogic-copy-of-header.eml \
	%D%/bounces/fixedpath-rfc822-headers-type.eml \
	%D%/bounces/full-5.2.0.eml \
	%D%/bounces/full-5.7.0.eml \
	%D%/bounces/full-disk-space-limit.eml \
	%D%/bounces/full-too-many-messages.eml \
	%D%/bounces/gmail-5.2.1-rate.eml \
	%D%/bounces/gmail-old-no-connect.eml \
	%D%/bounces/hotmail-550-at-rcpt-exim.eml \
	%D%/bounces/hotmail-550-status-5.0.0-at-rcpt-postfix.eml \
	%D%/bounces/imail-attempts.eml \
	%D%/bounces/ironport-5.1.0-inner-5.2.2.eml \
	%D%/bounces/jmrp-field-in-own-header.eml \
	%D%/bounces/m365-5.1.351.eml \
	%D%/bounces/m365-5.4.316.eml \
	%D%/bounces/mailenable-smtp-brackets.eml \
	%D%/bounces/mfilter.eml \
	%D%/bounces/mimecast.eml \
	%D%/bounces/opensmtpd-error.eml \
	%D%/bounces/postfix-destinations.eml \
	%D%/bounces/qmail-own-intro.eml \
	%D%/bounces/rcpt-550-unlisted-words.eml \
	%D%/bounces/sendmail-5.1.1-blacklist.eml \
	%D%/bounces/sendmail-text-5.1.1-spf.eml \
	%D%/bounces/sendmail5-transcript-only.eml \
	%D%/bounces/status-5.1.1-reply-5.2.2.eml \
	%D%/bounces/status-5.3.0-no-such-user.eml \
	%D%/bounces/status-5.7.1-user-not-found.eml \
	%D%/bounces/x1-delivery-errors.eml \
	%D%/bounces/yahoo-2014.eml \
	%D%/bounces/zoho-delay.eml
