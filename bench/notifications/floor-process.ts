/** The floor of accepting: one insert of the body by a bare route, committed before the answer. */
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { createFloorTable, insertMessage } from "./installation.store.ts";

const { PORT, DATABASE_URL, DATABASE_CONNECTIONS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
await createFloorTable(pool);
const app = fastify({ keepAliveTimeout: 72_000 });
app.post("/messages", async (request, reply) => {
	const requestId = randomUUID();
	await insertMessage(pool, requestId, request.body);
	return reply.code(202).send({ status: "accepted", requestId });
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
