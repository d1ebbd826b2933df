import { randomBytes, randomUUID } from "node:crypto";
import type { PublicTenant } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { timestampOf } from "../src/gateways/mobile-money/account.ts";
import { getProfile } from "../src/gateways/profiles/profile.store.ts";
import { claimShortcode } from "../src/gateways/shortcodes/tenant-gateway.store.ts";
import { issueCallbackToken } from "../src/inbox/callback-token.store.ts";
import { idOfShortcode } from "../src/inbox/callback-token.ts";
import { applyOutcome } from "../src/outcomes/apply-outcome.ts";
import type { Paid } from "../src/outcomes/evidence/evidence.ts";
import { recordAttempt } from "../src/payments/attempt.store.ts";
import { addBill } from "./add-bill.ts";
import { addIntent } from "./inbox/add-intent.store.ts";
import { listRows } from "./inbox/delivery-rows.store.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);
let profileId: string;
beforeAll(async () => {
	({ id: profileId } = await getProfile(till.database.db, "mobile_money"));
	for (const tenant of [till.tenants.uhai, till.tenants.kahawa, till.tenants.lango])
		await till.registerUrls(tenant);
	// What the gateway answers about receipts that are not verified is the subject of other tests.
	await till.sandbox("PUT", "/_control/faults", [{ operation: "status", fault: "drop", count: 1_000 }]);
});

const inside = <T>(tenant: PublicTenant, work: (tx: Database) => Promise<T>): Promise<T> =>
	inTenant(till.database.db, tenant.id, work);
const newCode = (tenant: PublicTenant, amountMinor = 100_000n) =>
	addIntent(till.database.db, { tenantId: tenant.id, amountMinor });
const newReceipt = () => randomBytes(5).toString("hex").toUpperCase();

async function intentOf(tenant: PublicTenant, code: string) {
	const [row] = await inside(tenant, (tx) =>
		tx.query<{ id: string; status: string; received: number }>(
			"select id, status, received_minor::int as received from intents where account_code = $1",
			[code],
		),
	);
	if (row === undefined) throw new Error("there is no intent with this code");
	return row;
}
const stateOf = async (tenant: PublicTenant, code: string) => {
	const { status, received } = await intentOf(tenant, code);
	return [status, received];
};

/** The receipts of a number: how much of it is allocated, and how often it was posted. */
const receiptsOf = (tenant: PublicTenant, receipt: string) =>
	inside(tenant, (tx) =>
		tx.query(
			`with posted as materialized (select source_id from journals where source_type = 'receipt')
			 select state, amount_minor::int as amount, allocated_minor::int as allocated, account_ref as account,
			   (select count(*)::int from posted j where j.source_id = r.id) as journals
			  from receipts r where receipt = $1`,
			[receipt],
		),
	);

/** What the work changes of the tenant's balances. */
async function changes(tenant: PublicTenant, work: () => Promise<unknown>) {
	const before = await till.balances(tenant);
	await work();
	const after = await till.balances(tenant);
	const changed = Object.entries(after).map(([code, minor]) => [code, minor - (before[code] ?? 0)] as const);
	return Object.fromEntries(changed.filter(([, minor]) => minor !== 0));
}

const unallocated = (tenant: PublicTenant) => till.published("treasury.receipt.unallocated", tenant);

type Said = { receipt?: string; shortcode?: string; amount?: string; account?: string; time?: string };

/** A confirmation as the gateway writes it, sent to an address. Returns what became of it. */
async function confirm(url: string, said: Said = {}) {
	const body = {
		...{ TransID: said.receipt ?? newReceipt(), TransAmount: said.amount ?? "1000.00" },
		...{ BusinessShortCode: said.shortcode ?? "600200", BillRefNumber: said.account ?? "" },
		...{ TransTime: said.time ?? timestampOf(new Date()), MSISDN: "2547 ***** 126", nonce: randomUUID() },
	};
	const answer = await till.call({ method: "POST", url, body: Buffer.from(JSON.stringify(body)) });
	expect(answer).toEqual({ status: 200, body: { ResultCode: 0, ResultDesc: "Accepted" } });
	await till.service.jobs.runDue();
	const { status, trust, error } = (await listRows(till.database.db)).at(-1) ?? {};
	return { status, trust, error };
}
const bare = "/webhooks/mobilemoney/confirmation";

/** The address of a token for a tenant's shortcode. */
async function registered(tenant: PublicTenant, shortcode: string, expiresAt?: Date): Promise<string> {
	const token = await inside(tenant, (tx) =>
		issueCallbackToken(
			tx,
			{
				...{ tenantId: tenant.id, profileId, route: "confirmation", objectKind: "shortcode" },
				...{ objectId: idOfShortcode(shortcode), expiresAt },
			},
			new Date(),
		),
	);
	return `${bare}/${profileId}/${token}`;
}

