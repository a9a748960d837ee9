# SPDX-License-Identifier: MIT
# dashboard: the pages in the browser. What is built of them is kept in dist, so that nobody needs Node to install them.
EXTRA_DIST += \
	%D%/DESIGN.md %D%/dist %D%/help %D%/index.html %D%/licenses.ts %D%/package.json %D%/package-lock.json %D%/place %D%/public %D%/src \
	%D%/tsconfig.json %D%/vite.config.ts

# Builds dist anew from the sources, with the packages that the lock file names.
dashboard: api/openapi.json
	cd '$(srcdir)/%D%' && npm ci --ignore-scripts --no-audit --no-fund && \
		OPENAPI='$(abs_builddir)/api/openapi.json' npm run --silent all
.PHONY: dashboard

install-data-local: install-dashboard
install-dashboard:
	$(SHELL) '$(srcdir)/%D%/place' '$(srcdir)/%D%/dist' "$(DESTDIR)$(pkgdatadir)/dashboard"
uninstall-local: uninstall-dashboard
uninstall-dashboard:
	rm -rf "$(DESTDIR)$(pkgdatadir)/dashboard"
.PHONY: install-dashboard uninstall-dashboard
