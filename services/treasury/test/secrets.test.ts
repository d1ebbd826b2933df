import { createHmac, randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { contains, findInDatabase, startTestCollector } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addBill } from "./add-bill.ts";
import { makeAvailable, openPaying } from "./payouts/paying.ts";
import { openCards } from "./refunding/card-payments.ts";
import { newPhone } from "./till.ts";

const collector = setUp(startTestCollector);
const till = setUp(() =>
	openPaying({
		...{ LOG_LEVEL: "trace", OTEL_BSP_SCHEDULE_DELAY: "10" },
		OTEL_EXPORTER_OTLP_ENDPOINT: collector.url,
	}),
);

const aPhone = "the phone";
const aToken = "the token of callback";
/** What the treasury needs later. */
const openInTables = ["an e-mail address", "the access code of a checkout"];

/** What people and gateways state, and what must be stored sealed or not at all. */
const needles = new Map<string, string>([
	["the consumer's key", "sandbox-consumer-key"],
	["the consumer's secret", "sandbox-consumer-secret"],
	["both, as they are sent", Buffer.from("sandbox-consumer-key:sandbox-consumer-secret").toString("base64")],
	["the passkey", "sandbox-passkey"],
	["the initiator's password", "Sandbox-2026!"],
	["the secret key of cards", "sk_test_lango_sandbox"],
	["a credential in a header", "Bearer "],
	["a password in a header", "Basic "],
]);

/** Nine digits, which every way to write the number has. */
function phone(owner: Parameters<typeof newPhone>[0], what: string): string {
	const number = newPhone(owner);
	needles.set(`${aPhone} ${what}`, number.slice(3));
	return number;
}

/** A text that must not be found. */
function secret(what: string, text: string): string {
	needles.set(what, text);
	return text;
}

const ok = (answer: { status: number; body: Record<string, unknown> }) => {
	if (answer.status >= 300) throw new Error(`refused: ${answer.status} ${JSON.stringify(answer.body)}`);
	return answer.body;
};
const intentOf = async (more: object = {}) => {
	const body = { amount_minor: 10_000, currency: "KES", description: "An order", ...more };
	return ok(await till.ask("POST", "/intents", { body }));
};
const fault = (operation: string, name: string) => [{ operation, fault: name, count: 1 }];
const arrived = async () => {
	for (let quiet = 0; quiet < 3; ) {
		await till.wait(5);
		const rows = await till.database.db.query("select from webhook_deliveries where status = 'received'");
		quiet = rows.length === 0 ? quiet + 1 : 0;
	}
};

