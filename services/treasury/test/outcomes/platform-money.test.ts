import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { StoredIntent } from "../../src/payments/intent.store.ts";
import { findViolations } from "../ledger/invariants.ts";
import { callbackOf, openCounter, type Prompt, paidByQuery } from "./counter.ts";
import { findBroken, stateOf } from "./state.ts";

// Money that came to the platform's shortcode and names no intent there waits with the platform owner.

const counter = setUp(openCounter);
const amountMinor = 100_000n;
let ownerId: string;
beforeAll(async () => {
	ownerId = await counter.tenant();
});

const openBill = async () => {
	const tenantId = await counter.tenant();
	return counter.open(tenantId, { payee: "platform", amountMinor });
};

/**
 * The gateway confirms the money of a prompt to its shortcode; without an intent, of the platform owner.
 */
const confirm = ({ receipt, attempt }: Prompt, named?: StoredIntent): Promise<void> => {
	const tenantId = named?.tenantId ?? ownerId;
	const money = {
		...{ receipt, shortcode: String(attempt.shortcode), custody: "platform" as const, amountMinor },
		...{ currency: "KES", accountRef: named?.accountCode ?? null, payerMasked: null },
		paidAt: counter.clock.now,
	};
	const about = { tenantId, intentId: named?.id, isTrusted: true, source: "delivery" as const };
	return inTenant(counter.db, tenantId, (tx) =>
		applyOutcome(tx, { ...about, sourceId: undefined, money, at: counter.clock.now }),
	);
};

/** Where a number is counted, and how much of it is used there. */
const placesOf = (receipt: string) =>
	counter.read(
		"select tenant_id as tenant, allocated_minor::int as allocated from receipts where receipt = $1",
		[receipt],
	);

test.each(["before", "after"])(
	"a prompt that was live while the platform changed its shortcode is paid once, also if its confirmation names no intent any more and comes %s the callback",
	async (order) => {
		const bill = await openBill();
		const prompt = await counter.prompt(bill);
		if (order === "before") await confirm(prompt);
		for (const again of [1, 2]) await counter.deliver(callbackOf(prompt, 0, again));
		if (order === "after") await confirm(prompt);
		expect(await placesOf(prompt.receipt)).toEqual([{ tenant: bill.tenantId, allocated: 100_000 }]);
		expect(await stateOf(counter, bill.tenantId)).toMatchObject({
			...{ intents: [{ status: "succeeded" }], attempts: [{ status: "succeeded" }], payments: [100_000] },
			balances: {},
		});
	},
);

/** What all shortcodes of the platform received, by the ledger. */
const floats = async () =>
	Object.entries(await counter.balances())
		.filter(([code]) => code.startsWith("mm.float."))
		.reduce((sum, [, minor]) => sum + minor, 0);

test.each(["confirmation", "callback"])(
	"a prompt that a query finds paid, and whose number waits with the platform owner, is counted once when a %s names it",
	async (by) => {
		const bill = await openBill();
		const prompt = await counter.prompt(bill);
		const before = await floats();
		await counter.say(prompt, "query", paidByQuery);
		await confirm(prompt);
		for (const again of [1, 2])
			await (by === "callback" ? counter.deliver(callbackOf(prompt, 0, again)) : confirm(prompt, bill));
		expect(await placesOf(prompt.receipt)).toEqual([{ tenant: bill.tenantId, allocated: 100_000 }]);
		expect(await stateOf(counter, bill.tenantId)).toMatchObject({ payments: [100_000], balances: {} });
		expect((await floats()) - before).toBe(100_000);
		expect(await counter.db.query("select from exceptions where subject = $1", [prompt.receipt])).toEqual([]);
		expect(await findBroken(counter, bill.tenantId)).toEqual([]);
		expect(await findViolations(counter)).toEqual([]);
	},
);

/** The platform owner uses the money of a prompt for another bill than the prompt's. */
async function useFor(used: StoredIntent, { receipt }: Prompt): Promise<string> {
	const [waiting] = await counter.read("select id from receipts where receipt = $1", [receipt]);
	const receiptId = String(waiting?.["id"]);
	const allocation = {
		...{ receiptId, intentId: used.id, takenFrom: ownerId, amountMinor: undefined, seenMinor: undefined },
	};
	await inTenant(counter.db, used.tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId: used.tenantId, allocation, source: "operator", sourceId: "operator" },
			at: counter.clock.now,
		}),
	);
	return receiptId;
}

test.each(["confirmation", "callback"])(
	"a %s of another tenant than the platform owner used the money for changes no balance and raises one exception",
	async (by) => {
		const [named, used] = [await openBill(), await openBill()];
		const prompt = await counter.prompt(named);
		await confirm(prompt);
		const receiptId = await useFor(used, prompt);
		const { balances, payments } = await stateOf(counter, named.tenantId);
		for (const turn of [1, 2])
			await (by === "callback" ? counter.deliver(callbackOf(prompt, 0, turn)) : confirm(prompt, named));
		expect(await stateOf(counter, named.tenantId)).toMatchObject({ balances, payments });
		expect(await placesOf(prompt.receipt)).toEqual([{ tenant: used.tenantId, allocated: 100_000 }]);
		expect(
			await counter.db.query("select class, ours, theirs from exceptions where subject = $1", [
				prompt.receipt,
			]),
		).toEqual([
			{
				class: "duplicate",
				ours: expect.objectContaining({ tenant_id: used.tenantId, receipt_id: receiptId }),
				theirs: expect.objectContaining({ tenant_id: named.tenantId, intent_id: named.id }),
			},
		]);
	},
);
