import { createHash, createHmac, randomBytes, randomUUID } from "node:crypto";
import { acrossTenants, inTenant } from "@lango/postgres";
import { defaultSecretKey } from "@lango/sandbox-card-gateway";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { beforeAll, expect, test } from "vitest";
import { findViolations } from "../ledger/invariants.ts";
import { openTill } from "../till.ts";
import { rowsOf } from "./rows-of.ts";
import { findBroken } from "./state.ts";
import { openVictim, type Victim } from "./victim.ts";

const till = setUp(openTill);
let victim: Victim;
beforeAll(async () => {
	victim = await openVictim(till);
	// The questions that are due change attempts, too; how long the test takes decides how many.
	const { db } = till.database;
	await db.query("delete from pgboss.job where name = 'attempts.query'");
	for (const { id } of Object.values(till.tenants))
		await inTenant(db, id, (tx) => tx.query("update attempts set next_check_at = null"));
});

/** A request of somebody who is not a gateway. */
type Forgery = { url: string; body: string; signature?: string | undefined };
type Make = () => Forgery;

const webhooks = fc.constantFrom("/webhooks", "/api/v1/webhooks");
const newToken = () => randomBytes(16).toString("hex");
const newNumber = () => randomBytes(5).toString("hex").toUpperCase();
const pick = <const T extends string>(...values: T[]) => fc.constantFrom(...values);

/** The address of a route, without a token, or with one that does not open what the body says. */
const at = (base: string, path: string) => `${base}/mobilemoney/${path}`;
const withToken = (token: string | undefined, profile = victim.profileId) =>
	token === undefined ? "" : `/${profile}/${token}`;

/** What a prompt ended with: it was paid, or cancelled. */
function endOf(
	{ amount, phone, receipt }: { amount: number; phone: string; receipt: string },
	isPaid: boolean,
) {
	const Item = [
		{ Name: "Amount", Value: amount },
		{ Name: "MobileMoneyReceiptNumber", Value: receipt },
		{ Name: "PhoneNumber", Value: Number(phone) },
	];
	return isPaid
		? { ResultCode: 0, CallbackMetadata: { Item } }
		: { ResultCode: 1032, ResultDesc: "Cancelled" };
}

/** A prompt that was paid. With the token of the open prompt something else does not fit. */
const callbacks: fc.Arbitrary<Make> = fc
	.record({
		...{ base: webhooks, sender: pick("none", "unknown", "paid", "shortcode", "over", "profile", "own") },
		...{
			wrong: pick("amount", "phone", "checkout", "merchant"),
			isKnown: fc.boolean(),
			isPaid: fc.boolean(),
		},
	})
	.map(({ base, sender, wrong, isKnown, isPaid }) => () => {
		const { open, counted, tokens, profileId } = victim;
		const token = { none: undefined, unknown: newToken(), profile: tokens.own, ...tokens }[sender];
		const choose = <T>(one: typeof wrong, right: T, other: T): T =>
			sender === "own" && wrong === one ? other : right;
		const end = {
			amount: choose("amount", 2_500, 2_499.5),
			phone: choose("phone", open.phone, "254712345678"),
			receipt: isKnown ? counted.receipt : newNumber(),
		};
		const stkCallback = {
			CheckoutRequestID: choose("checkout", open.checkoutRequestId, `ws_CO_${randomUUID()}`),
			MerchantRequestID: choose("merchant", open.merchantRequestId, randomUUID()),
			...endOf(end, isPaid || sender === "own"),
		};
		const address = withToken(token, sender === "profile" ? randomUUID() : profileId);
		return { url: at(base, `callback${address}`), body: JSON.stringify({ Body: { stkCallback } }) };
	});

/** A payment at the counter. */
const confirmations: fc.Arbitrary<Make> = fc
	.record({
		...{ base: webhooks, sender: pick("none", "unknown", "own", "otherShortcode", "to come") },
		...{ account: pick("open", "none", "other"), isKnown: fc.boolean() },
		...{ shortcode: pick("600200", "600100"), amount: fc.integer({ min: 1, max: 250_000 }) },
	})
	.map(({ base, sender, account, isKnown, shortcode, amount }) => () => {
		const { open, counted, tokens } = victim;
		const token = {
			...{ none: undefined, unknown: newToken(), "to come": tokens.shortcode },
			...tokens,
		};
		const body = {
			...{
				TransID: isKnown ? counted.receipt : newNumber(),
				TransAmount: `${amount}.00`,
				MSISDN: open.phone,
			},
			...{ BusinessShortCode: sender === "to come" ? "600200" : shortcode },
			BillRefNumber: { open: open.account, none: "", other: "INV-1" }[account],
			TransTime: sender === "to come" ? "20991231235959" : "20261126090000",
		};
		return { url: at(base, `confirmation${withToken(token[sender])}`), body: JSON.stringify(body) };
	});

