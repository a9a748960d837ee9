// SPDX-License-Identifier: MIT
// A service of the usual kind, written by hand, to compare with: two processes of Fastify with mysql2. It finds the key by its
// hash, an email and its events, and stores an email with one INSERT. Usage: node server.mjs PORT SOCKET
import cluster from "node:cluster";
import { createHash, randomUUID } from "node:crypto";
import Fastify from "fastify";
import mysql from "mysql2/promise";

const [port, socketPath] = process.argv.slice(2);

if (cluster.isPrimary) {
	for (let i = 0; i < 2; i++) cluster.fork();
	process.on("SIGTERM", () => process.exit());
} else {
	const pool = mysql.createPool({ socketPath, user: "root", database: "floor", connectionLimit: 10 });
	const app = Fastify();
	const body = {
		type: "object",
		required: ["from", "to", "subject", "html"],
		properties: Object.fromEntries(["from", "to", "subject", "html"].map((name) => [name, { type: "string" }])),
	};

	app.addHook("onRequest", async (request, reply) => {
		const secret = (request.headers.authorization ?? "").replace(/^Bearer /, "");
		const hash = createHash("sha256").update(secret).digest();
		const [[key]] = await pool.execute("SELECT workspace FROM fastify_key WHERE hash = ? AND revoked IS NULL", [hash]);
		if (!key) return reply.code(401).send({ message: "Unauthorized" });
		request.workspace = key.workspace;
	});
	app.get("/v1/emails/:id", async (request, reply) => {
		const [[email]] = await pool.execute(
			"SELECT id, sender, recipient, subject, html, created FROM fastify_email WHERE id = ? AND workspace = ?",
			[request.params.id, request.workspace]);
		if (!email) return reply.code(404).send({ message: "Not found" });
		const [events] = await pool.execute(
			"SELECT status, timestamp FROM fastify_event WHERE email_id = ? ORDER BY timestamp", [email.id]);
		return { ...email, events };
	});
	app.post("/v1/emails", { schema: { body } }, async (request, reply) => {
		const { from, to, subject, html } = request.body;
		const id = randomUUID();
		await pool.execute(
			"INSERT INTO fastify_email (id, workspace, sender, recipient, subject, html, created) VALUES (?, ?, ?, ?, ?, ?, ?)",
			[id, request.workspace, from, to, subject, html, Date.now()]);
		return reply.code(201).send({ id });
	});
	await app.listen({ port: Number(port), host: "127.0.0.1" });
}
