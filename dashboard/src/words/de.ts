// SPDX-License-Identifier: MIT
// Deutsch. Jedes Wort von en.ts steht hier.
import type { Words } from './index';

export const words: Words = {
	do: {
		add: 'Hinzufügen', again: 'Noch einmal', cancel: 'Abbrechen', close: 'Schließen', copy: 'Kopieren', create: 'Anlegen', delete: 'Löschen', filter: 'Filtern',
		more: 'Mehr zeigen', save: 'Speichern', clear: 'Zurücksetzen',
	},
	state: {
		loading: 'Wird geladen', failed: 'Das konnte nicht geladen werden.', notFound: 'Seite nicht gefunden', notFoundText: 'Unter dieser Adresse gibt es keine Seite.',
		notAllowed: 'Nicht für Ihre Rolle', notAllowedText: 'Diese Seite können Eigentümer des Arbeitsbereichs sehen.',
	},
	nav: {
		name: 'Seiten', skip: 'Zum Inhalt', menu: 'Menü', sending: 'Versand', people: 'Personen', automation: 'Automatik', workspace: 'Arbeitsbereich',
		workspaceNow: 'Arbeitsbereich', workspaces: 'Arbeitsbereiche', reader: 'Sie', look: 'Darstellung', language: 'Sprache', sessions: 'Ihre Sitzungen', signOut: 'Abmelden',
	},
	theme: { system: 'Wie das System', light: 'Hell', dark: 'Dunkel' },
	role: { owner: 'Eigentümer', member: 'Mitglied', viewer: 'Leser' },
	palette: {
		title: 'Suchen und öffnen', hint: 'Seite, Adresse oder Kennung einer E-Mail', found: 'Gefunden', nothing: 'Nichts heißt so.', pages: 'Seiten',
		emailsTo: (address) => `E-Mails an ${address}`, email: (id) => `E-Mail ${id}`,
	},
	signin: {
		title: 'Bei Posthouse anmelden', text: 'Wir senden einen Link an Ihre Adresse. Er gilt einmal, in diesem Browser.', email: 'E-Mail-Adresse', ask: 'Link senden',
		sent: 'Ist die Adresse bekannt, so ist ein Link unterwegs. Öffnen Sie ihn in diesem Browser.', going: 'Anmeldung läuft…',
		linkInvalid: 'Dieser Link wurde schon benutzt oder ist zu alt. Fordern Sie einen neuen an.',
		linkBrowser: 'Dieser Link wurde in einem anderen Browser angefordert. Öffnen Sie ihn dort, oder fordern Sie hier einen an.', other: 'Link anfordern',
		terminal: 'Ohne Mail zeigt das Terminal einen Link:',
	},
	mail: { frame: 'Die E-Mail, wie sie gelesen wird', imagesOff: 'Bilder von anderen Servern werden nicht geladen.', imagesShow: 'Bilder laden' },
	figure: {
		sent: 'Gesendet', delivered: 'Zugestellt', bounced: 'Zurückgekommen', complained: 'Beschwerden', opened: 'Geöffnet', clicked: 'Geklickt', unsubscribed: 'Abgemeldet',
	},
	overview: {
		name: 'Überblick', text: 'Die letzten 30 Tage, nach Tagen in UTC.', today: 'Heute', month: '30 Tage', chart: 'E-Mails je Tag', table: 'Die Zahlen als Tabelle', day: 'Tag',
		attention: 'Braucht Aufmerksamkeit', calm: 'Nichts braucht Aufmerksamkeit.', waits: 'Wartet', waitsNone: 'Keine E-Mail wartet auf einen weiteren Versuch.',
		domainBad: (name) => `Die Domain ${name} darf nicht senden: DNS-Einträge fehlen oder sind falsch.`,
		domainWarn: (name) => `Einträge von ${name} sind aus dem DNS verschwunden. Nach 72 Stunden endet der Versand.`,
		domainNew: (name) => `Die Domain ${name} wartet auf ihre DNS-Einträge.`,
		webhookOff: (url) => `Der Webhook ${url} wurde abgeschaltet, weil er immer wieder fehlschlug.`, webhookFails: (url) => `Der Webhook ${url} schlägt fehl.`,
		mendDomain: 'Einträge ansehen', mendWebhook: 'Versuche ansehen', empty: 'Noch keine Zahlen',
		emptyText: 'Zahlen erscheinen hier nach der ersten gesendeten E-Mail.', delayedTo: 'An', why: 'Grund', since: 'Seit',
	},
	emails: {
		content: 'Inhalt', name: 'E-Mails', text: 'Was gesendet wurde, das Neueste zuerst.', to: 'An', subject: 'Betreff', status: 'Zustand', when: 'Gesendet', tag: 'Tag', tagHelp: 'NAME oder NAME:WERT',
		from: 'Von', since: 'Ab Tag', until: 'Vor Tag', any: 'Jeder Zustand', waiting: 'Wartet', noSubject: '(ohne Betreff)', empty: 'Keine E-Mails',
		emptyText: 'Hier stehen E-Mails, die mit der API gesendet werden.', emptyFilter: 'Keine E-Mail passt zu diesen Filtern.', more: (n) => `und ${n} weitere`,
		html: 'HTML', textTab: 'Text', source: 'Quelltext', details: 'Angaben', timeline: 'Was geschah', cc: 'Kopie', bcc: 'Blindkopie', replyTo: 'Antwort an', created: 'Angenommen', scheduled: 'Geplant für',
		cancelled: 'Abgesagt', kind: 'Art', transactional: 'Transaktion', automation: 'Automatik', tags: 'Tags', template: 'Vorlage', id: 'Kennung', noHtml: 'Diese E-Mail hat kein HTML.',
		cancel: 'Versand absagen', cancelTitle: 'Diese E-Mail absagen?', cancelText: 'Sie wird nicht gesendet.', cancelDone: 'Die E-Mail ist abgesagt', sendNow: 'Jetzt senden', sendNowDone: 'Die E-Mail geht jetzt ab',
		sendAgain: 'Noch einmal senden', sendAgainTitle: 'Diese E-Mail noch einmal senden?', sendAgainText: 'Eine neue E-Mail mit gleichem Inhalt geht an dieselben Empfänger. Anhänge gehen nicht noch einmal mit.', sendAgainDone: 'Die E-Mail wurde noch einmal gesendet', nothingYet: 'Es ist noch nichts geschehen.',
		phone: 'Telefonbreite', wide: 'Volle Breite', moreEvents: 'Es gibt weitere Ereignisse.',
	},
	event: {
		sent: 'Gesendet', delivered: 'Zugestellt', delayed: 'Verzögert', bounced: 'Zurückgekommen', failed: 'Fehlgeschlagen', suppressed: 'Unterdrückt', opened: 'Geöffnet', clicked: 'Geklickt', complained: 'Beschwerde', unsubscribed: 'Abgemeldet',
	},
	told: {
		sent: 'Das Relay hat die E-Mail angenommen.', delivered: 'Die E-Mail wurde zugestellt.', delayed: 'Die E-Mail konnte noch nicht zugestellt werden; es wird wieder versucht.', bounced: 'Die E-Mail kam endgültig zurück.',
		bouncedTransient: 'Die E-Mail kam zurück; die Adresse kann wieder gehen.', failed: 'Die E-Mail konnte nicht gesendet werden.', suppressed: 'Die E-Mail wurde nicht gesendet: Die Adresse bekommt keine Mail.',
		opened: 'Die E-Mail wurde geöffnet.', openedMachine: 'Ein Programm hat die E-Mail geöffnet.', clicked: 'Ein Link wurde geklickt.', clickedMachine: 'Ein Programm ist einem Link gefolgt.',
		complained: 'Die E-Mail wurde als Spam gemeldet.', unsubscribed: 'Der Empfänger hat sich abgemeldet.', relay: (name) => `Relay: ${name}`,
	},
	domains: {
		name: 'Domains', text: 'Die Domains, von denen Sie senden.', add: 'Domain hinzufügen', addHelp: 'Der Name hinter dem @ Ihrer Absender, etwa example.com.', domain: 'Domain', status: 'Zustand', created: 'Hinzugefügt', checked: 'Letzte Prüfung',
		empty: 'Noch keine Domain', emptyText: 'Fügen Sie die Domain hinzu, von der Sie senden. Sie bekommen die DNS-Einträge dafür.', added: 'Die Domain wurde hinzugefügt',
		records: 'DNS-Einträge', recordsText: 'Veröffentlichen Sie diese Einträge dort, wo die Domain ihr DNS hat. Die meisten Anbieter nehmen den kurzen Namen und setzen die Domain selbst dahinter.', type: 'Typ', recordName: 'Name', value: 'Wert', priority: 'Priorität', state: 'Zustand', purpose: 'Zweck',
		optional: 'freiwillig', found: 'gefunden', missing: 'fehlt', wrong: 'falsch', unknown: 'nicht geprüft', dnsSays: (text) => `Das DNS sagt: ${text}`, zone: 'Als Zonendatei', check: 'Jetzt prüfen', checkDone: 'Das DNS wurde gefragt',
		tracking: 'Zählung', opens: 'Öffnungen zählen', opensHelp: 'Setzt ein kleines Bild in jede E-Mail.', clicks: 'Klicks zählen', clicksHelp: 'Führt jeden Link über diesen Dienst.', saved: 'Gespeichert',
		remove: 'Domain löschen', removeTitle: (name) => `${name} löschen?`, removeText: 'E-Mails, die von ihr aus gesendet werden sollen, schlagen fehl.', removed: 'Die Domain wurde gelöscht',
		NOT_STARTED: 'Nicht begonnen', PENDING: 'Wartet auf DNS', SUCCESS: 'Bestätigt', FAILED: 'Fehlgeschlagen', TEMPORARY_FAILURE: 'Einträge verschwunden', warmed: 'Aufgewärmt', yes: 'Ja', no: 'Nein',
		forDkim: 'Signatur', forFrom: 'Rücksendepfad', forDmarc: 'Richtlinie',
	},
	keys: {
		name: 'API-Schlüssel', text: 'Damit rufen Programme die API auf.', add: 'Schlüssel anlegen', keyName: 'Name', scope: 'Darf', domain: 'Von Domain', expires: 'Endet', created: 'Angelegt', lastUsed: 'Zuletzt benutzt', state: 'Zustand', madeBy: 'Angelegt von',
		full: 'Alles', send: 'Senden', read: 'Lesen', metrics: 'Messwerte', anyDomain: 'Jede Domain', active: 'In Gebrauch', ended: 'Abgelaufen', revoked: 'Widerrufen', never: 'Nie', empty: 'Noch kein Schlüssel', emptyText: 'Legen Sie einen an, und geben Sie ihn dem Programm, das sendet.',
		madeTitle: 'Ihr neuer Schlüssel', madeText: 'Kopieren Sie ihn jetzt: Er wird nur dieses Mal gezeigt.', revoke: 'Widerrufen', revokeTitle: (name) => `${name} widerrufen?`, revokeText: 'Programme mit diesem Schlüssel werden ab sofort abgewiesen.', revokeDone: 'Der Schlüssel ist widerrufen', key: 'Schlüssel',
	},
	users: {
		name: 'Benutzer', text: 'Wer sich in diesem Arbeitsbereich anmelden kann.', add: 'Benutzer hinzufügen', email: 'E-Mail-Adresse', role: 'Rolle', person: 'Name', firstName: 'Vorname', lastName: 'Nachname', created: 'Hinzugefügt', lastSeen: 'Zuletzt gesehen', empty: 'Keine Benutzer',
		roleHelp: 'Leser lesen. Mitglieder ändern alles außer Benutzern. Eigentümer ändern alles.', change: 'Ändern', added: 'Der Benutzer wurde hinzugefügt', changed: 'Der Benutzer wurde geändert', remove: 'Entfernen', removeTitle: (name) => `${name} entfernen?`,
		removeText: 'Die Sitzungen in diesem Arbeitsbereich enden.', removed: 'Der Benutzer wurde entfernt',
	},
	sessions: {
		name: 'Ihre Sitzungen', text: 'Wo Sie angemeldet sind.', device: 'Browser', address: 'Adresse', lastSeen: 'Zuletzt gesehen', expires: 'Endet spätestens', here: 'Diese hier', end: 'Sitzung beenden', ended: 'Die Sitzung wurde beendet', empty: 'Keine Sitzungen', unknown: 'Unbekannt',
	},
	suppressions: {
		name: 'Sperrliste', text: 'Adressen, die keine Mail mehr bekommen.', add: 'Adresse hinzufügen', email: 'E-Mail-Adresse', reason: 'Grund', scope: 'Sperrt', created: 'Seit', all: 'Alle Mail', automation: 'Mailings', manual: 'Von Hand', bounced: 'Zurückgekommen', complained: 'Beschwerde',
		unsubscribed: 'Abgemeldet', empty: 'Keine Adresse ist gesperrt', emptyText: 'Adressen, die zurückkommen, sich beschweren oder abmelden, kommen von selbst hierher.', added: 'Die Adresse bekommt keine Mail mehr', remove: 'Entfernen', removeTitle: (email) => `Wieder an ${email} senden?`,
		removeText: 'Die Adresse bekommt wieder Mail. Hat die Person sich abgemeldet, so sagen Sie, warum das richtig ist.', removed: 'Die Adresse bekommt wieder Mail', why: 'Warum das richtig ist (nur wenn die Person sich abgemeldet hat)', erased: '(gelöscht)', find: 'Adresse suchen', notFound: 'Diese Adresse ist nicht gesperrt.',
	},
	webhooks: {
		name: 'Webhooks', text: 'URLs, denen gesagt wird, was geschieht.', add: 'Webhook hinzufügen', url: 'URL', events: 'Ereignisse', eventsHelp: 'Namen mit Kommas dazwischen, oder * für alle.', description: 'Beschreibung', state: 'Zustand', created: 'Hinzugefügt', on: 'An', off: 'Aus', failing: 'Schlägt fehl', gone: 'Aus: die URL gibt es nicht mehr', failed: 'Aus: schlug immer fehl',
		empty: 'Noch kein Webhook', emptyText: 'Fügen Sie eine URL Ihres Programms hinzu; ihr werden Zustellungen, Rückläufer und mehr gesagt.', secretTitle: 'Das Geheimnis', secretText: 'Ihr Programm prüft damit Signaturen. Kopieren Sie es jetzt: Es wird nur dieses Mal gezeigt.', secret: 'Geheimnis', enabled: 'Eingeschaltet', saved: 'Gespeichert', test: 'Probe senden', testDone: 'Eine Probe ist unterwegs',
		rotate: 'Neues Geheimnis', rotateTitle: 'Ein neues Geheimnis machen?', rotateText: 'Das vorige gilt noch einige Zeit.', remove: 'Webhook löschen', removeTitle: 'Diesen Webhook löschen?', removeText: 'Ihm wird nichts mehr gesagt.', removed: 'Der Webhook wurde gelöscht',
		deliveries: 'Zustellungen', type: 'Ereignis', status: 'Zustand', attempts: 'Versuche', answer: 'Letzte Antwort', when: 'Zeit', none: 'Noch wurde nichts gesagt', replay: 'Noch einmal senden', replayDone: 'Es wird noch einmal gesendet', any: 'Jeder Zustand', pending: 'Wartet', succeeded: 'Angenommen', deliveryFailed: 'Fehlgeschlagen', again: 'Fehlgeschlagene wiederholen', againTitle: 'Alle fehlgeschlagenen des letzten Tages noch einmal senden?', againText: 'Jede geht noch einmal an die URL.', againDone: (n) => `${n} werden noch einmal gesendet`,
		attemptsTitle: 'Versuche', payload: 'Was gesendet wurde', next: 'Nächster Versuch',
	},
	audit: {
		name: 'Protokoll', text: 'Wer was geändert hat, ein Jahr lang aufbewahrt.', when: 'Zeit', who: 'Wer', action: 'Handlung', target: 'Was', address: 'Adresse', empty: 'Noch wurde nichts geändert', filter: 'Handlung', filterHelp: 'Etwa domain.created', user: 'Benutzer', key: 'Schlüssel', operator: 'Terminal',
	},
	settings: {
		name: 'Einstellungen', text: 'Der Arbeitsbereich und seine Grenzen.', workspace: 'Arbeitsbereich', workspaceName: 'Name', sender: 'Absender', senderHelp: 'Von wem Mail kommt, wenn niemand genannt ist, etwa Ich <ich@example.com>.', saved: 'Gespeichert', limits: 'Grenzen', limit: 'Grenze', value: 'Höchstens', used: 'Benutzt', none: 'Keine Grenze', created: 'Angelegt', id: 'Kennung',
		requests_per_second: 'Anfragen je Sekunde', burst: 'Anfragen auf einmal', key_requests_per_second: 'Anfragen je Sekunde eines Schlüssels', key_burst: 'Anfragen auf einmal eines Schlüssels', emails_per_hour: 'E-Mails je Stunde', emails_per_day: 'E-Mails je Tag', domains: 'Domains', audiences: 'Verteiler', templates: 'Vorlagen', workflows: 'Abläufe', webhooks: 'Webhooks', workflows_per_event: 'Abläufe, die ein Ereignis startet',
	},
	people: {
		name: 'Personen', text: 'Eine je Adresse, auf welchen Listen auch immer.', add: 'Person hinzufügen', email: 'E-Mail-Adresse', person: 'Name', firstName: 'Vorname', lastName: 'Nachname', state: 'Zustand', language: 'Sprache', zone: 'Zeitzone', created: 'Seit', subscribed: 'angemeldet',
		unsubscribed: 'abgemeldet', pending: 'noch zu bestätigen', empty: 'Noch keine Personen', emptyText: 'Personen kommen mit Kontakten, Ereignissen, Formularen und Importen.', emails: 'E-Mails', remove: 'Person löschen', removeTitle: (email) => `${email} löschen?`,
		removeText: 'Mitgliedschaften, Eigenschaften und Ereignisse gehen, Abläufe enden. Wovon die Person sich abgemeldet hat, bleibt so.', removed: 'Die Person wurde gelöscht', details: 'Angaben', saved: 'Gespeichert', history: 'Verlauf', historyEmpty: 'Noch ist nichts geschehen', when: 'Zeit', what: 'Was', by: 'Von',
		actor: { person: 'Die Person', operator: 'Sie', system: 'Der Dienst' },
		did: { joined: 'Kam in einen Verteiler', pending: 'Um Bestätigung gebeten', confirmed: 'Bestätigt', left: 'Verließ einen Verteiler', removed: 'Aus einem Verteiler genommen', topic_joined: 'Wählte ein Thema', topic_left: 'Verließ ein Thema', subscribed: 'Angemeldet', override: 'Wahl übergangen', event: 'Ereignis' },
	},
	audiences: {
		name: 'Verteiler', text: 'Listen von Personen.', add: 'Verteiler anlegen', audience: 'Verteiler', members: 'Personen', left: 'Nicht angemeldet', created: 'Angelegt', empty: 'Noch kein Verteiler', emptyText: 'Legen Sie eine Liste an, und fügen Sie Personen hinzu.',
		counts: (all, left) => `${all} Personen, ${left} davon nicht angemeldet.`, noMembers: 'Noch niemand ist darin', addMember: 'Person hinzufügen', take: 'Herausnehmen', takeTitle: (email) => `${email} herausnehmen?`, takeText: 'Die Person bleibt, aber nicht in diesem Verteiler.',
		taken: 'Die Person wurde herausgenommen', remove: 'Verteiler löschen', removeTitle: (name) => `${name} löschen?`, removeText: 'Die Personen bleiben, ihre Mitgliedschaften nicht.', removed: 'Der Verteiler wurde gelöscht',
	},
	segments: {
		name: 'Segmente', text: 'Personen nach dem, was über sie bekannt ist, jedes Mal neu gezählt.', add: 'Segment bauen', newText: 'Sagen Sie, wen Sie meinen; die Zahl folgt beim Bauen.', segment: 'Segment', kind: 'Besteht aus', updated: 'Geändert', created: 'Angelegt', empty: 'Noch kein Segment',
		emptyText: 'Bauen Sie eines, und senden Sie eine Rundmail daran.', rules: 'Regeln', rule: (n) => `Regel ${n}`, group: (level) => `Gruppe, Ebene ${level}`, match: 'Personen, für die', all: 'alle davon gelten', any: 'eine davon gilt', emptyAll: 'Keine Regel: alle.', emptyAny: 'Keine Regel: niemand.',
		addRule: 'Regel hinzufügen', addGroup: 'Gruppe hinzufügen', removeRule: 'Regel entfernen', removeGroup: 'Gruppe entfernen', about: 'Über', kinds: { property: 'Eigenschaft', audience: 'Verteiler', topic: 'Thema', email: 'E-Mail', event: 'Ereignis' },
		operator: 'Operator', operators: {
			equals: 'ist', not_equals: 'ist nicht', greater_than: 'ist größer als', less_than: 'ist kleiner als', contains: 'enthält', not_contains: 'enthält nicht', begins_with: 'beginnt mit', ends_with: 'endet mit', exists: 'ist da', not_exists: 'fehlt',
			subscribed: 'angemeldet', unsubscribed: 'abgemeldet', pending: 'noch zu bestätigen', member: 'irgendwie darin', not_member: 'nicht darin', not_subscribed: 'nicht angemeldet', did: 'geschah', did_not: 'geschah nicht',
		},
		property: 'Name der Eigenschaft', value: 'Wert', valueType: 'Typ des Werts', types: { string: 'Text', number: 'Zahl', boolean: 'Ja oder nein' }, yes: 'Ja', no: 'Nein', emails: { sent: 'gesendet', opened: 'geöffnet', clicked: 'geklickt', bounced: 'zurückgekommen' },
		broadcast: 'Rundmail', anyMailing: 'irgendein Mailing', atLeast: 'Mindestens', withinDays: 'In Tagen', found: 'Jetzt gefunden', people: 'Personen', reachable: 'Erreichbar', firstOf: (n) => `Die ersten ${n} davon.`, saved: 'Gespeichert',
		freeze: 'Einfrieren', freezeText: 'Behält die Personen von jetzt in einem neuen Segment, was sich auch ändert.', frozen: (n) => `Eingefroren mit ${n} Personen`, frozenWith: (n) => `eingefroren, ${n} Personen`, frozenAt: 'Eingefroren', ruleCount: (n) => (n === 1 ? '1 Regel' : `${n} Regeln`),
		members: 'Personen darin', nobody: 'Niemand ist darin', remove: 'Segment löschen', removeTitle: (name) => `${name} löschen?`, removeText: 'Die Personen bleiben.', removed: 'Das Segment wurde gelöscht',
	},
	topics: {
		name: 'Themen', text: 'Wovon Mailings handeln: Wer eines verlässt, bekommt die anderen weiter.', add: 'Thema anlegen', topic: 'Thema', description: 'Beschreibung', begins: 'Zuerst darin', optIn: 'Wer es wählt', optOut: 'Alle, bis sie es verlassen', stays: 'Das kann später nicht geändert werden.',
		shown: 'Auf der Seite zum Wählen', yes: 'Ja', no: 'Nein', change: 'Ändern', empty: 'Noch kein Thema', emptyText: 'Ohne Themen können Personen alle Mailings abbestellen oder keines.', removeTitle: (name) => `${name} löschen?`, removeText: 'Was Personen gewählt haben, geht mit.', removed: 'Das Thema wurde gelöscht',
	},
	templates: {
		name: 'Vorlagen', text: 'Gespeicherte E-Mails mit Variablen.', add: 'Vorlage anlegen', template: 'Vorlage', id: 'Kennung', idHelp: 'Damit nennen Programme die Vorlage. Buchstaben, Ziffern, - und _.', subject: 'Betreff', html: 'HTML', plain: 'Text', plainHelp: 'Wird aus dem HTML gemacht, wo er leer ist.', updated: 'Geändert', created: 'Angelegt', empty: 'Noch keine Vorlage',
		emptyText: 'Legen Sie eine an, und senden Sie sie mit template_id.', save: 'Speichern', saved: 'Gespeichert', remove: 'Vorlage löschen', removeTitle: (name) => `${name} löschen?`, removeText: 'E-Mails, die sie nennen, werden ab sofort abgewiesen.', removed: 'Die Vorlage wurde gelöscht', preview: 'Vorschau', values: 'Beispielwerte', valuesHelp: 'Ein JSON-Objekt.', noObject: 'Das ist kein JSON-Objekt.',
		unsaved: 'Die Vorschau zeigt die Vorlage, wie sie zuletzt gespeichert wurde.', test: 'Probe senden', testTo: 'An', testDone: 'Die Probe ist unterwegs',
	},
};
