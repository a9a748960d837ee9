// SPDX-License-Identifier: MIT
// Runs each command of resend-cli that calls the API, with the arguments of its own examples.
import { spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { Run, runsWrite, settings, statusOf, takerOf, versionOf } from "./run.mjs";

const { domain, key } = settings;
const program = resolve("node_modules/resend-cli/dist/cli.cjs");
const record = resolve("record.mjs");
const folder = mkdtempSync(join(tmpdir(), "resend-cli-"));
const from = `onboarding@${domain}`;
const to = "delivered@resend.dev";
const id = "4dd369bc-aa82-4ff3-97de-514ae3000ee0";
const { POSTHOUSE_RECEIVED: received, POSTHOUSE_RECEIVED_FILE: received_file } = process.env;
const run = new Run("resend-cli (npm)", versionOf("resend-cli"));
const hour = new Date(Date.now() + 3600000).toISOString();

// Commands that call no API, or a part of resend.com that is none.
const local = /^(auth( .*)?|logout|whoami|open|docs|update|commands|completion|careers( .*)?|.* open)$/;

const files = {
	"email.html": "<p>Hello {{{FIRST_NAME|there}}}</p>",
	"email.txt": "Hello",
	"report.pdf": "%PDF",
	"logo.png": "logo",
	"attachments.json": JSON.stringify([{ filename: "a.txt", content: "aGVsbG8=", content_type: "text/plain" }]),
	"emails.json": JSON.stringify([{ from, to: [to], subject: "Hello", text: "Hi" },
		{ from, to: [to], subject: "Hello", html: "<b>Hi</b>", scheduled_at: "in 1 hour",
			tags: [{ name: "campaign", value: "welcome" }] }]),
	"template.html": "<p>Hello {{NAME}}</p>",
	"automation.json": JSON.stringify({ name: "Welcome Flow", steps: [
		{ key: "t", type: "trigger", config: { eventName: "user.signed_up" } },
		{ key: "d", type: "delay", config: { duration: "5m" } },
		{ key: "e", type: "send_email", config: { template: { id: "cli-welcome" } } }],
		connections: [{ from: "t", to: "d", type: "default" }, { from: "d", to: "e", type: "default" }] }),
	"contacts.csv": "email,first_name,last_name\ncli-a@example.net,A,B\n",
	"named.csv": "Email,First Name,Plan\ncli-b@example.net,B,pro\n",
	"suppressions.json": JSON.stringify(["a@example.com", "b@example.com"]),
};

const steps = JSON.stringify([{ key: "start", type: "trigger", config: { eventName: "order.completed" } },
	{ key: "rich", type: "condition", config: { type: "rule", field: "event.amount", operator: "gt", value: 5 } }]);
const connections = JSON.stringify([{ from: "start", to: "rich" }]);

// Lists of commands in their order; the lists run beside each other. A row: command, arguments, what to keep of its answer, standard
// input, and the words that name the call where the command alone does not.
const lists = [made => [
	["emails send", () => ["--from", from, "--to", to, "--subject", "Hello", "--text", "Hi"], data => { made.email = data.id; }],
	["emails send", () => ["--from", `Acme <${from}>`, "--to", to, "bounced@resend.dev", "--subject", "Hello", "--html-file",
		"email.html", "--text-file", "email.txt", "--cc", "cc@example.net", "--bcc", "bcc@example.net", "--reply-to", "r@example.net",
		"--headers", "X-Entity-Ref-ID=123", "--tags", "category=marketing", "--idempotency-key", "cli",
		"--attachment", "./report.pdf", "./logo.png;cid=logo"], data => { made.attached = data.id; }],
	["emails send", () => ["--from", from, "--to", to, "--subject", "Hello", "--html", "<b>Hi</b>", "--attachments-file",
		"./attachments.json", "--scheduled-at", "in 1 hour"], data => { made.later = data.id; }],
	["emails send", () => ["--from", from, "--to", to, "--subject", "Hello", "--html-file", "-"], undefined, "<p>Hi</p>"],
	["templates create", () => ["--name", "Sent", "--html", "<p>{{{PRODUCT}}}: {{{PRICE}}}</p>", "--alias", "cli-sent", "--subject",
		"Hi", "--from", from, "--reply-to", "r@example.net", "--text", "Hi", "--var", "PRODUCT:string:item", "--var", "PRICE:string:25"],
		data => { made.template = data.id; }],
	["templates publish", () => [made.template]],
	["emails send", () => ["--template", made.template, "--to", to, "--var", "PRODUCT=Mug", "--var", "PRICE=7"]],
	["emails batch", () => ["--file", "./emails.json", "--idempotency-key", "cli-batch"]],
	["emails batch", () => ["--file", "-", "--batch-validation", "permissive"], undefined, files["emails.json"]],
	["emails list", () => []],
	["emails list", () => ["--after", made.email, "--limit", "10"]],
	["emails list", () => ["--before", made.email, "--limit", "5"]],
	["emails get", () => [made.email]],
	["emails update", () => [made.later, "--scheduled-at", hour]],
	["emails cancel", () => [made.later]],
	["emails attachments", () => [made.attached], data => { made.attachment = data.data[0].id; }],
	["emails attachment", () => [made.attached, made.attachment]],
	["emails share", () => [made.email, "--expires-in", "1 day"]],
], made => [
	["emails metrics", () => []],
	["emails metrics", () => ["--start-date", day(-7), "--end-date", day(0)]],
	["emails metrics", () => ["--dimensions", "period,broadcast,domain", "--broadcast-id", id, "--granularity", "hourly",
		"--metrics", "sent,open_rate", "--timezone", "UTC"]],
	["emails metrics", () => ["--email-id", id], undefined, undefined, "--email-id"],
	["emails receiving list", () => ["--limit", "25"]],
	["emails receiving get", () => [received]],
	["emails receiving attachments", () => [received]],
	["emails receiving attachment", () => [received, received_file]],
	["emails receiving forward", () => [received, "--to", to, "--from", from]],
	["emails receiving listen", () => ["--interval", "2"]],
	["domains create", () => ["--name", `cli.${domain}`, "--region", "eu-west-1", "--custom-return-path", "send"],
		data => { made.domain = data.id; }],
	["domains create", () => ["--name", `cli2.${domain}`, "--sending"], data => { made.second = data.id; }],
	["domains create", () => ["--name", `cli3.${domain}`, "--tls", "enforced"], undefined, undefined, "--tls enforced"],
	["domains create", () => ["--name", `cli4.${domain}`, "--tracking-subdomain", "track"], undefined, undefined,
		"--tracking-subdomain"],
	["domains create", () => ["--name", `cli5.${domain}`, "--custom-return-path", "bounce"], undefined, undefined,
		"--custom-return-path"],
	["domains create", () => ["--name", `cli6.${domain}`, "--receiving"], undefined, undefined, "--receiving"],
	["domains list", () => ["--limit", "25"]],
	["domains get", () => [made.domain]],
	["domains verify", () => [made.domain]],
	["domains update", () => [made.domain, "--open-tracking", "--click-tracking"]],
	["domains update", () => [made.domain, "--no-open-tracking"]],
	["domains update", () => [made.domain, "--tls", "enforced"], undefined, undefined, "--tls enforced"],
	["domains update", () => [made.domain, "--tracking-subdomain", "track"], undefined, undefined, "--tracking-subdomain"],
	["domains claim create", () => ["--name", "example.com", "--region", "eu-west-1"]],
	["domains claim get", () => [id]],
	["domains claim verify", () => [id]],
	["api-keys create", () => ["--name", "Production"], data => { made.key = data.id; }],
	["api-keys create", () => ["--name", "Domain Token", "--permission", "sending_access", "--domain-id", made.domain]],
	["api-keys list", () => ["--limit", "25"]],
	["api-keys update", () => [made.key, "--name", "Production v2"]],
	["api-keys delete", () => [made.key, "--yes"]],
	["domains delete", () => [made.domain, "--yes"]],
	["oauth-grants list", () => []],
	["oauth-grants revoke", () => [id, "--yes"]],
], made => [
	["segments create", () => ["--name", "Newsletter Subscribers"], data => { made.segment = data.id; }],
	["segments get", () => [made.segment]],
	["segments update", () => [made.segment, "--name", "Active Subscribers"]],
	["segments list", () => ["--limit", "25"]],
	["topics create", () => ["--name", "Product Updates"], data => { made.topic = data.id; }],
	["topics create", () => ["--name", "Weekly Digest", "--default-subscription", "opt_out", "--description", "News"]],
	["topics get", () => [made.topic]],
	["topics list", () => []],
	["topics update", () => [made.topic, "--name", "Security Alerts", "--description", "Critical notices"]],
	["contact-properties create", () => ["--key", "company_name", "--type", "string", "--fallback-value", "Unknown"],
		data => { made.property = data.id; }],
	["contact-properties create", () => ["--key", "employee_count", "--type", "number", "--fallback-value", "0"],
		data => { made.number = data.id; }],
	["contact-properties create", () => ["--key", "plan", "--type", "string"]],
	["contact-properties get", () => [made.property]],
	["contact-properties list", () => ["--limit", "25"]],
	["contact-properties update", () => [made.property, "--fallback-value", "Acme Corp"]],
	["contact-properties update", () => [made.number, "--fallback-value", "42"]],
	["contact-properties update", () => [made.property, "--clear-fallback-value"]],
	["contact-properties delete", () => [made.property, "--yes"]],
	["contacts create", () => ["--email", "steve.wozniak@gmail.com", "--first-name", "Steve", "--last-name", "Wozniak",
		"--properties", '{"plan":"pro","employee_count":5}', "--segment-id", made.segment], data => { made.contact = data.id; }],
	["contacts create", () => ["--email", "acme+cli@example.com", "--unsubscribed"]],
	["contacts get", () => ["steve.wozniak@gmail.com"]],
	["contacts get", () => [made.contact]],
	["contacts list", () => ["--limit", "25"]],
	["contacts update", () => [made.contact, "--unsubscribed"]],
	["contacts update", () => ["acme+cli@example.com", "--no-unsubscribed"]],
	["contacts update", () => [made.contact, "--properties", '{"plan":"pro"}']],
	["contacts add-segment", () => ["acme+cli@example.com", "--segment-id", made.segment]],
	["contacts segments", () => ["steve.wozniak@gmail.com"]],
	["contacts remove-segment", () => ["acme+cli@example.com", made.segment]],
	["contacts update-topics", () => [made.contact, "--topics", JSON.stringify([{ id: made.topic, subscription: "opt_in" }])]],
	["contacts topics", () => ["steve.wozniak@gmail.com"]],
	["segments contacts", () => [made.segment, "--limit", "25"]],
	["contacts imports create", () => ["--file", "./contacts.csv"], data => { made.import = data.id; }],
	["contacts imports create", () => ["--file", "./named.csv", "--column-map",
		'{"email":"Email","firstName":"First Name","properties":{"plan":{"column":"Plan","type":"string"}}}']],
	["contacts imports create", () => ["--file", "./contacts.csv", "--on-conflict", "skip", "--segment-id", made.segment,
		"--topics", JSON.stringify([{ id: made.topic, subscription: "opt_in" }])]],
	["contacts imports get", () => [made.import]],
	["contacts imports list", () => []],
	["contacts imports list", () => ["--status", "completed"]],
	["broadcasts create", () => ["--from", from, "--subject", "Weekly Update", "--segment-id", made.segment, "--html",
		"<p>Hello {{{FIRST_NAME|there}}}</p>"], data => { made.broadcast = data.id; }],
	["broadcasts create", () => ["--from", from, "--subject", "Launch", "--segment-id", made.segment, "--html-file", "./email.html",
		"--send", "--name", "Launch", "--reply-to", "r@example.net", "--preview-text", "Soon", "--topic-id", made.topic]],
	["broadcasts create", () => ["--from", from, "--subject", "Launch", "--segment-id", made.segment, "--text", "Hello!", "--send",
		"--scheduled-at", "tomorrow at 9am ET"]],
	["broadcasts get", () => [made.broadcast]],
	["broadcasts list", () => ["--limit", "5"]],
	["broadcasts list", () => ["--after", made.broadcast, "--limit", "10"]],
	["broadcasts update", () => [made.broadcast, "--subject", "Updated Subject"]],
	["broadcasts update", () => [made.broadcast, "--html-file", "-"], undefined, "<p>New content</p>"],
	["broadcasts update", () => [made.broadcast, "--name", "Q1 Newsletter", "--from", from]],
	["broadcasts duplicate", () => [made.broadcast], data => { made.copy = data.id; }],
	["broadcasts send", () => [made.broadcast, "--scheduled-at", "in 1 hour"]],
	["broadcasts cancel", () => [made.broadcast]],
	["broadcasts recipients", () => [made.broadcast, "--type", "bounced", "--bounce-type", "permanent"]],
	["broadcasts recipients", () => [made.broadcast, "--type", "sent", "--email", "@example.com", "--limit", "50"]],
	["broadcasts clicked-links", () => [made.broadcast, "--limit", "5"]],
	["broadcasts clicked-links", () => [made.broadcast, "--after", id]],
	["broadcasts delete", () => [made.copy, "--yes"]],
	["contacts delete", () => ["acme+cli@example.com", "--yes"]],
	["topics delete", () => [made.topic, "--yes"]],
	["segments delete", () => [made.segment, "--yes"]],
], made => [
	["webhooks create", () => ["--endpoint", "https://127.0.0.1:9/hooks", "--events", "all"],
		data => { made.webhook = data.id; }],
	["webhooks create", () => ["--endpoint", "https://127.0.0.1:9/hooks", "--events", "email.sent", "email.bounced"]],
	["webhooks get", () => [made.webhook]],
	["webhooks list", () => ["--limit", "25"]],
	["webhooks rotate-signing-secret", () => [made.webhook]],
	["events create", () => ["--name", "user.signed_up"], data => { made.event = data.id; }],
	["events create", () => ["--name", "order.completed", "--schema", '{"amount":"number","currency":"string"}']],
	["events get", () => [made.event]],
	["events list", () => ["--limit", "25"]],
	["events update", () => [made.event, "--schema", '{"plan":"string","age":"number"}']],
	["events update", () => [made.event, "--schema", "null"]],
	["templates create", () => ["--name", "Welcome", "--html", "<h1>Hello</h1>", "--subject", "Welcome!", "--alias", "cli-welcome",
		"--from", from], data => { made.template = data.id; }],
	["templates publish", () => [made.template]],
	["automations create", () => ["--file", "automation.json"], data => { made.automation = data.id; }],
	["automations create", () => ["--file", "-", "--status", "disabled"], undefined, files["automation.json"]],
	["automations create", () => ["--name", "Orders", "--steps", steps, "--connections", connections]],
	["automations update", () => [made.automation, "--status", "enabled"]],
	["contacts create", () => ["--email", "user@example.com"], data => { made.contact = data.id; }],
	["events send", () => ["--event", "user.signed_up", "--email", "user@example.com"]],
	["events send", () => ["--event", "user.signed_up", "--contact-id", made.contact]],
	["events send", () => ["--event", "order.completed", "--contact-id", made.contact, "--payload", '{"amount":99,"currency":"usd"}']],
	["automations get", () => [made.automation]],
	["automations list", () => ["--limit", "25"]],
	["automations runs list", () => [made.automation, "--status", "running"], data => { made.run = data.data[0].id; }],
	["automations runs get", () => ["--automation-id", made.automation, "--run-id", made.run]],
	["automations update", () => [made.automation, "--status", "disabled"]],
	["automations duplicate", () => [made.automation]],
	["automations stop", () => [made.automation]],
	["automations delete", () => [made.automation, "--yes"]],
	["events delete", () => [made.event, "--yes"]],
	["webhooks events list", () => [made.webhook], data => { made.told = data.data[0].id; }],
	["webhooks events list", () => [made.webhook, "--limit", "50", "--after", made.told]],
	["webhooks events get", () => [made.webhook, made.told]],
	["webhooks events attempts", () => [made.webhook, made.told]],
	["webhooks events replay", () => [made.webhook, made.told]],
	["webhooks update", () => [made.webhook, "--endpoint", "https://127.0.0.1:9/hooks", "--events", "all"]],
	["webhooks update", () => [made.webhook, "--status", "disabled"]],
	["webhooks delete", () => [made.webhook, "--yes"]],
	["webhooks listen", () => ["--url", "https://127.0.0.1:9/hooks", "--port", String(made.port)]],
], made => [
	["login", () => ["--key", `re_${key}`]],
	["doctor", () => []],
	["logs list", () => ["--limit", "25"], data => { made.log = data.data[0].id; }],
	["logs get", () => [made.log]],
	["suppressions add", () => ["spam@example.com"], data => { made.suppression = data.id; }],
	["suppressions get", () => ["spam@example.com"]],
	["suppressions get", () => [made.suppression]],
	["suppressions list", () => ["--limit", "25"]],
	["suppressions list", () => ["--origin", "bounce"]],
	["suppressions delete", () => ["spam@example.com", "--yes"]],
	["suppressions batch add", () => ["--file", "./suppressions.json"]],
	["suppressions batch remove", () => ["--file", "-"], undefined, files["suppressions.json"]],
	["templates create", () => ["--name", "Newsletter", "--html-file", "./template.html", "--from", "acme@example.com",
		"--var", "NAME:string:you"]],
	["templates create", () => ["--name", "Onboarding", "--html", "<p>Hi</p>", "--alias", "cli-onboarding"],
		data => { made.template = data.id; }],
	["templates get", () => ["cli-onboarding"]],
	["templates list", () => ["--limit", "5"]],
	["templates update", () => [made.template, "--html", "<p>{{{PRODUCT}}}: {{{PRICE}}}</p>", "--var", "PRODUCT:string:item",
		"--var", "PRICE:number:25"]],
	["templates update", () => [made.template, "--subject", "New Subject", "--from", "acme@example.com", "--name", "Updated Name"]],
	["templates publish", () => [made.template]],
	["templates duplicate", () => ["cli-onboarding"]],
	["templates delete", () => ["cli-onboarding", "--yes"]],
]];

function day(offset) {
	return new Date(Date.now() + offset * 86400000).toISOString().slice(0, 10);
}

// Runs a command. One that listens is ended when it has made what it makes.
function command(words, input, log) {
	return new Promise(done => {
		const child = spawn(process.execPath, ["--no-warnings", "--import", record, program, ...words], { cwd: folder, env: {
			...process.env, CLIENT_REQUESTS: log, RESEND_API_KEY: `re_${key}`, XDG_CONFIG_HOME: folder, HOME: folder, CI: "1",
			RESEND_CREDENTIAL_STORE: "file", RESEND_TELEMETRY_DISABLED: "1", RESEND_NO_UPDATE_NOTIFIER: "1" } });
		const before = statSync(log, { throwIfNoEntry: false })?.size ?? 0;
		let out = "", said = "";

		child.stdout.on("data", part => { out += part; });
		child.stderr.on("data", part => { said += part; });
		child.stdin.on("error", () => {});
		child.stdin.end(input ?? "");
		// It says nothing before an event comes.
		const watch = words.includes("listen") && setInterval(() => {
			if (/"status"/.test(readFileSync(log, { encoding: "utf8", flag: "a+" }).slice(before)))
				child.kill("SIGINT");
		}, 50);
		child.on("close", code => {
			let data;

			clearInterval(watch);

			try {
				data = JSON.parse(out);
			} catch {
				// An answer of a command that fails.
			}
			done({ data, fault: code === 0 || (watch && code === 130) ? undefined : `exit ${code}: ${said}` });
		});
	});
}

async function listRun(rows, number) {
	const log = join(folder, `requests.${number}`);
	const taken = takerOf(log);

	for (const [name, args, keep, input, more] of rows) {
		let words;

		try {
			words = [...name.split(" "), ...args()];
			if (words.includes(undefined))
				throw new Error("an earlier row kept nothing");
			const { data, fault } = await command(words, input, log);

			run.add(more ? `${name} with ${more}` : name, statusOf(taken(), fault));
			if (!fault)
				keep?.(data);
		} catch (error) {
			run.add(name, `failed: ${error.message}`);
		}
	}
}

async function portOf() {
	const server = createServer();

	await new Promise(done => server.listen(0, "127.0.0.1", done));
	const { port } = server.address();
	await new Promise(done => server.close(done));
	return port;
}

for (const [name, content] of Object.entries(files))
	writeFileSync(join(folder, name), content);
const port = await portOf();
await Promise.all(lists.map((list, number) => listRun(list({ port }), number)));

function* namesOf({ subcommands }, path = "") {
	for (const one of subcommands) {
		const name = `${path}${one.name}`;

		if (one.subcommands?.length > 0)
			yield* namesOf(one, `${name} `);
		else
			yield name;
	}
}

const { data: tree } = await command(["commands"], "", join(folder, "requests.none"));
for (const name of namesOf(tree))
	if (!local.test(name) && !run.has(name))
		run.add(name, "failed: no row");
rmSync(folder, { recursive: true });
runsWrite(run);
