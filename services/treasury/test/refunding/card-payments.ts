import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { expect } from "vitest";
import { findRun } from "../../src/comparing/run.store.ts";
import { startRun } from "../../src/comparing/start-run.ts";
import type { Till } from "../till.ts";

/** A payment by card to the hospital, at the gateway's sandbox. */
type CardPayment = {
	intentId: string;
	paymentId: string;
	receiptId: string;
	reference: string;
	transactionId: string;
};

type Asked = { payment_id?: string; receipt_id?: string; amount_minor?: number; reason?: string };
type Answer = { status: number; body: Record<string, unknown> };

/** What a person does with card payments and refunds of the hospital. */
export type Cards = {
	/** Pays 1,000.00 shillings; the payer's e-mail address chooses how the sandbox ends refunds. */
	pay(payer?: string, amountMinor?: number): Promise<CardPayment>;
	ask(method: string, path: string, more?: object): Promise<Answer>;
	refund(asked: Asked, key?: string): Promise<Answer>;
	/** Reads a refund once the jobs that are due have run. */
	refundNow(id: unknown): Promise<Record<string, unknown>>;
	/** Waits until a refund has a status. */
	becomes(id: unknown, status: string): Promise<void>;
	intent(
		id: string,
	): Promise<{ received_minor: number; refunded_minor: number; version: number } | undefined>;
};

export function openCards(till: Till): Cards {
	const { uhai } = till.tenants;
	const token = till.token(uhai, "admin");
	const ask: Cards["ask"] = (method, path, more = {}) =>
		till.call({
			...{ method, url: `/api/v1/uhai/treasury${path}`, token },
			...more,
		});
	const refundNow: Cards["refundNow"] = async (id) => {
		await till.service.jobs.runDue();
		return (await ask("GET", `/refunds/${id}`)).body;
	};
	return {
		ask,
		refundNow,
		pay: async (payer = "amina@example.com", amountMinor = 100_000) => {
			const request = { amount_minor: amountMinor, currency: "KES", description: "Order 17" };
			const { body: intent } = await ask("POST", "/intents", { body: { ...request, channels: ["card"] } });
			const opened = await ask("POST", `/intents/${intent["id"]}/checkout`, { body: { email: payer } });
			const { access_code, reference } = opened.body;
			const paid = await till.cards("POST", `/_control/checkouts/${access_code}`, {
				...{ action: "pay", channel: "card" },
			});
			const paymentOf = async () => {
				await till.service.jobs.runDue();
				const { body } = await ask("GET", `/payments?intent_id=${intent["id"]}`);
				return (body["items"] as Array<{ id: string; receipt: { id: string } }>)[0];
			};
			await expect.poll(paymentOf).toBeDefined();
			const payment = await paymentOf();
			return {
				...{ intentId: String(intent["id"]), paymentId: payment?.id ?? "" },
				...{ receiptId: payment?.receipt.id ?? "", reference: String(reference) },
				transactionId: String(paid["id"]),
			};
		},
		refund: (asked, key = randomUUID()) =>
			ask("POST", "/refunds", {
				...{ body: { reason: "The order was cancelled", ...asked }, headers: { "idempotency-key": key } },
			}),
		becomes: async (id, status) => {
			await expect.poll(() => refundNow(id)).toMatchObject({ status });
		},
		intent: async (id) => {
			const [row] = await inTenant(till.database.db, uhai.id, (tx) =>
				tx.query<{ received_minor: number; refunded_minor: number; version: number }>(
					"select received_minor::int, refunded_minor::int, version from intents where id = $1",
					[id],
				),
			);
			return row;
		},
	};
}

/** All events about disputes are lost from now on, and the sandbox has more faults. */
export const loseDisputeEvents = (till: Till, more: readonly object[] = []) =>
	till.cards("PUT", "/_control/faults", [
		...["create", "remind", "resolve"].map((one) => ({ operation: `charge.dispute.${one}`, fault: "drop" })),
		...more,
	]);

const dayMs = 86_400_000;

/**
 * Compares the charges, refunds and disputes of a time, by default from yesterday to tomorrow. Returns the
 * state of the run.
 */
export async function compareCards(
	till: Pick<Till, "database" | "clock" | "service">,
	from = -dayMs,
	to = dayMs,
): Promise<string | undefined> {
	const { db } = till.database;
	const now = () => till.clock.now ?? new Date();
	const range = { from: new Date(Date.now() + from), to: new Date(Date.now() + to) };
	const { id } = await startRun({ db, now }, { kind: "transactions", ...range }, undefined);
	await till.service.jobs.runDue();
	return (await findRun(db, id))?.state;
}