/** A prompt of an intent that is open on a phone. */
const promptOf = async (tenant: PublicTenant, code: string, shortcode = "600200") => {
	const { id: intentId } = await intentOf(tenant, code);
	return inside(tenant, (tx) =>
		recordAttempt(tx, {
			...{ tenantId: tenant.id, id: randomUUID(), intentId, amountMinor: 100_000n, channel: "push" },
			...{ custody: "tenant", shortcode, reference: `pay-${randomBytes(16).toString("hex")}` },
			...{ phone: "254712000126", nextCheckAt: null, expiresAt: new Date(Date.now() + 60_000) },
			now: new Date(),
		}),
	);
};

const sayPaid = (
	tenant: PublicTenant,
	attemptId: string,
	{ at = new Date(), ...more }: Partial<Paid> & { at?: Date } = {},
) =>
	inside(tenant, (tx) =>
		applyOutcome(tx, {
			...{ tenantId: tenant.id, attemptId, source: "query", sourceId: undefined, at },
			said: {
				...{ kind: "paid", amountMinor: undefined, currency: "KES", receipt: undefined },
				...{ paidAt: undefined, payerMasked: undefined, ...more },
			},
		}),
	);

test("a payment to the paybill with the code of an intent pays it, however the code is typed", async () => {
	const { uhai } = till.tenants;
	const code = await newCode(uhai);
	const typed = ` ${code.slice(0, 5)}-${code.slice(5).toLowerCase()}`;
	const changed = await changes(uhai, async () => {
		const receipt = await till.payAtCounter({ shortcode: "600200", amountMinor: 100_000, account: typed });
		expect(await receiptsOf(uhai, receipt)).toEqual([
			{ state: "verified", amount: 100_000, allocated: 100_000, account: code, journals: 1 },
		]);
	});
	expect(changed).toEqual({ "mm.float.600200": 100_000, "tenant.mobile": 100_000 });
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 100_000]);
	expect((await till.published("treasury.payment.succeeded", uhai)).at(-1)).toMatchObject({
		channel: "account",
	});
	expect((await listRows(till.database.db)).at(-1)).toMatchObject({ status: "done", trust: "token" });
});

test("a smaller payment pays a part, and the excess of the next one stays in suspense and is reported", async () => {
	const { uhai } = till.tenants;
	const code = await newCode(uhai);
	const url = await registered(uhai, "600200");
	await confirm(url, { account: code, amount: "400.00" });
	expect(await stateOf(uhai, code)).toEqual(["partially_paid", 40_000]);
	const changed = await changes(uhai, () => confirm(url, { account: code, amount: "700" }));
	expect(changed).toEqual({ "mm.float.600200": 70_000, "suspense.600200": 10_000, "tenant.mobile": 60_000 });
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 100_000]);
	expect((await unallocated(uhai)).at(-1)).toMatchObject({ amount_minor: 10_000, account_ref: code });
});

test("a payment of an intent that is over reopens nothing that is paid, and pays what was cancelled", async () => {
	const { uhai } = till.tenants;
	const code = await addIntent(till.database.db, { tenantId: uhai.id, amountMinor: 50_000n, isOver: true });
	await confirm(await registered(uhai, "600200"), { account: code, amount: "500" });
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 50_000]);
});

test.each([
	["an account of nothing", { account: "INV-2026-11" }],
	["no account", {}],
])("a payment with %s waits in suspense for its allocation, and is reported", async (_what, said) => {
	const { uhai } = till.tenants;
	const receipt = newReceipt();
	const url = await registered(uhai, "600200");
	const changed = await changes(uhai, () => confirm(url, { receipt, ...said }));
	expect(changed).toEqual({ "mm.float.600200": 100_000, "suspense.600200": 100_000 });
	expect(await receiptsOf(uhai, receipt)).toMatchObject([{ state: "verified", allocated: 0, journals: 1 }]);
	expect((await unallocated(uhai)).at(-1)).toMatchObject({ amount_minor: 100_000 });
});

test("a confirmation that comes again, byte for byte or not, is counted once", async () => {
	const { uhai } = till.tenants;
	const [code, receipt, url] = [
		await newCode(uhai, 900_000n),
		newReceipt(),
		await registered(uhai, "600200"),
	];
	for (let turn = 0; turn < 3; turn++) await confirm(url, { receipt, account: code });
	expect(await stateOf(uhai, code)).toEqual(["partially_paid", 100_000]);
	expect(await receiptsOf(uhai, receipt)).toMatchObject([{ journals: 1 }]);
});

