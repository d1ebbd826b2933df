import { createHash } from "node:crypto";
import { setTimeout as sleep } from "node:timers/promises";
import { type Database, inTenant } from "@lango/postgres";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import type { Exception } from "../../src/exceptions/exception.ts";
import { raiseException } from "../../src/exceptions/raise-exception.ts";
import { lockAvailable } from "../../src/ledger/available.store.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import type { ShortcodeMoney } from "../../src/outcomes/evidence/evidence.ts";
import { lockReturnable } from "../../src/outcomes/refunds/lock-returnable.ts";
import { lockCounter } from "../../src/receipts/fitting-receipt.store.ts";
import { findReceipt, lockReceiptByNumber } from "../../src/receipts/receipt.store.ts";
import type { Receipt } from "../../src/receipts/receipt.ts";
import { approveAdjustment } from "../../src/reconciliation/adjust.ts";
import { resolveException } from "../../src/reconciliation/resolve-exception.ts";
import { lockLineState } from "../../src/settlements/settlement-line.store.ts";
import type { Treasury } from "../../src/treasury.ts";
import { addTrade, charge } from "../receive.ts";
import { confirmationOf, openCounter, type Prompt, paidByQuery } from "./counter.ts";
import { storeLine } from "./settle-charge.ts";

const counter = setUp(openCounter);
const amountMinor = 50_000n;

const about = { sourceId: undefined, at: new Date("2027-03-01T08:01:00Z") };

type Work = (tx: Database) => Promise<unknown>;
const inside = (tenantId: string, work: Work) => inTenant(counter.db, tenantId, work);
/** Longer than `deadlock_timeout`: only the transaction that starts to wait last can be ended. */
const checkedMs = 1_300;

/**
 * Starts transactions that nothing repeats, one after the other, while `lock` holds what the first one waits
 * for, each once those before it wait. Returns how each ended: the code of its error, or `done`.
 */
async function race(tenantId: string, lock: Work, works: ReadonlyArray<() => Promise<unknown>>) {
	const [held, freed] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const holding = inside(tenantId, async (tx) => {
		await lock(tx);
		held.resolve();
		await freed.promise;
	});
	await Promise.race([held.promise, holding]);
	const started: Array<Promise<string>> = [];
	for (const [before, work] of works.entries()) {
		started.push(work().then(() => "done", codeOf));
		await waitForBlockedQueries(counter.db, { count: before + 1 });
	}
	await sleep(checkedMs);
	freed.resolve();
	await holding;
	return Promise.all(started);
}

const codeOf = (error: Error & { code?: string }): string => error.code ?? error.message;

async function chargeByCard(): Promise<Receipt> {
	const tenantId = await counter.tenant();
	return charge(counter.db, await addTrade(counter.db, tenantId));
}

test("a settlement that corrects the fee of a payment does not wait for a refund that waits for its receipt", async () => {
	const receipt = await chargeByCard();
	const { tenantId, id } = receipt;
	const settled = await storeLine(counter, receipt, receipt.feeMinor + 1n);
	const holdPayment: Work = (tx) =>
		tx.query("select from payments where tenant_id = $1 and receipt_id = $2 for no key update", [
			tenantId,
			id,
		]);
	const ends = await race(tenantId, holdPayment, [
		() => inside(tenantId, (tx) => applyOutcome(tx, settled)),
		() => inside(tenantId, (tx) => lockReturnable(tx, tenantId, id)),
	]);
	expect(ends).toEqual(["done", "done"]);
});

