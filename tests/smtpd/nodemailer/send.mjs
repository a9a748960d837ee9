// SPDX-License-Identifier: MIT
// Sends by nodemailer, as its users write it: with STARTTLS and with TLS, several over one connection, one of them large.
// Arguments: the ports in plain and with TLS, the certificate.
import { readFileSync } from "node:fs";
import nodemailer from "nodemailer";

const [plain, tls, certificate] = process.argv.slice(2);
const ways = { starttls: { port: plain, requireTLS: true }, tls: { port: tls, secure: true } };

for (const [way, options] of Object.entries(ways)) {
	const transport = nodemailer.createTransport({
		host: "localhost", ...options, pool: true, maxConnections: 1, tls: { ca: readFileSync(certificate) },
		auth: { user: "posthouse", pass: process.env.POSTHOUSE_KEY },
	});
	const send = (name, more) => transport.sendMail({
		from: "Shop <shop@posthouse.example>", to: "ann@example.net", subject: `nodemailer ${name}${way}`,
		text: ".\n..two\nGrüße\n.", html: "<p>Grüße</p>", ...more,
	});
	const sent = await Promise.all([send(""), send("large ", { attachments: [{ filename: "a.bin", content: Buffer.alloc(4 << 20, 7) }] })]);
	for (const one of sent)
		if (!/^250 2\.0\.0 queued as [0-9a-f-]{36}$/.test(one.response))
			throw new Error(one.response);
	transport.close();
}
