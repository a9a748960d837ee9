# SPDX-License-Identifier: MIT
# packaging: releases, and packages of distributions.
EXTRA_DIST += \
	%D%/README.md %D%/autopkgtest %D%/bundle %D%/bundle-test %D%/check-test %D%/container-test %D%/deb %D%/install-test \
	%D%/machine.sh %D%/release %D%/release-test %D%/rpm-build %D%/tarball \
	%D%/apparmor %D%/container %D%/debian %D%/rpm %D%/shared-host

# make release VERSION=1.2.3: checks, tags, and makes the tarball in the build folder.
release:
	'$(srcdir)/%D%/release' '$(VERSION)' '$(abs_builddir)'

# The tarball has the same bytes wherever and whenever it is made.
release-test:
	'$(srcdir)/%D%/release-test'

# Debian packages in build/packages of the source folder.
packages:
	'$(srcdir)/%D%/deb'

# A folder for shared hosts in build/bundle of the source folder.
bundle:
	'$(srcdir)/%D%/bundle'

# Installs these packages in an empty Debian, uses, upgrades, removes and purges them. Needs root and debootstrap.
install-tests: packages
	'$(srcdir)/%D%/install-test'

# Installs this folder on a shared host in an empty Debian, uses, renews and removes it. Needs root and debootstrap.
bundle-tests: bundle
	'$(srcdir)/%D%/bundle-test'
.PHONY: release release-test packages bundle install-tests bundle-tests
