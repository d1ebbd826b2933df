import { setUp } from "@lango/testkit/set-up";
import fc from "fast-check";
import { expect, test } from "vitest";
import type { Payee } from "../../src/payments/intent.ts";
import { findViolations } from "../ledger/invariants.ts";
import {
	type Counter,
	callbackOf,
	chargeOf,
	confirmationOf,
	openCounter,
	type Prompt,
	paidByQuery,
	paidByVerifying,
} from "./counter.ts";
import { findBroken, type State, stateOf } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 120_000n;
const amount = Number(amountMinor);

/** What the gateway says about one prompt, in words. */
const statements = {
	accepted: (to: Counter, prompt: Prompt) => to.say(prompt, "answer", { kind: "accepted", ...prompt.ids }),
	"no answer": (to: Counter, prompt: Prompt) =>
		to.say(prompt, "answer", { kind: "unknown", because: "reset" }),
	"paid, by callback": (to: Counter, prompt: Prompt, turn: number) => to.deliver(callbackOf(prompt, 0, turn)),
	confirmed: (to: Counter, prompt: Prompt, turn: number) =>
		to.deliver(confirmationOf(prompt, { again: turn })),
	/** Of a till. The platform has a paybill. */
	"confirmed without account": (to: Counter, prompt: Prompt, turn: number) =>
		to.deliver(confirmationOf(prompt, { again: turn, ...(prompt.payee === "tenant" && { account: "" }) })),
	/** A payment of its own, of the same amount from the same phone. */
	"code typed beside it": (to: Counter, prompt: Prompt, turn: number) =>
		to.deliver(confirmationOf(prompt, { again: turn, receipt: `TYPED${prompt.receipt}` })),
	"paid, by query": (to: Counter, prompt: Prompt) => to.say(prompt, "query", paidByQuery),
	"no answer of the payer, by callback": (to: Counter, prompt: Prompt, turn: number) =>
		to.deliver(callbackOf(prompt, 1037, turn)),
	"cancelled, by callback": (to: Counter, prompt: Prompt, turn: number) =>
		to.deliver(callbackOf(prompt, 1032, turn)),
	"cancelled, by query": (to: Counter, prompt: Prompt) =>
		to.say(prompt, "query", { kind: "cancelled", code: "1032" }),
	"paid, by event": (to: Counter, prompt: Prompt, turn: number) => to.deliver(chargeOf(prompt, turn)),
	"paid, by verifying": (to: Counter, prompt: Prompt) => to.say(prompt, "query", paidByVerifying(prompt)),
	"declined, by verifying": (to: Counter, prompt: Prompt) =>
		to.say(prompt, "query", { kind: "failed", code: "failed" }),
	"not known for a day": (to: Counter, prompt: Prompt) => to.say(prompt, "query", { kind: "expired" }),
} as const;
type Word = keyof typeof statements;

const preliminary: readonly Word[] = ["accepted", "no answer"];
/** What may be said of a prompt or a checkout by its end: one of `sure` at least, and anything else. */
const saidBy = {
	push: {
		paid: {
			sure: ["paid, by callback", "paid, by query"],
			else: [
				...preliminary,
				...(["confirmed", "confirmed without account"] as const),
				...(["no answer of the payer, by callback", "not known for a day"] as const),
			],
		},
		cancelled: {
			sure: ["cancelled, by callback", "cancelled, by query"],
			else: [...preliminary, "not known for a day"],
		},
	},
	checkout: {
		paid: {
			sure: ["paid, by event", "paid, by verifying"],
			else: [...preliminary, "declined, by verifying", "not known for a day"],
		},
		cancelled: { sure: ["declined, by verifying"], else: [...preliminary, "not known for a day"] },
	},
} as const satisfies Record<Way, Record<End, { sure: readonly Word[]; else: readonly Word[] }>>;
/** A query does not distinguish a prompt from what was typed beside it: the number of each is said. */
const typedBeside = {
	paid: {
		sure: ["paid, by callback", "code typed beside it"],
		else: [...saidBy.push.paid.else, "paid, by query"],
	},
	cancelled: { sure: ["cancelled, by callback", "code typed beside it"], else: preliminary },
} as const satisfies Record<End, { sure: readonly Word[]; else: readonly Word[] }>;
type Way = "push" | "checkout";
type End = "paid" | "cancelled";

