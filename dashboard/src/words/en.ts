// SPDX-License-Identifier: MIT
// English. de.ts has the same words in German.
export const words = {
	do: {
		add: 'Add', again: 'Try again', cancel: 'Cancel', close: 'Close', copy: 'Copy', create: 'Create', delete: 'Delete', filter: 'Filter',
		more: 'Show more', save: 'Save', clear: 'Clear',
	},
	state: {
		loading: 'Loading', failed: 'This could not be loaded.', notFound: 'Page not found', notFoundText: 'There is no page at this address.',
		notAllowed: 'Not for your role', notAllowedText: 'An owner of the workspace can see this page.',
	},
	nav: {
		name: 'Pages', skip: 'Skip to content', menu: 'Menu', sending: 'Sending', people: 'People', automation: 'Automation', workspace: 'Workspace',
		workspaceNow: 'Workspace', workspaces: 'Workspaces', reader: 'You', look: 'Appearance', language: 'Language', sessions: 'Your sessions', signOut: 'Sign out',
	},
	theme: { system: 'As the system', light: 'Light', dark: 'Dark' },
	role: { owner: 'Owner', member: 'Member', viewer: 'Viewer' },
	palette: {
		title: 'Search and go', hint: 'A page, an address, an id of an email', found: 'Found', nothing: 'Nothing has this name.', pages: 'Pages',
		emailsTo: (address: string) => `Emails to ${address}`, email: (id: string) => `Email ${id}`,
	},
	signin: {
		title: 'Sign in to Posthouse', text: 'We send a link to your address. It works once, in this browser.', email: 'Email address', ask: 'Send me a link',
		sent: 'If this address is known, a link is on its way. Open it in this browser.', going: 'Signing in…',
		linkInvalid: 'This link was used already, or it is too old. Ask for another one.',
		linkBrowser: 'This link was asked for in another browser. Open it there, or ask for one here.', other: 'Ask for a link',
		terminal: 'Without mail, the terminal prints a link:',
	},
	mail: { frame: 'The email as its reader sees it', imagesOff: 'Pictures from other servers are not loaded.', imagesShow: 'Load pictures' },
	figure: {
		sent: 'Sent', delivered: 'Delivered', bounced: 'Bounced', complained: 'Complained', opened: 'Opened', clicked: 'Clicked', unsubscribed: 'Unsubscribed',
	},
	overview: {
		name: 'Overview', text: 'The last 30 days, by days of UTC.', today: 'Today', month: '30 days', chart: 'Emails by day', table: 'The figures as a table', day: 'Day',
		attention: 'Needs attention', calm: 'Nothing needs attention.', waits: 'Waiting', waitsNone: 'No email waits for another attempt.',
		domainBad: (name: string) => `The domain ${name} may not send: its DNS records are missing or wrong.`,
		domainWarn: (name: string) => `Records of ${name} have vanished from DNS. Sending stops after 72 hours.`,
		domainNew: (name: string) => `The domain ${name} waits for its DNS records.`,
		webhookOff: (url: string) => `The webhook ${url} was switched off, since it kept failing.`, webhookFails: (url: string) => `The webhook ${url} fails.`,
		mendDomain: 'See the records', mendWebhook: 'See the attempts', empty: 'No figures yet',
		emptyText: 'Figures appear here after the first email was sent.', delayedTo: 'To', why: 'Reason', since: 'Since',
	},
	emails: {
		content: 'Content', name: 'Emails', text: 'What was sent, newest first.', to: 'To', subject: 'Subject', status: 'Status', when: 'Sent', tag: 'Tag', tagHelp: 'NAME or NAME:VALUE',
		from: 'From', since: 'From day', until: 'Before day', any: 'Any status', waiting: 'Waiting', noSubject: '(no subject)', empty: 'No emails',
		emptyText: 'Emails that are sent with the API stand here.', emptyFilter: 'No email fits these filters.', more: (n: number) => `and ${n} more`,
		html: 'HTML', textTab: 'Text', source: 'Source', details: 'Details', timeline: 'What happened', cc: 'Cc', bcc: 'Bcc', replyTo: 'Reply to', created: 'Taken', scheduled: 'Planned for',
		cancelled: 'Cancelled', kind: 'Kind', transactional: 'Transactional', automation: 'Automation', tags: 'Tags', template: 'Template', id: 'Id', noHtml: 'This email has no HTML.',
		cancel: 'Cancel sending', cancelTitle: 'Cancel this email?', cancelText: 'It will not be sent.', cancelDone: 'The email is cancelled', sendNow: 'Send now', sendNowDone: 'The email leaves now',
		sendAgain: 'Send again', sendAgainTitle: 'Send this email again?', sendAgainText: 'A new email with the same content goes to the same recipients. Attachments are not sent again.', sendAgainDone: 'The email was sent again', nothingYet: 'Nothing has happened yet.',
		phone: 'Phone width', wide: 'Full width', moreEvents: 'There are more events.',
	},
	event: {
		sent: 'Sent', delivered: 'Delivered', delayed: 'Delayed', bounced: 'Bounced', failed: 'Failed', suppressed: 'Suppressed', opened: 'Opened', clicked: 'Clicked', complained: 'Complained', unsubscribed: 'Unsubscribed',
	},
	told: {
		sent: 'The relay took the email.', delivered: 'The email was delivered.', delayed: 'The email could not be delivered yet; it is tried again.', bounced: 'The email came back for good.',
		bouncedTransient: 'The email came back; the address may work again.', failed: 'The email could not be sent.', suppressed: 'The email was not sent: the address gets no mail.',
		opened: 'The reader opened the email.', openedMachine: 'A program opened the email.', clicked: 'The reader clicked a link.', clickedMachine: 'A program followed a link.',
		complained: 'The reader marked the email as spam.', unsubscribed: 'The reader unsubscribed.', relay: (name: string) => `Relay: ${name}`,
	},
	domains: {
		name: 'Domains', text: 'The domains that you send from.', add: 'Add a domain', addHelp: 'The name behind the @ of your senders, as in example.com.', domain: 'Domain', status: 'Status', created: 'Added', checked: 'Last check',
		empty: 'No domain yet', emptyText: 'Add the domain that you send from. You get the DNS records to publish.', added: 'The domain was added',
		records: 'DNS records', recordsText: 'Publish these records where the domain has its DNS. Most providers take the short name and add the domain themselves.', type: 'Type', recordName: 'Name', value: 'Value', priority: 'Priority', state: 'State', purpose: 'Purpose',
		optional: 'optional', found: 'found', missing: 'missing', wrong: 'wrong', unknown: 'not checked', dnsSays: (text: string) => `DNS says: ${text}`, zone: 'As a zone file', check: 'Check now', checkDone: 'DNS was asked',
		tracking: 'Tracking', opens: 'Count opens', opensHelp: 'Puts a small picture into each email.', clicks: 'Count clicks', clicksHelp: 'Leads each link over this service.', saved: 'Saved',
		remove: 'Delete domain', removeTitle: (name: string) => `Delete ${name}?`, removeText: 'Emails that wait to be sent from it fail.', removed: 'The domain was deleted',
		NOT_STARTED: 'Not started', PENDING: 'Waiting for DNS', SUCCESS: 'Verified', FAILED: 'Failed', TEMPORARY_FAILURE: 'Records vanished', warmed: 'Warmed up', yes: 'Yes', no: 'No',
		forDkim: 'Signature', forFrom: 'Return path', forDmarc: 'Policy',
	},
	keys: {
		name: 'API keys', text: 'What programs use to call the API.', add: 'Make a key', keyName: 'Name', scope: 'May', domain: 'From domain', expires: 'Ends', created: 'Made', lastUsed: 'Last used', state: 'State', madeBy: 'Made by',
		full: 'Everything', send: 'Send', read: 'Read', metrics: 'Metrics', anyDomain: 'Any domain', active: 'In use', ended: 'Ended', revoked: 'Revoked', never: 'Never', empty: 'No key yet', emptyText: 'Make a key and give it to the program that sends.',
		madeTitle: 'Your new key', madeText: 'Copy it now: it is shown this once.', revoke: 'Revoke', revokeTitle: (name: string) => `Revoke ${name}?`, revokeText: 'Programs that use this key are refused from now on.', revokeDone: 'The key is revoked', key: 'Key',
	},
	users: {
		name: 'Users', text: 'Who can sign in to this workspace.', add: 'Add a user', email: 'Email address', role: 'Role', person: 'Name', firstName: 'First name', lastName: 'Last name', created: 'Added', lastSeen: 'Last seen', empty: 'No users',
		roleHelp: 'A viewer reads. A member changes all but users. An owner changes everything.', change: 'Change', added: 'The user was added', changed: 'The user was changed', remove: 'Remove', removeTitle: (name: string) => `Remove ${name}?`,
		removeText: 'Their sessions in this workspace end.', removed: 'The user was removed',
	},
	sessions: {
		name: 'Your sessions', text: 'Where you are signed in.', device: 'Browser', address: 'Address', lastSeen: 'Last seen', expires: 'Ends at the latest', here: 'This one', end: 'End session', ended: 'The session was ended', empty: 'No sessions', unknown: 'Unknown',
	},
	suppressions: {
		name: 'Suppressions', text: 'Addresses that get no more mail.', add: 'Add an address', email: 'Email address', reason: 'Reason', scope: 'Stops', created: 'Since', all: 'All mail', automation: 'Mailings', manual: 'Added by hand', bounced: 'Came back', complained: 'Complained',
		unsubscribed: 'Unsubscribed', empty: 'No address is suppressed', emptyText: 'Addresses that bounce, complain or unsubscribe come here by themselves.', added: 'The address gets no more mail', remove: 'Remove', removeTitle: (email: string) => `Send to ${email} again?`,
		removeText: 'The address gets mail again. If the person unsubscribed, say why this is right.', removed: 'The address gets mail again', why: 'Why this is right (only where the person unsubscribed)', erased: '(erased)', find: 'Find an address', notFound: 'This address is not suppressed.',
	},
	webhooks: {
		name: 'Webhooks', text: 'URLs that are told what happens.', add: 'Add a webhook', url: 'URL', events: 'Events', eventsHelp: 'Names with commas between, or * for all.', description: 'Description', state: 'State', created: 'Added', on: 'On', off: 'Off', failing: 'Failing', gone: 'Off: the URL is gone', failed: 'Off: kept failing',
		empty: 'No webhook yet', emptyText: 'Add a URL of your program; it is told of deliveries, bounces and more.', secretTitle: 'The secret', secretText: 'Your program checks signatures with it. Copy it now: it is shown this once.', secret: 'Secret', enabled: 'Switched on', saved: 'Saved', test: 'Send a test', testDone: 'A test is on its way',
		rotate: 'New secret', rotateTitle: 'Make a new secret?', rotateText: 'The one before is good for some time still.', remove: 'Delete webhook', removeTitle: 'Delete this webhook?', removeText: 'Nothing is told to it any more.', removed: 'The webhook was deleted',
		deliveries: 'Deliveries', type: 'Event', status: 'State', attempts: 'Attempts', answer: 'Last answer', when: 'Time', none: 'Nothing was told yet', replay: 'Send again', replayDone: 'It is sent again', any: 'Any state', pending: 'Waiting', succeeded: 'Taken', deliveryFailed: 'Failed', again: 'Replay failed ones', againTitle: 'Send all failed deliveries of the last day again?', againText: 'Each goes once more to the URL.', againDone: (n: number) => `${n} are sent again`,
		attemptsTitle: 'Attempts', payload: 'What was sent', next: 'Next attempt',
	},
	audit: {
		name: 'Audit', text: 'Who changed what, kept for a year.', when: 'Time', who: 'Who', action: 'Action', target: 'What', address: 'Address', empty: 'Nothing was changed yet', filter: 'Action', filterHelp: 'As in domain.created', user: 'User', key: 'Key', operator: 'Terminal',
	},
	settings: {
		name: 'Settings', text: 'The workspace and its limits.', workspace: 'Workspace', workspaceName: 'Name', sender: 'Default sender', senderHelp: 'From whom mail comes where none is named, as in Me <me@example.com>.', saved: 'Saved', limits: 'Limits', limit: 'Limit', value: 'At most', used: 'In use', none: 'No limit', created: 'Made', id: 'Id',
		requests_per_second: 'Requests a second', burst: 'Requests at once', key_requests_per_second: 'Requests a second of one key', key_burst: 'Requests at once of one key', emails_per_hour: 'Emails an hour', emails_per_day: 'Emails a day', domains: 'Domains', audiences: 'Audiences', templates: 'Templates', workflows: 'Workflows', webhooks: 'Webhooks', workflows_per_event: 'Workflows that one event starts',
	},
	people: {
		name: 'People', text: 'One for each address, whatever lists it is on.', add: 'Add a person', email: 'Email address', person: 'Name', firstName: 'First name', lastName: 'Last name', state: 'State', language: 'Language', zone: 'Time zone', created: 'Since', subscribed: 'subscribed',
		unsubscribed: 'unsubscribed', pending: 'to be confirmed', empty: 'No people yet', emptyText: 'People come with contacts, events, forms and imports.', emails: 'Emails', remove: 'Delete person', removeTitle: (email: string) => `Delete ${email}?`,
		removeText: 'Memberships, properties and events go, and executions end. What the person left stays left.', removed: 'The person was deleted', details: 'Details', saved: 'Saved', history: 'History', historyEmpty: 'Nothing happened yet', when: 'Time', what: 'What', by: 'By',
		actor: { person: 'The person', operator: 'You', system: 'The service' },
		did: { joined: 'Joined an audience', pending: 'Asked to confirm', confirmed: 'Confirmed', left: 'Left an audience', removed: 'Removed from an audience', topic_joined: 'Chose a topic', topic_left: 'Left a topic', subscribed: 'Subscribed', override: 'Choice overridden', event: 'Event' },
	},
	audiences: {
		name: 'Audiences', text: 'Lists of people.', add: 'Make an audience', audience: 'Audience', members: 'People', left: 'Not subscribed', created: 'Made', empty: 'No audience yet', emptyText: 'Make a list, and add people to it.',
		counts: (all: number, left: number) => `${all} people, ${left} of them not subscribed.`, noMembers: 'Nobody is in it yet', addMember: 'Add a person', take: 'Take out', takeTitle: (email: string) => `Take ${email} out?`, takeText: 'The person stays, but not in this audience.',
		taken: 'The person was taken out', remove: 'Delete audience', removeTitle: (name: string) => `Delete ${name}?`, removeText: 'The people in it stay, but not their memberships.', removed: 'The audience was deleted',
	},
	segments: {
		name: 'Segments', text: 'People by what is known of them, counted anew each time.', add: 'Build a segment', newText: 'Say whom you mean; the count follows as you build.', segment: 'Segment', kind: 'Made of', updated: 'Changed', created: 'Made', empty: 'No segment yet',
		emptyText: 'Build one, and send a broadcast to it.', rules: 'Rules', rule: (n: number) => `Rule ${n}`, group: (level: number) => `Group, level ${level}`, match: 'People for whom', all: 'all of these hold', any: 'one of these holds', emptyAll: 'No rule: everybody.', emptyAny: 'No rule: nobody.',
		addRule: 'Add a rule', addGroup: 'Add a group', removeRule: 'Remove rule', removeGroup: 'Remove group', about: 'About', kinds: { property: 'Property', audience: 'Audience', topic: 'Topic', email: 'Email', event: 'Event' },
		operator: 'Operator', operators: {
			equals: 'is', not_equals: 'is not', greater_than: 'is greater than', less_than: 'is less than', contains: 'contains', not_contains: 'does not contain', begins_with: 'begins with', ends_with: 'ends with', exists: 'is there', not_exists: 'is missing',
			subscribed: 'subscribed', unsubscribed: 'unsubscribed', pending: 'to be confirmed', member: 'in it in any way', not_member: 'not in it', not_subscribed: 'not subscribed', did: 'happened', did_not: 'did not happen',
		},
		property: 'Name of the property', value: 'Value', valueType: 'Type of the value', types: { string: 'Text', number: 'Number', boolean: 'Yes or no' }, yes: 'Yes', no: 'No', emails: { sent: 'sent', opened: 'opened', clicked: 'clicked', bounced: 'bounced' },
		broadcast: 'Broadcast', anyMailing: 'any mailing', atLeast: 'At least', withinDays: 'Within days', found: 'Found now', people: 'People', reachable: 'Can be reached', firstOf: (n: number) => `The first ${n} of them.`, saved: 'Saved',
		freeze: 'Freeze', freezeText: 'Keeps the people of now in a new segment, whatever changes later.', frozen: (n: string) => `Frozen with ${n} people`, frozenWith: (n: string) => `frozen, ${n} people`, frozenAt: 'Frozen', ruleCount: (n: number) => (n === 1 ? '1 rule' : `${n} rules`),
		members: 'People in it', nobody: 'Nobody is in it', remove: 'Delete segment', removeTitle: (name: string) => `Delete ${name}?`, removeText: 'The people stay.', removed: 'The segment was deleted',
	},
	topics: {
		name: 'Topics', text: 'What mailings are about: people leave one and get the rest.', add: 'Make a topic', topic: 'Topic', description: 'Description', begins: 'In it at first', optIn: 'Who chose it', optOut: 'Everybody, until they leave', stays: 'This cannot be changed later.',
		shown: 'On the page of choices', yes: 'Yes', no: 'No', change: 'Change', empty: 'No topic yet', emptyText: 'Without topics, people can leave all mailings or none.', removeTitle: (name: string) => `Delete ${name}?`, removeText: 'What people chose goes with it.', removed: 'The topic was deleted',
	},
	templates: {
		name: 'Templates', text: 'Stored emails with variables.', add: 'Make a template', template: 'Template', id: 'Id', idHelp: 'Programs name the template by it. Letters, digits, - and _.', subject: 'Subject', html: 'HTML', plain: 'Text', plainHelp: 'Made of the HTML where it is empty.', updated: 'Changed', created: 'Made', empty: 'No template yet',
		emptyText: 'Make one, and send it with template_id.', save: 'Save', saved: 'Saved', remove: 'Delete template', removeTitle: (name: string) => `Delete ${name}?`, removeText: 'Emails that name it are refused from now on.', removed: 'The template was deleted', preview: 'Preview', values: 'Sample values', valuesHelp: 'A JSON object.', noObject: 'This is no JSON object.',
		unsaved: 'The preview shows the template as it was saved last.', test: 'Send a test', testTo: 'To', testDone: 'The test is on its way',
	},
};
