import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { expireIntent } from "../../src/expiry/expire-intent.ts";
import { findViolations } from "../ledger/invariants.ts";
import {
	type Counter,
	callbackOf,
	confirmationOf,
	openCounter,
	type Prompt,
	paidByQuery,
} from "./counter.ts";
import { findBroken, stateOf } from "./state.ts";

const counter = setUp(openCounter);
const amountMinor = 120_000n;
/** The three most likely races are repeated more often than the others. */
const [often, less] = [100, 24];
/** As many at once as the service has connections for. */
const together = 4;

type Statement = (to: Counter, prompt: Prompt) => Promise<void>;
const paidByCallback: Statement = (to, prompt) => to.deliver(callbackOf(prompt, 0));
const askedAndPaid: Statement = (to, prompt) => to.say(prompt, "query", paidByQuery);
const accepted: Statement = (to, prompt) => to.say(prompt, "answer", { kind: "accepted", ...prompt.ids });
const failedByCallback: Statement = (to, prompt) => to.deliver(callbackOf(prompt, 1037));
const expired: Statement = (to, prompt) => to.say(prompt, "query", { kind: "expired" });
const confirmed: Statement = (to, prompt) => to.deliver(confirmationOf(prompt));
/** The confirmation of a till names no account; the platform has a paybill. */
const confirmedAtTill: Statement = (to, prompt) =>
	to.deliver(confirmationOf(prompt, prompt.payee === "tenant" ? { account: "" } : {}));
const typedOf = ({ receipt }: Prompt) => `TYPED${receipt}`;
const codeTyped: Statement = (to, prompt) => to.deliver(confirmationOf(prompt, { receipt: typedOf(prompt) }));
/** The time of the intent is over, while a payment may be on its way. */
const overdue: Statement = ({ db, clock }, { attempt: { tenantId, intentId } }) =>
	expireIntent({ db, now: () => new Date(clock.now.getTime() + 25 * 3_600_000) }, { tenantId, intentId });

test.each<[what: string, times: number, statements: readonly Statement[]]>([
	["a callback and a query", often, [paidByCallback, askedAndPaid]],
	["a callback, its repetition and the answer to the call", less, [paidByCallback, paidByCallback, accepted]],
	["a success and a failure that was sent before it", often, [paidByCallback, failedByCallback]],
	["a callback and the end of the time", less, [paidByCallback, overdue]],
	["a success that is asked for and the end of the questions", less, [expired, askedAndPaid, paidByCallback]],
	["a callback and the confirmation of its receipt", often, [paidByCallback, confirmed, confirmed]],
	["a callback and a confirmation without an account", less, [paidByCallback, confirmedAtTill]],
	["a query and a confirmation without an account", less, [askedAndPaid, confirmedAtTill]],
	[
		"a callback, a query and a confirmation without an account",
		less,
		[paidByCallback, askedAndPaid, confirmedAtTill],
	],
])(
	"%s at the same time, %i times, collect one payment",
	(_what, times, statements) => raceAll(statements, { times, isTyped: false }),
	120_000,
);

test.each<[what: string, times: number, statements: readonly Statement[]]>([
	["its callback and confirmation", less, [codeTyped, paidByCallback, confirmed]],
	["a query, its callback and confirmation", less, [codeTyped, askedAndPaid, paidByCallback, confirmed]],
])(
	"a code that is typed beside a prompt, and %s at the same time, %i times, are two receipts, each counted once",
	(_what, times, statements) => raceAll(statements, { times, isTyped: true }),
	120_000,
);

async function raceAll(
	statements: readonly Statement[],
	{ times, isTyped }: { times: number; isTyped: boolean },
): Promise<void> {
	const run = async (from: number) => {
		const tenantId = await counter.tenant();
		const prompts: Prompt[] = [];
		for (let turn = from; turn < times; turn += together)
			prompts.push(await race(tenantId, statements, turn));
		await expectCollected(tenantId, prompts, isTyped);
	};
	await Promise.all(Array.from({ length: together }, (_, from) => run(from)));
	expect(await findViolations(counter)).toEqual([]);
}

/** Makes the statements about one prompt at the same time, each time in another order. */
async function race(tenantId: string, statements: readonly Statement[], turn: number): Promise<Prompt> {
	const payee = turn % 8 < 4 ? "tenant" : "platform";
	const prompt = await counter.prompt(await counter.open(tenantId, { payee, amountMinor }));
	const first = turn % statements.length;
	await Promise.all(
		[...statements.slice(first), ...statements.slice(0, first)].map((say) => say(counter, prompt)),
	);
	return prompt;
}

async function expectCollected(tenantId: string, prompts: readonly Prompt[], isTyped: boolean) {
	const amount = Number(amountMinor);
	const receipts = prompts.flatMap((prompt) =>
		isTyped ? [prompt.receipt, typedOf(prompt)] : [prompt.receipt],
	);
	const state = await stateOf(counter, tenantId);
	expect(state).toMatchObject({
		intents: prompts.map(() => ({ status: "succeeded", received: amount })),
		attempts: prompts.map(() => ({ status: "succeeded" })),
		receipts: receipts.toSorted().map((receipt) => ({ receipt, amount })),
		payments: prompts.map(() => amount),
	});
	const byPayee = (payee: Prompt["payee"]) => prompts.filter((one) => one.payee === payee).length * amount;
	const { "suspense.own": suspense = 0, unapplied = 0 } = state.balances;
	expect({ suspense, unapplied }).toEqual({
		suspense: isTyped ? byPayee("tenant") : 0,
		unapplied: isTyped ? byPayee("platform") : 0,
	});
	expect(await findBroken(counter, tenantId)).toEqual([]);
}

test.each<[what: string, times: number, late: Statement]>([
	["a late callback", less, paidByCallback],
	["a late answer to a question", less, askedAndPaid],
	["a late confirmation", less, confirmed],
])(
	"%s and the expiry of an intent without a live prompt, %i times, count the money: a tenant's intent is paid, a bill is paid or the money is unapplied",
	async (_what, times, late) => {
		const tenants = await Promise.all(Array.from({ length: together }, () => counter.tenant()));
		const endLate = async (tenantId: string, turn: number) => {
			const payee = turn % 8 < 4 ? "tenant" : "platform";
			const intent = await counter.open(tenantId, { payee, amountMinor });
			const prompt = await counter.prompt(intent);
			await expired(counter, prompt);
			const both = turn % 2 === 0 ? [late, overdue] : [overdue, late];
			await Promise.all(both.map((say) => say(counter, prompt)));
			return payee;
		};
		const run = async (tenantId: string, from: number) => {
			const payees: string[] = [];
			for (let turn = from; turn < times; turn += together) payees.push(await endLate(tenantId, turn));
			const { intents, balances } = await stateOf(counter, tenantId);
			const unpaid = intents.filter(({ status, received }) => status === "expired" && received === 0);
			const ofTenants = payees.filter((payee) => payee === "tenant").length;
			expect(intents.filter(({ status }) => status === "succeeded")).toHaveLength(
				times / together - unpaid.length,
			);
			expect(balances["unapplied"] ?? 0).toBe(unpaid.length * Number(amountMinor));
			expect(balances["tenant.mobile"]).toBe(ofTenants * Number(amountMinor));
			expect(await findBroken(counter, tenantId)).toEqual([]);
		};
		await Promise.all(tenants.map(run));
		expect(await findViolations(counter)).toEqual([]);
	},
	120_000,
);
