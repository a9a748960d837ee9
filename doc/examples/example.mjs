// SPDX-License-Identifier: MIT
// Sends an email, or verifies a webhook, with Node alone.
//
//	RESEND_BASE_URL=https://mail.example.org/resend RESEND_API_KEY=ph_... node example.mjs send FROM TO
//	WEBHOOK_SECRET=whsec_... node example.mjs verify ID TIMESTAMP SIGNATURE <BODY
import { createHmac, timingSafeEqual } from "node:crypto";
import { readFileSync } from "node:fs";

async function send(from, to) {
	const response = await fetch(`${process.env.RESEND_BASE_URL}/emails`, {
		method: "POST",
		headers: { Authorization: `Bearer ${process.env.RESEND_API_KEY}`, "Content-Type": "application/json" },
		body: JSON.stringify({ from, to, subject: "Hello", text: "From Node" }),
	});
	const answer = await response.text();

	if (!response.ok)
		throw new Error(answer);
	return answer;
}

// body: the bytes of the request as they came. id, timestamp and signature: its headers webhook-*.
function verify(body, id, timestamp, signature) {
	const key = Buffer.from(process.env.WEBHOOK_SECRET.replace(/^whsec_/, ""), "base64");
	const want = Buffer.from(`v1,${createHmac("sha256", key).update(`${id}.${timestamp}.`).update(body).digest("base64")}`);

	if (!(Math.abs(Date.now() / 1000 - timestamp) <= 300))
		throw new Error("too old");
	if (!signature.split(" ").map(text => Buffer.from(text)).some(got => got.length === want.length && timingSafeEqual(got, want)))
		throw new Error("wrong signature");
	return "verified";
}

const [what, ...words] = process.argv.slice(2);
console.log(what === "send" ? await send(...words) : verify(readFileSync(0), ...words));
