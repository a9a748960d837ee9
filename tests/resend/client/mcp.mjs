// SPDX-License-Identifier: MIT
// Calls each tool of resend-mcp through its protocol, with the arguments that its own descriptions show.
import { spawn } from "node:child_process";
import { createInterface } from "node:readline";
import { Run, runsWrite, settings, statusOf, takerOf, versionOf } from "./run.mjs";

const { domain, key } = settings;
const taken = takerOf(process.env.CLIENT_REQUESTS);
const run = new Run("resend-mcp (npm)", versionOf("resend-mcp"));
const id = "4dd369bc-aa82-4ff3-97de-514ae3000ee0";
const { POSTHOUSE_RECEIVED: received, POSTHOUSE_RECEIVED_FILE: received_file } = process.env;
const from = `Acme <onboarding@${domain}>`;
const to = ["delivered@resend.dev"];
const html = "<!DOCTYPE html><html><body><p>Hi {{{FIRST_NAME|there}}} {{{LAST_NAME|you}}} {{{EMAIL}}}</p></body></html>";
const made = {};
const soon = new Date(Date.now() + 3600000).toISOString();

// An automation of the description of create-automation, as far as it is served.
const drip = () => ({ steps: [
	{ key: "trigger", type: "trigger", config: { eventName: "user.created" }, next: "send_email_1" },
	{ key: "send_email_1", type: "send_email", config: { template: { id: made.template }, from, subject: "Welcome!" },
		next: "delay_1" },
	{ key: "delay_1", type: "delay", config: { duration: "3 days" }, next: "send_email_2" },
	{ key: "send_email_2", type: "send_email", config: { template: { id: made.template, variables: {
		NAME: { var: "event.name" } } }, from, subject: "Getting started" }, next: null }] });
const engagement = () => ({ steps: [
	{ key: "trigger", type: "trigger", config: { eventName: "user.created" }, next: "send_email_1" },
	{ key: "send_email_1", type: "send_email", config: { template: { id: made.template }, from, subject: "Welcome" },
		next: "wait_event_1" },
	{ key: "wait_event_1", type: "wait_for_event", config: { eventName: "resend:email.opened", timeout: "3 days" },
		branches: { event_received: null, timeout: "send_email_2" } },
	{ key: "send_email_2", type: "send_email", config: { template: { id: made.template }, from, subject: "Did you miss this?" },
		next: null }] });
const branch = () => ({ steps: [
	{ key: "trigger", type: "trigger", config: { eventName: "trial.ended" }, next: "condition_1" },
	{ key: "condition_1", type: "condition", config: { type: "rule", field: "event.converted", operator: "eq", value: true },
		branches: { condition_met: "send_email_1", condition_not_met: "send_email_2" } },
	{ key: "send_email_1", type: "send_email", config: { template: { id: made.template }, from, subject: "Thanks!" }, next: null },
	{ key: "send_email_2", type: "send_email", config: { template: { id: made.template }, from, subject: "Back?" }, next: null }] });

