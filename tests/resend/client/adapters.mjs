// SPDX-License-Identifier: MIT
// Sends mail with every option of the adapters that frameworks have for Resend, and reads it back.
import { createServer } from "node:http";
import { register } from "node:module";
import { createTransport } from "nodemailer";
import { Run, runsWrite, settings, statusOf, takerOf, versionOf } from "./run.mjs";

register("./peers.mjs", import.meta.url);
const { resendAdapter } = await import("@payloadcms/email-resend");
const { default: authResend } = await import("@auth/core/providers/resend");
const { Message } = await import("@adonisjs/mail");
const { ResendTransport: AdonisTransport } = await import("@adonisjs/mail/transports/resend");
const { ResendTransport: DocumensoTransport } = await import("@documenso/nodemailer-resend");
const { ResendEmailProvider } = await import("@novu/providers/build/main/lib/resend/resend.provider.js");
const { ResendMailHandler } = await import("@redwoodjs/mailer-handler-resend");

const { domain, key, url } = settings;
const taken = takerOf(process.env.CLIENT_REQUESTS);
const address = `acme@${domain}`;
const mail = { subject: "Grüße", html: "<p>Hi €</p>", text: "Hi €" };
// Fields that the email must have. Nodemailer's and Payload's addresses lose their names on the way.
const all = { ...mail, from: `Acme, Inc. <${address}>`, to: ["to@example.net", "ada@example.net"], cc: ["cc@example.net"],
	bcc: ["bcc@example.net"], reply_to: ["reply@example.net"] };
const people = [{ name: "To", address: "to@example.net" }, "ada@example.net"];

const payload = resendAdapter({ apiKey: key, defaultFromAddress: address, defaultFromName: "Acme" })();
const documenso = createTransport(DocumensoTransport.makeTransport({ apiKey: key }));
const novu = new ResendEmailProvider({ apiKey: key, from: address, senderName: "Acme, Inc." });
const redwood = new ResendMailHandler({ apiToken: key });
const auth = authResend({ apiKey: key, from: address });

// Has what is attached by its path.
const files = createServer((request, response) => response.end("hello"));
await new Promise(done => files.listen(0, "127.0.0.1", done));

// An email with all that Adonis can write.
function adonisMessage() {
	return new Message().from(address, "Acme, Inc.").to("to@example.net").to("ada@example.net", "Ada")
		.cc("cc@example.net").bcc(["bcc@example.net"]).replyTo("reply@example.net", "Re: you").subject(mail.subject)
		.html(mail.html).text(mail.text).priority("high").inReplyTo("<a@example.net>").references(["<a@example.net>"])
		.header("X-Key", "value").preparedHeader("X-Prepared", "value")
		.listUnsubscribe({ url: "https://example.net/leave", comment: "Leave" }).listHelp("help@example.net?subject=help")
		.attachData(Buffer.from("hello"), { filename: "a.txt", contentType: "text/plain" })
		.embedData(Buffer.from("hello"), "logo", { filename: "logo.png" })
		.icalEvent("BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n", { method: "REQUEST", filename: "invite.ics" }).nodeMailerMessage;
}

const fixed = ["Payload", "Auth.js"]; // others have RESEND_BASE_URL or a setting

