/**
 * The floor of reconciliation: bare routes that take the same statement, and compare it by three statements
 * of SQL in one transaction, and in the end what no statement has by another one.
 */
import fastify from "fastify";
import pg from "pg";
import { readLines } from "./read-lines.ts";
import { compareAtFloor, compareRestAtFloor } from "./reconciliation.store.ts";

const { PORT, DATABASE_URL, DATABASE_CONNECTIONS, TENANT_ID = "" } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
const bodyBytesMax = 16 * 1_024 * 1_024;

const app = fastify({ bodyLimit: bodyBytesMax });
app.addContentTypeParser("text/csv", { parseAs: "buffer" }, (_request, body, done) => done(null, body));
app.post("/statements", async ({ body }) => {
	const lines = readLines((body as Buffer).toString());
	await compareAtFloor(pool, TENANT_ID, lines);
	return { lines: lines.numbers.length };
});
app.post("/rest", async () => {
	await compareRestAtFloor(pool, TENANT_ID);
	return {};
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