/** Each flow of the treasury. */
const flows: Record<string, () => Promise<void>> = {
	"prompts that are paid, cancelled, not answered and not taken": async () => {
		for (const owner of ["accepts", "cancels", "is silent"] as const) {
			const { id } = await intentOf({ customer: { phone: phone(owner, `whose owner ${owner}`) } });
			const body = { phone: phone(owner, `whose owner ${owner} when asked`) };
			ok(await till.ask("POST", `/intents/${id}/push`, { body }));
		}
		for (const name of ["http_500_after_commit", "reset_after_commit", "spike_arrest"]) {
			await till.sandbox("PUT", "/_control/faults", fault("push", name));
			const body = { phone: phone("accepts", `of a prompt with ${name}`) };
			ok(await till.ask("POST", `/intents/${(await intentOf())["id"]}/push`, { body }));
		}
		await arrived();
	},
	"a bill that is paid by its code": async () => {
		const { id } = till.tenants.kahawa;
		const bill = await inTenant(till.database.db, id, (tx) => addBill(tx, id));
		const url = `/api/v1/kahawa/treasury/bills/${bill.operationId}/push`;
		const body = { phone: phone("accepts", "of a bill") };
		const token = till.token(till.tenants.kahawa, "admin");
		ok(await till.call({ method: "POST", url, token, body }));
		await arrived();
	},
	"a checkout with a phone, its redirect, its event and its refund": async () => {
		const { id } = await intentOf();
		const mobile_money = { phone: phone("is silent", "of a checkout"), provider: "PESA" };
		const body = { email: secret("an e-mail address", "amina.secret@example.com"), mobile_money };
		const opened = ok(await till.ask("POST", `/intents/${id}/checkout`, { body }));
		const choice = { action: "pay", channel: "card" };
		await till.cards("POST", `/_control/checkouts/${opened["access_code"]}`, choice);
		await till.service.app.inject(`/api/v1/payments/callback?reference=${opened["reference"]}`);
		secret("the access code of a checkout", String(opened["access_code"]));
		const { paymentId } = await openCards(till).pay();
		ok(await openCards(till).refund({ payment_id: paymentId, amount_minor: 5_000 }));
		await arrived();
	},
	"a payment at the counter, its QR code and its reversal": async () => {
		await till.registerUrls(till.tenants.uhai);
		const intent = await intentOf();
		ok(await till.ask("POST", `/intents/${intent["id"]}/qr`, { body: {} }));
		const payer = phone("is silent", "of a payer at the counter");
		const account = String(intent["account_code"]);
		const paid = { shortcode: "600200", amountMinor: 10_000, account, phone: payer };
		const receipt = await till.payAtCounter(paid);
		const remarks = "Paid to the wrong shop";
		ok(await till.ask("POST", "/reversals", { body: { receipt, remarks } }));
		await arrived();
	},
	"a typed phone as an account": async () => {
		const account = phone("is silent", "that was typed as an account");
		await till.payAtCounter({ shortcode: "600200", amountMinor: 10_000, account });
	},
	"transfers to an account, with a one-time password": async () => {
		const { id } = till.tenants.uhai;
		await makeAvailable(till.database.db, id, { amountMinor: 1_000_000n });
		await till.cards("PUT", "/_control/otp", { is_required: true });
		const account_number = secret("an account of a bank", "98700123400001");
		const account = { type: "bank", name: "Amina", account_number, bank_code: "11", currency: "KES" };
		const added = ok(await till.ask("POST", "/recipients", { body: account }));
		await inTenant(till.database.db, id, (tx) =>
			tx.query(
				"update recipients set created_at = (created_at at time zone 'UTC' - interval '2 days') at time zone 'UTC'",
			),
		);
		const payout = await till.pay({ recipient_id: added["id"], amount_minor: 100_000 });
		const overview = await till.cards("GET", "/_control/overview");
		const [{ otp } = { otp: "" }] = overview["transfers"] as Array<{ otp: string }>;
		needles.set("a one-time password", `"${otp}"`);
		ok(await till.operate("POST", `/payouts/${payout}/otp`, { body: { otp } }));
		await till.cards("PUT", "/_control/otp", { is_required: false });
		await arrived();
	},
	"a payout to a phone": async () => {
		const full = { shortcode: "600200", utility_minor: 5_000_000, working_minor: 5_000_000 };
		await till.sandbox("PUT", "/_control/shortcodes", [full]);
		const to = phone("is silent", "of a payee");
		await till.pay({ rail: "mobile_money", kind: "customer", to, amount_minor: 10_000, remarks: "Wages" });
		await arrived();
	},
	"a standing order": async () => {
		const day = (days: number) => new Date(Date.now() + days * 86_400_000).toISOString().slice(0, 10);
		const payer = phone("is silent", "of a standing order");
		const body = {
			...{ phone: payer, amount_minor: 50_000, frequency: "weekly", description: "School fees" },
			...{ start_on: day(2), end_on: day(60) },
		};
		ok(await till.ask("POST", "/standing-orders", { body }));
		await till.sandbox("POST", `/_control/phones/${payer}/accept`);
		await arrived();
	},
	"questions about a receipt and a balance": async () => {
		ok(await till.ask("POST", "/mobile-money/balance"));
		ok(await till.ask("POST", "/mobile-money/status", { body: { receipt: "SGL91XYZ12" } }));
		await arrived();
	},
	"webhooks of strangers": async () => {
		const payer = phone("is silent", "in a webhook of a stranger");
		const token = secret("a token that was guessed", "0123456789abcdef0123456789abcdef");
		const send = (url: string, body: string, headers: Record<string, string> = {}) =>
			till.call({ method: "POST", url: `/webhooks/${url}`, headers, body: Buffer.from(body) });
		const callback = { stkCallback: { CheckoutRequestID: "ws_CO_1", PhoneNumber: payer } };
		await send(`mobilemoney/callback/${randomUUID()}/${token}`, JSON.stringify({ Body: callback }));
		await send(`mobilemoney/confirmation/${randomUUID()}/${token}`, `{"MSISDN":"${payer}`);
		const signature = secret("a signature", createHmac("sha512", "sk_other").update("x").digest("hex"));
		const event = JSON.stringify({ event: "charge.success", data: { customer: { phone: payer } } });
		await send("cardgateway", event, { "x-cardgw-signature": signature });
		await arrived();
	},
	"what is configured": async () => {
		const consumer_secret = secret("a consumer's secret of a tenant", "consumer-secret-of-uhai");
		const own = { consumer_key: secret("its key", "consumer-key-of-uhai"), consumer_secret };
		const shortcode = { shortcode: "600200", kind: "paybill", initiator_name: "sandbox-initiator" };
		ok(await till.ask("PUT", "/gateway", { body: { ...shortcode, ...own } }));
		const payer = { phone: phone("is silent", "of a billing method"), email: "finance@example.com" };
		ok(await till.ask("PUT", "/billing-method", { body: { kind: "push", ...payer } }));
		const secrets = { secret_key: secret("a new secret key", "sk_test_rotated_key") };
		ok(await till.operate("POST", "/gateways/card-gateway/rotate", { body: { secrets } }));
		await till.ask("GET", "/banks?country=kenya");
	},
};

