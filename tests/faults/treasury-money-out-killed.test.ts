import { randomUUID } from "node:crypto";
import { waitForBlockedQueries } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, describe, expect, test, vi } from "vitest";
import { startTreasuryProcesses } from "./treasury-processes.ts";

// The steps by which money leaves, each ended by kill -9: it moves once, whatever dies.

const till = setUp(startTreasuryProcesses);
const soon = { timeout: 30_000, interval: 100 };
/** Jobs whose heartbeat ended are looked for every 15 seconds. */
const restart = { timeout: 60_000, interval: 250 };
const killBoth = () => Promise.all(till.processes.map((one) => one.kill()));
const startBoth = () => Promise.all(till.processes.map((one) => one.start()));
const setFaults = (rules: readonly object[]) => till.cards.control("faults", "PUT", rules);
afterEach(async () => {
	await setFaults([]);
	await till.sandbox.setFaults([]);
});

describe("a payout by the card gateway", () => {
	const amount_minor = 50_000;

	const askedFor = (recipient_id: string) => ({
		...{ tenant: till.tenants.uhai, path: "payouts", headers: { "idempotency-key": randomUUID() } },
		body: { rail: "card_gateway", recipient_id, amount_minor },
	});
	type Asked = ReturnType<typeof askedFor>;

	async function ask(asked: Asked): Promise<{ id: string; reference: string }> {
		const answer = await till.call({ at: till.processes[1], ...asked });
		expect([200, 202]).toContain(answer?.status);
		return answer?.body as { id: string; reference: string };
	}

	/** Its hold is used once, and its money moved once. */
	async function isPaidOnce({ id, reference }: { id: string; reference: string }): Promise<void> {
		await vi.waitFor(
			async () => expect(await till.payouts.find(id)).toMatchObject({ status: "paid" }),
			restart,
		);
		expect(await till.payouts.find(id)).toMatchObject({ journals: ["payout_hold", "payout_paid"] });
		expect(await till.payouts.countMoved(reference)).toBe(1);
	}

	test("the hold of a payout is committed and the process dies before it answers: the same key returns it, the hold stays, and it is sent once after its approval", async () => {
		const [first] = till.processes;
		const asked = askedFor(await till.payouts.prepare(amount_minor));
		const release = await till.block("payout_approvals", "access exclusive");
		const unanswered = till.call({ at: first, ...asked });
		await waitForBlockedQueries(till.database.db, { like: "%from payout_approvals%" });
		await first.kill();
		expect(await unanswered).toBeUndefined();
		await release();
		const payout = await ask(asked);
		expect(await till.payouts.find(payout.id)).toMatchObject({
			...{ status: "awaiting_approval", journals: ["payout_hold"] },
		});
		await first.start();
		await till.payouts.approve(payout.id);
		await isPaidOnce(payout);
	}, 120_000);

	test("a transfer is sent and both processes die before they read the answer: the gateway is asked, and it is not sent again", async () => {
		const payout = await ask(askedFor(await till.payouts.prepare(amount_minor)));
		await setFaults([
			{ operation: "transfer", fault: "late_after_timeout", ms: 60_000, count: 1 },
			{ operation: "transfer.success", fault: "drop", count: 1 },
		]);
		await till.payouts.approve(payout.id);
		await vi.waitFor(async () => expect(await till.payouts.countMoved(payout.reference)).toBe(1), soon);
		await killBoth();
		expect(await till.payouts.find(payout.id)).toMatchObject({ status: "submitting", sends: 1 });
		await till.letTimePass();
		await startBoth();
		await isPaidOnce(payout);
		expect(await till.payouts.find(payout.id)).toMatchObject({ sends: 1 });
	}, 180_000);

	test("a transfer is on its way when both processes die, and it is sent once more with its reference: the gateway takes one of the two", async () => {
		const payout = await ask(askedFor(await till.payouts.prepare(amount_minor)));
		// It comes later than the test waits: only the second one can be what was paid.
		await setFaults([{ operation: "transfer", fault: "delay", ms: 90_000, count: 1 }]);
		await till.payouts.approve(payout.id);
		// Else the process can die before it calls, and the second transfer would be the delayed one.
		await vi.waitFor(
			async () => expect(await till.cards.control("faults")).toMatchObject({ items: [{ count: 0 }] }),
			soon,
		);
		await killBoth();
		expect(await till.payouts.find(payout.id)).toMatchObject({ status: "submitting", sends: 1 });
		expect(await till.payouts.countMoved(payout.reference)).toBe(0);
		await till.letTimePass();
		await startBoth();
		await isPaidOnce(payout);
		expect(await till.payouts.find(payout.id)).toMatchObject({ sends: 2 });
	}, 180_000);
});

describe("a refund by the card gateway", () => {
	const amount_minor = 150_000;
	const part = 40_000;

	const lateAnswer = { operation: "refund", fault: "late_after_timeout", ms: 60_000, count: 1 };

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
		await killBoth();
		expect(await till.refunds.find(id)).toEqual({ status: "submitting", journals: ["refund_hold"] });
		await till.letTimePass();
		await startBoth();
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
});

