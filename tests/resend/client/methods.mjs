// SPDX-License-Identifier: MIT
// Calls every method of the npm package resend at POSTHOUSE_URL/resend. A method that is served has a row below, with what its
// answer must have; each other one must answer 501. Prints a line for each fault, and writes what each method came to, and answers.ts,
// in which tsc holds the answers against the package's own types.
import { execFile } from "node:child_process";
import { readFileSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { promisify } from "node:util";
import { render } from "@react-email/render";
import { createElement } from "react";
import { Resend } from "resend";
import { Run, runsWrite, versionOf } from "./run.mjs";

const { POSTHOUSE_URL: url, POSTHOUSE_KEY: key, POSTHOUSE_DOMAIN: domain, POSTHOUSE_BIN: bin } = process.env;
const resend = new Resend(key, { baseUrl: `${url}/resend` });
const id = "01a1f8d1-2ace-718f-96bc-82c241916947";
const made = { // by earlier rows
	html: "<body class=x><p>{{{contact.first_name|you}}} <a href=\"{{{RESEND_UNSUBSCRIBE_URL}}}\">leave</a></p></body>" };
const email = { from: `Me <me@${domain}>`, to: ["b@example.net"], subject: "{{S}}", html: "<p>{{{a}}} €</p>",
	scheduledAt: "in 1 hour" };

const rendered = await render(createElement("p", { className: "x" }, "Hi ", "{{name}}"));

// Method, arguments, members that the answer must have (or the name of an error), and what to keep of it.
const rows = [
	["emails.send", () => [{ ...email, text: "T", cc: "c@example.net", bcc: ["d@example.net"], replyTo: "e@example.net",
		headers: { "X-Ref": "1" }, tags: [{ name: "kind", value: "methods" }], attachments: [
			{ filename: "a.txt", content: "aGVsbG8=" },
			{ filename: "b.pdf", content: Buffer.from("hello"), contentType: "application/pdf" },
			{ filename: "l.png", content: "QQ==", contentId: "logo" }] }, { idempotencyKey: "methods" }], {},
		data => { made.email = data.id; }],
	["emails.send", () => [email, { idempotencyKey: "methods" }], "invalid_idempotent_request"],
	["emails.send", () => [{ ...email, to: [] }], "missing_required_field"],
	["emails.send", () => [{ ...email, from: "me@example.org" }], "validation_error"],
	["emails.send", () => [{ ...email, attachments: [{ filename: "a" }] }], "invalid_attachment"],
	["emails.get", () => [made.email], { object: "email", from: email.from, subject: email.subject, html: email.html, text: "T",
		last_event: "scheduled", topic_id: null }],
	["emails.attachments.list", () => [{ emailId: made.email }], { object: "list", has_more: false },
		data => { made.attachment = data.data[1].id; }],
	["emails.attachments.get", () => [{ emailId: made.email, id: made.attachment }],
		{ object: "attachment", filename: "b.pdf", size: 5, content_type: "application/pdf", content_disposition: "attachment" }],
	["emails.attachments.get", () => [{ emailId: made.email, id }], "not_found"],
	["emails.create", () => [{ ...email, html: undefined, react: createElement("p", { className: "x" }, "Hi ", "{{name}}") }], {},
		data => { made.react = data.id; }],
	["emails.get", () => [made.react], { html: rendered }],
	["emails.list", () => [{ limit: 1 }], { object: "list", has_more: true }],
	["emails.list", () => [{ limit: 1, before: made.email }], { object: "list", has_more: false }],
	["emails.receiving.list", () => [{ limit: 1 }], { object: "list", has_more: false }],
	["emails.receiving.get", () => [id], "not_found"],
	["emails.receiving.forward", () => [{ emailId: id, to: "ada@example.net", from: email.from }], "not_found"],
	["emails.receiving.attachments.list", () => [{ emailId: id }], "not_found"],
	["emails.receiving.attachments.get", () => [{ emailId: id, id }], "not_found"],
	["emails.update", () => [{ id: made.email, scheduledAt: "tomorrow at 9am ET" }], { object: "email" }],
	["emails.cancel", () => [made.email], { object: "email" }],
	["emails.cancel", () => [made.email], "validation_error"],
	["emails.get", () => [made.email], { last_event: "canceled" }],
	["emails.metrics", () => [{ metrics: ["sent", "open_rate"], dimensions: ["period", "domain"], granularity: "monthly" }],
		{ object: "metrics", granularity: "monthly" }, data => same(data.metrics, ["sent", "open_rate"])],
	["emails.metrics", () => [], { object: "metrics", granularity: "daily" }],
	["emails.metrics", () => [{ granularity: "hourly", dimensions: ["period"] }], { object: "metrics", granularity: "hourly" }],
	["batch.send", () => [[email, { ...email, to: "c@example.net" }]], {}],
	["batch.send", () => [[email, { ...email, to: [] }]], "missing_required_field"],
	["batch.create", () => [[email, { ...email, to: [] }], { batchValidation: "permissive" }], {}],
	["domains.create", () => [{ name: "methods.example.org", region: "eu-west-1", openTracking: true, clickTracking: false,
		customReturnPath: "send", tls: "opportunistic", capabilities: { sending: "enabled", receiving: "disabled" } }],
		{ name: "methods.example.org", region: "eu-west-1", status: "not_started", open_tracking: true },
		data => { made.domain = data.id; }],
	["domains.create", () => [{ name: "methods.example.org" }], "validation_error"],
	["domains.list", () => [], { object: "list", has_more: false }],
	["domains.list", () => [{ limit: 1 }], { object: "list", has_more: true }],
	["domains.get", () => [made.domain], { object: "domain", name: "methods.example.org" }],
	["domains.get", () => [id], "not_found"],
	["domains.update", () => [{ id: made.domain, openTracking: false, clickTracking: true }], { object: "domain" }],
	["domains.verify", () => [made.domain], { object: "domain" }],
	["apiKeys.create", () => [{ name: "methods", permission: "sending_access", domain_id: made.domain }], {},
		data => { made.key = data.id; made.token = data.token; }],
	["apiKeys.create", () => [{ permission: "full_access" }], "missing_required_field"],
	["apiKeys.list", () => [], { object: "list", has_more: false }],
	["apiKeys.update", () => [made.key, { name: "methods, renamed" }], { object: "api_key" }],
	["apiKeys.remove", () => [made.key], { object: "api_key", deleted: true }],
	["domains.remove", () => [made.domain], { object: "domain", deleted: true }],
	["templates.create", () => [{ name: "Methods", html: "<p>{{{NAME}}}</p>", subject: "Hi {{NAME}}", alias: "methods",
		from: "Me <me@example.org>", replyTo: ["a@example.org"], variables: [
			{ key: "NAME", type: "string", fallbackValue: "you" }, { key: "N", type: "number" }] }],
		{ object: "template" }, data => { made.template = data.id; }],
	["templates.create", () => [{ name: "n", html: "{{{NAME}}}" }], "validation_error"],
	["templates.create", () => [{ name: "n", html: "x", variables: [{ key: "L", type: "list" }] }], "application_error"],
	["templates.get", () => ["methods"], { object: "template", status: "draft", alias: "methods", has_unpublished_versions: true }],
	["templates.publish", () => [made.template], { object: "template" }],
	["templates.update", () => ["methods", { html: "new" }], { object: "template" }],
	["templates.get", () => [made.template], { status: "published", html: "new", has_unpublished_versions: true }],
	["templates.duplicate", () => ["methods"], { object: "template" }, data => { made.copy = data.id; }],
	["templates.get", () => [made.copy], { name: "Methods (Copy)", alias: null, status: "draft" }],
	["templates.list", () => [{ limit: 1 }], { object: "list", has_more: true }],
	["templates.remove", () => ["methods"], { object: "template", deleted: true }],
	["templates.get", () => ["methods"], "not_found"],
	["suppressions.add", () => [{ email: "a+b@example.org" }], { object: "suppression" },
		data => { made.suppression = data.id; }],
	["suppressions.get", () => ["a+b@example.org"], { object: "suppression", email: "a+b@example.org", origin: "manual",
		source_id: null }],
	["suppressions.list", () => [{ origin: "manual" }], { object: "list", has_more: false }],
	["suppressions.remove", () => [made.suppression], { object: "suppression", deleted: true }],
	["suppressions.remove", () => [made.suppression], "not_found"],
	["suppressions.batch.add", () => [{ emails: ["b@example.org", "c@example.org"] }], {}],
	["suppressions.batch.remove", () => [{ emails: ["b@example.org", "c@example.org", "d@example.org"] }], {}],
	["segments.create", () => [{ name: "Methods" }], { object: "segment", name: "Methods" },
		data => { made.segment = data.id; }],
	["segments.get", () => [made.segment], { object: "segment", name: "Methods" }],
	["segments.update", () => [made.segment, { name: "More" }], { object: "segment" }],
	["segments.list", () => [], { object: "list", has_more: false }],
	["contacts.create", () => [{ audienceId: made.segment, email: "a+b@example.org", firstName: "Ada", unsubscribed: false }],
		{ object: "contact" }, data => { made.contact = data.id; }],
	["contacts.create", () => [{ audienceId: made.segment, email: "x" }], "validation_error"],
	["contacts.get", () => [{ audienceId: made.segment, email: "a+b@example.org" }], { object: "contact", first_name: "Ada",
		last_name: null, unsubscribed: false }],
	["contacts.update", () => [{ audienceId: made.segment, id: made.contact, unsubscribed: true, firstName: null }],
		{ object: "contact" }],
	["contacts.get", () => [{ audienceId: made.segment, id: made.contact }], { first_name: null, unsubscribed: true }],
	["contacts.list", () => [{ segmentId: made.segment }], { object: "list", has_more: false }],
	["contacts.segments.add", () => [{ email: "a+b@example.org", segmentId: made.segment }], {}],
	["contacts.segments.list", () => [{ email: "a+b@example.org" }], { object: "list", has_more: false }],
	["contacts.segments.remove", () => [{ email: "a+b@example.org", segmentId: made.segment }], { deleted: true }],
	["contacts.segments.add", () => [{ email: "a+b@example.org", segmentId: made.segment }], {}],
	["topics.create", () => [{ name: "News", defaultSubscription: "opt_in", description: "Now and then" }], { object: "topic" },
		data => { made.topic = data.id; }],
	["topics.create", () => [{ name: "News" }], "missing_required_field"],
	["topics.get", () => [made.topic], { object: "topic", name: "News", description: "Now and then", default_subscription: "opt_in" }],
	["topics.get", () => [id], "not_found"],
	["topics.list", () => [], { object: "list", has_more: false }],
	["contacts.topics.update", () => [{ email: "a+b@example.org", topics: [{ id: made.topic, subscription: "opt_out" }] }], {}],
	["contacts.topics.list", () => [{ email: "a+b@example.org" }], { object: "list", has_more: false }],
	["contacts.imports.create", () => [{ file: new Blob(["Mail,Plan\ni@example.org,pro\n"]), columnMap: { email: "Mail",
		properties: { plan: { column: "Plan", type: "string" } } }, onConflict: "upsert", segments: [{ id: made.segment }],
		topics: [{ id: made.topic, subscription: "opt_in" }] }], { object: "contact_import" }, data => { made.import = data.id; }],
	["contacts.imports.create", () => [{ file: new Blob(["a\n"]) }], "validation_error"],
	["contacts.imports.get", () => [made.import], { object: "contact_import", status: "queued", completed_at: null },
		() => promisify(execFile)(`${bin}/posthouse-spool`, ["--once"])],
	["contacts.imports.list", () => [{ status: "completed", limit: 1 }], { object: "list", has_more: false },
		data => same(data.data.map(row => [row.id, row.counts.created]), [[made.import, 1]])],
	["broadcasts.create", () => [{ name: "Spring", segmentId: made.segment, from: email.from, subject: "Hi", replyTo: "r@example.net",
		previewText: "A & B", html: made.html, topicId: made.topic }], {}, data => { made.broadcast = data.id; }],
	["broadcasts.create", () => [{ segmentId: id, from: email.from, subject: "Hi", text: "T" }], "not_found"],
	["broadcasts.create", () => [{ segmentId: made.segment, from: "me@example.org", subject: "Hi", text: "T", send: true }],
		"validation_error"],
	["broadcasts.get", () => [made.broadcast], { object: "broadcast", name: "Spring", status: "draft", from: email.from, subject: "Hi",
		preview_text: "A & B", html: made.html, scheduled_at: null, sent_at: null }],
	["broadcasts.update", () => [made.broadcast, { name: "Summer", topicId: null }], {}],
	["broadcasts.send", () => [made.broadcast, { scheduledAt: "in 1 hour" }], {}],
	["broadcasts.get", () => [made.broadcast], { name: "Summer", status: "queued", preview_text: "A & B", topic_id: null }],
	["broadcasts.update", () => [made.broadcast, { name: "Late" }], "validation_error"],
	["broadcasts.cancel", () => [made.broadcast], { object: "broadcast" }],
	["broadcasts.get", () => [made.broadcast], { status: "draft", scheduled_at: null }],
	["broadcasts.duplicate", () => [made.broadcast], { object: "broadcast" }],
	["broadcasts.recipients", () => [made.broadcast, { type: "clicked", email: "a+b@example.org", limit: 5 }],
		{ object: "list", has_more: false }],
	["broadcasts.recipients", () => [made.broadcast, { type: "bounced", bounceType: "permanent" }], { has_more: false }],
	["broadcasts.recipients", () => [made.broadcast, {}], "validation_error"],
	["broadcasts.clickedLinks", () => [made.broadcast, { limit: 5 }], { object: "list", has_more: false }],
	["broadcasts.clickedLinks", () => [id], "not_found"],
	["broadcasts.list", () => [{ limit: 1 }], { object: "list", has_more: true }],
	["broadcasts.remove", () => [made.broadcast], { object: "broadcast", deleted: true }],
	["broadcasts.get", () => [made.broadcast], "not_found"],
	["topics.update", () => [{ id: made.topic, name: "Renamed" }], { object: "topic" }],
	["topics.remove", () => [made.topic], { object: "topic", deleted: true }],
	["contactProperties.create", () => [{ key: "plan", type: "string", fallbackValue: "free" }], { object: "contact_property" },
		data => { made.property = data.id; }],
	["contactProperties.list", () => [], { object: "list", has_more: false }],
	["contactProperties.get", () => [made.property], { object: "contact_property", key: "plan", fallbackValue: "free" }],
	["contactProperties.update", () => [{ id: made.property, fallbackValue: "pro" }], { object: "contact_property" }],
	["contactProperties.remove", () => [made.property], { object: "contact_property", deleted: true }],
	["contacts.remove", () => [{ audienceId: made.segment, email: "a+b@example.org" }],
		{ object: "contact", contact: "a+b@example.org", deleted: true }],
	["segments.remove", () => [made.segment], { object: "segment", deleted: true }],
	["webhooks.create", () => [{ endpoint: receiver.url, events: ["domain.created", "email.bounced", "inbox.created"] }],
		{ object: "webhook" }, data => { made.webhook = data.id; made.secret = data.signing_secret; }],
	["webhooks.create", () => [{ endpoint: receiver.url, events: ["email.read"] }], "validation_error"],
	["webhooks.list", () => [{ limit: 1 }], { object: "list", has_more: false }],
	["webhooks.update", () => [made.webhook, { status: "disabled", events: ["domain.created"] }], { object: "webhook" }],
	["webhooks.get", () => [made.webhook], { object: "webhook", status: "disabled" }, data => same(data.events, ["domain.created"])],
	["webhooks.update", () => [made.webhook, { status: "enabled" }], { object: "webhook" }, () => tell("the first secret")],
	["webhooks.rotateSigningSecret", () => [made.webhook], { object: "webhook" },
		async data => { await tell("the secret before a rotation"); made.secret = data.signing_secret; await tell("the new secret"); }],
	["webhooks.events.list", () => [{ webhookId: made.webhook, limit: 1 }], { object: "list", has_more: true },
		data => same(data.data[0].id, made.event)],
	["webhooks.events.get", () => [{ webhookId: made.webhook, eventId: made.event }], { object: "webhook_event", status: "success",
		next_attempt_at: null }, data => same(data.payload, JSON.parse(receiver.requests.at(-1).body))],
	["webhooks.events.get", () => [{ webhookId: made.webhook, eventId: id }], "not_found"],
	["webhooks.events.attempts.list", () => [{ webhookId: made.webhook, eventId: made.event }], { object: "list", has_more: false },
		data => same(data.data.map(attempt => [attempt.http_status_code, attempt.response]), [[200, "ok"]])],
	["webhooks.events.replay", () => [{ webhookId: made.webhook, eventId: made.event }], { object: "webhook_event" }],
	["webhooks.remove", () => [made.webhook], { object: "webhook", deleted: true }],
	["logs.list", () => [{ limit: 1 }], { object: "list", has_more: true },
		async () => { made.log = await logged("DELETE", `/webhooks/${made.webhook}`); }],
	["logs.get", () => [made.log], { object: "log", method: "DELETE", response_status: 200, request_body: null }],
	["logs.get", () => [id], "not_found"],
	["events.create", () => [{ name: "user.created", schema: { plan: "string", at: "date" } }], { object: "event" },
		data => { made.event = data.id; }],
	["events.create", () => [{ name: "User.Created" }], "validation_error"],
	["events.get", () => ["user.created"], { object: "event", name: "user.created" }],
	["events.update", () => [made.event, { schema: null }], { object: "event" }],
	["events.get", () => [made.event], { schema: null }],
	["events.list", () => [{ limit: 10 }], { object: "list", has_more: false }],
	["events.send", () => [{ event: "user.created", email: "ada@example.org", payload: { plan: "pro" } }],
		{ object: "event", event: "user.created" }],
	["events.send", () => [{ event: "user.created", contactId: id }], "not_found"],
	["automations.create", () => [{ name: "Welcome!", status: "enabled", steps: [
		{ key: "start", type: "trigger", config: { eventName: "user.created" } },
		{ key: "pause", type: "delay", config: { duration: "1 day" } },
		{ key: "paid", type: "wait_for_event", config: { eventName: "paid", timeout: "3 days",
			filterRule: { type: "rule", field: "event.amount", operator: "gt", value: 5 } } },
		{ key: "pro", type: "condition", config: { type: "rule", field: "contact.plan", operator: "eq", value: "pro" } },
		{ key: "name", type: "contact_update", config: { firstName: { var: "event.name" }, properties: { paid: true } } }],
		connections: [{ from: "start", to: "pause" }, { from: "pause", to: "paid" },
			{ from: "paid", to: "pro", type: "event_received" }, { from: "pro", to: "name", type: "condition_met" }] }],
		{ object: "automation" }, data => { made.automation = data.id; }],
	["automations.create", () => [{ name: "n", status: "enabled", steps: [{ key: "s", type: "delay", config: {} }],
		connections: [] }], "validation_error"],
	["automations.create", () => [{ name: "n", steps: [{ key: "s", type: "contact_update", config: { unsubscribed: true } }], connections: [] }],
		{ object: "automation" }],
	["automations.get", () => [made.automation], { object: "automation", name: "Welcome!", status: "enabled" }],
	["automations.list", () => [{ status: "enabled" }], { object: "list", has_more: false }],
	["events.send", () => [{ event: "user.created", email: "ada@example.org" }], { object: "event" }],
	["automations.runs.list", () => [{ automationId: made.automation, status: ["running", "failed"] }],
		{ object: "list", has_more: false }, data => { made.run = data.data[0].id; }],
	["automations.runs.get", () => [{ automationId: made.automation, runId: made.run }],
		{ object: "automation_run", status: "running", completed_at: null }],
	["automations.update", () => [made.automation, { name: "Renamed" }], { object: "automation" }],
	["automations.duplicate", () => [made.automation], { object: "automation" }, data => { made.twin = data.id; }],
	["automations.get", () => [made.twin], { name: "Renamed (Copy)", status: "disabled" }],
	["automations.stop", () => [made.automation], { object: "automation", status: "disabled" }],
	["automations.runs.get", () => [{ automationId: made.automation, runId: made.run }], { status: "cancelled" }],
	["automations.remove", () => [made.automation], { object: "automation", deleted: true }],
	["events.remove", () => [made.event], { object: "event", deleted: true }],
];

// A receiver of webhooks on loopback.
const receiver = { requests: [] };
const server = createServer(async (request, response) => {
	let body = "";
	for await (const part of request)
		body += part;
	receiver.requests.push({ headers: request.headers, body });
	response.end("ok");
});
await new Promise(done => server.listen(0, "127.0.0.1", done));
receiver.url = `http://127.0.0.1:${server.address().port}/`;

function same(got, want) {
	if (JSON.stringify(got) !== JSON.stringify(want))
		faults.push(`got ${JSON.stringify(got)}, want ${JSON.stringify(want)}`);
}

// The id of the log of a request. A log is stored after the answer.
async function logged(method, endpoint) {
	for (const end = Date.now() + 60000; Date.now() < end;) {
		const { data } = await resend.logs.list({ limit: 100 });
		const log = data.data.find(one => one.method === method && one.endpoint === endpoint);

		if (log)
			return log.id;
		await new Promise(done => setTimeout(done, 100));
	}
	faults.push(`no log of ${method} ${endpoint}`);
}

// Has the webhook told of a new domain, and verifies that request with both kinds of headers.
async function tell(name) {
	await resend.domains.create({ name: `told-${receiver.requests.length}.example.org` });
	await promisify(execFile)(`${bin}/posthouse-spool`, ["--once"]);
	const { headers, body } = receiver.requests.at(-1);

	made.event = headers["webhook-id"];
	for (const kind of ["webhook", "svix"])
		try {
			const event = resend.webhooks.verify({ payload: body, webhookSecret: made.secret, headers: {
				id: headers[`${kind}-id`], timestamp: headers[`${kind}-timestamp`], signature: headers[`${kind}-signature`] } });
			same(event, JSON.parse(body));
		} catch (error) {
			faults.push(`webhooks.verify, ${name}, ${kind}: ${error}`);
		}
	same(Object.keys(JSON.parse(body)), ["type", "created_at", "data"]);
}

// Arguments that make the methods without a row send a request.
const all = { id, emailId: id, automationId: id, runId: id, webhookId: id, eventId: id, inboxId: id, threadId: id, labelId: id,
	draftId: id, domainId: id, contactId: id, segmentId: id, email: "a@example.org", type: "opened", key: "k", name: "n",
	event: "e", steps: [], connections: [], topics: [], file: new Blob(["email\n"]) };
const inside = /^(_|build|append|forward(Passthrough|Wrapped)|downloadRaw|performCreate)/; // private in the types

function* methodsOf(object, path, seen = new Set()) {
	if (seen.has(object))
		return;
	seen.add(object);
	for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(object)))
		if (path && name !== "constructor" && !inside.test(name))
			yield `${path}.${name}`;
	for (const [name, value] of Object.entries(object))
		if (name !== "resend" && value && typeof value === "object" && !(value instanceof Headers))
			yield* methodsOf(value, path ? `${path}.${name}` : name, seen);
}

