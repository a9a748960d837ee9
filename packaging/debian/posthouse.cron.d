# Where systemd runs, posthouse-spool.service does this work.
* * * * * posthouse [ -d /run/systemd/system ] || { [ -x /usr/sbin/posthouse-spool ] && [ -e /etc/posthouse/secret ] && /usr/sbin/posthouse-spool --for 55; }
