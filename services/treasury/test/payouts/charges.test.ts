import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeEach, expect, test, vi } from "vitest";
import { getProfile } from "../../src/gateways/profiles/profile.store.ts";
import { issueCallbackToken } from "../../src/inbox/callback-token.store.ts";
import { addPayout, getPayout } from "./add-payout.ts";
import { openPaying } from "./paying.ts";

const till = setUp(async () => {
	const opened = await openPaying();
	await opened.registerUrls(opened.tenants.uhai);
	return opened;
});
const shortcode = "600200";
const charge_minor = 2_240;
const amount_minor = 10_000;
const tenantId = () => till.tenants.uhai.id;

beforeEach(async () => {
	const money = { utility_minor: 10_000_000, working_minor: 10_000_000, charge_minor };
	await till.sandbox("PUT", "/_control/shortcodes", [{ shortcode, ...money }]);
	await ask("balance");
});

/** Asks the gateway after what moved, and waits until its answer was applied. */
async function ask(path: "balance" | "status", body?: object): Promise<void> {
	await till.wait(2);
	const asked = await till.ask("POST", `/mobile-money/${path}`, { ...(body && { body }) });
	expect(asked.status).toBe(202);
	await vi.waitFor(async () => {
		await till.service.jobs.runDue();
		const shown = await till.ask("GET", `/mobile-money/queries/${asked.body["id"]}`);
		expect(shown.body).toMatchObject({ status: "answered" });
	}, 15_000);
}

const mirror = async () => (await till.balances(till.tenants.uhai))["tenant.mobile"] ?? 0;

/** What the shortcode has at the gateway, what it was charged included. */
async function balanceThere(): Promise<number> {
	const { items } = await till.sandbox("GET", "/_control/shortcodes");
	const found = (items as Array<Record<string, number | string>>).find(
		(one) => one["shortcode"] === shortcode,
	);
	return ["utility_minor", "working_minor", "charges_minor"].reduce(
		(sum, one) => sum + Number(found?.[one]),
		0,
	);
}

const journals = async (purpose: string) =>
	(
		await inTenant(till.database.db, tenantId(), (tx) =>
			tx.query("select from journals where purpose = $1", [purpose]),
		)
	).length;

type Line = { kind: string; purpose: string; amount_minor: number; source: { id: string }; receipt: string };
async function linesOf(id: string): Promise<Array<[string, string, number]>> {
	const { body } = await till.ask("GET", "/statement?account=tenant_custody&limit=100");
	return (body["items"] as Line[])
		.filter(({ source }) => source.id === id)
		.map(({ kind, purpose, amount_minor: amount }) => [kind, purpose, amount]);
}

const isPaid = (id: string) =>
	vi.waitFor(async () => {
		await till.service.jobs.runDue();
		expect(await till.payout(id)).toMatchObject({ status: "paid", receipt: expect.any(String) });
	}, 15_000);

const kinds = {
	customer: { kind: "customer", to: "0712345678" },
	paybill: { kind: "business", to: "600500", account: "INV-17" },
} as const;

/** Pays from the shortcode, and returns the payout. */
async function pay(kind: keyof typeof kinds): Promise<{ id: string; reference: string; receipt: string }> {
	const id = await till.pay({ rail: "mobile_money", ...kinds[kind], amount_minor, remarks: "Wages" });
	await isPaid(id);
	const { reference, receipt } = await till.payout(id);
	return { id, reference: String(reference), receipt: String(receipt) };
}

const paidAndCharged = [
	["amount", "payout_paid", -amount_minor],
	["fee", "payout_charge", -charge_minor],
];

