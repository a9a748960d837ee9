// SPDX-License-Identifier: MIT
// Receives a webhook.test, signed with the secret before a rotation and the one after it, and asks the verifiers of npm.
// Prints a line for each verifier and secret: its name, and the type of the event or what it complains of.
import { createServer } from "node:http";
import { Resend } from "resend";
import { Webhook as Standard } from "standardwebhooks";
import { Webhook as Svix } from "svix";

const { POSTHOUSE_URL: url, POSTHOUSE_KEY: key } = process.env;
const resend = new Resend("re_none");
const received = [];
const server = createServer((request, answer) => {
	const chunks = [];

	request.on("data", chunk => chunks.push(chunk));
	request.on("end", () => {
		received.push({ headers: request.headers, body: Buffer.concat(chunks).toString() });
		answer.end();
	});
});
await new Promise(listening => server.listen(0, "127.0.0.1", listening));

async function call(path, body) {
	const answer = await fetch(`${url}/v1/webhooks${path}`, { method: "POST", body: JSON.stringify(body),
		headers: { Authorization: `Bearer ${key}` } });

	return answer.json();
}

const hook = await call("", { url: `http://127.0.0.1:${server.address().port}/hook` });
const { secret } = await call(`/${hook.id}/rotate`, {});
await call(`/${hook.id}/test`, {});
server.close();

const [{ headers, body }] = received;
const named = { id: headers["webhook-id"], timestamp: headers["webhook-timestamp"], signature: headers["webhook-signature"] };
const verifiers = {
	standardwebhooks: given => new Standard(given).verify(body, headers),
	svix: given => new Svix(given).verify(body, headers),
	resend: given => resend.webhooks.verify({ payload: body, headers: named, webhookSecret: given }),
};
const stranger = `whsec_${Buffer.alloc(32).toString("base64")}`;

for (const [name, verify] of Object.entries(verifiers))
	for (const [which, given] of Object.entries({ before: hook.secret, after: secret, stranger })) {
		try {
			console.log(name, which, verify(given).type);
		} catch (error) {
			console.log(name, which, error.message);
		}
	}