// Client, package, call, what makes it, the email's fields and the sizes of its attachments.
const rows = [
	["Payload", "@payloadcms/email-resend", "sendEmail", () => payload.sendEmail({ ...mail,
		from: { name: "Acme, Inc.", address }, to: people, cc: "cc@example.net", bcc: [{ name: "B", address: "bcc@example.net" }],
		replyTo: { name: "R", address: "reply@example.net" },
		headers: { "X-Text": "a", "X-List": ["a", "b"], "X-Prepared": { prepared: true, value: "a" }, "Reply-To": "x@example.net" },
		attachments: [{ filename: "a.txt", content: Buffer.from("hello") },
			{ filename: "b.ics", content: "BEGIN:VCALENDAR\r\nEND:VCALENDAR\r\n" }] }), all, [5, 32]],
	["Payload", "@payloadcms/email-resend", "sendEmail", () => payload.sendEmail({ to: "to@example.net", subject: "Hi", html: "Hi",
		headers: [{ key: "X-A", value: "a" }] }),
		{ from: `Acme <${address}>`, to: ["to@example.net"], cc: [], bcc: [], reply_to: [], text: "Hi\n" }],
	["Payload", "@payloadcms/email-resend", "sendEmail with a path", () => payload.sendEmail({ to: "to@example.net", subject: "Hi",
		html: "Hi", attachments: [{ filename: "a.txt", path: new URL(`http://127.0.0.1:${files.address().port}/a.txt`) }] }), {}, [5]],
	["Auth.js", "@auth/core", "sendVerificationRequest", () => auth.sendVerificationRequest({ identifier: "to@example.net",
		provider: { ...auth, ...auth.options }, url: "https://app.example.net/callback?token=x", theme: {} }),
		{ from: address, to: ["to@example.net"], subject: "Sign in to app.example.net" }],
	["Adonis", "@adonisjs/mail", "send", async () => {
		const transport = new AdonisTransport({ key, baseUrl: url, tags: [{ name: "kind", value: "welcome" }] });

		return (await transport.send(adonisMessage())).original;
	}, { ...all, tags: [{ name: "kind", value: "welcome" }] }, [5, 5]],
	["Documenso", "@documenso/nodemailer-resend", "sendMail", () => documenso.sendMail({ ...mail,
		from: { name: "Acme, Inc.", address }, to: people, cc: "cc@example.net", bcc: [{ name: "B", address: "bcc@example.net" }],
		replyTo: "reply@example.net", headers: { "X-Text": "a", "X-List": ["a", "b"], "X-Prepared": { prepared: true, value: "a" } },
		attachments: [{ filename: "a.txt", content: Buffer.from("hello") }, { filename: "b.txt", content: "hello" }] }), all, [5, 5]],
	["Documenso", "@documenso/nodemailer-resend", "sendMail", () => documenso.sendMail({ from: address, to: "to@example.net",
		headers: [{ key: "X-A", value: "a" }], subject: "Hi", text: "Hi" }), { html: null, text: "Hi" }],
	["Novu", "@novu/providers", "sendMessage", () => novu.sendMessage({ ...mail, to: all.to, cc: all.cc, bcc: all.bcc,
		replyTo: "reply@example.net", headers: { "X-Text": "a" },
		attachments: [{ mime: "text/plain", file: Buffer.from("hello"), name: "a.txt" }] }), all, [5]],
	["Novu", "@novu/providers", "checkIntegration", async () => {
		const { success, message } = await novu.checkIntegration({ ...mail, from: address, to: ["to@example.net"] });

		if (!success)
			throw new Error(message);
		return {};
	}],
	["Redwood", "@redwoodjs/mailer-handler-resend", "send", async () => {
		const { messageID, handlerInformation: { error } } = await redwood.send({ html: mail.html, text: mail.text }, {
			subject: mail.subject, from: `Acme, Inc. <${address}>`, to: all.to, cc: all.cc, bcc: all.bcc, replyTo: "reply@example.net",
			headers: { "X-Text": "a" }, attachments: [{ filename: "a.txt", content: "hello" },
				{ filename: "b.txt", content: Buffer.from("hello"), path: undefined }] },
			{ tags: [{ name: "kind", value: "welcome" }] });

		if (error)
			throw new Error(error.message);
		return { id: messageID };
	}, { ...all, tags: [{ name: "kind", value: "welcome" }] }, [5, 5]],
];

// The first fault of an email, or of the newest one where the client tells no id.
async function faultOf({ id }, want = {}, sizes) {
	const email = await ask(id ? `/emails/${id}` : `/emails/${(await ask("/emails?limit=1")).data[0].id}`);
	const attachments = (await ask(`/emails/${email.id}/attachments`)).data;
	const got = { ...email, sizes: attachments.map(({ size }) => size) };

	for (const [name, value] of Object.entries({ ...want, ...sizes && { sizes } }))
		if (JSON.stringify(got[name]) !== JSON.stringify(value))
			return `${name} is ${JSON.stringify(got[name])}, want ${JSON.stringify(value)}`;
}

async function ask(path) {
	const answer = await fetch(`${url}${path}`, { headers: { Authorization: `Bearer ${key}` } });

	return answer.json();
}

const runs = new Map();
for (const [client, folder, call, send, want, sizes] of rows) {
	if (!runs.has(client))
		runs.set(client, new Run(`${client} (${folder})`, versionOf(folder)));
	let answer, fault;

	try {
		answer = await send();
	} catch (error) {
		fault = error.message;
	}
	const requests = taken();

	fault ??= await faultOf(answer ?? {}, want, sizes);
	taken();
	runs.get(client).add(call, statusOf(requests, fault, fixed.includes(client)));
}
files.close();
runsWrite(...runs.values());
