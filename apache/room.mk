# SPDX-License-Identifier: MIT
# apache: how real hosts run it
samplesdir = $(docdir)/apache
dist_samples_DATA = \
	%D%/crontab %D%/error-411.html %D%/exim %D%/htaccess-cgi %D%/htaccess-fcgi %D%/lighttpd.conf %D%/mod_fcgid.conf \
	%D%/mod_proxy_fcgi.conf %D%/nginx.conf %D%/pool.sh %D%/postfix-master.cf %D%/report.sh \
	%D%/resend-apache.conf %D%/resend-htaccess %D%/resend-lighttpd.conf %D%/resend-nginx.conf %D%/wrapper.sh
