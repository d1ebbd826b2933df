/**
 * The peer: what a project usually has. A route puts a job into pg-boss, and workers of the same process send
 * it with nodemailer over a pool of connections. Webhooks and new items of inboxes are jobs, too. It knows no
 * tenants, templates or limits.
 */
import fastify from "fastify";
import { createTransport } from "nodemailer";
import pg from "pg";
import { PgBoss } from "pg-boss";
import { createPeerTable, storeStates } from "./installation.store.ts";
import { addStreams, addWebhooks, type Item } from "./plain-routes.ts";

const { PORT, DATABASE_URL, DATABASE_CONNECTIONS, SMTP_PORT } = process.env;
const queue = "mails";
const [reportQueue, itemQueue] = ["reports", "items"];
type Mail = { to: string[]; data: { name: string; title: string; message: string; action_link: string } };

const boss = new PgBoss({ connectionString: DATABASE_URL ?? "", max: Number(DATABASE_CONNECTIONS) });
boss.on("error", (error) => console.error(error));
await boss.start();
for (const name of [queue, reportQueue, itemQueue]) await boss.createQueue(name);
const often = { batchSize: 64, pollingIntervalSeconds: 0.5 };
const mailer = createTransport({
	// An address: nodemailer asks DNS servers for a name, even for localhost.
	...{ host: "127.0.0.1", port: Number(SMTP_PORT), secure: false, ignoreTLS: true },
	...{ pool: true, maxConnections: 64, maxMessages: Number.POSITIVE_INFINITY },
});
if (SMTP_PORT !== undefined)
	await boss.work<Mail>(queue, often, async (jobs) => {
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
type Report = { entry: [{ changes: [{ value: { statuses: Array<{ id: string; status: string }> } }] }] };
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: 2 });
await createPeerTable(pool);
addWebhooks(app, (body) => boss.send(reportQueue, JSON.parse(body.toString())));
await boss.work<Report>(reportQueue, often, (jobs) =>
	storeStates(
		pool,
		jobs.flatMap(({ data }) => data.entry[0].changes[0].value.statuses),
	),
);
const write = addStreams(app, (items) =>
	boss.insert(
		itemQueue,
		items.map((data) => ({ data })),
	),
);
await boss.work<Item>(itemQueue, often, async (jobs) => {
	for (const { data } of jobs) write(data);
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