/** A statement is made this many seconds after the one before: the whole is within the life of a token. */
type Said = { word: Word; turn: number; afterSeconds: number };

/** Some of what may be said about a prompt, each up to five times, in a random order with pauses. */
const evidenceOf = (end: End, way: Way = "push", isTyped = false): fc.Arbitrary<Said[]> => {
	const { sure, else: others } = isTyped ? typedBeside[end] : saidBy[way][end];
	const repeated = (words: readonly Word[], minLength: number) =>
		fc
			.subarray([...words], { minLength })
			.chain((some) =>
				fc.tuple(...some.map((word) => fc.integer({ min: 1, max: 5 }).map((times) => ({ word, times })))),
			);
	return fc
		.tuple(repeated(sure, isTyped ? sure.length : 1), repeated(others, 0))
		.map(([some, more]) =>
			[...some, ...more].flatMap(({ word, times }) =>
				Array.from({ length: times }, (_, turn) => ({ word, turn })),
			),
		)
		.chain((all) =>
			fc.tuple(
				fc.shuffledSubarray(all, { minLength: all.length }),
				fc.array(fc.constantFrom(0, 1, 600, 7_000), { minLength: all.length, maxLength: all.length }),
			),
		)
		.map(([all, pauses]) => all.map((one, index) => ({ ...one, afterSeconds: pauses[index] ?? 0 })));
};

async function listen(said: readonly Said[], promptOf: (index: number) => Prompt): Promise<void> {
	for (const [index, { word, turn, afterSeconds }] of said.entries()) {
		counter.clock.now = new Date(counter.clock.now.getTime() + afterSeconds * 1_000);
		await statements[word](counter, promptOf(index), turn);
	}
}

const balancesAfter: Readonly<Record<Way, Readonly<Record<Payee, Record<string, number>>>>> = {
	push: { tenant: { "mm.float.own": amount, "tenant.mobile": amount }, platform: {} },
	checkout: { tenant: { "tenant.pending": amount, "tenant.fees_due": 3_800 }, platform: {} },
};

const failed: Readonly<Record<Way, State["attempts"][number]>> = {
	push: { status: "cancelled", failure_code: "1032" },
	checkout: { status: "failed", failure_code: "failed" },
};

const unpaid = (way: Way): State => ({
	intents: [{ status: "requires_payment", received: 0 }],
	...{ attempts: [failed[way]], receipts: [], payments: [], balances: {} },
});

const paid = (way: Way, payee: Payee, receipt: string | null): State => ({
	intents: [{ status: "succeeded", received: amount }],
	attempts: [{ status: "succeeded", failure_code: null }],
	receipts: [{ receipt, amount, allocated: amount }],
	...{ payments: [amount], balances: balancesAfter[way][payee] },
});

const numbering: readonly Word[] = ["paid, by callback", "confirmed", "confirmed without account"];

/** A query of a prompt says no number of a receipt. */
function receiptOf(prompt: Prompt, said: readonly Said[]): string | null {
	if (prompt.attempt.channel !== "push") return String(prompt.transactionId);
	return said.some(({ word }) => numbering.includes(word)) ? prompt.receipt : null;
}

