import { randomUUID } from "node:crypto";
import { type Database, inTenant } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { receivePayment } from "../src/billing/receive-payment.ts";
import { takeQuote } from "../src/quotes/quote.ts";
import { type Desk, openDesk } from "./desk.ts";
import { setUpService } from "./test-service.ts";

// An upgrade is two transactions and the events between them. A process that dies at any statement leaves the
// old plan or the new one, paid once. Each statement is the last one in one run.

// There is no sandbox: this test answers for the treasury.
const service = setUpService({ SUBSCRIPTIONS_SANDBOX_BILLING: "off" });

class Killed extends Error {}

/** A handle whose statement number `last` never returns, nor any later one. */
function dyingAt(db: Database, last: number): { db: Database; hasDied: () => boolean } {
	let count = 0;
	const wrap = (handle: Database): Database =>
		new Proxy(handle, {
			get(target, name) {
				const member: unknown = Reflect.get(target, name);
				if (typeof member !== "function") return member;
				return (...given: unknown[]) => {
					if (name === "query") {
						count += 1;
						if (count >= last) throw new Killed(`at statement ${count}`);
					}
					return member.apply(
						target,
						given.map((one) => (typeof one === "function" ? (tx: Database) => one(wrap(tx)) : one)),
					);
				};
			},
		});
	return { db: wrap(db), hasDied: () => count >= last };
}

const changing = (db: Database) => ({ ...service.parts, db });

async function paidStarter(): Promise<Desk> {
	service.clock.now = new Date("2026-03-01T12:00:00Z");
	const desk = openDesk(service);
	const opening = desk.payFor("STARTER");
	const operationId = await opened(desk.tenantId);
	await service.payLate(desk.tenantId, operationId);
	await opening;
	return desk;
}

/** The open operation, once there is one. */
async function opened(tenantId: string): Promise<string> {
	for (;;) {
		const [row] = await inTenant(service.db, tenantId, (tx) =>
			tx.query<{ id: string }>("select id from billing_operations where status = 'requested'"),
		);
		if (row !== undefined) return row.id;
		await new Promise((resolve) => setTimeout(resolve, 10));
	}
}

const statementsMax = 60;

describe("a process that dies while it requests an upgrade", () => {
	test("at any statement leaves the old plan and requests nothing, and the quote can be used again", async () => {
		const desk = await paidStarter();
		const { quote_id: quoteId } = await desk.quote("PROFESSIONAL");
		const taking = {
			tenantId: desk.tenantId,
			quoteId,
			mode: "now",
			isAcknowledged: false,
			used: {},
			correlationId: "x",
		} as const;
		const requested = async () => (await desk.events("subscription.billing.requested")).length;
		let deaths = 0;
		for (let last = 1; last <= statementsMax; last += 1) {
			const dying = dyingAt(service.db, last);
			const outcome = await takeQuote(changing(dying.db), taking).catch((error: unknown) => error);
			if (!dying.hasDied()) break;
			deaths += 1;
			expect(outcome).toBeInstanceOf(Killed);
			expect((await desk.snapshot()).plan).toBe("STARTER");
			expect([await requested(), (await desk.books()).operations.length]).toEqual([1, 1]);
		}
		expect(deaths).toBeGreaterThan(5);
		expect([await requested(), (await desk.books()).operations.length]).toEqual([2, 2]);
	});
});

describe("a process that dies while it receives a payment", () => {
	test("at any statement leaves the old plan or the new one; the repeated event leads to the new one, paid once", async () => {
		const desk = await paidStarter();
		const { quote_id } = await desk.quote("PROFESSIONAL");
		const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
		const amount = Number(body["amount_minor"]);
		const payment = {
			tenantId: desk.tenantId,
			operationId: String(body["operation_id"]),
			paymentId: randomUUID(),
			amountMinor: BigInt(amount),
			currency: "KES",
		};
		let deaths = 0;
		for (let last = 1; last <= statementsMax; last += 1) {
			const dying = dyingAt(service.db, last);
			const outcome = await receivePayment(changing(dying.db), payment).catch((error: unknown) => error);
			if (!dying.hasDied()) break;
			deaths += 1;
			expect(outcome).toBeInstanceOf(Killed);
			const { cash } = await desk.books();
			expect([150_000, 150_000 + amount]).toContain(cash);
			const plan = cash === 150_000 ? "STARTER" : "PROFESSIONAL";
			await expect.poll(async () => (await desk.snapshot()).plan).toBe(plan);
		}
		expect(deaths).toBeGreaterThan(5);
		await receivePayment(changing(service.db), payment);
		// The service caches the snapshot until PostgreSQL notifies it of the change.
		await expect.poll(async () => (await desk.snapshot()).plan).toBe("PROFESSIONAL");
		expect(await desk.books()).toMatchObject({ cash: 150_000 + amount, balance: 0 });
	});

	test("a second payment of an operation is not a second upgrade: it becomes credit", async () => {
		const desk = await paidStarter();
		const { quote_id } = await desk.quote("PROFESSIONAL");
		const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
		await service.payLate(desk.tenantId, String(body["operation_id"]));
		await service.payLate(desk.tenantId, String(body["operation_id"]));
		const { cash, balance, charged, credited } = await desk.books();
		expect(balance).toBe(body["amount_minor"]);
		expect(cash).toBe(charged - credited + balance);
	});

	test("another amount than requested changes no plan, and becomes credit", async () => {
		const desk = await paidStarter();
		const { quote_id } = await desk.quote("PROFESSIONAL");
		const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
		const operationId = String(body["operation_id"]);
		await receivePayment(changing(service.db), {
			tenantId: desk.tenantId,
			operationId,
			paymentId: randomUUID(),
			amountMinor: 1n,
			currency: "KES",
		});
		expect([(await desk.snapshot()).plan, (await desk.books()).balance]).toEqual(["STARTER", 1]);
	});

	test("a payment of an unknown operation or tenant is ignored", async () => {
		const desk = await paidStarter();
		const before = await desk.books();
		const payment = { operationId: randomUUID(), paymentId: randomUUID(), amountMinor: 5n, currency: "KES" };
		await receivePayment(changing(service.db), { tenantId: desk.tenantId, ...payment });
		await receivePayment(changing(service.db), { tenantId: randomUUID(), ...payment });
		expect(await desk.books()).toEqual(before);
	});
});
