/* SPDX-License-Identifier: MIT */
/* The words of servers, by their topics: the one place that a new wording goes to. */
#include "mail_report/failure_words.h"

const struct mail_report_failure_words mail_report_failure_words[] = {
    /* the mailbox, or the disk */
    {MAIL_REPORT_FAILURE_FULL, "5.2.2",
	"|mailbox is full|mailbox full|mail box full|mail box is full|inbox is full"
	"|inbox full|mailfolder is full|account is full|account full"
	"|mailbox is currently full|mailbox is almost full|mailbox was full|mailbox too full"
	"|user is full|is full|quota|overquota|over its quota|exceeded storage"
	"|mailbox exceeds|exceeds allowed size|exceeded its storage|storage allocation"
	"|out of storage|storage limit|exhausted allowed storage|exceeded allowed storage"
	"|insufficient disk|insufficient storage|insufficient system storage"
	"|insufficient space|disk space|disk full|disk is full|no space left|no room"
	"|not enough space|not enough disk|not enough storage|not enough room|no more space"
	"|too many messages on|too many messages in|too many messages on the"
	"|has too many messages|has too many mails|mailbox size limit|mailbox has exceeded"
	"|mailbox limit|maximum mailbox size|mailbox would exceed|exceed mailbox"
	"|exceeded mailbox|exceeds mailbox|mailbox over|mailbox is over|over the limit"
	"|user is over|maildir over|mail directory over|space limit|allotted space"
	"|allocated space|size of mailbox|postfach ist voll|postfach voll"
	"|postfach ist überfüllt|speicherplatz|boîte pleine|boite pleine|est pleine"
	"|buzón lleno|buzon lleno|está lleno|casella piena|è piena|caixa cheia|está cheia"
	"|mailbox exceeded|recipient's mailbox exceeded|exceeded the local limit"
	"|space not enough|ha excedido|agotado|zuviele mails|is vol|skrzynka pełna"
	"|przepełniona|переполнен|переполнена|容量|"},
    /* too much at a time */
    {MAIL_REPORT_FAILURE_RATE, NULL,
	"|at a rate that|rate limit|ratelimit|rate exceeded|sending rate|too fast"
	"|too many connections|too many sessions|too many concurrent|too many messages from"
	"|too many mails from|too many emails|too many recipients|too many requests"
	"|too much mail|sending limit|hourly|daily limit|throttl|frequency limited|greylist"
	"|graylist|grey list|gray list|resources restricted|too busy|system busy|server busy"
	"|load is too high|load average|receiving mail too|receiving email too"
	"|receiving mail at|"},
    /* another time may do */
    {MAIL_REPORT_FAILURE_LATER, NULL,
	"|host not found try again|try again later|try later|try your request again "
	"later|temporarily|temporary"
	"|service not available|service currently|currently unavailable|"},
    /* the message */
    {MAIL_REPORT_FAILURE_SIZE, "5.2.3",
	"|message too large|message is too large|message too big|message is too big"
	"|message file too big|mail too large|mail is too large|email is too large"
	"|mail too big|message size|size limit|size exceeds|size of the message"
	"|message length exceeds|message exceeds|mail size|maximum size|maximum message"
	"|maximum allowed size|exceeds the maximum|exceeds maximum|exceeds fixed maximum"
	"|exceeded the maximum|larger than|too long message|message too long|too large"
	"|too big|message content length exceeds|sizelimit|line too long|"},
    /* sender, host, content, permission */
    {MAIL_REPORT_FAILURE_POLICY, "5.7.1",
	"|blacklist|black list|blocklist|block list|blocked|blocking|is on a block|denylist"
	"|spam|antispam|spamhaus|spamcop|sorbs|rbl|uribl|surbl|dnsbl|barracuda"
	"|found in one or more|open relay|spf|sender policy framework|sender id|dkim|dmarc"
	"|domainkey|policy|policies|reputation|unsolicited|junk|bulk mail|bulk email|virus"
	"|malware|phish|infected|banned|prohibit|content rejected|content reject"
	"|content filter|message content|due to content|for content|message rejected"
	"|message refused|message denied|mail rejected|mail refused|email rejected"
	"|header rejected|attachment type|attachments are|attachment not|illegal attachment"
	"|attachment name|^access denied|denied by|denied due|berechtigung|autorisé|permiso"
	"|permesso|permissão|權限|权限|権限|разрешени|group you tried to contact|transaction denied"
	"|connection denied|relaying|relay access|relay denied|relay not|relay is not"
	"|to relay|not relay|cannot relay|relay for|relay operation|allowed rcpthosts"
	"|not permitted|unauthorized|not authorized|not authorised|authentication"
	"|authenticate|unauthenticated|not allowed to send|not accept mail from"
	"|not accepting mail from|not accept email from|doesn't accept mail from"
	"|refuses mail from|refused mail from|mail from your|email from your|your mail server"
	"|permission|your server|sending mta|your host|your ip|ip address|this ip|sending ip"
	"|client host|your domain|your hostname|your reverse|cannot find your|client ip"
	"|reverse dns|reverse lookup|ptr record|rdns|no ptr|invalid ptr|dynamic ip|helo|ehlo"
	"|sender rejected|sender address|sender domain|sender verif|verify sender"
	"|sender denied|sender is|sender not|sender blocked|bad sender|invalid sender"
	"|domain of sender|sender's domain|your email address|your mail address"
	"|envelope sender|from address|confirmation|whitelist|white list|safelist|allowlist"
	"|not pre approved|not approved|suspicious|suspected|fraud|security|restricted"
	"|complaint|abuse|not rfc|rfc compliant|administrative|tls is required|tls required"
	"|starttls|only accept|moderat|not subscribed|members only|requires that the sender|"},
    /* no such host or domain */
    {MAIL_REPORT_FAILURE_HOST, "5.1.2",
	"|host unknown|unknown host|host not found|no such host|any host named"
	"|can't find host|host or domain name not found|domain does not exist"
	"|domain doesn't exist|domain not exist|domain not found|no such domain"
	"|unknown domain|domain unknown|domain name is unknown|domain isn't known"
	"|domain is not|domain isn't|invalid domain|unrouteable mail domain"
	"|unroutable mail domain|name service error|name or service not known|name server"
	"|dns error|dns soft error|dns hard error|dns lookup fail|null mx|nullmx|no mx"
	"|mx record|mx records|mx host|host address lookups failed|no mail exchange"
	"|mail exchanger|bad destination host|bad destination system|doesn't receive email"
	"|does not receive email|does not receive mail|doesn't receive mail"
	"|does not accept mail|doesn't accept mail|does not accept email|nxdomain"
	"|unresolvable|no route found|unable to route|domain couldn't be found"
	"|domain could not be found|no address associated|host name lookup|host was not found"
	"|illegal host|server for domain|"},
    /* out of time */
    {MAIL_REPORT_FAILURE_NETWORK, "4.4.7",
	"|retry timeout exceeded|retry time not reached|queue too long|too long in queue"
	"|too long in the queue|message expired|has expired|delivery expired"
	"|delivery time expired|expired|been in the queue|maximum queue|queue time"
	"|queue lifetime|maximum retries|retry limit|maximum number of retries"
	"|number of attempts|failed # attempts|after # attempts|# attempts|# tries"
	"|last # seconds|multiple retries|aborted after|maximum delivery attempts"
	"|after # days|after # hours|for # days|for # hours|within # days|within # hours"
	"|in # days|in # hours|for a long time|for the last # days|retry count"
	"|retries exceeded|time limit|too old|retry period|delivery attempts have failed"
	"|for too long|"},
    /* no answer */
    {MAIL_REPORT_FAILURE_NETWORK, "4.4.1",
	"|timed out|timeout|time out|timed-out|connection refused|could not connect"
	"|couldn't connect|unable to connect|can't connect|cannot connect|not connect"
	"|failed to connect|connect failed|connection failed|no route to host|host is down"
	"|unreachable|not reachable|couldn't be reached|did not respond|didn't respond"
	"|no answer from|not responding|not answering|no response from|connection lost"
	"|lost connection|connection dropped|connection reset|connection closed"
	"|connection was|broken pipe|requests to connect|all hosts have been failing"
	"|wasn't able to establish|unable to establish|could not establish|couldn't establish"
	"|network error|connection died|establish an smtp connection|unable to contact"
	"|server closed|bad connection|unexpected disconnect|no connection|connection error|"},
    /* no such mailbox */
    {MAIL_REPORT_FAILURE_GONE, "5.1.1",
	"|user unknown|unknown user|users unknown|unknown users|recipient unknown"
	"|unknown recipient|address unknown|unknown address|unknown to address"
	"|account unknown|unknown account|mailbox unknown|unknown mailbox|unknown local"
	"|unknown email|unknown e mail|unknown or illegal|unknown alias|local user unknown"
	"|is unknown|addressee unknown|unknown addressee|unknown in|unknown receiver"
	"|receiver unknown|unknown destination|unknown name|unknown userid|unknown customer"
	"|no such user|no such recipient|no such mailbox|no such mail|no such mail box"
	"|no such address|no such account|no such local|no such email|no such e mail"
	"|no such person|no such customer|no such name|no such id|no such alias|no such login"
	"|no such destination|no such receiver|not such user|no user|no mailbox|no mail box"
	"|no account|no valid recipient|no valid user|no one here|no one by that name"
	"|nobody by that name|not found|notfound|recipnotfound|could not be found"
	"|couldn't be found|wasn't found|was not found|cannot be found|can't be found"
	"|doesn't have a|does not have a|doesn't have an|does not have an|does not have such"
	"|doesn't exist|does not exist|does not exists|did not exist|do not exist|don't exist"
	"|doesn t exist|dose not exist|not exist|isn't exist|non existent|nonexistent"
	"|non existant|nonexistant|non existing|not existing|inexistent|no longer exist"
	"|no longer valid|no longer available|no longer on|no longer in use|no longer working"
	"|no longer work|no longer employed|no longer at|no longer with|no longer here"
	"|no longer used|not listed in|not in directory|not in our|isn't listed|not a known"
	"|not known|isn't known|not a valid|isn't a valid|not valid|not our customer"
	"|not a local|not local|not a user|not recognized|not recognised|unrecognized"
	"|unrecognised|not registered|not a registered|is not a customer|has left|invalid recipient"
	"|invalid mailbox|invalid user|invalid address|invalid account|invalid email"
	"|invalid e mail|invalid name|invalid local|invalid final|invalid destination"
	"|recipient invalid|recipient is invalid|address is invalid|address invalid"
	"|user invalid|user is invalid|mailbox invalid|bad destination mailbox|bad recipient"
	"|bad mailbox|bad address|bad destination address|illegal alias|illegal user"
	"|badrcptto|possibly incorrect|address is incorrect|incorrect address"
	"|user unavailable|mailbox name not allowed|mailbox not allowed|unrouteable address"
	"|unroutable address|undeliverable address|address undeliverable|undeliverable local"
	"|recipient address rejected access denied|recipient addresses rejected access denied"
	"|recipient address rejected$|resolver adr recipnotfound|^address rejected"
	"|recipient rejected|リストにありません|該当するユーザ|recipient not ok|recipient not "
	"accepted"
	"|recipient is not accepted|recipient does not|user not|mailbox not found|ambiguous"
	"|not unique|user isn't|name not unique|unbekannt|existiert nicht|nicht gefunden"
	"|kein konto|nicht vorhanden|ungültig|n'existe pas|inconnu|introuvable|no existe"
	"|desconocid|non esiste|inesistente|sconosciut|não existe|nao existe|inexistente"
	"|desconhecid|bestaat niet|onbekend|nie istnieje|nie ma|nieznany|не существует"
	"|не найден|нет такого|не зарегистрирован|存在しません|見つかりません|不存在|用户不|"},
    /* no such mailbox, or any reason */
    {MAIL_REPORT_FAILURE_UNAVAILABLE, "5.1.1",
	"|mailbox unavailable|mailbox is unavailable|mailbox not available"
	"|mailbox is not available|"},
    /* closed */
    {MAIL_REPORT_FAILURE_DISABLED, "5.2.1",
	"|account has been disabled|account is disabled|account disabled"
	"|account that you tried to reach is disabled|is disabled|been disabled"
	"|mailbox disabled|user disabled|disabled user|disabled account|disabled mailbox"
	"|is inactive|account inactive|inactive user|inactive account|mailbox inactive"
	"|not active|no longer active|isn't active|deactivated|mailbox is inactive"
	"|account closed|account is closed|has been closed|discontinued|has been deleted"
	"|has been removed|terminated|"},
    /* a failure, and no more is said */
    {MAIL_REPORT_FAILURE_REFUSED, NULL,
	"|could not be delivered|couldn't be delivered|cannot be delivered|can't be delivered"
	"|not be delivered|not delivered|was not delivered|wasn't delivered|undeliverable"
	"|undelivered|non delivery|nondeliver|delivery fail|delivery has failed"
	"|failed to deliver|failed permanently|failed delivery|failure notice|delivery error"
	"|delivery problem|delivery notification|delivery report|delivery status"
	"|mail system error|mail error|returned mail|returned to sender|returning message"
	"|returned message|mail delivery|unable to deliver|can't deliver|cannot deliver"
	"|could not deliver|couldn't deliver|not deliver|not able to deliver|unable to send"
	"|could not be sent|couldn't be sent|cannot be sent|could not send|undeliver"
	"|fatal error|permanent error|permanent failure|permanent fatal|addresses failed"
	"|address failed|address es failed|has been rejected|was rejected"
	"|automatically rejected|has been returned|was returned|were not reached"
	"|not be reached|could not reach|message rejected|rejected by|rejected|refused"
	"|malformed|incorrectly constructed|failed mail|エラー|bounced|bounce"
	"|had delivery errors|transcript of session|transcript of the session|error sending"
	"|nicht zugestellt|unzustellbar|konnte nicht|non remis|n'a pas pu|pas été|no se pudo"
	"|no pudo|no se ha podido|no entregado|devuelto|impossibile|mancata consegna"
	"|non è stato|não pôde|não foi|niet bezorgd|niet worden|nie można|nie została"
	"|niedostarcz|недоставлен|не может быть доставлен|не доставлено|не было доставлено"
	"|невозможно доставить|配信|送信できません|退信|无法|送達|반송|"},
    /* still being tried */
    {MAIL_REPORT_FAILURE_WAITING, NULL,
	"|warning message only|will be retried|will retry|retry for|continue to try"
	"|continue trying|keep trying|still trying|still being|will be attempted"
	"|continue to be attempted|attempts will continue|try again for"
	"|not yet been delivered|no action is required|not need to resend"
	"|don't need to resend|has been delayed|been delayed|is delayed|delivery delayed"
	"|was delayed|delivery status notification delay|delivery delay|delayed mail"
	"|will be tried|will try|will continue|could not be delivered yet|transient non fatal"
	"|keep attempting|verzögert|"},
    /* an answer of a person's program */
    {MAIL_REPORT_FAILURE_ABSENT, NULL,
	"|out of office|out of the office|away from|vacation|on holiday|on leave|autoreply"
	"|auto reply|autoresponse|auto response|autorespond|auto respond|automatic reply"
	"|automatic response|automated reply|automated response|automatically generated reply"
	"|i am away|i'm away|will be away|currently away|am currently out|will be out|abwesen"
	"|nicht im büro|nicht im hause|im urlaub|automatische antwort|automatische antwoord"
	"|réponse automatique|reponse automatique|absence|absent|en vacances|en congé"
	"|respuesta automática|respuesta automatica|fuera de la oficina|de vacaciones"
	"|risposta automatica|fuori ufficio|in ferie|resposta automática|resposta automatica"
	"|fora do escritório|de férias|automatisch antwoord|afwezig|automatyczna odpowied"
	"|poza biurem|autosvar|frånvaro|автоответ|автоматический ответ|в отпуске|自動返信|自动回复"
	"|자동 회신|confirm your message|confirm that you|challenge|awaiting confirmation"
	"|verify your message|thank you for your e mail|thank you for your email"
	"|thank you for your message|thank you for contacting|received your message"
	"|received your email|your message was read|your message was displayed|read receipt|"},
    {0},
};