// Tool, arguments, what to keep of the last answer of the API, and the words that name the call where the tool alone does not.
const rows = [
	["send-email", () => ({ from, to, subject: "Hello", text: "Hi", html: "<p>Hi</p>", cc: ["cc@example.net"],
		bcc: ["bcc@example.net"], replyTo: ["Support Team <support@example.com>"], tags: [{ name: "kind", value: "mcp" }],
		headers: { "List-Unsubscribe": "<https://example.com/unsubscribe>", "X-Entity-Ref-ID": "unique-id" },
		attachments: [{ filename: "report.pdf", content: "JVBERg==", contentType: "application/pdf" },
			{ filename: "logo.png", content: "aGVsbG8=", contentId: "logo" }], idempotencyKey: "mcp" }),
		data => { made.email = data.id; }],
	...["tomorrow at 10am", "in 2 hours", "next day at 9am PST", "Friday at 3pm ET", soon].map(scheduledAt =>
		["send-email", () => ({ from, to, subject: "Hello", text: "Hi", scheduledAt }), data => { made.later = data.id; }]),
	["send-batch-emails", () => ({ emails: [{ from, to, subject: "A", text: "A", replyTo: ["support@example.com"],
		scheduledAt: "tomorrow at 10am", tags: [{ name: "kind", value: "mcp" }], headers: { "X-Entity-Ref-ID": "1" } },
		{ from, to, subject: "B", text: "B", cc: ["cc@example.net"] }], idempotencyKey: "mcp-batch" })],
	["list-emails", () => ({ limit: 10 })],
	["get-email", () => ({ id: made.email })],
	["update-email", () => ({ id: made.later, scheduledAt: soon })],
	["cancel-email", () => ({ id: made.later })],
	["share-email", () => ({ id: made.email, expiresIn: "2 hours" })],
	["list-sent-email-attachments", () => ({ emailId: made.email }), data => { made.attachment = data.data[0].id; }],
	["get-sent-email-attachment", () => ({ emailId: made.email, id: made.attachment })],
	["get-email-metrics", () => ({})],
	["get-email-metrics", () => ({ metrics: ["sent", "open_rate", "unique_clicked", "bounced_permanent"], granularity: "weekly",
		dimensions: ["period", "domain"], startDate: new Date(Date.now() - 86400000 * 20).toISOString() })],
	["get-email-metrics", () => ({ timezone: "America/New_York", granularity: "hourly", dimensions: ["period"] }), undefined,
		"timezone"],
	["get-email-metrics", () => ({ dimensions: ["email"], emailId: [made.email] }), undefined, "email"],
	["list-received-emails", () => ({})],
	["get-received-email", () => ({ id: received })],
	["list-received-email-attachments", () => ({ emailId: received })],
	["get-received-email-attachment", () => ({ emailId: received, id: received_file })],
	["create-domain", () => ({ name: `mcp.${domain}`, region: "eu-west-1", customReturnPath: "send", openTracking: true,
		clickTracking: false, tls: "opportunistic", capabilities: { sending: "enabled", receiving: "disabled" } }),
		data => { made.domain = data.id; }],
	["create-domain", () => ({ name: `mcp2.${domain}`, trackingSubdomain: "track" }), undefined, "trackingSubdomain"],
	["list-domains", () => ({})],
	["get-domain", () => ({ id: made.domain })],
	["update-domain", () => ({ id: made.domain, clickTracking: true, openTracking: false })],
	["update-domain", () => ({ id: made.domain, tls: "enforced" }), undefined, "tls"],
	["verify-domain", () => ({ id: made.domain })],
	["create-domain-claim", () => ({ name: "example.com" })],
	["get-domain-claim", () => ({ id })],
	["verify-domain-claim", () => ({ id })],
	["create-api-key", () => ({ name: "mcp", permission: "sending_access", domainId: made.domain }), data => { made.key = data.id; }],
	["list-api-keys", () => ({ limit: 10 })],
	["update-api-key", () => ({ id: made.key, name: "mcp, renamed" })],
	["remove-api-key", () => ({ id: made.key })],
	["remove-domain", () => ({ id: made.domain })],
	["create-segment", () => ({ name: "Newsletter" }), data => { made.segment = data.id; }],
	["list-segments", () => ({})],
	["get-segment", () => ({ id: made.segment })],
	["update-segment", () => ({ id: made.segment, name: "Readers" })],
	["create-topic", () => ({ name: "News", defaultSubscription: "opt_in", description: "Now and then" }),
		data => { made.topic = data.id; }],
	["list-topics", () => ({})],
	["get-topic", () => ({ id: made.topic })],
	["update-topic", () => ({ id: made.topic, name: "More news" })],
	["create-contact-property", () => ({ key: "company_name", type: "string", fallbackValue: "your company" }),
		data => { made.property = data.id; }],
	["list-contact-properties", () => ({})],
	["get-contact-property", () => ({ contactPropertyId: made.property })],
	["update-contact-property", () => ({ contactPropertyId: made.property, fallbackValue: null })],
	["create-contact", () => ({ email: "mcp@example.net", firstName: "Ada", lastName: "B", unsubscribed: false,
		properties: { company_name: "Acme" }, segmentIds: [made.segment], topics: [{ id: made.topic, subscription: "opt_in" }] }),
		data => { made.contact = data.id; }],
	["list-contacts", () => ({ segmentId: made.segment })],
	["list-contacts", () => ({ limit: 10 })],
	["get-contact", () => ({ email: "mcp@example.net" })],
	["get-contact", () => ({ id: made.contact })],
	["update-contact", () => ({ email: "mcp@example.net", firstName: null, properties: { company_name: "Acme, Inc." } })],
	["add-contact-to-segment", () => ({ email: "mcp@example.net", segmentId: made.segment })],
	["list-contact-segments", () => ({ contactId: made.contact })],
	["remove-contact-from-segment", () => ({ contactId: made.contact, segmentId: made.segment })],
	["update-contact-topics", () => ({ id: made.contact, topics: [{ id: made.topic, subscription: "opt_out" }] })],
	["list-contact-topics", () => ({ email: "mcp@example.net" })],
	["create-contact-import", () => ({ content: "Mail,Company\ni@example.net,Acme\n", filename: "a.csv", columnMap: { email: "Mail",
		properties: { company_name: { column: "Company", type: "string" } } }, onConflict: "upsert", segmentIds: [made.segment],
		topics: [{ id: made.topic, subscription: "opt_in" }] }), data => { made.import = data.id; }],
	["create-contact-import", () => ({ content: "email,first_name\na@b.com,Ada" })],
	["get-contact-import", () => ({ id: made.import })],
	["list-contact-imports", () => ({ status: "completed" })],
	["create-broadcast", () => ({ name: "News", segmentId: made.segment, subject: "Hi", html, from, previewText: "Soon",
		replyTo: ["r@example.net"] }), data => { made.broadcast = data.id; }],
	["create-broadcast", () => ({ name: "News", segmentId: made.segment, subject: "Hi", text: "Hi {{{FIRST_NAME|there}}}", from }),
		data => { made.draft = data.id; }],
	["list-broadcasts", () => ({})],
	["get-broadcast", () => ({ broadcastId: made.broadcast })],
	["get-broadcast", () => ({ broadcastId: `https://resend.com/broadcasts/${made.broadcast}` })],
	["update-broadcast", () => ({ broadcastId: made.broadcast, name: "More", subject: "Hello", text: "", html,
		replyTo: ["r@example.net"], previewText: "Now" })],
	["duplicate-broadcast", () => ({ broadcastId: made.broadcast })],
	["compose-broadcast", () => ({ broadcastId: made.broadcast, content: { type: "doc", content: [] }, subject: "Hi" })],
	["send-broadcast", () => ({ broadcastId: made.broadcast, scheduledAt: "tomorrow at 10am" })],
	["cancel-broadcast", () => ({ broadcastId: made.broadcast })],
	["list-broadcast-recipients", () => ({ broadcastId: made.broadcast, type: "bounced", bounceType: "permanent", email: "@example" })],
	["list-broadcast-clicked-links", () => ({ broadcastId: made.broadcast, limit: 5 })],
	["remove-broadcast", () => ({ broadcastId: made.draft })],
	["get-tiptap-json-content", () => ({ resource_type: "broadcast", resource_id: made.broadcast, include_schema: false })],
	["connect-to-editor", () => ({ resource_type: "broadcast", resource_id: made.broadcast, agent_name: "Test" })],
	["disconnect-from-editor", () => ({})],
	["create-template", () => ({ name: "Welcome", html: "<p>Hi {{{NAME}}}, {{{N}}}</p>", subject: "Hi {{{NAME}}}", from,
		replyTo: ["r@example.net"], text: "", alias: "mcp-welcome", variables: [
			{ key: "NAME", type: "string", fallbackValue: "you" }, { key: "N", type: "number", fallbackValue: 1 }] }),
		data => { made.template = data.id; }],
	["list-templates", () => ({ limit: 5 })],
	["get-template", () => ({ id: "mcp-welcome" })],
	["update-template", () => ({ id: made.template, name: "Welcome!", variables: [
		{ key: "NAME", type: "string", fallbackValue: "you" }, { key: "N", type: "number", fallbackValue: 2 }] })],
	["compose-template", () => ({ id: made.template, content: { type: "doc", content: [] }, name: "Welcome" })],
	["publish-template", () => ({ id: made.template })],
	["duplicate-template", () => ({ id: "mcp-welcome" }), data => { made.copy = data.id; }],
	["remove-template", () => ({ id: made.copy })],
	["manage-events", () => ({ action: "create", name: "user.created", schema: { name: "string" } })],
	["manage-events", () => ({ action: "create", name: "payment.failed" }), data => { made.event = data.id; }],
	["manage-events", () => ({ action: "list", limit: 10 })],
	["manage-events", () => ({ action: "get", identifier: "user.created" })],
	["manage-events", () => ({ action: "update", identifier: "user.created", schema: { name: "string", plan: "string" } })],
	["manage-events", () => ({ action: "remove", identifier: made.event })],
	["create-automation", () => ({ name: "Drip", status: "enabled", workflow: drip() }), data => { made.automation = data.id; }],
	["create-automation", () => ({ name: "Again", status: "enabled", workflow: engagement() })],
	["create-automation", () => ({ name: "Branch", status: "enabled", workflow: branch() })],
	["create-automation", () => ({ name: "Away", workflow: { steps: [
		{ key: "trigger", type: "trigger", config: { eventName: "user.created" }, next: "gone" },
		{ key: "gone", type: "contact_delete", config: {}, next: null }] } })],
	["create-automation", () => ({ name: "In", workflow: { steps: [
		{ key: "trigger", type: "trigger", config: { eventName: "user.created" }, next: "in" },
		{ key: "in", type: "add_to_segment", config: { segmentId: made.segment }, next: null }] } })],
	["send-event", () => ({ event: "user.created", email: "mcp@example.net", payload: { name: "Ada" } })],
	["send-event", () => ({ event: "trial.ended", contactId: made.contact, payload: { converted: true } })],
	["get-automation", () => ({ id: made.automation })],
	["get-automation", () => ({ status: "enabled" })],
	["get-automation-runs", () => ({ automationId: made.automation }), data => { made.run = data.data[0].id; }],
	["get-automation-runs", () => ({ automationId: made.automation, runId: made.run })],
	["update-automation", () => ({ id: made.automation, name: "Drip, slowly", workflow: engagement() })],
	["update-automation", () => ({ id: made.automation, status: "disabled" })],
	["duplicate-automation", () => ({ id: made.automation })],
	["remove-automation", () => ({ id: made.automation })],
	["create-webhook", () => ({ endpoint: "https://127.0.0.1:9/hooks", events: ["email.sent", "email.received", "domain.created"] }),
		data => { made.webhook = data.id; }],
	["create-domain", () => ({ name: `mcp3.${domain}` })],
	["list-webhooks", () => ({})],
	["get-webhook", () => ({ webhookId: made.webhook })],
	["update-webhook", () => ({ webhookId: made.webhook, status: "enabled", events: ["email.sent", "domain.created"] })],
	["rotate-webhook-signing-secret", () => ({ webhookId: made.webhook })],
	["list-webhook-events", () => ({ webhookId: made.webhook, limit: 5 }), data => { made.told = data.data[0].id; }],
	["get-webhook-event", () => ({ webhookId: made.webhook, eventId: made.told })],
	["list-webhook-event-attempts", () => ({ webhookId: made.webhook, eventId: made.told })],
	["replay-webhook-event", () => ({ webhookId: made.webhook, eventId: made.told })],
	["remove-webhook", () => ({ webhookId: made.webhook })],
	["add-suppression", () => ({ email: "spam@example.com" })],
	["list-suppressions", () => ({ origin: "manual" })],
	["get-suppression", () => ({ idOrEmail: "spam@example.com" })],
	["remove-suppression", () => ({ idOrEmail: "spam@example.com" })],
	["batch-add-suppressions", () => ({ emails: ["a@example.com", "b@example.com"] })],
	["batch-remove-suppressions", () => ({ emails: ["a@example.com", "b@example.com"] })],
	["list-logs", () => ({ limit: 5 }), data => { made.log = data.data[0].id; }],
	["get-log", () => ({ logId: made.log })],
	["list-oauth-grants", () => ({})],
	["revoke-oauth-grant", () => ({ id })],
	["remove-contact-property", () => ({ contactPropertyId: made.property })],
	["remove-contact", () => ({ email: "mcp@example.net" })],
	["remove-topic", () => ({ id: made.topic })],
	["remove-segment", () => ({ id: made.segment })],
];

