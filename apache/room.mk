# SPDX-License-Identifier: MIT
# apache: how real hosts run it
samplesdir = $(docdir)/apache
dist_samples_DATA = \
	%D%/crontab %D%/error-411.html %D%/exim %D%/exim-receive %D%/exim-submission %D%/htaccess-cgi %D%/htaccess-fcgi %D%/inetd.conf %D%/lighttpd.conf %D%/mod_fcgid.conf \
	%D%/mod_proxy_fcgi.conf %D%/nginx.conf %D%/pool.sh %D%/postfix-master.cf %D%/postfix-receive.cf %D%/postfix-streams-main.cf %D%/postfix-streams-master.cf %D%/postfix-submission.cf \
	%D%/posthouse-smtpd.service %D%/posthouse-smtpd.socket %D%/posthouse-smtpd@.service %D%/report.sh \
	%D%/resend-apache.conf %D%/resend-htaccess %D%/resend-lighttpd.conf %D%/resend-nginx.conf \
	%D%/tracking-acme.sh %D%/tracking-apache.conf %D%/tracking-caddy %D%/tracking-certbot.sh %D%/tracking-md.conf %D%/wrapper.sh
