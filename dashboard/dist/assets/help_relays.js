const e={title:"Relays: from zero to a delivered event",html:`
<p>Each guide begins with an installation that runs (README, &quot;Install it&quot;) and ends with an email whose events are <code>sent</code> and <code>delivered</code>. <code>posthouse.conf(5)</code> explains every key. A password stands best in a file of its own, mode 0640, with the group of the user who runs Posthouse (<code>posthouse</code> on Debian).</p>
<h2 id="the-same-steps-for-every-relay">The same steps for every relay</h2>
<ol><li>Write the section <code>[relay NAME]</code> into the settings, as the guide shows. Remove <code>host</code>, <code>port</code>, <code>tls</code>, <code>tls_ca</code>, <code>user</code>, <code>password</code>, <code>connections</code> and <code>rate</code> from <code>[smtp]</code>; beside a <code>[relay]</code> section they are errors.</li><li>Set <code>[service] spf</code> to the mechanism of the guide, so that the SPF record of new domains allows the relay.</li><li><code>posthouse domain add example.com</code>, publish the records that it prints, and <code>posthouse domain verify example.com</code>. The MX of <code>send.example.com</code> is not required when every relay of the domain has a <code>provider</code> or a <code>return_path</code>.</li><li>Prove the domain to the provider as well, in its own console. It usually asks for DKIM records of its own; ours stay beside them.</li><li><code>posthouse domain relay example.com NAME</code>, if the domain is not to use every relay with <code>default = yes</code>.</li><li><p><code>posthouse doctor</code> tries the relay without sending mail. When it is content, send an email, and look:</p>
<pre class="source" tabindex="0">posthouse email list --to you@example.net
posthouse email show ID</pre>
<p><code>sent</code> means that the relay has taken the message. <code>delivered</code> comes when the provider, or a delivery report, says so.</p></li><li>If the email is <code>delayed</code>, the event has the relay's answer. <code>posthouse spool waiting</code> shows why a message waits, <code>posthouse spool status</code> whether a relay rests.</li></ol>
<p>With a <code>provider</code>, step 6 needs its reports: <code>posthouse provider add PROVIDER --relay NAME</code> prints the URL to enter at the provider. The URL begins with <code>[service] url</code>, which the provider must be able to reach.</p>
<h2 id="amazon-ses">Amazon SES</h2>
<pre class="source" tabindex="0">[relay ses]
host = email-smtp.eu-central-1.amazonaws.com
port = 465
user = AKIAEXAMPLE
password_file = /etc/posthouse/ses.password
provider = ses</pre>
<ol><li>Make SMTP credentials in the SES console of the region (they are not the keys of an IAM user), and ask for leave of the sandbox.</li><li><code>[service] spf = include:amazonses.com</code>. In SES, verify the domain with DKIM. A custom MAIL FROM domain in SES must not be <code>send.example.com</code> while that name has our records.</li><li><code>posthouse provider add ses --relay ses</code> prints a URL. Make an SNS topic with an HTTPS subscription to that URL; leave raw message delivery off. Posthouse confirms the subscription by itself.</li><li>Make a configuration set whose event destination is the topic, with delivery, bounce, complaint, delay, reject, open and click, and make it the default one of the domain's identity.</li></ol>
<h2 id="mailgun">Mailgun</h2>
<pre class="source" tabindex="0">[relay mailgun]
host = smtp.eu.mailgun.org
port = 465
user = postmaster@example.com
password_file = /etc/posthouse/mailgun.password
provider = mailgun</pre>
<ol><li>Add the domain at Mailgun, in the region of the host (<code>smtp.mailgun.org</code> for the US), and make an SMTP password for it.</li><li><code>[service] spf = include:mailgun.org</code>.</li><li>Write the HTTP webhook signing key into a file, and run <code>posthouse provider add mailgun --relay mailgun --secret-file FILE</code>.</li><li>Enter the URL as webhook of the domain for delivered, temporary and permanent failure, complained, opened, clicked and unsubscribed.</li></ol>
<h2 id="postmark">Postmark</h2>
<pre class="source" tabindex="0">[relay postmark]
host = smtp.postmarkapp.com
port = 587
user = SERVER-TOKEN
password_file = /etc/posthouse/postmark.token
provider = postmark</pre>
<ol><li>Make a server at Postmark. Its API token is both user and password. Mailings need a broadcast stream: a second relay with the credentials of that stream, and a route for the domain of the mailings.</li><li><code>[service] spf = include:spf.mtasv.net</code>. Prove the sender's domain with DKIM.</li><li><code>posthouse provider add postmark --relay postmark</code> prints a URL with user and password in it. Add it as webhook of the message stream, for delivery, bounce, spam complaint, open, link click and subscription change.</li></ol>
<h2 id="sendgrid">SendGrid</h2>
<pre class="source" tabindex="0">[relay sendgrid]
host = smtp.sendgrid.net
port = 465
user = apikey
password_file = /etc/posthouse/sendgrid.key
provider = sendgrid</pre>
<ol><li>Make an API key that may send mail. The user is the word <code>apikey</code>. Prove the domain (domain authentication).</li><li><code>[service] spf = include:sendgrid.net</code>. Turn click and open tracking off in SendGrid if Posthouse tracks.</li><li>In the Event Webhook, turn the signature on, write the public key into a file, and run <code>posthouse provider add sendgrid --relay sendgrid --secret-file FILE</code>. Enter the URL, and choose all events of delivery and engagement.</li></ol>
<h2 id="brevo">Brevo</h2>
<pre class="source" tabindex="0">[relay brevo]
host = smtp-relay.brevo.com
port = 587
user = LOGIN@smtp-brevo.com
password_file = /etc/posthouse/brevo.key
provider = brevo</pre>
<ol><li>Make an SMTP key (not an API key); the login stands beside it. Prove the domain.</li><li><code>[service] spf = include:spf.brevo.com</code>.</li><li><code>posthouse provider add brevo --relay brevo</code> prints a URL and a secret. Add a transactional webhook with this URL, with the secret as bearer token, for all events.</li></ol>
<h2 id="gmail-workspace">Gmail Workspace</h2>
<pre class="source" tabindex="0">[relay gmail]
host = smtp-relay.gmail.com
port = 587
tls = required
user = mailer@example.com
auth = xoauth2
token_command = /usr/local/bin/gmail-token
helo = mail.example.com</pre>
<ol><li>In the admin console, under Gmail, Routing, add an SMTP relay service that allows senders of your domains, and requires SMTP authentication and TLS.</li><li><code>gmail-token</code> prints an OAuth 2 access token of the user for the scope <code>https://mail.google.com/</code>. It runs when a token is needed, and has 10 seconds. With an app password, use <code>password_file</code> in place of <code>auth</code> and <code>token_command</code>.</li><li><code>[service] spf = include:_spf.google.com</code>.</li><li>Google reports nothing by webhook; it sends bounces to the return path. Let <code>send.example.com</code> lead to a server that runs <code>posthouse report</code> (README, &quot;Bounces&quot;). Without such a server, set <code>return_path = bounces@example.com</code>, and let cron read that mailbox. <code>delivered</code> comes only with delivery reports (DSN); otherwise an email stays <code>sent</code> when all is well.</li></ol>
<h2 id="domains-that-enforce-tls">Domains that enforce TLS</h2>
<p>Mail of a domain with <code>tls = enforced</code> (<code>doc/domains.md</code>) leaves only through a session with TLS and a certificate that holds, whatever <code>tls</code> and <code>tls_verify</code> of the relay are: a relay on this machine with <code>tls = none</code> needs TLS for it, too. That is the way to the relay. Behind it, TLS is the relay's matter: let it enforce TLS by itself (Postfix: <code>smtp_tls_security_level</code>, DANE, MTA-STS).</p>
<h2 id="your-own-postfix">Your own Postfix</h2>
<p>On the same machine, Postfix takes mail at port 25 without a login:</p>
<pre class="source" tabindex="0">[relay local]
host = 127.0.0.1
tls = none</pre>
<p>On another machine, use a login:</p>
<pre class="source" tabindex="0">[relay postfix]
host = mail.example.com
port = 465
user = posthouse
password_file = /etc/posthouse/postfix.password</pre>
<ol><li><p>On that machine, turn <code>submissions</code> on in <code>master.cf</code> (port 465, <code>smtpd_tls_wrappermode=yes</code>) or <code>submission</code> (port 587, <code>smtpd_tls_security_level=encrypt</code>), with <code>smtpd_sasl_auth_enable=yes</code>. Let the user send from every address: no <code>reject_sender_login_mismatch</code>. Where that Postfix has no logins yet, Debian's packages <code>libsasl2-modules</code> and <code>sasl2-bin</code> give it some:</p>
<pre class="source" tabindex="0">saslpasswd2 -c -u mail.example.com posthouse
chgrp postfix /etc/sasldb2
postconf -e smtpd_sasl_local_domain=mail.example.com</pre>
<p>with the lines <code>pwcheck_method: auxprop</code>, <code>auxprop_plugin: sasldb</code> and <code>mech_list: PLAIN LOGIN CRAM-MD5</code> in <code>/etc/postfix/sasl/smtpd.conf</code>, and <code>n</code> in the column <code>chroot</code> of the service in <code>master.cf</code>, so that it can read <code>/etc/sasldb2</code>.</p></li><li><code>[service] spf = ip4:ADDRESS</code>, the address from which Postfix sends. Its PTR record should be the host name of Postfix.</li><li><code>[service] mail_from_mx = mail.example.com</code>, and append <code>apache/postfix-master.cf</code> to <code>master.cf</code> there, with a transport of <code>send.example.com</code> to it. Postfix supports DSN, so <code>delivered</code> comes by itself when the recipient's server has taken the message.</li></ol>
<h2 id="when-a-relay-takes-no-mail">When a relay takes no mail</h2>
<p>One sentence says why: on the email (<code>delayed</code>), in <code>posthouse spool waiting</code> and <code>spool status</code>, in the log, and in <code>posthouse doctor</code>, which adds the remedy. The relay rests a minute, and the message is due again then; that is no attempt of the message. Once a relay is back, the first reply that delays the message is a <code>delayed</code> event again.</p>
<div class="table-box" role="group" tabindex="0"><table><thead><tr><th scope="col">the sentence has</th><th scope="col">what to do</th></tr></thead><tbody><tr><td><code>could not be reached</code></td><td>correct <code>host</code> and <code>port</code>; hosters often block port 25, and 465 or 587 are free</td></tr><tr><td><code>this port speaks TLS at once</code></td><td><code>tls = implicit</code></td></tr><tr><td><code>does not speak TLS at once</code></td><td><code>tls = required</code>, or the port 465</td></tr><tr><td><code>does not offer STARTTLS</code></td><td><code>tls = implicit</code> with port 465; without a login <code>tls = none</code> where the way is safe</td></tr><tr><td><code>its certificate is for …, not for NAME</code></td><td><code>host</code> as the certificate has it, or <code>tls_name</code></td></tr><tr><td><code>is not trusted</code>, <code>is self-signed</code></td><td><code>tls_ca</code>, the file of the CA or of the certificate</td></tr><tr><td><code>its certificate ended on</code></td><td>the relay's operator has to renew it; <code>posthouse metrics</code> tells the day before</td></tr><tr><td><code>refused the login</code></td><td><code>user</code> and <code>password</code>; the text behind it is the relay's own</td></tr><tr><td><code>offers no login that auth = … allows</code></td><td><code>auth = auto</code>, or one of the mechanisms that the sentence lists</td></tr><tr><td><code>token_command failed</code></td><td>run the command as the web server's user</td></tr></tbody></table></div>
<h2 id="several-relays">Several relays</h2>
<ul><li><strong>Fail over:</strong> <code>order = 1</code> and <code>order = 2</code>. A relay that takes no session rests a minute, and its mail goes to the next order.</li><li><strong>Share:</strong> the same <code>order</code>, with <code>weight</code>.</li><li><strong>By domain:</strong> <code>default = no</code>, and <code>posthouse domain relay DOMAIN NAME</code> or <code>posthouse workspace relay NAME</code>.</li><li><strong>By stream:</strong> the same commands with <code>--for transactional</code>, <code>--for automation</code> or <code>--for broadcast</code>; see the next section.</li></ul>
<h2 id="streams-and-addresses">Streams and addresses</h2>
<p>Receivers judge the address and the host name that mail comes from. Newsletters get complaints; receipts should not pay for them, nor wait behind them. So all mail is of one of three streams:</p>
<div class="table-box" role="group" tabindex="0"><table><thead><tr><th scope="col">stream</th><th scope="col">mail</th></tr></thead><tbody><tr><td><code>transactional</code></td><td>requests, batches, <code>posthouse sendmail</code>, SMTP, confirmations, and nodes of workflows of kind <code>transactional</code></td></tr><tr><td><code>automation</code></td><td>other nodes of workflows</td></tr><tr><td><code>broadcast</code></td><td>broadcasts</td></tr></tbody></table></div>
<p>A request that is a newsletter of your own says so: <code>&quot;stream&quot;: &quot;broadcast&quot;</code>. It changes the way and the figures, never consent.</p>
<pre class="source" tabindex="0">[relay receipts]
host = 127.0.0.1
port = 10025
tls = none

[relay news]
host = 127.0.0.1
port = 10026
tls = none
default = no

posthouse workspace relay news --for broadcast
posthouse domain relay shop.example news --for automation</pre>
<p>Of the routes the first that is set holds: of domain and stream, of the domain, of workspace and stream, of the workspace; without any, the relays with <code>default = yes</code>. <code>GET /v1/domains/{id}/relays?stream=broadcast</code> shows which they are.</p>
<p>A stream can wait, or be slowed:</p>
<pre class="source" tabindex="0">posthouse stream pause broadcast --reason &quot;complaints at example.net&quot;
posthouse stream resume broadcast
posthouse stream pace broadcast 20000
posthouse stream list</pre>
<p>While it is paused, all mail is accepted and waits; what is being sent already leaves. A pace is of recipients in a clock hour (UTC). The database counts them as machines take messages, so that no number of machines sends more. A message that waits makes no attempt and has no event; <code>posthouse spool waiting</code> says <code>paused: the stream broadcast is paused</code> or <code>paced: the stream broadcast sends at most 20000 an hour</code>. <code>posthouse stats --group-by stream</code> and <code>GET /v1/stats?group_by=stream</code> count by stream.</p>
<p>A relay may be connected from several addresses of this machine, which messages take in turn:</p>
<pre class="source" tabindex="0">[relay news]
host = mx.example.com
source = 192.0.2.1 192.0.2.2 192.0.2.3

[source 192.0.2.3]
helo = news3.example.com
warmup = 50 100 500 1000 5000</pre>
<p><code>helo</code> is the name for EHLO from that address; its A and PTR should agree (<code>posthouse doctor --only helo</code>). <code>warmup</code> is for a new address: how many recipients it may reach on the first day that it sends, on the second and so on. An address that is full is passed over, and the others carry the rest; when all are full, messages wait: <code>warm-up: 192.0.2.3 has sent 50 of 50 today, the rest leaves from 2027-01-16</code>. Each machine counts its own addresses, in <code>[spool] dir</code>. <code>posthouse_source_attempts_total</code> of <code>posthouse metrics</code> has what became of it, by relay, address and result.</p>
<h2 id="postfix-with-dane-mta-sts-and-several-addresses">Postfix with DANE, MTA-STS and several addresses</h2>
<p>Posthouse speaks to relays. The relay decides what happens behind it, to which hosts it connects and with what TLS: <code>tls</code> of <code>[relay NAME]</code> is about the way to it, and no more. A Postfix of your own proves the hosts of recipients by DANE (RFC 7672) and MTA-STS (RFC 8461), and gives each stream addresses of its own. <code>apache/postfix-streams-main.cf</code> and <code>apache/postfix-streams-master.cf</code> are such a Postfix:</p>
<ol><li>Install a resolver that validates DNSSEC on the same machine (<code>unbound</code>), and let <code>/etc/resolv.conf</code> name it alone: without it <code>smtp_dns_support_level = dnssec</code> sees no signed answer, and DANE does nothing.</li><li>Install <code>postfix-tlspol</code>, which looks up policies of MTA-STS and leaves domains that have DANE to Postfix. Without it, leave <code>smtp_tls_policy_maps</code> out.</li><li>Append the files to <code>main.cf</code> and <code>master.cf</code> with addresses and names in place of those in <code>@</code>, each address with a PTR record that is the name of its EHLO. Port 10025 takes receipts and sends them from the one address, port 10026 newsletters from the others.</li><li><code>[service] spf</code> has all the addresses: <code>ip4:192.0.2.1 ip4:192.0.2.2 ip4:192.0.2.3</code>.</li><li>The relays <code>receipts</code> and <code>news</code> as above. <code>posttls-finger -c -l dane example.net</code> on that machine tells what DANE says of a domain, and the log of Postfix has <code>Verified TLS connection</code> for what DANE or MTA-STS has proved.</li></ol>
<h2 id="pace-and-warm-up">Pace and warm-up</h2>
<p>A destination that answers 421 or 4.7.x is asked less and less often, without any settings; all other mail goes on. Providers with a published limit can have it from the start, and a new domain begins best with few recipients:</p>
<pre class="source" tabindex="0">[pace gmail.com]
connections = 10
rate = 20/s

[warmup]
limits = 50 100 500 1000 5000 10000</pre>
<p><code>posthouse spool waiting</code> shows what a message waits for: <code>paced: gmail.com defers (421 4.7.28 …), 30 attempts a minute</code>, or <code>warm-up: example.com has sent 50 of 50 today, the rest leaves from 2027-01-16</code>. The paces of a machine stand in <code>[spool] dir</code>, and begin anew when it boots.</p>`};export{e as default};