// The other transaction does what a refund does, which holds the payment of a bill that another receipt paid.
test("a settlement locks all payments of its receipt before what is available", async () => {
	const tenantId = await counter.tenant();
	const trade = await addTrade(counter.db, tenantId);
	const receipt = await charge(counter.db, trade, { amountMinor: 2n * trade.amountMinor });
	const { id: receiptId } = receipt;
	const { id: intentId } = await addTrade(counter.db, tenantId);
	const asked = { amountMinor: undefined, seenMinor: undefined, takenFrom: undefined };
	const allocation = { receiptId, intentId, ...asked };
	await inside(tenantId, (tx) => applyOutcome(tx, { ...about, tenantId, allocation, source: "operator" }));
	const settled = await storeLine(counter, receipt, receipt.feeMinor + 1n);
	const holdSecond: Work = (tx) =>
		tx.query("select from payments where tenant_id = $1 and intent_id = $2 for no key update", [
			...[tenantId, intentId],
		]);
	const ends = await race(tenantId, holdSecond, [
		() =>
			inside(tenantId, async (tx) => {
				await holdSecond(tx);
				await lockAvailable(tx, tenantId);
			}),
		() => inside(tenantId, (tx) => applyOutcome(tx, settled)),
	]);
	expect(ends).toEqual(["done", "done"]);
});

test("a dispute that is won at once does not wait for what is said of the attempt and waits for its receipt", async () => {
	const tenantId = await counter.tenant();
	const trade = await addTrade(counter.db, tenantId);
	const receipt = await charge(counter.db, trade, { currency: "USD" });
	const { id: receiptId, attemptId, currency } = receipt;
	const gatewayId = receipt.receipt ?? "";
	const ends = await race(tenantId, (tx) => lockAvailable(tx, tenantId), [
		() =>
			inside(tenantId, (tx) =>
				applyOutcome(tx, {
					...{ ...about, tenantId, receiptId, source: "delivery" },
					dispute: {
						...{ gatewayId, status: "won", resolution: null, category: null },
						...{ amountMinor: receipt.amountMinor, dueAt: undefined },
					},
				}),
			),
		() =>
			inside(tenantId, (tx) =>
				applyOutcome(tx, {
					...{ ...about, tenantId, attemptId: attemptId ?? "", source: "query" },
					said: { ...paidByQuery, currency, receipt: gatewayId },
				}),
			),
	]);
	expect(ends).toEqual(["done", "done"]);
});

/** Two prompts of one amount at a till; a query of the first took the confirmation of the second. */
async function promptTwo() {
	const tenantId = await counter.tenant();
	const prompt = async () => counter.prompt(await counter.open(tenantId, { payee: "tenant", amountMinor }));
	const [first, second] = [await prompt(), await prompt()];
	const phone = createHash("sha256").update(String(second.attempt.phone)).digest("hex");
	await counter.deliver(confirmationOf(second, { account: "", phone }));
	await counter.say(first, "query", paidByQuery);
	const money: ShortcodeMoney = {
		...{ receipt: first.receipt, shortcode: first.attempt.shortcode ?? "", custody: "tenant", amountMinor },
		...{ currency: "KES", accountRef: null, payerMasked: null, paidAt: counter.clock.now },
	};
	return { tenantId, first, money };
}

const call = ({ attempt: { tenantId, id: attemptId }, receipt }: Prompt) =>
	inside(tenantId, (tx) =>
		applyOutcome(tx, {
			...{ ...about, tenantId, attemptId, source: "delivery" },
			said: { ...paidByQuery, amountMinor, receipt },
		}),
	);

const confirm = (tenantId: string, money: ShortcodeMoney, isTrusted = true) =>
	inside(tenantId, (tx) =>
		applyOutcome(tx, { ...about, tenantId, intentId: undefined, source: "delivery", isTrusted, money }),
	);

test("a callback that takes its number from a guess does not wait for what may be any prompt's after it has the number", async () => {
	const { tenantId, first, money } = await promptTwo();
	const ends = await race(tenantId, (tx) => lockCounter(tx, money), [
		() => confirm(tenantId, money),
		() => call(first),
	]);
	expect(ends).toEqual(["done", "done"]);
});

test("a confirmation of what was only said before waits for guesses before it locks its receipt", async () => {
	const { tenantId, first, money } = await promptTwo();
	await confirm(tenantId, money, false);
	const ends = await race(tenantId, (tx) => lockCounter(tx, money), [
		() => call(first),
		() => confirm(tenantId, money),
	]);
	expect(ends).toEqual(["done", "done"]);
});

