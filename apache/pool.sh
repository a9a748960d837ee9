#!/bin/sh
# SPDX-License-Identifier: MIT
# Keeps the pool for mod_proxy_fcgi.conf running, in the foreground: for a service manager, or for cron's @reboot.
# Replace @config@, @socket@, @program@ and @workers@ as in lighttpd.conf, and @group@ by Apache's Group, which this user has
# to be in.
export POSTHOUSE_CONFIG=@config@
exec spawn-fcgi -n -s @socket@ -M 0660 -G @group@ -b 1024 -- @program@ --workers @workers@
