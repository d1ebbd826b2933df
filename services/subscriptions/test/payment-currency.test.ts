import { randomUUID } from "node:crypto";
import { expect, test } from "vitest";
import { receivePayment } from "../src/billing/receive-payment.ts";
import { openDesk, until } from "./desk.ts";
import { setUpService } from "./test-service.ts";

const service = setUpService();

test("a payment in another currency fails with its reason, becomes no credit, and the renewal continues", async () => {
	const desk = openDesk(service);
	await desk.payFor("STARTER");
	await desk.answers("silent");
	const { quote_id } = await desk.quote("GROWTH");
	const { body } = await desk.ask("POST", "/change", { quote_id, mode: "now" });
	const paid = {
		tenantId: desk.tenantId,
		operationId: String(body["operation_id"]),
		paymentId: randomUUID(),
	};
	const receiving = receivePayment(service.parts, {
		...paid,
		amountMinor: BigInt(Number(body["amount_minor"])),
		currency: "USD",
	});
	await expect(receiving).rejects.toThrow("a payment in USD cannot be credit of a subscription in KES");
	expect(await desk.books()).toMatchObject({ cash: 150_000, balance: 0 });
	await desk.answers("pays");
	expect(await desk.daysPass(32)).toMatchObject({ plan: "STARTER", status: "ACTIVE" });
});

test("credit received while a plan in another currency is requested is kept, and that payment does not become credit", async () => {
	service.clock.now = new Date("2026-03-01T12:00:00Z");
	const desk = openDesk(service);
	await desk.own("POST", "/api/v1/admin/plans", { code: "DOLLAR", name: "Dollar", position: 990 });
	const { status } = await desk.own("POST", "/api/v1/admin/plans/DOLLAR/versions", {
		bundle: "starter",
		price_minor: 1_000,
		currency: "USD",
		interval: "month",
		trial_days: 14,
		grace_days: 7,
		features: [],
		limits: {},
		overage: {},
	});
	expect(status).toBe(201);
	await desk.payFor("STARTER");
	await desk.answers("silent");
	const { quote_id } = await desk.quote("GROWTH");
	const changed = await desk.ask("POST", "/change", { quote_id, mode: "now" });
	await desk.daysPass(60);
	const requested = await desk.ask("POST", "/checkout", { plan: "DOLLAR" });
	await service.payLate(desk.tenantId, String(changed.body["operation_id"]));
	const credit = Number(changed.body["amount_minor"]);
	await until(async () => (await desk.books()).balance === credit);
	const receiving = receivePayment(service.parts, {
		tenantId: desk.tenantId,
		operationId: String(requested.body["operation_id"]),
		paymentId: randomUUID(),
		amountMinor: 1_000n,
		currency: "USD",
	});
	await expect(receiving).rejects.toThrow("a payment in USD cannot be credit of a subscription in KES");
	expect((await desk.books()).balance).toBe(credit);
});
