import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test, vi } from "vitest";
import { startTreasuryProcesses } from "./treasury-processes.ts";

// A refund is sent, and kill -9 ends both processes before its answer is read: its money is returned once.

const till = setUp(startTreasuryProcesses);
const soon = { timeout: 30_000, interval: 100 };
/** Jobs whose heartbeat ended are looked for every 15 seconds. */
const restart = { timeout: 60_000, interval: 250 };
const amount_minor = 150_000;
const part = 40_000;

const setFaults = (rules: readonly object[]) => till.cards.control("faults", "PUT", rules);
const lateAnswer = { operation: "refund", fault: "late_after_timeout", ms: 60_000, count: 1 };
afterEach(() => setFaults([]));

const isProcessed = (id: string, wait = soon) =>
	vi.waitFor(
		async () =>
			expect(await till.refunds.find(id)).toEqual({
				...{ status: "processed", journals: ["refund_hold", "refund_paid"] },
			}),
		wait,
	);
const returned = (reference: string, parts: readonly number[]) =>
	vi.waitFor(async () => expect(await till.refunds.listReturned(reference)).toEqual(parts), soon);

/** Asks for a refund, and kills both processes once the gateway has returned the money. */
async function sendAndDie(paymentId: string, reference: string, parts: readonly number[]): Promise<string> {
	const id = await till.refunds.ask(paymentId, part);
	await returned(reference, parts);
	await Promise.all(till.processes.map((one) => one.kill()));
	expect(await till.refunds.find(id)).toEqual({ status: "submitting", journals: ["refund_hold"] });
	await till.letTimePass();
	await Promise.all(till.processes.map((one) => one.start()));
	return id;
}

test("the answer and the events of a refund are lost: it is found in the list of the gateway beside an equal one, and it is not sent again", async () => {
	const { paymentId, reference } = await till.refunds.pay(amount_minor);
	const first = await till.refunds.ask(paymentId, part);
	await isProcessed(first, restart);
	const states = ["pending", "processing", "processed"];
	await setFaults([
		lateAnswer,
		...states.map((state) => ({ operation: `refund.${state}`, fault: "drop", count: 1 })),
	]);
	await isProcessed(await sendAndDie(paymentId, reference, [part, part]), restart);
	expect(await till.refunds.listReturned(reference)).toEqual([part, part]);
}, 180_000);

test("the answer of a refund is lost and the gateway has no list now: its event, which comes again, says that it was processed", async () => {
	const { paymentId, reference } = await till.refunds.pay(amount_minor);
	await setFaults([lateAnswer, { operation: "list_refunds", fault: "maintenance" }]);
	// Events go to the second process, and come again every second until they are answered.
	await till.processes[1].kill();
	await isProcessed(await sendAndDie(paymentId, reference, [part]), restart);
	expect(await till.refunds.listReturned(reference)).toEqual([part]);
}, 180_000);
