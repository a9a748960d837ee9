const e={title:"Broadcasts",html:`
<p>A broadcast is one mailing to many people: a newsletter, an announcement. This guide sends one from the terminal; <code>posthouse-api(7)</code> has the same as HTTP calls under <code>/v1/broadcasts</code>.</p>
<h2 id="write-it">Write it</h2>
<p>A draft is a JSON file, the body of <code>POST /v1/broadcasts</code>. It may be incomplete; it is checked when it is sent.</p>
<pre class="source" tabindex="0">cat &gt;march.json &lt;&lt;'END'
{&quot;name&quot;: &quot;March news&quot;, &quot;from&quot;: &quot;Ann &lt;news@example.com&gt;&quot;, &quot;subject&quot;: &quot;News for {{first_name|you}}&quot;,
 &quot;html&quot;: &quot;&lt;h1&gt;Hello {{first_name|there}}&lt;/h1&gt;&lt;p&gt;…&lt;/p&gt;&lt;p&gt;&lt;a href='{{unsubscribe_url}}'&gt;Leave&lt;/a&gt;&lt;/p&gt;&quot;,
 &quot;audiences&quot;: [&quot;AUDIENCE&quot;], &quot;exclude_segments&quot;: [&quot;SEGMENT&quot;], &quot;utm&quot;: {&quot;source&quot;: &quot;news&quot;, &quot;campaign&quot;: &quot;march&quot;}}
END
posthouse broadcast put march.json          # its last word is the id</pre>
<p>With <code>&quot;id&quot;</code> in the file, <code>put</code> changes that draft. In place of <code>html</code>, <code>template_id</code> names a stored template (<a href="/dashboard/help/templates"><code>doc/templates.md</code></a>). html may include others by <code>{{&gt; id}}</code>. Variables are the person's: properties, <code>first_name</code>, <code>last_name</code>, <code>email</code>, <code>contact.language</code> and so on; a defined property has its default. <code>topic_id</code> is the topic that people leave by the link.</p>
<p>Files go along with <code>attachments</code>, 10 of 10 MB together at most, or with <code>--attach</code>:</p>
<pre class="source" tabindex="0">posthouse broadcast put march.json --attach programme.pdf</pre>
<p>Each is stored once. A draft takes one that another broadcast has by its id, <code>{&quot;id&quot;: &quot;…&quot;}</code>, and so names those that stay when it changes the list. With a <code>content_id</code> a picture stands in the html: <code>&lt;img src='cid:logo' alt='Logo'&gt;</code>.</p>
<h2 id="who-gets-it">Who gets it</h2>
<p>Everybody whom the audiences and segments name, less <code>exclude_segments</code>, once each. A person who has left, is on the suppression list, or waits to be confirmed gets nothing. It is decided when the broadcast starts; people who leave before their turn are skipped.</p>
<h2 id="try-it">Try it</h2>
<pre class="source" tabindex="0">posthouse broadcast test ID me@example.com --person ann@example.org
posthouse broadcast check ID --links</pre>
<p>A test has <code>[Test]</code> in front of its subject and the values of one person. It is in no figure, and its link to unsubscribe changes nothing.</p>
<p>The check reports errors, with which it would not be sent, and warnings:</p>
<div class="table-box" role="group" tabindex="0"><table><thead><tr><th scope="col">code</th><th scope="col">meaning</th></tr></thead><tbody><tr><td><code>sender</code></td><td>no <code>from</code>, or its domain may not send</td></tr><tr><td><code>subject</code>, <code>content</code></td><td>missing, or a fault in braces</td></tr><tr><td><code>unsubscribe_link</code></td><td>an error: no <code>{{unsubscribe_url}}</code>; a warning: so many people of the sample would see no link (<code>--sample</code>)</td></tr><tr><td><code>recipients</code></td><td>nobody would get it</td></tr><tr><td><code>links</code></td><td>a link does not answer (with <code>--links</code>; the first 100, for 20 s in all, only on the public internet)</td></tr><tr><td><code>image_alt</code></td><td>images without <code>alt</code>; <code>alt=&quot;&quot;</code> is fine for those that only decorate</td></tr><tr><td><code>size</code></td><td>html of more than 102 KB as it is sent: Gmail cuts off the rest; html and attachments of more than 10,240,000 bytes: many servers refuse that</td></tr><tr><td><code>spam</code></td><td>what <code>[mailings] rspamd</code> or <code>spamc</code> says</td></tr><tr><td><code>test_share</code></td><td>a test whose variants go to under 100 people each</td></tr><tr><td><code>fallback</code></td><td>a variable without a value, and for how many people of the sample (<code>--sample</code>)</td></tr></tbody></table></div>
<h2 id="send-it">Send it</h2>
<pre class="source" tabindex="0">posthouse broadcast send ID                                  # now
posthouse broadcast send ID --at 2027-03-01T09:00:00Z --spread 4
posthouse broadcast send ID --local 2027-03-01T09:00 --time-zone Europe/Berlin</pre>
<p><code>--at</code> is refused when it is more than 5 minutes past. <code>--local</code> is a time of each person's own clock. <code>unschedule</code> makes it a draft again. <code>pause</code>, <code>resume</code> and <code>cancel</code> act while it leaves: after the answer nothing leaves but the batches that a spool had claimed. Other mail goes first.</p>
<p>A message whose reader would see no link to unsubscribe gets a footer with one: where the link is in a comment, in a hidden element, or in a condition that is false for this person. <code>posthouse broadcast show</code> then has a <code>warning</code>.</p>
<h2 id="two-contents">Two contents</h2>
<p><code>variants</code> are two to five contents; each part that one lacks is the broadcast's own. With <code>&quot;test_share&quot;: 20</code>, a fifth of the people is split among them. After <code>decide_after</code> the rest gets the one with the most <code>opens</code> or <code>clicks</code> (<code>winner_by</code>), or, with <code>manual</code>, the one of <code>posthouse broadcast winner ID N</code>.</p>`};export{e as default};
