/**
 * The floor of webhooks: a bare route checks the signature and inserts the bytes, committed before the
 * answer. Then it posts a journal of the floor in a transaction of its own, at most eight at once.
 */
import { createHmac, timingSafeEqual } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { secretKey } from "./charge.ts";
import { insertBytes, postCharge } from "./charges.store.ts";

const { PORT, DATABASE_URL, DATABASE_CONNECTIONS } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
const postingsMax = 8;
const waiting: Array<{ id: string; reference: string }> = [];
let postings = 0;

async function post(): Promise<void> {
	postings += 1;
	for (let one = waiting.shift(); one !== undefined; one = waiting.shift()) await postCharge(pool, one);
	postings -= 1;
}

const app = fastify({ keepAliveTimeout: 72_000 });
app.addContentTypeParser("application/json", { parseAs: "buffer" }, (_request, body, done) =>
	done(null, body),
);
app.post("/api/v1/webhooks/cardgateway", async ({ headers, body }, reply) => {
	const bytes = body as Buffer;
	const signature = Buffer.from(String(headers["x-cardgw-signature"]), "hex");
	const wanted = createHmac("sha512", secretKey).update(bytes).digest();
	if (signature.length !== wanted.length || !timingSafeEqual(signature, wanted))
		return reply.code(401).send({});
	const id = await insertBytes(pool, bytes);
	waiting.push({ id, reference: JSON.parse(bytes.toString()).data.reference });
	if (postings < postingsMax) void post();
	return { received: true };
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
