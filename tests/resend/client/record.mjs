// SPDX-License-Identifier: MIT
// Loaded in front of a client (node --import): fetch goes to Posthouse also for a client whose host is fixed, reaches nothing else,
// and leaves a line of JSON for each request in the file CLIENT_REQUESTS.
import { appendFileSync } from "node:fs";
import util from "node:util";

const base = `${process.env.POSTHOUSE_URL}/resend`;
const real = globalThis.fetch;

util.styleText ??= (format, text) => text; // resend-cli wants it; Node 18 has none

globalThis.fetch = async (resource, options) => {
	const request = new Request(resource, options);
	const url = request.url.replace(/^https:\/\/api\.resend\.com/, base);

	if (url.startsWith(`${process.env.POSTHOUSE_URL}/t/r/`))
		return real(url, options); // a signed URL to download
	if (!url.startsWith(`${base}/`))
		throw new Error(`this test has no ${url}`);
	const answer = await real(url === request.url ? request : new Request(url, request));
	const text = await answer.clone().text();

	appendFileSync(process.env.CLIENT_REQUESTS, `${JSON.stringify({ method: request.method, path: url.slice(base.length),
		status: answer.status, text, fixed: url !== request.url })}\n`);
	return answer;
};
