// SPDX-License-Identifier: MIT
// Calls each method of older npm packages resend as their documents of then do.
import { createElement } from "react";
import { createRequire } from "node:module";
import { Run, runsWrite, settings, statusOf, takerOf, versionOf } from "./run.mjs";

const require = createRequire(import.meta.url);
const taken = takerOf(process.env.CLIENT_REQUESTS);
const { domain, key } = settings;
const from = `Acme <onboarding@${domain}>`;

// Method, arguments, and what to keep of the answer. One that the package has not is left out.
function rowsOf(version, made) {
	const name = `v${version.replaceAll(".", "-")}.example.net`;
	const email = { from, to: ["delivered@resend.dev"], subject: "hello world", html: "<p>it works!</p>" };

	return [
		["emails.send", [email], data => { made.email = data.id; }],
		["emails.send", [{ ...email, cc: "carbon@example.net", bcc: ["blind@example.net", "two@example.net"],
			reply_to: "you@example.net", replyTo: "you@example.net", text: "it works!", headers: { "X-Entity-Ref-ID": "123456789" },
			tags: [{ name: "category", value: "confirm_email" }], attachments: [
				{ filename: "invoice.pdf", content: Buffer.from("%PDF") },
				{ filename: "logo.png", content: "aGVsbG8=", content_type: "image/png", contentType: "image/png" }] },
			{ idempotencyKey: `older ${version}` }]],
		["emails.send", [{ from, to: "delivered@resend.dev", subject: "hello", react: createElement("p", {}, "Hi") }]],
		["emails.create", [{ ...email, scheduledAt: "in 1 min", scheduled_at: "in 1 min" }], data => { made.later = data.id; }],
		["emails.get", () => [made.email]],
		["emails.update", () => [{ id: made.later, scheduledAt: new Date(Date.now() + 60000).toISOString() }]],
		["emails.cancel", () => [made.later]],
		["batch.send", [[email, { ...email, to: ["bounced@resend.dev"] }], { idempotencyKey: `batch ${version}` }]],
		["batch.create", [[email]]],
		["domains.create", [{ name, region: "us-east-1" }], data => { made.domain = data.id; }],
		["domains.get", () => [made.domain]],
		["domains.verify", () => [made.domain]],
		["domains.update", () => [{ id: made.domain, openTracking: false, clickTracking: true, tls: "opportunistic" }]],
		["domains.list", []],
		["apiKeys.create", () => [{ name: "Production", permission: "sending_access", domain_id: made.domain }],
			data => { made.key = data.id; }],
		["apiKeys.create", [{ name: "Production" }]],
		["apiKeys.list", []],
		["apiKeys.remove", () => [made.key]],
		["audiences.create", [{ name: "Registered Users" }], data => { made.audience = data.id; }],
		["audiences.get", () => [made.audience]],
		["audiences.list", []],
		["contacts.create", () => [{ email: "steve.wozniak@gmail.com", firstName: "Steve", lastName: "Wozniak", unsubscribed: false,
			audienceId: made.audience }], data => { made.contact = data.id; }],
		["contacts.get", () => [{ id: made.contact, audienceId: made.audience }]],
		...version < "4" ? [] : [["contacts.get", () => [{ email: "steve.wozniak@gmail.com", audienceId: made.audience }]],
			["contacts.update", () => [{ email: "steve.wozniak@gmail.com", audienceId: made.audience, unsubscribed: true }]]],
		["contacts.update", () => [{ id: made.contact, audienceId: made.audience, unsubscribed: true }]],
		["contacts.list", () => [{ audienceId: made.audience }]],
		["broadcasts.create", () => [{ audienceId: made.audience, name: "Announcement", from, subject: "hello world",
			previewText: "Soon", replyTo: ["r@example.net"],
			html: "Hi {{{FIRST_NAME|there}}}, you can unsubscribe here: {{{RESEND_UNSUBSCRIBE_URL}}}" }],
			data => { made.broadcast = data.id; }],
		["broadcasts.get", () => [made.broadcast]],
		["broadcasts.update", () => [made.broadcast, { html: "Hi {{{FIRST_NAME|there}}}" }]],
		["broadcasts.send", () => [made.broadcast, { scheduledAt: "in 1 min" }]],
		["broadcasts.list", []],
		["broadcasts.create", () => [{ audienceId: made.audience, from, subject: "hello", text: "Hi" }],
			data => { made.draft = data.id; }],
		["broadcasts.remove", () => [made.draft]],
		["contacts.remove", () => [{ email: "steve.wozniak@gmail.com", audienceId: made.audience }]],
		["contacts.remove", () => [{ id: made.contact, audienceId: made.audience }]],
		["audiences.remove", () => [made.audience]],
		["domains.remove", () => [made.domain]],
	];
}

async function runOf(folder) {
	const run = new Run("resend (npm)", versionOf(folder));
	const resend = new (require(folder).Resend)(key);
	const made = {};
	const has = ([owner, name]) => typeof resend[owner]?.[name] === "function";

	for (const [method, args, keep] of rowsOf(run.version, made)) {
		if (!has(method.split(".")))
			continue;
		const [owner, name] = method.split(".");
		const { data, error } = await resend[owner][name](...typeof args === "function" ? args() : args);

		run.add(method, statusOf(taken(), error && JSON.stringify(error)));
		if (data)
			keep?.(data);
	}
	for (const [owner, methods] of Object.entries(resend))
		if (typeof methods === "object" && !(methods instanceof Headers))
			for (const name of Object.getOwnPropertyNames(Object.getPrototypeOf(methods)))
				if (name !== "constructor" && !run.has(`${owner}.${name}`))
					run.add(`${owner}.${name}`, "failed: no row");
	return run;
}

runsWrite(await runOf("resend-3"), await runOf("resend-4"));
