# SPDX-License-Identifier: MIT
# hostile: everybody who talks to an installation turns against it
check_PROGRAMS += tests/bench/fill
EXTRA_DIST += %D%/hostile.py %D%/house.py %D%/names.py %D%/neighbour.py %D%/recipient.py %D%/relay.py %D%/tenant.py %D%/web.py
dist_check_SCRIPTS += %D%/servers.sh %D%/tenants.sh
TESTS += %D%/servers.sh %D%/tenants.sh

# Minutes long; HOSTILE takes options of %D%/hostile.py, such as --only tenant.
hostile: all
	$(MAKE) $(fault_programs) tests/bench/fill
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' /usr/bin/python3 '$(srcdir)/tests/hostile/hostile.py' $(HOSTILE)
	srcdir='$(abs_top_srcdir)' builddir='$(abs_builddir)' KILLS=200 /usr/bin/python3 '$(srcdir)/tests/quickstart/kills.py'
.PHONY: hostile
