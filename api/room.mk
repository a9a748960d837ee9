# SPDX-License-Identifier: MIT
# api: the description of the HTTP API in OpenAPI, a file for each resource. They are joined into openapi.json, which is
# installed, and which the service holds as a C string and serves. The tables of posthouse-api(7) are made from it.
api_parts = \
	%D%/service.json \
	%D%/public.json \
	%D%/emails.json \
	%D%/domains.json \
	%D%/received.json \
	%D%/templates.json \
	%D%/audiences.json \
	%D%/people.json \
	%D%/imports.json \
	%D%/properties.json \
	%D%/forms.json \
	%D%/page.json \
	%D%/segments.json \
	%D%/sessions.json \
	%D%/topics.json \
	%D%/users.json \
	%D%/requests.json \
	%D%/suppressions.json \
	%D%/waiting.json \
	%D%/stats.json \
	%D%/events.json \
	%D%/workflows.json \
	%D%/executions.json \
	%D%/webhooks.json \
	%D%/broadcasts.json \
	%D%/automation_contacts.json \
	%D%/keys.json \
	%D%/workspace.json
EXTRA_DIST += $(api_parts) %D%/join.awk %D%/embed.awk %D%/manual.awk man/posthouse-api.7.in
nodist_pkgdata_DATA = %D%/openapi.json
dist_man_MANS += man/posthouse-api.7
BUILT_SOURCES += %D%/document.h
CLEANFILES += %D%/openapi.json %D%/document.h man/posthouse-api.7

%D%/openapi.json: $(api_parts) %D%/join.awk %D%/room.mk configure.ac
	$(AM_V_GEN)$(MKDIR_P) %D% && cd $(srcdir) && \
		$(AWK) -v version='$(PACKAGE_VERSION)' -f %D%/join.awk $(api_parts) >$(abs_builddir)/$@.tmp && \
		mv $(abs_builddir)/$@.tmp $(abs_builddir)/$@
%D%/document.h: %D%/openapi.json %D%/embed.awk
	$(AM_V_GEN)$(AWK) -f $(srcdir)/%D%/embed.awk %D%/openapi.json >$@.tmp && mv $@.tmp $@
man/posthouse-api.7: %D%/openapi.json man/posthouse-api.7.in %D%/manual.awk
	$(AM_V_GEN)$(MKDIR_P) man && \
		$(AWK) -f $(srcdir)/%D%/manual.awk %D%/openapi.json $(srcdir)/man/posthouse-api.7.in >$@.tmp && \
		mv $@.tmp $@

# The tarball has the joined document at its top, to be read without a build.
dist-hook: dist-openapi
dist-openapi: %D%/openapi.json
	cp %D%/openapi.json $(distdir)/openapi.json
.PHONY: dist-openapi
