import { randomInt, randomUUID } from "node:crypto";
import { InvalidEvent } from "@lango/events";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import { askForBill } from "../../src/billing/ask-for-bill.ts";
import { withdrawBill } from "../../src/billing/withdraw-bill.ts";
import { countPlaced } from "../../src/charges/count-placed.ts";
import { lockOperation } from "../../src/payments/intent.store.ts";
import { addCardSubscription } from "../cards/add-card-subscription.ts";
import { findViolations } from "../ledger/invariants.ts";
import { callbackOf, openCounter } from "./counter.ts";
import { findBroken } from "./state.ts";

const counter = setUp(openCounter);
const sourceService = "subscriptions";

const amount = fc.constantFrom(30_000, 60_050, 90_000, 120_000);
const kind = fc.constantFrom("checkout", "change", "renewal", "overage");
const operation = fc.nat(3);
/** What happens to one of four operations of a tenant. */
const step = fc.oneof(
	fc.record({ is: fc.constant("asked" as const), operation, kind, amount }),
	fc.record({ is: fc.constant("withdrawn" as const), operation }),
	fc.record({ is: fc.constant("paid" as const), operation, amount }),
	// The card of the billing method is charged, at some price, and the charge arrives once or twice.
	fc.record({
		is: fc.constant("charged" as const),
		operation,
		amount,
		times: fc.integer({ min: 1, max: 2 }),
	}),
);
type Step = typeof step extends fc.Arbitrary<infer T> ? T : never;

test("a bill is paid by at most one payment of exactly its amount, and what was received is income or unapplied, also of cards that are charged before, after, twice or at another price (I25, I22)", async () => {
	const property = fc.asyncProperty(fc.array(step, { minLength: 3, maxLength: 14 }), async (steps) => {
		const tenantId = await counter.tenant();
		const { keys, clock } = counter;
		const card = await inTenant(counter.db, tenantId, (tx) =>
			addCardSubscription(tx, { tenantId, payee: "platform", keys, now: clock.now }),
		);
		const operations = Array.from({ length: 4 }, () => ({ id: randomUUID(), asked: 0 }));
		for (const one of steps) {
			counter.clock.now = new Date(counter.clock.now.getTime() + 1_000);
			const named = operations[one.operation] ?? { id: "", asked: 0 };
			await (one.is === "charged" ? charge(tenantId, card, one) : take(tenantId, one, named));
			expect(await findBroken(counter, tenantId)).toEqual([]);
		}
	});
	await fc.assert(property, { numRuns: 40, endOnFailure: true });
	expect(await findViolations(counter)).toEqual([]);
}, 120_000);

/** Counts a charge of the card subscription, as often as its event arrives. */
async function charge(
	tenantId: string,
	subscriptionId: string,
	{ amount: minor, times }: Step & { is: "charged" },
): Promise<void> {
	const { keys, clock } = counter;
	const receipt = String(randomInt(2 ** 40));
	const charged = { kind: "paid", amountMinor: BigInt(minor), currency: "KES", channel: "card" } as const;
	for (let time = 0; time < times; time += 1)
		await inTenant(counter.db, tenantId, (tx) =>
			countPlaced(tx, {
				...{ place: { tenantId, subscriptionId }, origin: noOrigin, keys, now: clock.now },
				...{ source: "delivery", sourceId: undefined },
				charge: { ...charged, receipt, reference: receipt, paidAt: clock.now, payerMasked: undefined },
			}),
		);
}

const noOrigin = {
	...{ planCode: undefined, customerCode: undefined, pageToken: undefined },
	...{ email: undefined, card: undefined },
};

type Operation = { id: string; asked: number };

async function take(
	tenantId: string,
	one: Exclude<Step, { is: "charged" }>,
	operation: Operation,
): Promise<void> {
	if (one.is === "asked") return ask(tenantId, one, operation);
	const { now } = counter.clock;
	if (one.is === "withdrawn")
		return inTenant(counter.db, tenantId, (tx) =>
			withdrawBill(tx, { tenantId, sourceService, operationId: operation.id }, now),
		);
	const intent = await inTenant(counter.db, tenantId, (tx) =>
		lockOperation(tx, { sourceService, operationId: operation.id }),
	);
	// The prompt may have been sent before the bill was closed.
	if (intent !== undefined)
		await counter.deliver(callbackOf(await counter.prompt(intent, BigInt(one.amount)), 0));
}

/** Asks for an operation, once more if it was asked for before. Another amount is refused. */
async function ask(tenantId: string, one: Step & { is: "asked" }, operation: Operation): Promise<void> {
	const { now } = counter.clock;
	const asked = {
		...{ operation_id: operation.id, tenant_id: tenantId, kind: one.kind, attempt: operation.asked + 1 },
		...{ amount_minor: one.amount, currency: "KES", sourceService, description: "Lango plan", askedAt: now },
		expiresAt: new Date(now.getTime() + 86_400_000),
	};
	const parts = {
		...{ now: () => now, keys: counter.keys },
		settings: { consoleUrl: "https://console.lango.example" },
	};
	await inTenant(counter.db, tenantId, (tx) => askForBill(tx, parts, asked)).then(
		() => {
			operation.asked += 1;
		},
		(error) => {
			if (!(error instanceof InvalidEvent)) throw error;
		},
	);
}
