import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import { callbackOf, confirmationOf, openCounter, paidByQuery } from "./counter.ts";
import { stateOf } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 120_000n;

async function newPrompt() {
	const tenantId = await counter.tenant();
	return {
		tenantId,
		prompt: await counter.prompt(await counter.open(tenantId, { payee: "tenant", amountMinor })),
	};
}

test("if a callback shows that a query and a confirmation counted one payment, that is an exception, once", async () => {
	const { tenantId, prompt } = await newPrompt();
	const { attempt, receipt } = prompt;
	const phone = attempt.phone?.endsWith("1") ? "254712000002" : "254712000001";
	await counter.say(prompt, "query", paidByQuery);
	await counter.deliver(confirmationOf({ ...prompt, attempt: { ...attempt, phone } }, { account: "" }));
	for (const turn of [1, 2]) await counter.deliver(callbackOf(prompt, 0, turn));
	const raised = await counter.db.query("select class, ours, theirs from exceptions where subject = $1", [
		attempt.reference,
	]);
	expect(raised).toMatchObject([
		{
			class: "duplicate",
			ours: { tenant_id: tenantId, attempt_id: attempt.id, amount_minor: 120_000 },
			theirs: { receipt, amount_minor: 120_000, currency: "KES" },
		},
	]);
	const { receipts, payments } = await stateOf(counter, tenantId);
	expect(payments).toEqual([120_000]);
	expect(receipts).toEqual([
		{ receipt: null, amount: 120_000, allocated: 120_000 },
		{ receipt, amount: 120_000, allocated: 0 },
	]);
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
