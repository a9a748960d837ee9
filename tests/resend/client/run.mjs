// SPDX-License-Identifier: MIT
// What the calls of a client came to, in a file for ../matrix.py: a line for each call with client, version, call and status, which
// is ok, not served, or failed and why.
import { readFileSync, writeFileSync } from "node:fs";

export const settings = {
	url: `${process.env.POSTHOUSE_URL}/resend`,
	key: process.env.POSTHOUSE_KEY,
	domain: process.env.POSTHOUSE_DOMAIN,
};

export function versionOf(folder) {
	return JSON.parse(readFileSync(`node_modules/${folder}/package.json`, "utf8")).version;
}

// Calls that record.mjs has written to a file, from the one after the last that was taken.
export function takerOf(file) {
	let taken = 0;

	return () => {
		const lines = readFileSync(file, { encoding: "utf8", flag: "a+" }).split("\n").slice(0, -1).map(line => JSON.parse(line));
		const fresh = lines.slice(taken);

		taken = lines.length;
		return fresh;
	};
}

// The status of a call by its requests, and by what the client itself found wrong. fixed: its host cannot be set.
export function statusOf(requests, fault, fixed = false) {
	const bad = requests.find(({ status }) => status >= 400 && status !== 501);

	if (bad)
		return `failed: ${bad.status} ${bad.method} ${bad.path} ${bad.text}`;
	if (requests.some(request => request.fixed !== fixed))
		return `failed: its host ${fixed ? "can be set" : "is fixed"}`;
	if (requests.some(({ status }) => status === 501))
		return "not served";
	if (fault)
		return `failed: ${fault}`;
	return requests.length > 0 ? "ok" : "failed: no request";
}

export class Run {
	#calls = new Map();

	constructor(client, version) {
		this.client = client;
		this.version = version;
	}

	// A call that is made more than once counts once, by its worst status.
	add(call, status) {
		const worse = [this.#calls.get(call), status].filter(Boolean).sort((a, b) => rank(b) - rank(a));

		this.#calls.set(call, worse[0]);
	}

	has(call) {
		return this.#calls.has(call);
	}

	lines() {
		return [...this.#calls].map(([call, status]) =>
			`${[this.client, this.version, call, status.replace(/\s+/g, " ")].join("\t")}\n`).join("");
	}
}

function rank(status) {
	return ["ok", "not served"].indexOf(status) === -1 ? 2 : Number(status === "not served");
}

// Each program writes one file.
export function runsWrite(...runs) {
	writeFileSync(process.env.CLIENT_RUNS, runs.map(run => run.lines()).join(""));
}