test.each<[Way, Payee]>([
	["push", "tenant"],
	["push", "platform"],
	["checkout", "tenant"],
	["checkout", "platform"],
])(
	"of a payment by %s to the %s every order, repetition, delay and loss of its evidence ends in the same state and ledger (I6, I7, I8, I14, I22)",
	async (way, payee) => {
		const story = fc
			.constantFrom<End>("paid", "paid", "cancelled")
			.chain((end) => evidenceOf(end, way).map((said) => ({ end, said })));
		const property = fc.asyncProperty(story, async ({ end, said }) => {
			const tenantId = await counter.tenant();
			const intent = await counter.open(tenantId, { payee, amountMinor });
			const prompt = await counter.prompt(intent, amountMinor, way);
			await listen(said, () => prompt);
			expect(await stateOf(counter, tenantId)).toEqual(
				end === "paid" ? paid(way, payee, receiptOf(prompt, said)) : unpaid(way),
			);
			expect(await findBroken(counter, tenantId)).toEqual([]);
		});
		await fc.assert(property, { numRuns: 20, endOnFailure: true });
		expect(await findViolations(counter)).toEqual([]);
	},
);

const share = fc.constantFrom(30_000n, 60_000n, 120_000n, 130_000n);
const promptStory = fc
	.tuple(fc.constantFrom<End>("paid", "paid", "cancelled"), share, fc.boolean())
	.chain(([end, asked, isTyped]) =>
		evidenceOf(end, "push", isTyped).map((said) => ({
			asked,
			said,
			receipts: Number(end === "paid") + Number(isTyped),
		})),
	);

test.each(["tenant", "platform"] as const)(
	"of several prompts for one debt to the %s, and codes typed beside them, each paid one is collected once, and what is too much is kept apart (I7, I8, I14, I22)",
	async (payee) => {
		const property = fc.asyncProperty(
			fc.array(promptStory, { minLength: 2, maxLength: 3 }),
			fc.infiniteStream(fc.nat()),
			async (stories, chance) => {
				const tenantId = await counter.tenant();
				const intent = await counter.open(tenantId, { payee, amountMinor });
				const prompts: Prompt[] = [];
				for (const { asked } of stories) prompts.push(await counter.prompt(intent, asked));
				const queues = stories.map(({ said }, index) => said.map((one) => ({ one, prompt: prompts[index] })));
				const mixed = mix(queues, () => Number(chance.next().value));
				await listen(
					mixed.map(({ one }) => one),
					(index) => mixed[index]?.prompt as Prompt,
				);
				const total = stories.reduce((sum, { asked, receipts }) => sum + asked * BigInt(receipts), 0n);
				const state = await stateOf(counter, tenantId);
				expect(state.receipts).toHaveLength(stories.reduce((sum, { receipts }) => sum + receipts, 0));
				expect([state.intents[0]?.received, state.balances]).toEqual(expectedMoney(payee, total));
				expect(await findBroken(counter, tenantId)).toEqual([]);
			},
		);
		await fc.assert(property, { numRuns: 20, endOnFailure: true });
		expect(await findViolations(counter)).toEqual([]);
	},
);

/** Puts the members of several lists into one, each list in its order. */
function mix<T>(lists: ReadonlyArray<readonly T[]>, chance: () => number): T[] {
	const left = lists.map((list) => [...list]);
	const mixed: T[] = [];
	for (let some = left; some.length > 0; some = left.filter(({ length }) => length > 0)) {
		const next = some[chance() % some.length]?.shift();
		if (next !== undefined) mixed.push(next);
	}
	return mixed;
}

/** A tenant's intent takes parts; a bill is paid in full or not at all. */
function expectedMoney(payee: Payee, total: bigint) {
	const taken = payee === "tenant" && total < amountMinor ? total : total < amountMinor ? 0n : amountMinor;
	const sums =
		payee === "tenant"
			? {
					"mm.float.own": Number(total),
					"tenant.mobile": Number(taken),
					"suspense.own": Number(total - taken),
				}
			: { unapplied: Number(total - taken) };
	return [Number(taken), Object.fromEntries(Object.entries(sums).filter(([, sum]) => sum !== 0))];
}
