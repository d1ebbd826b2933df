/**
 * The floor of collection: one bare route stores what is to be paid, sends the prompt and stores its id;
 * another one keeps the bytes of the callback before it answers. Then it posts a journal of the floor and
 * stores an event in one transaction.
 */
import { randomUUID } from "node:crypto";
import fastify from "fastify";
import pg from "pg";
import { insertIntent, keepCallback, postCollection, recordPrompt } from "./collection.store.ts";

const { PORT, DATABASE_URL, DATABASE_CONNECTIONS, TENANT_ID = "", GATEWAY_URL = "" } = process.env;
const pool = new pg.Pool({ connectionString: DATABASE_URL, max: Number(DATABASE_CONNECTIONS) });
const shortcode = "600200";
const basic = Buffer.from("sandbox-consumer-key:sandbox-consumer-secret").toString("base64");
const granted = await fetch(`${GATEWAY_URL}/oauth/v1/generate?grant_type=client_credentials`, {
	headers: { authorization: `Basic ${basic}` },
});
const { access_token: token } = (await granted.json()) as { access_token: string };

/** The time in Nairobi, as the gateway wants it. */
const stamp = () => new Date(Date.now() + 3 * 3_600_000).toISOString().replaceAll(/\D/g, "").slice(0, 14);

async function prompt(phone: string, amountMinor: number): Promise<string> {
	const at = stamp();
	const response = await fetch(`${GATEWAY_URL}/mobilemoney/stkpush/v1/processrequest`, {
		method: "POST",
		headers: { authorization: `Bearer ${token}`, "content-type": "application/json" },
		body: JSON.stringify({
			...{ BusinessShortCode: shortcode, PartyB: shortcode, PartyA: phone, PhoneNumber: phone },
			Password: Buffer.from(`${shortcode}sandbox-passkey${at}`).toString("base64"),
			...{ Timestamp: at, TransactionType: "CustomerPayBillOnline", Amount: String(amountMinor / 100) },
			CallBackURL: `http://localhost:${PORT}/callback`,
			...{ AccountReference: "BENCH", TransactionDesc: "Bench" },
		}),
	});
	const answer = (await response.json()) as { CheckoutRequestID?: string };
	if (answer.CheckoutRequestID === undefined)
		throw new Error(`the gateway answered ${response.status}: ${JSON.stringify(answer)}`);
	return answer.CheckoutRequestID;
}

/** Callbacks that came before the id of their prompt was stored. */
const early = new Map<string, string>();
const known = new Set<string>();

const app = fastify({ keepAliveTimeout: 72_000 });
app.post("/collections", async ({ body }) => {
	const { phone, amount_minor: amountMinor } = body as { phone: string; amount_minor: number };
	const id = randomUUID();
	await insertIntent(pool, { id, tenantId: TENANT_ID, amountMinor, phone });
	const started = await prompt(phone, amountMinor);
	await recordPrompt(pool, id, started);
	known.add(started);
	const kept = early.get(started);
	if (kept !== undefined) await postCollection(pool, { id: kept, prompt: started });
	return { id };
});
app.post("/callback", async ({ body }) => {
	const id = await keepCallback(pool, Buffer.from(JSON.stringify(body)));
	const { Body } = body as { Body: { stkCallback: { CheckoutRequestID: string; ResultCode: number } } };
	const { CheckoutRequestID: paid } = Body.stkCallback;
	if (known.has(paid)) void postCollection(pool, { id, prompt: paid });
	else early.set(paid, id);
	return { ResultCode: 0, ResultDesc: "Accepted" };
});
app.get("/healthz", async () => ({ ok: true }));
await app.listen({ port: Number(PORT), host: "localhost" });
process.on("SIGTERM", () => process.exit(0));