// No transaction of the service locks this receipt after the counter. The other one here does.
test("a question waits for what may be any prompt's before it locks what its account code names", async () => {
	const tenantId = await counter.tenant();
	const prompt = await counter.prompt(await counter.open(tenantId, { payee: "tenant", amountMinor }));
	await counter.deliver(confirmationOf(prompt));
	const money = { shortcode: prompt.attempt.shortcode ?? "", amountMinor };
	const attemptId = prompt.attempt.id;
	const ends = await race(tenantId, (tx) => lockCounter(tx, money), [
		() =>
			inside(tenantId, async (tx) => {
				await lockCounter(tx, money);
				await lockReceiptByNumber(tx, { gateway: "mobile_money", receipt: prompt.receipt });
			}),
		() =>
			inside(tenantId, (tx) =>
				applyOutcome(tx, { ...about, tenantId, attemptId, source: "query", said: paidByQuery }),
			),
	]);
	expect(ends).toEqual(["done", "done"]);
});

const domain = () => ({ db: counter.db, now: () => counter.clock.now }) as Treasury;
const operator = (id: string) => ({ actor: { kind: "user", id } }) as const;

type Raised = Pick<Exception, "class" | "subject"> & Partial<Exception>;

/** Raises an exception about a charge, and returns its id. */
async function raise({ amountMinor: moved, currency }: Receipt, raised: Raised): Promise<string> {
	const { class: of, subject } = raised;
	await counter.db.transaction((tx) =>
		raiseException(tx, {
			...{ amountMinor: moved, currency, ours: {}, theirs: {}, ...raised, now: counter.clock.now },
		}),
	);
	const [row] = await counter.db.query<{ id: string }>(
		"select id from exceptions where class = $1 and subject = $2",
		[of, subject],
	);
	return row?.id ?? "";
}

test("a late charge that two operators let count as settled does not wait for its settlement with its exception locked", async () => {
	const receipt = await chargeByCard();
	const { tenantId, id: receipt_id } = receipt;
	const settled = await storeLine(counter, receipt, receipt.feeMinor);
	const proposed = { tenant_id: tenantId, purpose: "variance", receipt_id, lines: [] } as const;
	const late = await raise(receipt, { class: "late", subject: `charge ${receipt.receipt}`, proposed });
	const posted = { as: "posted", because: "A test.", receiptIds: [], by: operator("amina") } as const;
	const { adjustmentId = "" } = await resolveException(domain(), late, posted);
	const ends = await race(tenantId, (tx) => lockLineState(tx, settled.line.id), [
		() => inside(tenantId, (tx) => applyOutcome(tx, settled)),
		() => approveAdjustment(domain(), adjustmentId, operator("brian")),
	]);
	expect(ends).toEqual(["done", "exception_closed"]);
});

test("an operator who decides about a line waits for it before its exception, as its settlement does, and the decision stays", async () => {
	const receipt = await chargeByCard();
	const { tenantId } = receipt;
	const settled = await storeLine(counter, receipt, receipt.feeMinor);
	const { transactionId: subject, id: lineId, settlementId } = settled.line;
	const missing = await raise(receipt, { class: "missing_here", subject, lineId, settlementId });
	const waived = { as: "waived", because: "A test.", receiptIds: [], by: operator("amina") } as const;
	const holdException: Work = (tx) => tx.query("select from exceptions where id = $1 for update", [missing]);
	const ends = await race(tenantId, holdException, [
		() => resolveException(domain(), missing, waived),
		() => inside(tenantId, (tx) => applyOutcome(tx, settled)),
	]);
	expect(ends).toEqual(["done", "done"]);
	expect(await inside(tenantId, (tx) => lockLineState(tx, lineId))).toBe("waived");
	expect(await inside(tenantId, (tx) => findReceipt(tx, receipt.id))).toMatchObject({ settledAt: null });
});
