/**
 * The peer: what a project usually has. A route puts a job into pg-boss, and workers of the same process send
 * it with nodemailer over a pool of connections. It knows no tenants, templates, limits or states.
 */
import fastify from "fastify";
import { createTransport } from "nodemailer";
import { PgBoss } from "pg-boss";

const { PORT, DATABASE_URL, DATABASE_CONNECTIONS, SMTP_PORT } = process.env;
const queue = "mails";
type Mail = { to: string[]; data: { name: string; title: string; message: string; action_link: string } };

const boss = new PgBoss({ connectionString: DATABASE_URL ?? "", max: Number(DATABASE_CONNECTIONS) });
boss.on("error", (error) => console.error(error));
await boss.start();
await boss.createQueue(queue);
const mailer = createTransport({
	// An address: nodemailer asks DNS servers for a name, even for localhost.
	...{ host: "127.0.0.1", port: Number(SMTP_PORT), secure: false, ignoreTLS: true },
	...{ pool: true, maxConnections: 64, maxMessages: Number.POSITIVE_INFINITY },
});
if (SMTP_PORT !== undefined)
	await boss.work<Mail>(queue, { batchSize: 64, pollingIntervalSeconds: 0.5 }, async (jobs) => {
		await Promise.all(jobs.map(({ data }) => send(data)));
	});

function send({ to, data: { name, title, message, action_link: link } }: Mail) {
	const text = `Hello ${name},\n\n${message}\n\n${link}\n`;
	const html = `<h1>${title}</h1><p>Hello ${name},</p><p>${message}</p><p><a href="${link}">Open</a></p>`;
	return mailer.sendMail({ from: "no-reply@bench.example", to, subject: title, text, html });
}

const app = fastify({ keepAliveTimeout: 72_000 });
app.post<{ Body: Mail }>("/messages", async ({ body }, reply) => {
	const requestId = await boss.send(queue, body, { retryLimit: 5, retryBackoff: true });
	return reply.code(202).send({ status: "accepted", requestId });
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
