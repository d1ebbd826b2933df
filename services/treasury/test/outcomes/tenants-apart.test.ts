import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { newReceiptNumber } from "../receive.ts";
import { type Callback, callbackOf, chargeOf, confirmationOf, openCounter, type Prompt } from "./counter.ts";
import { rowsOf } from "./rows-of.ts";
import { findBroken } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 120_000n;

type Side = { tenantId: string; code: string; push: Prompt; paid: Prompt; card: Prompt };

/** A tenant with an open prompt, a paid one, and an open checkout. */
async function openSide(): Promise<Side> {
	const tenantId = await counter.tenant();
	const intent = await counter.open(tenantId, { payee: "tenant", amountMinor });
	const [push, paid] = [await counter.prompt(intent), await counter.prompt(intent)];
	for (const prompt of [push, paid]) await counter.say(prompt, "answer", { kind: "accepted", ...prompt.ids });
	await counter.deliver(callbackOf(paid, 0));
	const card = await counter.prompt(intent, amountMinor, "checkout");
	return { tenantId, code: intent.accountCode, push, paid, card };
}

const pick = fc.constantFrom("ours", "theirs", "unknown");
type Picked = typeof pick extends fc.Arbitrary<infer T> ? T : never;
/** Where each value of a statement comes from; its token or reference is always ours. */
const wiring = fc.record({
	by: fc.constantFrom("callback", "charge", "confirmation"),
	...{ isOpen: fc.boolean(), code: fc.constantFrom(0, 1032), shortcode: pick },
	...{ checkout: pick, merchant: pick, receipt: pick, phone: pick, account: pick, tenant: pick },
});
type Wiring = typeof wiring extends fc.Arbitrary<infer T> ? T : never;

test("evidence of one tenant changes no row of another one, however its values are crossed (I15)", async () => {
	const property = fc.asyncProperty(wiring, async (given) => {
		const [ours, theirs] = [await openSide(), await openSide()];
		const before = await rowsOf(counter.db, theirs.tenantId);
		expect(Object.keys(before)).toEqual(
			expect.arrayContaining(["attempts", "journals", "postings", "locators"]),
		);
		// A receipt that another tenant has is refused: the delivery fails, and would be tried again.
		await counter.deliver(cross(given, ours, theirs)).catch((error) => {
			expect(error.name).toBe("ReceiptKnown");
		});
		const after = await rowsOf(counter.db, theirs.tenantId);
		expect(isHint(given) ? { ...after, ...saidIn(before) } : after).toEqual(before);
		for (const { tenantId } of [ours, theirs]) expect(await findBroken(counter, tenantId)).toEqual([]);
	});
	await fc.assert(property, { numRuns: 40, endOnFailure: true });
}, 120_000);

/** A confirmation with our token that names their shortcode is recorded there as not verified. */
const isHint = ({ by, shortcode }: Wiring): boolean => by === "confirmation" && shortcode === "theirs";
const saidIn = ({ receipts, evidence }: Record<string, string>) => ({ receipts, evidence });

function cross(given: Wiring, ours: Side, theirs: Side): Callback {
	const choose = <T>(by: Picked, of: (side: Side) => T, other: T): T =>
		by === "unknown" ? other : of(by === "ours" ? ours : theirs);
	const metadata = {
		tenant_id: choose(given.tenant, ({ tenantId }) => tenantId, "none"),
		account: choose(given.account, ({ code }) => code, "X"),
	};
	const own = given.isOpen ? ours.push : ours.paid;
	const receipt = choose(given.receipt, ({ paid }) => paid.receipt, newReceiptNumber());
	const phone = choose(given.phone, ({ push }) => String(push.attempt.phone), "254700000000");
	if (given.by === "confirmation") {
		const shortcode = choose(given.shortcode, ({ push }) => push.attempt.shortcode, "999999");
		const prompt = { ...own, attempt: { ...own.attempt, shortcode } };
		return confirmationOf(prompt, { receipt, phone, account: metadata.account });
	}
	if (given.by === "charge") {
		const id = choose(given.receipt, ({ card }) => card.transactionId, 7);
		const { body } = chargeOf({ ...ours.card, transactionId: id });
		const { event, data } = body as { event: string; data: object };
		return { route: "cardgateway", body: { event, data: { ...data, metadata } } };
	}
	return callbackOf(
		{
			...{ ...own, receipt, attempt: { ...own.attempt, phone } },
			ids: {
				checkoutRequestId: choose(given.checkout, ({ push }) => push.ids.checkoutRequestId, "ws_CO_0"),
				merchantRequestId: choose(given.merchant, ({ push }) => push.ids.merchantRequestId, "1-1-1"),
			},
		},
		given.code,
	);
}