test("what the result of a payment to a business states as its charge is a fee of the statement, posted once, and the mirror follows, so that a balance changes nothing", async () => {
	const [before, external] = [await mirror(), await journals("external")];
	const { id, reference, receipt } = await pay("paybill");
	expect(await linesOf(id)).toEqual(paidAndCharged);
	expect(await mirror()).toBe(before - amount_minor - charge_minor);
	await ask("status", { originator_id: reference });
	await ask("status", { receipt });
	expect(await linesOf(id)).toEqual(paidAndCharged);
	await ask("balance");
	expect([await mirror(), await journals("external")]).toEqual([await balanceThere(), external]);
	// The clock of the service was moved.
	const iat = Math.floor((till.clock.now ?? new Date()).getTime() / 1000);
	const csv = await till.service.app.inject({
		...{ method: "GET", url: "/api/v1/uhai/treasury/statement.csv?account=tenant_custody" },
		headers: { authorization: `Bearer ${till.token(till.tenants.uhai, "admin", { iat, exp: iat + 3_600 })}` },
	});
	expect(csv.body).toContain(`payout_charge,payout,${id},${receipt},tenant.mobile,fee,-22.40,`);
});

test.each(["originator_id", "receipt"] as const)(
	"the charge of a payout to a phone, which its result does not state, is posted once a question by its %s states it",
	async (by) => {
		const external = await journals("external");
		const { id, reference, receipt } = await pay("customer");
		expect(await linesOf(id)).toEqual(paidAndCharged.slice(0, 1));
		for (const _ of [1, 2]) await ask("status", { [by]: by === "receipt" ? receipt : reference });
		expect(await linesOf(id)).toEqual(paidAndCharged);
		await ask("balance");
		expect([await mirror(), await journals("external")]).toEqual([await balanceThere(), external]);
	},
);

test("the charge of a payout whose result never came is posted with the answer that says that it was paid", async () => {
	await till.sandbox("PUT", "/_control/faults", [{ operation: "payout", fault: "drop", count: 1 }]);
	const id = await till.pay({ rail: "mobile_money", ...kinds.customer, amount_minor, remarks: "Wages" });
	await till.wait(31);
	await isPaid(id);
	expect(await linesOf(id)).toEqual(paidAndCharged);
});

test("what the gateway charges for a reversal is a fee, posted once, and a balance changes nothing", async () => {
	const receipt = await till.payAtCounter({ shortcode, amountMinor: 30_000 });
	const external = await journals("external");
	const { body } = await till.ask("POST", "/reversals", { body: { receipt, remarks: "Twice" } });
	const id = String(body["id"]);
	await vi.waitFor(async () => {
		await till.service.jobs.runDue();
		expect((await till.ask("GET", `/refunds/${id}`)).body).toMatchObject({ status: "processed" });
	}, 15_000);
	const lines = [
		["amount", "refund_paid", -30_000],
		["fee", "refund_charge", -charge_minor],
	];
	expect(await linesOf(id)).toEqual(lines);
	await ask("status", { originator_id: id });
	expect(await linesOf(id)).toEqual(lines);
	await ask("balance");
	expect([await mirror(), await journals("external")]).toEqual([await balanceThere(), external]);
});

test.each(["much", "Fee For B2B Payment|USD|22.40", "Fee For B2B Payment|KES|-1.00", "|||", 22.4])(
	"a charge that cannot be read (%j) does not keep a payout from being paid",
	async (charges) => {
		const { db } = till.database;
		const said = [{ kind: "approved" }, { kind: "submitted" }] as const;
		const payout = await addPayout(db, tenantId(), { shortcode, grossMinor: 10_000n, said });
		const { id: profileId } = await getProfile(db, "mobile_money");
		const token = await inTenant(db, tenantId(), (tx) =>
			issueCallbackToken(
				tx,
				{
					...{ tenantId: tenantId(), profileId, route: "b2b-result" },
					...{ objectKind: "payout", objectId: payout.id, expiresAt: new Date(Date.now() + 60_000) },
				},
				new Date(),
			),
		);
		const Result = {
			...{ ResultCode: "0", OriginatorConversationID: payout.reference, TransactionID: "QKA81LK5CY" },
			ResultParameters: { ResultParameter: [{ Key: "DebitPartyCharges", Value: charges }] },
		};
		const url = `/webhooks/mobilemoney/b2b-result/${profileId}/${token}`;
		await till.call({ method: "POST", url, body: { Result } });
		await till.service.jobs.runDue();
		expect(await getPayout(db, payout)).toMatchObject({ status: "paid", feeMinor: null });
		expect(await linesOf(payout.id)).toEqual([["amount", "payout_paid", -10_000]]);
	},
);
