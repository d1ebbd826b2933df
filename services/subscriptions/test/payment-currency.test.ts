import { randomUUID } from "node:crypto";
import { afterAll, beforeAll, expect, test } from "vitest";
import { receivePayment } from "../src/billing/receive-payment.ts";
import { openDesk, payFor, quoteOf } from "./desk.ts";
import { type Standing, standUp } from "./standing.ts";

let standing: Standing;
beforeAll(async () => {
	standing = await standUp();
});
afterAll(() => standing.end());

test("a payment in another currency fails with its reason, becomes no credit, and the renewal goes on", async () => {
	const desk = openDesk(standing);
	await payFor(standing, desk, "STARTER");
	await desk.answers("silent");
	const { quote_id } = await quoteOf(desk, "GROWTH");
	const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
	const clock = { now: () => standing.clock.now, hasTestClocks: true };
	const paid = {
		tenantId: desk.tenantId,
		operationId: String(body["operation_id"]),
		paymentId: randomUUID(),
	};
	const receiving = receivePayment(
		{ db: standing.db, clock, mint: randomUUID },
		{ ...paid, amountMinor: BigInt(Number(body["amount_minor"])), currency: "USD" },
	);
	await expect(receiving).rejects.toThrow("a payment in USD cannot be credit of a subscription in KES");
	expect(await desk.books()).toMatchObject({ cash: 150_000, balance: 0 });
	await desk.answers("pays");
	expect(await desk.daysPass(32)).toMatchObject({ plan: "STARTER", status: "ACTIVE" });
});
