const e={title:"posthouse-workflow(5)",html:`<h2 id="description">Description</h2>
<p>A design describes a workflow: the event that starts it, and the steps that follow. It is the JSON that editors made with React Flow save:</p>
<pre class="source" tabindex="0">{&quot;nodes&quot;: [{&quot;id&quot;: &quot;...&quot;, &quot;type&quot;: &quot;...&quot;, &quot;position&quot;: {...}, &quot;data&quot;: {...}}],
 &quot;edges&quot;: [{&quot;source&quot;: &quot;...&quot;, &quot;target&quot;: &quot;...&quot;, &quot;sourceHandle&quot;: &quot;...&quot;}]}</pre>
<p>A node is a step; <code>type</code> and <code>data</code> describe it. An edge leads from the node with the id <code>source</code> to the node with the id <code>target</code>. If the source has several ways out, <code>sourceHandle</code> names one of them. All other members are stored and ignored. A field that is null counts as left out, and so does an empty text in <code>send_email</code> and <code>until</code>.</p>
<p>An execution is the run of one contact through a design, beginning at the trigger. It ends at a node from which no edge leads. It keeps the version of the design that it started with.</p>
<h3 id="types-of-nodes">Types of nodes</h3>
<dl>
<dt><code>trigger</code></dt><dd>
<p>The start of each execution. A design has exactly one trigger, and no edge leads to it.</p>
<dl>
<dt><code>eventName</code></dt><dd>
<p>The name of the event that starts the workflow, of 1 to 100 characters; upper and lower case are the same. Events of emails that workflows send are events of the contact, too: <code>email.sent</code>, <code>email.delivered</code>, <code>email.opened</code>, <code>email.clicked</code>, <code>email.bounced</code>, <code>email.complained</code> and <code>email.unsubscribed</code>. An email starts a workflow at most once by its opens and once by its clicks, by the first that match. Executions that wait for such an event are released each time. Opens and clicks by programs are no events; see Dq TRACKING of posthouse-api(7). An open or a click right after the delivery becomes an event some seconds later, when it is known that no program follows all links.</p>
<p><code>email.received</code> is mail that the contact wrote, as far as it is proven: DMARC has passed, or the mail came to the address for replies to an email of the contact. Automatic mail is no event. Its properties are <code>received_id</code>, <code>recipient</code>, <code>from</code>, <code>subject</code>, <code>domain_id</code> and <code>email_id</code>. Emails of an execution that it started have <code>Auto-Submitted: auto-replied</code>, <code>In-Reply-To</code> and <code>References</code>.</p>
<p>Posthouse tells some events by itself, of a person, with their time, where an active workflow or a running execution hears their name; see Dq Own events .</p>
<p>Any active workflow can also be begun by hand, whatever its event; with <code>workflow.started</code> it is begun by hand alone. Its <code>filter</code> and <code>reentry</code> hold then, its <code>dedupe_window</code> does not; see Dq Starts of workflows in posthouse-api(7).</p>
<p>These names are those of events that Posthouse tells by itself; clients cannot record them: <code>person.created</code>, <code>person.updated</code>, <code>contact.created</code>, <code>contact.confirmed</code>, <code>contact.updated</code>, <code>contact.unsubscribed</code>, <code>contact.deleted</code>, <code>topic.joined</code>, <code>topic.left</code>, <code>form.submitted</code>, <code>segment.entered</code>, <code>segment.left</code>, <code>date.reached</code>, <code>schedule.due</code> and <code>workflow.started</code>. The last three cannot be waited for; see Sx Own events .</p>
</dd>
<dt><code>filter</code></dt><dd>
<p>Rules that must hold.</p>
</dd>
<dt><code>reentry</code></dt><dd>
<p><code>every</code>, the default: each event starts an execution. <code>after_finish</code>: an event does not start one while an earlier execution of the contact has not finished. <code>once</code>: each contact has one execution, ever.</p>
</dd>
<dt><code>dedupe_window</code></dt><dd>
<p>The number of milliseconds after a start in which the same event of the same contact does not start another execution: 0 (no window) to 2592000000 (30 days); if not given 300000 (5 minutes), or 0 in a design with a <code>digest</code>. Own events, and those of emails, are never held back.</p>
</dd>
<dt><code>key</code></dt><dd>
<p>The path of a value, of <code>event.order_id</code>, say. <code>reentry</code> and <code>dedupe_window</code> then count for each contact and value: with <code>once</code> each order has one execution. Values are the same if <code>equals</code> holds for them; a missing value, an object and an array are the key Dq . A key of more than 255 bytes is shown as its SHA-256.</p>
</dd>
<dt><code>segmentId</code></dt><dd>
<p>With <code>segment.entered</code> and <code>segment.left</code>, also in <code>wait_for_event</code>: the id of a segment that is not frozen. With <code>schedule.due</code>: the segment whose people are started.</p>
</dd>
<dt><code>audienceId</code></dt><dd>
<p>With <code>schedule.due</code>, in place of that: the audience whose subscribers are started.</p>
</dd>
<dt><code>include</code></dt><dd>
<p>With <code>segment.entered</code>: <code>new</code>, the default, starts those who enter from now on; <code>all</code> starts once those, too, who are in when the workflow is first active with this segment.</p>
</dd>
<dt><code>date</code></dt><dd>
<p>With <code>date.reached</code>, an object: <code>property</code>, the path of an ISO 8601 date, or of a time, whose day is that of the person's clock; <code>days</code> from -366 to 366, which are added to the day (0); <code>at</code>, a time of day on the person's clock (<code>09:00</code>); <code>zone</code>, that of a person who has none (UTC); <code>repeat</code>, <code>once</code>, the default, or <code>yearly</code>: each year from that of the value on, and of <code>--05-17</code> each year. 29 February is 28 February in other years. A moment starts a person once for each day, also late.</p>
</dd>
<dt><code>schedule</code></dt><dd>
<p>With <code>schedule.due</code>, an object: <code>cron</code>, five fields (minute, hour, day of the month, month, day of the week) of numbers, <code>*</code>, ranges, lists, steps, and the names <code>mon</code> and <code>jan</code>; <code>zone</code> (UTC). Each tick makes one start; of several that have passed, the latest does. While the start of an earlier tick goes on, a new one is skipped. If both days are restricted, either will do. An hour that the clock skips is as much later, and one that it has twice is the first; if the hour begins with <code>*</code>, each real hour counts.</p>
</dd>
<dt><code>goal</code></dt><dd>
<p>The aim of the workflow: <code>{any, within, ends}</code>. <code>any</code> has 1 to 10 conditions. The first that comes true is the goal: the execution is <code>COMPLETED</code> where it stands, with the <code>completion_reason</code> <code>goal</code>. With <code>ends</code> false the goal is noted, and the execution goes on. <code>within</code> (<code>duration</code> and <code>unit</code>, at most 90 days from the start) is the time in which events count, also when the execution has ended; if not given, they count while it runs.</p>
</dd>
<dt><code>exit</code></dt><dd>
<p>1 to 10 conditions. The first that comes true ends the execution where it stands: it is <code>CANCELLED</code>, with the <code>cancellation_reason</code> <code>exit</code>.</p>
</dd>
<dt><code>hours</code></dt><dd>
<p>The hours in which the workflow's mailings may leave, as <code>hours</code> of <code>PUT /v1/sending</code>; see Dq SENDING in posthouse-api(7). <code>\\(dqany\\(dq</code>: at any time. If not given, those of the topic, else of the workspace.</p>
</dd>
</dl>
<p>A condition of <code>goal</code> and <code>exit</code> is an event, <code>{eventName, filter, segmentId}</code>, or rules, <code>{match, rules}</code>. The <code>filter</code> is as that of <code>wait_for_event</code>; <code>segmentId</code> goes with <code>segment.entered</code> and <code>segment.left</code>. Rules are asked at each event of the contact and before each step; their <code>event</code> is the one that started the execution. An event ends executions of paused workflows, too. The event that started an execution does not count, and a contact for whom rules of the goal or of an exit hold already is not started. One event first reaches goals, then ends by exits, then releases waits, then starts; so an exit by the trigger's own event with <code>after_finish</code> begins anew. The step at which the execution stood has the reason: Dq goal: order.paid came , Dq exit: plan is Qq pro . A mailing of the execution that has not left then does not leave: it is <code>suppressed</code>, for the reason Dq workflow: goal or Dq workflow: exit .</p>
</dd>
<dt><code>send_email</code></dt><dd>
<p>Sends an email to the contact, unless the contact has left such mailings or is suppressed for another reason.</p>
<dl>
<dt><code>templateId</code></dt><dd>
<p>A stored template, in place of <code>html</code>.</p>
</dd>
<dt><code>template</code></dt><dd>
<p><code>{id, variables}</code>: a published template, by its id or its alias, in place of <code>templateId</code>, <code>html</code> and <code>text</code>, as automations under <code>/resend</code> name it. Its sender, subject and reply address are used where the node has none. It sees the variables that the node gives and no others, at most 50: texts, numbers and booleans, and <code>{&quot;var&quot;: path}</code> for the value of a property, of <code>event.amount</code>, say, or of <code>contact.email</code>. The execution fails when a variable has neither value nor fallback.</p>
</dd>
<dt><code>subject</code></dt><dd>
<p>At most 100 characters; required unless the template has one.</p>
</dd>
<dt><code>html</code>, <code>text</code></dt><dd>
<p>The two parts. If <code>text</code> is not given, it is derived from <code>html</code>.</p>
</dd>
<dt><code>from</code></dt><dd>
<p>The sender; required unless the workspace has a default sender (<code>workspace sender</code> of posthouse(1)).</p>
</dd>
<dt><code>replyTo</code></dt><dd>
<p>An address, or an array of them.</p>
</dd>
<dt><code>kind</code></dt><dd>
<p><code>marketing</code>, the default: the email is a mailing, with an unsubscribe link in its header, and does not go to who has left all mailings. <code>transactional</code>: it is none, unless it has <code>topicId</code> or <code>{{unsubscribe_url}}</code>.</p>
</dd>
<dt><code>topicId</code></dt><dd>
<p>The id of the topic that the email is about; it does not go to who has left the topic.</p>
</dd>
<dt><code>priority</code></dt><dd>
<p>Which of the mailings that wait for a place under a cap are due first: <code>high</code>, <code>normal</code>, the default, or <code>low</code>.</p>
</dd>
<dt><code>ignoreCap</code></dt><dd>
<p>True: the mailing leaves without asking caps. It takes a place all the same.</p>
</dd>
</dl>
<p>If the workspace has used up its quota of emails, the step waits for the next hour or day.</p>
<p>Subject, html, text and template may use the contact's properties as variables, by their paths (<code>{{address.city}}</code>); so are those of the event that started the execution (<code>{{event.amount}}</code>), the contact's own fields (<code>{{contact.email}}</code>, and likewise <code>first_name</code>, <code>last_name</code>, <code>language</code>, <code>time_zone</code>, <code>created</code> and <code>subscribed</code>) and <code>{{unsubscribe_url}}</code>. <code>{{email}}</code>, <code>{{first_name}}</code> and <code>{{last_name}}</code> are those fields where no property is called so.</p>
</dd>
<dt><code>wait</code></dt><dd>
<p>Waits for a time, then goes on.</p>
<dl>
<dt><code>duration</code>, <code>unit</code></dt><dd>
<p>A whole number from 1, and <code>minutes</code>, <code>hours</code>, <code>days</code> or <code>weeks</code>: at most five years of 365 days. It counts from the time at which the step was due.</p>
</dd>
<dt><code>until</code></dt><dd>
<p>In place of these, an ISO 8601 time or date, epoch milliseconds from 1973 on, or the name of a property that holds one of them, written as in rules. A date stands for its first moment in UTC. If the time has passed, the execution continues at once; if the property is missing or holds no time, the execution is <code>FAILED</code>.</p>
</dd>
<dt><code>before</code>, <code>after</code></dt><dd>
<p>One of these beside <code>until</code>: an object with <code>duration</code> and <code>unit</code>. The wait ends so long before or after that time.</p>
</dd>
<dt><code>time</code></dt><dd>
<p>In place of these, a time of day such as <code>09:00</code>. The wait ends when the clock of the person shows it the next time. A time that the clock skips is as much later; of one that it has twice, the first counts.</p>
</dd>
<dt><code>days</code></dt><dd>
<p>The days on which it may end: an array of <code>mon</code>, <code>tue</code>, <code>wed</code>, <code>thu</code>, <code>fri</code>, <code>sat</code>, <code>sun</code>. Without it, each day.</p>
</dd>
<dt><code>zone</code></dt><dd>
<p>The IANA time zone of a person who has none; without it, UTC.</p>
</dd>
</dl>
</dd>
<dt><code>wait_for_event</code></dt><dd>
<p>Waits for an event of the contact, and continues by the way out <code>event</code>, or by <code>timeout</code> if the time is over first.</p>
<dl>
<dt><code>eventName</code></dt><dd>
<p>The name of the event. The event that started the execution does not count. An event that comes after the step is due counts, even if the step has not run yet.</p>
</dd>
<dt><code>filter</code></dt><dd>
<p>Rules that must hold; properties that begin with <code>event</code> are those of the event that comes. Its values may be <code>{&quot;var&quot;: path}</code>, so that a wait for a payment can be one for the payment of this order.</p>
</dd>
<dt><code>timeout</code></dt><dd>
<p><code>duration</code> and <code>unit</code>, as of <code>wait</code>; if not given, the wait has no end, and its way out <code>timeout</code> is never taken. The event counts if its time is before that of the timeout.</p>
</dd>
</dl>
</dd>
<dt><code>condition</code></dt><dd>
<p>Continues by <code>yes</code> if the rules in its data hold, else by <code>no</code>.</p>
</dd>
<dt><code>update_contact</code></dt><dd>
<p>Changes properties, names and consent of the contact.</p>
<dl>
<dt><code>set</code></dt><dd>
<p>Up to 100 properties of the contact and their new values. A name may be a path (<code>address.city</code>); objects are merged, and null deletes.</p>
</dd>
<dt><code>copy</code></dt><dd>
<p>Up to 100 properties of the contact, each with the path of the property whose value it takes, of <code>event.amount</code>, say. A value that is missing deletes.</p>
</dd>
<dt><code>names</code></dt><dd>
<p><code>first_name</code> and <code>last_name</code> of the contact, or one of them: a text of 1 to 100 characters, null, which removes the name, or <code>{&quot;var&quot;: path}</code> for the value of a property, written as in rules. Such a value that is missing or empty removes the name, too; one that is longer than 100 characters, an object or an array makes the execution <code>FAILED</code>.</p>
</dd>
<dt><code>subscribed</code></dt><dd>
<p>Whether the person gets mailings at all: true, false, <code>{&quot;var&quot;: path}</code>, or <code>{&quot;not&quot;: {&quot;var&quot;: path}}</code> for the contrary of it. A value that is neither true nor false makes the execution <code>FAILED</code>.</p>
</dd>
<dt><code>topics</code></dt><dd>
<p>The ids of up to 100 topics, each with true, if the person is to get it, or false.</p>
</dd>
<dt><code>audiences</code></dt><dd>
<p>The ids of up to 100 audiences, each with true, if the person is to be subscribed in it, false, if not, or null, which removes the membership. False and null make no membership. In an audience that wants a confirmation the membership is <code>pending</code>, and the person gets the mail with the link.</p>
<p>At least one of these must have a member. Consent is changed as an operator does it, in this order, after names and properties; the history has the source <code>workflow</code>. A part that is against the person's own choice is left out, and <code>why</code> of the step ends with Dq This person has unsubscribed . Topics and audiences have to exist when the design is activated. One that is removed later makes the execution <code>FAILED</code>.</p>
</dd>
</dl>
</dd>
<dt><code>delete_contact</code></dt><dd>
<p>Removes the person with memberships, properties and events, as an operator does. The execution ends; other executions of the person are <code>CANCELLED</code>. Choices of the person stay, by address.</p>
</dd>
<dt><code>request</code></dt><dd>
<p>Asks a server by HTTP, and continues by <code>ok</code> if it answers 2xx, else by <code>failed</code>.</p>
<dl>
<dt><code>url</code></dt><dd>
<p>An absolute http or https URL, of at most 2048 bytes. It may have variables behind its host; each value is percent-encoded. Private addresses, and ports other than 80 and 443, are refused as those of webhooks are (<code>[fetch] allow</code>, <code>ports</code> of posthouse.conf(5)).</p>
</dd>
<dt><code>method</code></dt><dd>
<p><code>GET</code>, <code>POST</code>, <code>PUT</code>, <code>PATCH</code> or <code>DELETE</code>; if not given <code>POST</code>.</p>
</dd>
<dt><code>headers</code></dt><dd>
<p>Up to 25 headers, each with its value: a text that may have variables, and <code>{{secret.NAME}}</code> for a secret of the workspace (<code>secret set</code> of posthouse(1)). No other member may name a secret. <code>Host</code>, <code>Connection</code>, <code>Content-Length</code>, <code>Transfer-Encoding</code> and those that begin with <code>webhook-</code> or <code>svix-</code> cannot be set.</p>
</dd>
<dt><code>body</code></dt><dd>
<p>Any JSON. Its texts may have variables; <code>{&quot;var&quot;: path}</code> in it is the value of a property, or null. Without it the body is <code>{&quot;type&quot;: \\(dqworkflow.request\\(dq, \\(dqtimestamp\\(dq, \\(dqdata\\(dq}</code>, whose <code>data</code> has <code>workflow_id</code>, <code>execution_id</code>, <code>step_id</code>, <code>email</code>, <code>properties</code> and <code>event</code>. <code>GET</code> and <code>DELETE</code> have no body.</p>
</dd>
<dt><code>timeout</code></dt><dd>
<p>Seconds for one attempt: 1 to 30; if not given 10.</p>
</dd>
<dt><code>attempts</code></dt><dd>
<p>1 to 5; if not given 5.</p>
</dd>
</dl>
<p>With it go <code>webhook-id</code>, which is the same for each attempt, <code>webhook-timestamp</code>, and <code>webhook-signature</code> of Standard Webhooks if the workspace has a secret <code>signing</code>. Without an answer, and after 408, 429 and 5xx, the request is made again after 1, 5, 15 and 60 minutes, or after <code>Retry-After</code> if that is longer, at most an hour. After the last attempt, and after any other answer, it has failed; without a way out <code>failed</code> the execution is <code>FAILED</code>, with an error such as Dq example.com answered 503 . Redirects are not followed. A server may be asked twice when a process was killed.</p>
<p>The step gives <code>status</code>, 0 without an answer, and <code>body</code>, the answer's JSON of at most 16 KiB, else null: <code>step.ID.body.score</code>.</p>
</dd>
<dt><code>split</code></dt><dd>
<p>Continues by one of several ways out.</p>
<dl>
<dt><code>weights</code></dt><dd>
<p>The names of 1 to 100 ways out, each with its share of the contacts: a whole number from 0 to 1000000, not all of them 0.</p>
</dd>
</dl>
<p>The same contact always goes the same way at the same node.</p>
</dd>
<dt><code>digest</code></dt><dd>
<p>Gathers the events of several executions. The first execution that reaches the node waits for the end of the window. Another one of the contact that reaches it in the meantime leaves its event there and is <code>COMPLETED</code>, with the <code>completion_reason</code> <code>digest</code>. At the end the first one goes on with all the events, and the next one opens a new digest.</p>
<dl>
<dt><code>duration</code>, <code>unit</code></dt><dd>
<p>The window, from the first event on; at most 31 days.</p>
</dd>
<dt><code>time</code>, <code>days</code>, <code>zone</code></dt><dd>
<p>In place of these, a time of day at which the window ends, as of <code>wait</code>.</p>
</dd>
<dt><code>key</code></dt><dd>
<p>The path of a value, as of a trigger: each value has a digest of its own.</p>
</dd>
</dl>
<p>The node gives <code>step.ID.events</code>, the properties of the events, with <code>timestamp</code> where they have none, oldest first: the newest 100 as far as they take 64 KiB; and <code>step.ID.count</code>, the number of all. In emails <code>{{#each events}}</code> means the events of the last digest, where no property is called so. A digest belongs to the workflow, not to its version. It goes when the first execution ends early.</p>
</dd>
<dt><code>exit</code></dt><dd>
<p>Ends the execution.</p>
</dd>
</dl>
<h3 id="rules">Rules</h3>
<pre class="source" tabindex="0">{&quot;match&quot;: &quot;all&quot;, &quot;rules&quot;: [
  {&quot;property&quot;: &quot;plan&quot;, &quot;operator&quot;: &quot;equals&quot;, &quot;value&quot;: &quot;pro&quot;},
  {&quot;match&quot;: &quot;any&quot;, &quot;rules&quot;: [...]}]}</pre>
<p>The rules hold if all of <code>rules</code> hold, or if <code>match</code> is <code>any</code>, one of them; each is a rule, or again an object of this form. A rule compares the <code>property</code> with the <code>value</code>, a string, a number, true or false. A property is a path, of at most 256 characters, into the properties of the contact (<code>address.city</code>, <code>items.0.price</code>), or after <code>event</code> and a dot, into those of the event. <code>contact.email</code>, <code>contact.first_name</code> and <code>contact.last_name</code> are the contact's own fields where no property has this path, or is called <code>email</code>, <code>first_name</code> or <code>last_name</code>. <code>contact.language</code>, <code>contact.time_zone</code>, <code>contact.created</code> (epoch milliseconds) and <code>contact.subscribed</code> are its other fields, where no property has this path.</p>
<p>After <code>step</code>, a dot, and the id of a node, a path names what that node gave at its last visit in the execution: <code>step.w.event.amount</code> of a <code>wait_for_event</code> called <code>w</code>. So do the paths of <code>copy</code>, <code>{&quot;var&quot;: path}</code> and the variables of emails. A wait for an event gives <code>event</code>, the properties of the event that came, and <code>timestamp</code>, its time in epoch milliseconds; nothing when its time was over first. If no node has the id, the path is that of a property. All results of one execution have at most 256 KiB; with more it is <code>FAILED</code>.</p>
<p>In place of a value stands <code>{&quot;var&quot;: path}</code>: the value of a property of the execution. Its <code>event</code> is the one that started the execution, not the one that comes, so that a wait can ask for the payment of this order. Without such a value the rule fails like one whose property is missing.</p>
<p>A rule may ask for a segment instead: <code>{&quot;segment&quot;: id, operator</code>: <code>in }</code>, or <code>not_in</code>. It is tested at that time, for this contact, and so a workflow can ask all that a segment can. The segment has to exist when the design is activated; nobody is in one that is removed later.</p>
<p>Numbers, and strings in the form of JSON numbers, compare as numbers. Other strings compare byte by byte, so ISO 8601 dates compare by time, and <code>007</code> differs from <code>7</code>. True and false equal themselves. Values of different types are not equal, and neither greater nor less. A property that is missing or null fails every operator but <code>not_exists</code>, <code>not_equals</code> and <code>not_contains</code>.</p>
<dl>
<dt><code>equals</code>, <code>not_equals</code></dt><dd>
</dd>
<dt><code>greater_than</code>, <code>less_than</code></dt><dd>
</dd>
<dt><code>contains</code>, <code>not_contains</code></dt><dd>
<p>The text of a string or a number contains that of the value; one of the elements of an array equals the value.</p>
</dd>
<dt><code>begins_with</code>, <code>ends_with</code></dt><dd>
<p>The text of a string or a number begins or ends with that of the value.</p>
</dd>
<dt><code>exists</code>, <code>not_exists</code></dt><dd>
<p>The property exists and is not null; these operators take no value.</p>
</dd>
</dl>
<p>The rules of a step, and all filters that an event is tested by, have at most 200 ms of processor time. A step whose rules take longer makes the execution <code>FAILED</code>; a filter that takes longer does not let the event pass.</p>
<h3 id="own-events">Own events</h3>
<p>Posthouse tells these events by itself, at the time at which they happened. Clients cannot record events with these names. Only what a workflow hears is told: what starts an active one, or what a running execution waits for, or has as goal or exit.</p>
<dl>
<dt><code>person.created</code></dt><dd>
<p>A person is made. <code>event</code> has <code>source</code>.</p>
</dd>
<dt><code>contact.created</code></dt><dd>
<p>A membership is made that is not pending, or a pending one is confirmed: <code>audience_id</code>, <code>contact_id</code>, <code>status</code> Po <code>subscribed</code> or <code>unsubscribed</code> Pc , <code>source</code>.</p>
</dd>
<dt><code>contact.confirmed</code></dt><dd>
<p>The person confirms a pending one: <code>audience_id</code>, <code>contact_id</code>, <code>form_id</code> (null without a form).</p>
</dd>
<dt><code>contact.updated</code>, <code>contact.unsubscribed</code>, <code>contact.deleted</code></dt><dd>
<p>As the webhook of that name: <code>audience_id</code>, <code>contact_id</code>, and <code>changed</code>, or <code>by</code> and <code>source</code>.</p>
</dd>
<dt><code>topic.joined</code>, <code>topic.left</code></dt><dd>
<p><code>topic_id</code>, <code>by</code>, <code>source</code>.</p>
</dd>
<dt><code>form.submitted</code></dt><dd>
<p>The data of a form are taken: with double opt-in when they are confirmed. <code>form_id</code>, <code>audience_id</code>, <code>fields</code>, <code>topics</code>.</p>
</dd>
<dt><code>person.updated</code></dt><dd>
<p>Names, language, time zone, <code>subscribed</code> or properties have changed: <code>changed</code>, the paths, and <code>from</code> and <code>to</code>, objects with the values before and after. An object that comes or goes is told by the paths of its members, an array by its own.</p>
</dd>
<dt><code>segment.entered</code>, <code>segment.left</code></dt><dd>
<p>A look finds that the person is in the segment now, or is no longer: <code>segment_id</code>.</p>
</dd>
<dt><code>date.reached</code></dt><dd>
<p><code>property</code>, <code>value</code>, <code>date</code>. Of workflows that begin at the same moment, the older starts first.</p>
</dd>
<dt><code>schedule.due</code></dt><dd>
<p><code>scheduled_at</code>, epoch milliseconds.</p>
</dd>
<dt><code>workflow.started</code></dt><dd>
<p>The data of the request.</p>
</dd>
</dl>
<p>Events of one person that happened at once come in the order of this list. The last three start one workflow alone; they can be neither waited for nor goal nor exit. A pending entry of a form starts workflows when it is confirmed; one that is never confirmed starts none. Deletions of topics, audiences and properties, and erasures, tell nothing; imports do if they are asked. An event that a step of a workflow causes does not start that workflow, and a chain of workflows ends after 5.</p>
<p>Segments and dates are looked at every five minutes (<code>[automation] look_every</code> of posthouse.conf(5)): who enters and leaves between two looks is not seen. The first look at a segment, and the first after its rules were changed, starts nobody. A date starts a person once for each day, late after an outage, never twice. Of the ticks of a schedule that have passed only the latest runs, and none while the one before it still runs.</p>
<h3 id="requirements-of-an-active-design">Requirements of an active design</h3>
<p>A draft may be incomplete: it needs only the two arrays, and has at most 1 MiB. An active design must be whole:</p>
<ul>
<li>
<p>at most 500 nodes, of the types above, with valid data; ids of 1 to 64 characters, each once;</p>
</li>
<li>
<p>in <code>data</code> no members that the type does not know, except <code>label</code>, which the nodes of React Flow show;</p>
</li>
<li>
<p>one trigger, from which each node can be reached;</p>
</li>
<li>
<p>edges between existing nodes, by ways out that the source has, at most one by each, and none out of an <code>exit</code> or into the trigger;</p>
</li>
<li>
<p>no cycle without a <code>wait</code> of some duration or a <code>wait_for_event</code> in it;</p>
</li>
<li>
<p>templates, topics, audiences and segments that exist; a subject and a sender for each email; the domain of the sender, or a domain above it, is registered.</p>
</li>
</ul>
<p><code>posthouse workflow check</code> lists all faults, the API only the first. For the command, a sender whose domain is not registered is a warning. An execution of more than 1000 steps is <code>FAILED</code>.</p>
<h2 id="examples">Examples</h2>
<p>Remind contacts who sign up and do not confirm within two days:</p>
<pre class="source" tabindex="0">{&quot;nodes&quot;: [
  {&quot;id&quot;: &quot;signup&quot;, &quot;type&quot;: &quot;trigger&quot;, &quot;data&quot;: {&quot;eventName&quot;: &quot;account.created&quot;,
    &quot;reentry&quot;: &quot;once&quot;}},
  {&quot;id&quot;: &quot;confirmed&quot;, &quot;type&quot;: &quot;wait_for_event&quot;,
    &quot;data&quot;: {&quot;eventName&quot;: &quot;account.confirmed&quot;,
      &quot;timeout&quot;: {&quot;duration&quot;: 2, &quot;unit&quot;: &quot;days&quot;}}},
  {&quot;id&quot;: &quot;thanks&quot;, &quot;type&quot;: &quot;send_email&quot;, &quot;data&quot;: {&quot;subject&quot;: &quot;Welcome&quot;,
    &quot;html&quot;: &quot;&lt;p&gt;Welcome, {{first_name|dear reader}}!&lt;/p&gt;&quot;}},
  {&quot;id&quot;: &quot;remind&quot;, &quot;type&quot;: &quot;send_email&quot;, &quot;data&quot;: {&quot;subject&quot;: &quot;Your account&quot;,
    &quot;html&quot;: &quot;&lt;p&gt;{{event.name}}, please confirm your account.&lt;/p&gt;&quot;}},
  {&quot;id&quot;: &quot;end&quot;, &quot;type&quot;: &quot;exit&quot;}],
 &quot;edges&quot;: [
  {&quot;source&quot;: &quot;signup&quot;, &quot;target&quot;: &quot;confirmed&quot;},
  {&quot;source&quot;: &quot;confirmed&quot;, &quot;sourceHandle&quot;: &quot;event&quot;, &quot;target&quot;: &quot;thanks&quot;},
  {&quot;source&quot;: &quot;confirmed&quot;, &quot;sourceHandle&quot;: &quot;timeout&quot;, &quot;target&quot;: &quot;remind&quot;},
  {&quot;source&quot;: &quot;thanks&quot;, &quot;target&quot;: &quot;end&quot;},
  {&quot;source&quot;: &quot;remind&quot;, &quot;target&quot;: &quot;end&quot;}]}</pre>
<p>To see what it does:</p>
<pre class="source" tabindex="0">posthouse workflow simulate signup.json \\
    --event 'account.created@2026-11-20T08:00:00Z:{&quot;name&quot;: &quot;Ada&quot;}'</pre>
<h2 id="see-also">See also</h2>
<p>posthouse(1), posthouse-api(7)</p>`};export{e as default};
