// SPDX-License-Identifier: MIT
// Sends with the npm clients whose calls the service takes. They have other addresses built in, so their requests are
// led to POSTHOUSE_URL; what came back, and what nobody knew, is printed.
import { writeFileSync } from "node:fs";
import { createElement } from "react";
import { Maildiver } from "maildiver";
import { Resend } from "resend";

const { POSTHOUSE_URL: url, POSTHOUSE_KEY: key, POSTHOUSE_DOMAIN: domain } = process.env;
const post = globalThis.fetch;
let name;

globalThis.fetch = async (target, options) => {
	const answer = await post(String(target).replace("https://api.maildiver.com", url), options);
	console.log(name, answer.status, answer.headers.get("ignored-members") ?? "-", await answer.clone().text());
	return answer;
};

const email = { from: `Me <me@${domain}>`, to: "ada@example.net", subject: "Hello, {{ name }}" };
const variables = { values: { name: "Ada" }, default_values: { name: "you" } };
const maildiver = new Maildiver({ apiKey: key });

async function send(call, payload) {
	name = `maildiver.${call}`;
	await maildiver.email.send({ ...email, ...payload });
}

writeFileSync("hello.md", "# Hello, {{ name }}\n");
await send("html", { html: "<p>{{ name }}</p>", variables });
await send("html-and-text", { html: "<p>Hello</p>", text: "Hello" });
await send("html-before-react", { html: "<p>Hello</p>", react: null, markdownFile: "hello.md" });
await send("react", { react: createElement("p", null, "Hello") });
await send("markdown", { markdownFile: "hello.md", variables });

const resend = new Resend(key, { baseUrl: `${url}/v1` });
const whole = { ...email, html: "<p>Hello</p>", text: "Hello", cc: ["b@example.net"], bcc: "c@example.net",
	replyTo: "d@example.net", headers: { "X-Number": "7" }, scheduledAt: new Date(Date.now() + 3600000).toISOString(),
	attachments: [{ filename: "a.txt", content: "YQ==", contentType: "text/plain", contentId: "a" }] };

name = "resend.emails.send";
const { data } = await resend.emails.send(whole);
name = "resend.emails.get";
await resend.emails.get(data.id);
name = "resend.emails.list";
await resend.emails.list({ limit: 5 });
name = "resend.domains.create";
await resend.domains.create({ name: "client.example.org", region: "eu-west-1", openTracking: true, clickTracking: true,
	customReturnPath: "send", tls: "opportunistic" });
name = "resend.domains.list";
await resend.domains.list();
name = "resend.contacts.create";
const audience = await (await post(`${url}/v1/audiences`, { method: "POST", body: JSON.stringify({ name: "News" }),
	headers: { Authorization: `Bearer ${key}` } })).json();
await resend.contacts.create({ audienceId: audience.id, email: "e@example.net", firstName: "E", lastName: "F",
	unsubscribed: false });
name = "resend.templates.create";
await resend.templates.create({ name: "T", html: "<p>Hello</p>", text: "Hello", subject: "S", from: email.from,
	replyTo: "d@example.net", alias: "t" });