/** The answer to the question that waits for one. */
const results: fc.Arbitrary<Make> = fc
	.record({
		...{ base: webhooks, sender: pick("none", "unknown", "own", "shortcode") },
		...{ route: pick("balance-result", "txn-status-result", "timeout"), amount: fc.integer({ min: 1 }) },
	})
	.map(({ base, sender, route, amount }) => () => {
		const { question, open, tokens } = victim;
		const token = { none: undefined, unknown: newToken(), ...tokens }[sender];
		const values = {
			...{ AccountBalance: `Working Account|KES|${amount}.00|${amount}.00|0.00|0.00`, Amount: amount },
			...{
				TransactionStatus: "Completed",
				ReceiptNo: newNumber(),
				CreditPartyName: `600200 - ${open.account}`,
			},
		};
		const ResultParameter = Object.entries(values).map(([Key, Value]) => ({ Key, Value }));
		const Result = {
			...{ ResultType: 0, ResultCode: 0, ResultDesc: "Done", TransactionID: newNumber() },
			...{ OriginatorConversationID: question.originatorId, ConversationID: question.conversationId },
			ResultParameters: { ResultParameter },
		};
		return { url: at(base, `${route}${withToken(token)}`), body: JSON.stringify({ Result }) };
	});

const hmac = (hash: string, key: string, body: string) => createHmac(hash, key).update(body).digest("hex");
const signatures = {
	none: () => undefined,
	empty: () => "",
	"of another key": (body: string) => hmac("sha512", "sk_test_other", body),
	"of other bytes": (body: string) => hmac("sha512", defaultSecretKey, `${body} `),
	"in capitals": (body: string) => hmac("sha512", defaultSecretKey, body).toUpperCase(),
	"of another hash": (body: string) => hmac("sha256", defaultSecretKey, body),
	"without a key": (body: string) => createHash("sha512").update(body).digest("hex"),
};

/** A charge. With a stolen key its amount, currency or tenant is not what was asked for. */
const charges: fc.Arbitrary<Make> = fc
	.record({
		...{
			signature: fc.constantFrom(
				"stolen" as const,
				...(Object.keys(signatures) as Array<keyof typeof signatures>),
			),
		},
		...{ wrong: pick("amount", "currency", "tenant"), isPaid: fc.boolean() },
		...{ id: fc.nat(), amount: fc.integer({ min: 1, max: 100_000_000 }).filter((one) => one !== 250_000) },
	})
	.map(({ signature, wrong, isPaid, id, amount }) => () => {
		const is = (one: typeof wrong) => signature === "stolen" && wrong === one;
		const data = {
			...{ id, status: "success", reference: isPaid ? victim.counted.reference : victim.open.reference },
			...{ amount: is("amount") ? amount : 250_000, currency: is("currency") ? "USD" : "KES" },
			...{ channel: "card", fees: 0, metadata: is("tenant") ? { tenant_id: till.tenants.kahawa.id } : "" },
		};
		const body = JSON.stringify({ event: "charge.success", data });
		const signed =
			signature === "stolen" ? hmac("sha512", defaultSecretKey, body) : signatures[signature](body);
		return { url: "/api/v1/webhooks/cardgateway", body, signature: signed };
	});

/** What a gateway has sent: again, or with other white space to the address without a token. */
const replays: fc.Arbitrary<Make> = fc
	.record({ which: fc.nat(), change: pick("nothing", "address") })
	.map(({ which, change }) => () => {
		const { url, body } = victim.sent[which % victim.sent.length] ?? { url: "", body: "" };
		const { pathname } = new URL(url);
		const signature = pathname.endsWith("cardgateway") ? hmac("sha512", defaultSecretKey, body) : undefined;
		if (change === "nothing" || signature !== undefined) return { url: pathname, body, signature };
		return { url: pathname.split("/").slice(0, -2).join("/"), body: `${body} ` };
	});

const forgeries = fc.array(fc.oneof(callbacks, confirmations, results, charges, replays), {
	...{ minLength: 6, maxLength: 12 },
});

async function send({ url, body, signature }: Forgery): Promise<void> {
	const headers = {
		"x-forwarded-for": "196.201.214.200",
		...(signature !== undefined && { "x-cardgw-signature": signature }),
	};
	const { status } = await till.call({ method: "POST", url, body: Buffer.from(body), headers });
	expect([200, 401]).toContain(status);
}

/**
 * Forged evidence adds rows to these tables: what was said, receipts that are not verified, and the questions
 * about them, with their tokens.
 */
const growing = ["evidence", "receipts", "gateway_queries", "callback_tokens", "locators"];

/** Everything that money is counted by. */
async function counted() {
	const { db } = till.database;
	const tables: Record<string, object> = {};
	for (const { id, slug } of Object.values(till.tenants)) {
		const rows = Object.entries(await rowsOf(db, id)).filter(([name]) => !growing.includes(name));
		tables[slug] = Object.fromEntries(rows);
	}
	const [receipts, questions, locators, balances] = await acrossTenants(db, async (tx) => [
		await tx.query("select * from receipts where state = 'verified' order by id"),
		await tx.query("select * from gateway_queries where created_by_kind <> 'service' order by id"),
		await tx.query("select * from locators where kind <> 'callback_token' order by kind, value"),
		await tx.query("select * from ledger_balances order by account_id, shard"),
	]);
	return { tables, receipts, questions, locators, balances };
}

test("forged evidence alone adds nothing that can be spent: no balance, receipt, payment or state changes (I16)", async () => {
	const before = await counted();
	const property = fc.asyncProperty(forgeries, async (some) => {
		await Promise.all(some.map((make) => send(make())));
		await till.service.jobs.runDue();
		expect(await counted()).toEqual(before);
	});
	await fc.assert(property, { numRuns: 12, endOnFailure: true });
	const { db } = till.database;
	expect(
		await findViolations({ read: (text, values) => acrossTenants(db, (tx) => tx.query(text, values)) }),
	).toEqual([]);
	for (const { id } of Object.values(till.tenants)) expect(await findBroken({ db }, id)).toEqual([]);
});