const faults = [], answers = [];

async function call(method, args) {
	const names = method.split("."), last = names.pop();
	const owner = names.reduce((object, name) => object[name], resend);

	return owner[last](...args);
}

for (const [method, args, want, keep] of rows) {
	const { data, error } = await call(method, args());

	if (typeof want === "string") {
		if (error?.name !== want)
			faults.push(`${method}: got ${JSON.stringify(error ?? data)}, want the error ${want}`);
		continue;
	}
	if (error) {
		faults.push(`${method}: ${JSON.stringify(error)}`);
		continue;
	}
	for (const [name, value] of Object.entries(want))
		if (data[name] !== value)
			faults.push(`${method}: ${name} is ${JSON.stringify(data[name])}, want ${JSON.stringify(value)}`);
	answers.push([method, data]);
	await keep?.(data);
}

const methods = [...methodsOf(resend, "")].map(name => name.replace(/^audiences\./, "segments."));
const served = new Set([...rows.map(row => row[0]), "webhooks.verify"]);
const told = new Map(); // what doc/resend.md says
for (const line of readFileSync(process.argv[2], "utf8").split("\n")) {
	const cells = line.split("|").map(cell => cell.trim());

	if (cells.length > 4 && /^(yes|no)$/.test(cells[3]))
		for (const [, name] of cells[1].matchAll(/`(\w+\.[\w.]+)`/g))
			told.set(name, told.get(name) === "yes" ? "yes" : cells[3]); // an older path is not served
}
for (const method of methods)
	if (!told.has(method))
		faults.push(`${method} is not in the table of doc/resend.md`);
