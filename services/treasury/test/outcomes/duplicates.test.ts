import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { StoredIntent } from "../../src/payments/intent.store.ts";
import { findViolations } from "../ledger/invariants.ts";
import { callbackOf, confirmationOf, openCounter, type Prompt, paidByQuery } from "./counter.ts";
import { findBroken, stateOf } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 120_000n;

async function newPrompt() {
	const tenantId = await counter.tenant();
	return {
		tenantId,
		prompt: await counter.prompt(await counter.open(tenantId, { payee: "tenant", amountMinor })),
	};
}

async function expectSound(tenantId: string) {
	expect(await findBroken(counter, tenantId)).toEqual([]);
	expect(await findViolations(counter)).toEqual([]);
}

/** A prompt whose query and confirmation were counted apart: their phones disagree. */
async function countTwice() {
	const { tenantId, prompt } = await newPrompt();
	const { attempt, receipt } = prompt;
	const phone = attempt.phone?.endsWith("1") ? "254712000002" : "254712000001";
	await counter.say(prompt, "query", paidByQuery);
	await counter.deliver(confirmationOf({ ...prompt, attempt: { ...attempt, phone } }, { account: "" }));
	const [counted] = await inTenant(counter.db, tenantId, (tx) =>
		tx.query<{ id: string }>("select id from receipts where receipt = $1", [receipt]),
	);
	return { tenantId, prompt, receiptId: counted?.id ?? "" };
}

const exceptionsOf = ({ attempt }: Prompt) =>
	counter.db.query("select class, ours, theirs from exceptions where subject = $1", [attempt.reference]);

const allocatePart = ({ tenantId, id: intentId }: StoredIntent, receiptId: string) =>
	inTenant(counter.db, tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId, source: "operator", sourceId: undefined, at: counter.clock.now },
			allocation: { receiptId, intentId, amountMinor: 20_000n, seenMinor: undefined, takenFrom: undefined },
		}),
	);

test("if a callback shows that a query and a confirmation counted one payment, one of the two is taken out of the books (I7)", async () => {
	const { tenantId, prompt } = await countTwice();
	for (const turn of [1, 2]) await counter.deliver(callbackOf(prompt, 0, turn));
	await counter.deliver(confirmationOf(prompt, { account: "", again: 1 }));
	expect(await stateOf(counter, tenantId)).toMatchObject({
		...{ receipts: [{ receipt: prompt.receipt, amount: 120_000, allocated: 120_000 }], payments: [120_000] },
		balances: { "mm.float.own": 120_000, "tenant.mobile": 120_000 },
	});
	expect(await exceptionsOf(prompt)).toEqual([]);
	await expectSound(tenantId);
});

test("if something of the confirmation is used, that is an exception, once, and nothing more of it is allocated", async () => {
	const { tenantId, prompt, receiptId } = await countTwice();
	const { attempt, receipt } = prompt;
	const other = await counter.open(tenantId, { payee: "tenant", amountMinor });
	await allocatePart(other, receiptId);
	for (const turn of [1, 2]) await counter.deliver(callbackOf(prompt, 0, turn));
	expect(await exceptionsOf(prompt)).toMatchObject([
		{
			class: "duplicate",
			ours: { tenant_id: tenantId, attempt_id: attempt.id, amount_minor: 120_000 },
			theirs: { receipt, amount_minor: 120_000, currency: "KES" },
		},
	]);
	await expect(allocatePart(other, receiptId)).rejects.toMatchObject({
		code: "receipt_duplicate",
	});
	const { receipts, payments } = await stateOf(counter, tenantId);
	expect(payments).toEqual([20_000, 120_000]);
	expect(receipts).toEqual([
		{ receipt: null, amount: 120_000, allocated: 120_000 },
		{ receipt, amount: 120_000, allocated: 20_000 },
	]);
	await expectSound(tenantId);
});

test("money that lies in suspense with the code of the intent pays it when a query finds its prompt paid", async () => {
	const { tenantId, prompt } = await newPrompt();
	const { receipt, counter: at, attempt } = prompt;
	// As at a shortcode that the tenant has given up since the prompt.
	await inTenant(counter.db, tenantId, (tx) =>
		applyOutcome(tx, {
			...{ tenantId, intentId: undefined, isTrusted: true, source: "delivery", sourceId: undefined },
			money: {
				...{ receipt, shortcode: attempt.shortcode ?? "", custody: "tenant", amountMinor, currency: "KES" },
				...{ accountRef: at.accountCode, payerMasked: null, paidAt: counter.clock.now },
			},
			at: counter.clock.now,
		}),
	);
	expect((await stateOf(counter, tenantId)).balances).toMatchObject({ "suspense.own": 120_000 });
	await counter.say(prompt, "query", paidByQuery);
	expect(await stateOf(counter, tenantId)).toMatchObject({
		intents: [{ status: "succeeded", received: 120_000 }],
		receipts: [{ receipt, allocated: 120_000 }],
		balances: { "tenant.mobile": 120_000 },
	});
});