/** The tokens in the addresses that the gateway was given. */
async function addTokens(): Promise<void> {
	const { items } = (await till.sandbox("GET", "/_control/deliveries?limit=10000")) as {
		items: Array<{ url: string }>;
	};
	for (const [at, { url }] of items.entries()) needles.set(`${aToken} ${at}`, url.split("/").at(-1) ?? "");
}

// They run before the searches below.
test.each(Object.entries(flows))("%s", (_name, run) => run(), 30_000);

const db = () => till.database.db;
const places: Record<string, () => Promise<readonly unknown[]> | readonly unknown[]> = {
	logs: () => till.logged,
	traces: () => collector.spans,
	jobs: () => db().query("select name, data, output from pgboss.job"),
	events: () => db().query("select envelope from outbox"),
};

test("the flows have left logs, traces, jobs and events, and callbacks with tokens", async () => {
	await addTokens();
	await expect.poll(() => collector.spans.length).toBeGreaterThan(200);
	for (const [where, read] of Object.entries(places))
		expect([where, (await read()).length > 20]).toEqual([where, true]);
	expect([...needles.keys()].filter((what) => what.startsWith(aToken)).length).toBeGreaterThan(10);
	expect([...needles].filter(([, text]) => text.length < 6)).toEqual([]);
});

test.each(Object.keys(places))(
	"no secret, phone, account or token of any flow is in %s (I21)",
	async (where) => {
		const text = JSON.stringify(await places[where]?.());
		const found = [...needles].filter(([what, one]) => contains(text, { what, text: one }));
		expect(found.map(([what]) => what)).toEqual([]);
	},
);

test("no secret, account of a bank or token is in clear in any table; what the gateway sends is kept as it came", async () => {
	const sealed = [...needles].filter(([what]) => !what.startsWith(aPhone) && !openInTables.includes(what));
	const found = await findInDatabase(
		till.database,
		sealed.map(([what, text]) => ({ what, text })),
	);
	expect(found).toEqual(["public.webhook_deliveries.raw: an account of a bank"]);
});