for (const method of told.keys())
	if (!methods.includes(method))
		faults.push(`${method} is in the table of doc/resend.md, and not in the package`);
for (const method of methods) {
	if (served.has(method))
		continue;
	const given = /\.(get|remove|cancel|stop|duplicate|publish|replay|send)$/.test(method) &&
		!/^(contacts|events|inboxes|automations\.runs|webhooks\.events|emails\.(attachments|receiving))/.test(method) ?
		[id, all] : [all, all];
	const { error } = await call(method, given).catch(error => ({ error }));

	if (told.get(method) === "yes")
		faults.push(`${method} is served, and has no row`);
	else if (error?.name !== "application_error" || error.statusCode !== 501)
		faults.push(`${method}: got ${JSON.stringify(error?.message ?? error)}, want application_error`);
}

const run = new Run("resend (npm)", versionOf("resend"));
for (const method of methods) {
	const fault = faults.find(fault => fault.startsWith(`${method}:`));

	run.add(method, fault ? `failed: ${fault}` : told.get(method) === "yes" ? "ok" : "not served");
}
runsWrite(run);
console.log(`${methods.length} methods`);
for (const fault of faults)
	console.log(fault);
server.close();
writeFileSync("answers.ts", `import type { Resend } from "resend";
type Data<M extends (...given: never[]) => PromiseLike<{ data: unknown }>> = NonNullable<Awaited<ReturnType<M>>["data"]>;
// Takes additional members, which a plain assignment of a literal does not.
const held = <T>() => <U extends T>(answer: U) => answer;
${answers.map(([method, data]) => `held<Data<Resend[${
	method.split(".").map(name => JSON.stringify(name)).join("][")}]>>()(${JSON.stringify(data)});`).join("\n")}
`);
process.exitCode = faults.length > 0 ? 1 : 0;