test("a bill that is paid at the platform's paybill is paid from unused money, and the rest stays unused", async () => {
	const { uhai } = till.tenants;
	const bill = await inside(uhai, (tx) => addBill(tx, uhai.id));
	const url = await registered(till.tenants.lango, "600100");
	const changed = await changes(uhai, () =>
		confirm(url, { shortcode: "600100", amount: "2600", account: bill.accountCode }),
	);
	expect(changed).toEqual({ unapplied: 10_000 });
	expect(await stateOf(uhai, bill.accountCode)).toEqual(["succeeded", 250_000]);
});

test.each([
	["a bill's code at the tenant's own paybill", { at: "uhai", shortcode: "600200", of: "bill" }],
	["another tenant's code", { at: "kahawa", shortcode: "600300", of: "intent" }],
	["a tenant's code at the platform's paybill", { at: "lango", shortcode: "600100", of: "intent" }],
] as const)(
	"%s names nothing there: the money waits in suspense of the shortcode's owner",
	async (_what, { at, shortcode, of }) => {
		const { uhai } = till.tenants;
		const owner = till.tenants[at];
		const code =
			of === "bill" ? (await inside(uhai, (tx) => addBill(tx, uhai.id))).accountCode : await newCode(uhai);
		const receipt = newReceipt();
		const url = await registered(owner, shortcode);
		expect(await confirm(url, { receipt, shortcode, account: code })).toMatchObject({ trust: "token" });
		expect(await receiptsOf(owner, receipt)).toMatchObject([
			{ state: "verified", allocated: 0, journals: 1 },
		]);
		expect((await stateOf(uhai, code))[1]).toBe(0);
	},
);

test("a shortcode that its tenant does not use any more receives into suspense", async () => {
	const { uhai } = till.tenants;
	await inside(uhai, (tx) => claimShortcode(tx, { tenantId: uhai.id, shortcode: "600900" }));
	const code = await newCode(uhai);
	const url = await registered(uhai, "600900");
	const changed = await changes(uhai, () => confirm(url, { shortcode: "600900", account: code }));
	expect(changed).toEqual({ "mm.float.600900": 100_000, "suspense.600900": 100_000 });
	expect(await stateOf(uhai, code)).toEqual(["requires_payment", 0]);
});

test.each([
	["without a token", async () => bare],
	["with a token of nothing", async () => `${bare}/${profileId}/${"0".repeat(32)}`],
	["with the token of another shortcode", () => registered(till.tenants.uhai, "600900")],
	["with a token that is over", () => registered(till.tenants.uhai, "600200", new Date(0))],
	["with the token of another tenant", () => registered(till.tenants.kahawa, "600200")],
])("a confirmation %s is recorded as not verified, and posts and pays nothing", async (_what, address) => {
	const { uhai } = till.tenants;
	const [code, receipt] = [await newCode(uhai), newReceipt()];
	const url = await address();
	const changed = await changes(uhai, async () => {
		expect(await confirm(url, { receipt, account: code })).toEqual({
			...{ status: "done", trust: "none" },
			error: "the sender is not trusted: the gateway is asked about the receipt",
		});
	});
	expect(changed).toEqual({});
	expect(await receiptsOf(uhai, receipt)).toMatchObject([{ state: "unverified", allocated: 0, journals: 0 }]);
	expect(await stateOf(uhai, code)).toEqual(["requires_payment", 0]);
});

test("a confirmation of a time to come is not trusted", async () => {
	const url = await registered(till.tenants.uhai, "600200");
	expect(await confirm(url, { time: "20991231235959" })).toMatchObject({ trust: "none" });
});

test("a confirmation of an unknown shortcode is ignored", async () => {
	expect(await confirm(bare, { shortcode: "999999" })).toEqual({
		...{ status: "ignored", trust: "none" },
		error: "the shortcode is not known",
	});
});

test("a trusted confirmation replaces what one that is not trusted said", async () => {
	const { uhai } = till.tenants;
	const [code, receipt] = [await newCode(uhai), newReceipt()];
	await confirm(bare, { receipt, account: "nothing", amount: "99999" });
	const url = await registered(uhai, "600200");
	await confirm(url, { receipt, account: code });
	await confirm(bare, { receipt, account: "nothing", amount: "99999" });
	expect(await receiptsOf(uhai, receipt)).toEqual([
		{ state: "verified", amount: 100_000, allocated: 100_000, account: code, journals: 1 },
	]);
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 100_000]);
});

test("a forged confirmation to another tenant does not keep the true one of its number out", async () => {
	const { uhai, kahawa } = till.tenants;
	const [code, receipt] = [await newCode(uhai), newReceipt()];
	await confirm(bare, { receipt, shortcode: "600300" });
	await confirm(await registered(uhai, "600200"), { receipt, account: code });
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 100_000]);
	expect(await receiptsOf(kahawa, receipt)).toMatchObject([{ state: "unverified", journals: 0 }]);
});