// A session of JSON-RPC with the server on its standard input and output.
const server = spawn(process.execPath, ["--no-warnings", "--import", "./record.mjs", "node_modules/resend-mcp/dist/index.js"],
	{ env: { ...process.env, RESEND_API_KEY: key }, stdio: ["pipe", "pipe", "ignore"] });
const waiting = new Map();
let asked = 0;

createInterface({ input: server.stdout }).on("line", line => {
	const message = JSON.parse(line);

	waiting.get(message.id)?.(message);
});

server.on("exit", code => {
	console.log(`resend-mcp ended with ${code}`);
	process.exit(1);
});

function say(message) {
	server.stdin.write(`${JSON.stringify({ jsonrpc: "2.0", ...message })}\n`);
}

function ask(method, params) {
	return new Promise(done => {
		waiting.set(++asked, done);
		say({ id: asked, method, params });
	});
}

await ask("initialize", { protocolVersion: "2025-06-18", capabilities: {}, clientInfo: { name: "test", version: "1" } });
say({ method: "notifications/initialized" });
for (const [tool, args, keep, more] of rows) {
	const { result, error } = await ask("tools/call", { name: tool, arguments: args() });
	const requests = taken();
	const text = error?.message ?? result.content?.[0]?.text;
	// Its session with the editor never begins, since that is not served: there is none to end.
	const status = text === "No active editor connection to disconnect." ? "not served" :
		statusOf(requests, (error || result.isError) && text);

	run.add(more ? `${tool} with ${more}` : tool, status);
	if (status === "ok")
		try {
			keep?.(JSON.parse(requests.at(-1).text));
		} catch (fault) {
			run.add(tool, `failed: ${fault.message}`);
		}
}
const { result: { tools } } = await ask("tools/list", {});
for (const { name } of tools)
	if (!run.has(name))
		run.add(name, "failed: no row");
server.removeAllListeners("exit");
server.kill();
runsWrite(run);