describe("from a tenant's own shortcode", () => {
	const amount_minor = 50_000;

	async function post(path: string, body: object, key: string = randomUUID()) {
		const headers = { "idempotency-key": key };
		const answer = await till.call({
			...{ at: till.processes[1], tenant: till.tenants.uhai, path, body, headers },
		});
		expect([200, 201, 202]).toContain(answer?.status);
		return answer?.body ?? {};
	}

	let phones = 0;
	/** A phone pays a request of the tenant by its prompt. Returns the payment. */
	async function payByPhone(): Promise<string> {
		const request = { amount_minor: 150_000, currency: "KES", description: "Order 17", channels: ["push"] };
		const intentId = String((await post("intents", request))["id"]);
		await post(`intents/${intentId}/push`, { phone: `2547120${String(++phones).padStart(2, "0")}001` });
		return vi.waitUntil(() => till.refunds.findPayment(intentId), soon);
	}

	const wages = { rail: "mobile_money", kind: "customer", to: "0712345678", amount_minor, remarks: "Wages" };

	/** Money that leaves the shortcode, and the id by which the gateway knows it. */
	type Out = {
		originatorId: string;
		find(): Promise<{ status: string; journals: string[] } | undefined>;
		done: { status: string; journals: string[] };
	};

	/** Each is prepared, then sent by the next job. */
	const prepare = {
		payout: async () => {
			await payByPhone();
			const { id, reference } = await post("payouts", wages);
			return async () => {
				await till.payouts.approve(String(id));
				return {
					...{ originatorId: String(reference), find: () => till.payouts.find(String(id)) },
					done: { status: "paid", journals: ["payout_paid"] },
				};
			};
		},
		reversal: async () => refundOf(await payByPhone()),
		"payout to the payer": async () => {
			const payment = await payByPhone();
			await till.ageReceipts();
			return refundOf(payment);
		},
	};
	const kinds = Object.keys(prepare) as Array<keyof typeof prepare>;

	const refundOf = (payment: string) => async (): Promise<Out> => {
		const id = await till.refunds.ask(payment, amount_minor);
		return {
			...{ originatorId: id, find: () => till.refunds.find(id) },
			done: { status: "processed", journals: ["refund_paid"] },
		};
	};

	const becomes = (out: Out, state: object) =>
		vi.waitFor(async () => expect(await out.find()).toMatchObject(state), soon);

	/**
	 * Starts both processes, and lets time pass until something is true: an answer of the gateway that comes
	 * before the second process listens is lost, and then the gateway is asked again later.
	 */
	async function restartUntil(isTrue: () => Promise<boolean>): Promise<void> {
		await till.letTimePass();
		await startBoth();
		const check = async () => {
			if (await isTrue()) return;
			await till.letTimePass();
			throw new Error("it is not true yet");
		};
		await vi.waitFor(check, { timeout: 90_000, interval: 5_000 });
	}

	const isAnswered = async ({ originatorId }: Out) => (await till.countAnswered(originatorId)) > 0;

	test("a payout from a shortcode is committed and the process dies before it answers: the same key returns it, and it is sent once after its approval", async () => {
		const [first] = till.processes;
		await payByPhone();
		const key = randomUUID();
		const release = await till.block("payout_approvals", "access exclusive");
		const unanswered = till.call({
			...{ at: first, tenant: till.tenants.uhai, path: "payouts", body: wages },
			headers: { "idempotency-key": key },
		});
		await waitForBlockedQueries(till.database.db, { like: "%from payout_approvals%" });
		await first.kill();
		expect(await unanswered).toBeUndefined();
		await release();
		const { id, reference } = await post("payouts", wages, key);
		expect(await till.payouts.find(String(id))).toMatchObject({ status: "awaiting_approval", journals: [] });
		await first.start();
		await till.payouts.approve(String(id));
		await vi.waitFor(
			async () =>
				expect(await till.payouts.find(String(id))).toMatchObject({
					...{ status: "paid", journals: ["payout_paid"] },
				}),
			restart,
		);
		expect(await till.sandbox.countMoved(String(reference))).toBe(1);
	}, 120_000);

	test.each(kinds)(
		"a %s is sent and both processes die before they read the answer: the gateway is asked by our id, and it is not sent again",
		async (kind) => {
			const send = await prepare[kind]();
			const operation = kind === "reversal" ? "reversal" : "payout";
			await till.sandbox.setFaults([{ operation, fault: "callback_before_ack", count: 1 }]);
			const release = await till.block("webhook_deliveries");
			const out = await send();
			const hasMoved = async () => expect(await till.sandbox.countMoved(out.originatorId)).toBe(1);
			await vi.waitFor(hasMoved, soon);
			// The gateway waits with its answer until its result was taken.
			await waitForBlockedQueries(till.database.db, { like: "%insert into webhook_deliveries%" });
			await killBoth();
			await till.endBlocked();
			await release();
			expect(await out.find()).toMatchObject({ status: "submitting" });
			await restartUntil(async () => (await out.find())?.status === out.done.status);
			expect(await out.find()).toMatchObject(out.done);
			expect(await isAnswered(out)).toBe(true);
			await hasMoved();
		},
		180_000,
	);

	test.each(kinds)(
		"a %s had not come to the gateway when both processes died: the gateway does not know it (2032), and it is not sent again",
		async (kind) => {
			const send = await prepare[kind]();
			till.links.gateway.pause();
			const out = await send();
			await becomes(out, { status: "submitting" });
			await killBoth();
			till.links.gateway.cut();
			till.links.gateway.restore();
			await restartUntil(() => isAnswered(out));
			expect(await out.find()).toMatchObject({ status: "unknown", journals: [] });
			expect(await till.sandbox.countMoved(out.originatorId)).toBe(0);
		},
		180_000,
	);
});