test("a trusted callback replaces what a confirmation that is not trusted said of its receipt", async () => {
	const { uhai } = till.tenants;
	const [code, receipt] = [await newCode(uhai), newReceipt()];
	const attempt = await promptOf(uhai, code);
	await confirm(bare, { receipt, account: code, amount: "5" });
	await sayPaid(uhai, attempt.id, { receipt, amountMinor: 100_000n });
	expect(await receiptsOf(uhai, receipt)).toMatchObject([
		{ state: "verified", amount: 100_000, journals: 1 },
	]);
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 100_000]);
});

test("the confirmation of a prompt that a query found paid brings the number, without a second journal", async () => {
	const { uhai } = till.tenants;
	const [code, receipt] = [await newCode(uhai), newReceipt()];
	const attempt = await promptOf(uhai, code);
	await sayPaid(uhai, attempt.id);
	const url = await registered(uhai, "600200");
	expect(await changes(uhai, () => confirm(url, { receipt, account: code }))).toEqual({});
	expect(await receiptsOf(uhai, receipt)).toMatchObject([{ allocated: 100_000, journals: 1 }]);
});

test("a confirmation of another amount is not that of the prompt: it is a receipt of its own", async () => {
	const { uhai } = till.tenants;
	const code = await newCode(uhai, 150_000n);
	const attempt = await promptOf(uhai, code);
	await sayPaid(uhai, attempt.id);
	await confirm(await registered(uhai, "600200"), { account: code, amount: "500" });
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 150_000]);
});

test("a code typed beside an open prompt does not end it, and the gateway is asked about the prompt at once", async () => {
	const { uhai } = till.tenants;
	const code = await newCode(uhai);
	const attempt = await promptOf(uhai, code);
	await confirm(await registered(uhai, "600200"), { account: code, amount: "300" });
	const [row] = await inside(uhai, (tx) =>
		tx.query("select status from attempts where id = $1", [attempt.id]),
	);
	expect(row).toEqual({ status: "submitting" });
	const asked = await till.database.db.query(
		"select from pgboss.job where name = 'attempts.query' and data->>'id' = $1",
		[attempt.id],
	);
	expect(asked).not.toEqual([]);
});

test.each([["before"], ["after"]])(
	"the confirmation of a till, which names no account, is that of the prompt that a query finds paid %s it",
	async (order) => {
		const { kahawa } = till.tenants;
		const [code, receipt] = [await newCode(kahawa), newReceipt()];
		const attempt = await promptOf(kahawa, code, "600300");
		const url = await registered(kahawa, "600300");
		const changed = await changes(kahawa, async () => {
			if (order === "before") await sayPaid(kahawa, attempt.id);
			await confirm(url, { receipt, shortcode: "600300" });
			if (order === "after") await sayPaid(kahawa, attempt.id);
		});
		expect(changed).toEqual({ "mm.float.600300": 100_000, "tenant.mobile": 100_000 });
		expect(await receiptsOf(kahawa, receipt)).toMatchObject([{ allocated: 100_000, journals: 1 }]);
		expect(await stateOf(kahawa, code)).toEqual(["succeeded", 100_000]);
	},
);

test("what was typed long before a prompt is not its receipt: both are counted", async () => {
	const { uhai } = till.tenants;
	const code = await newCode(uhai, 200_000n);
	await confirm(await registered(uhai, "600200"), {
		account: code,
		time: timestampOf(new Date(Date.now() - 3_600_000)),
	});
	const attempt = await promptOf(uhai, code);
	await sayPaid(uhai, attempt.id);
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 200_000]);
});

test("what is typed long after a prompt was found paid is not its receipt: both are counted", async () => {
	const { uhai } = till.tenants;
	const code = await newCode(uhai, 200_000n);
	const attempt = await promptOf(uhai, code);
	await sayPaid(uhai, attempt.id, { at: new Date(Date.now() - 3_600_000) });
	await confirm(await registered(uhai, "600200"), { account: code });
	expect(await stateOf(uhai, code)).toEqual(["succeeded", 200_000]);
});

test("the confirmation of a till names no account: the callback that comes later allocates it", async () => {
	const { kahawa } = till.tenants;
	const [code, receipt] = [await newCode(kahawa), newReceipt()];
	const attempt = await promptOf(kahawa, code, "600300");
	const changed = await changes(kahawa, async () => {
		await confirm(await registered(kahawa, "600300"), { receipt, shortcode: "600300" });
		for (const _turn of [1, 2]) await sayPaid(kahawa, attempt.id, { receipt, amountMinor: 100_000n });
	});
	expect(changed).toEqual({ "mm.float.600300": 100_000, "tenant.mobile": 100_000 });
	expect(await stateOf(kahawa, code)).toEqual(["succeeded", 100_000]);
});
