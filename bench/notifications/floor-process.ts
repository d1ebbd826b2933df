/**
 * The floor: bare routes with one insert each, committed before the answer. A new item of an inbox is an
 * insert with a notification, and is written to the streams of its person.
 */
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { createFloorTable, insertItems, insertMessage } from "./installation.store.ts";
import { addStreams, addWebhooks, type Item } from "./plain-routes.ts";

const { PORT, DATABASE_URL, DATABASE_CONNECTIONS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
await createFloorTable(pool);
const app = fastify({ keepAliveTimeout: 72_000 });
app.post("/messages", async (request, reply) => {
	const requestId = randomUUID();
	await insertMessage(pool, requestId, request.body);
	return reply.code(202).send({ status: "accepted", requestId });
});
addWebhooks(app, (body) => insertMessage(pool, randomUUID(), JSON.parse(body.toString())));
const write = addStreams(app, (items) => insertItems(pool, items));
const listener = new pg.Client({ connectionString: DATABASE_URL });
await listener.connect();
listener.on("notification", ({ payload = "{}" }) => write(JSON.parse(payload) as Item));
await listener.query("listen floor_items");
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
