import { randomUUID } from "node:crypto";
import {
	treasuryCardExpiring,
	treasuryPaymentFailed,
	treasuryPaymentRequired,
	treasuryStandingOrderChanged,
} from "@lango/contracts";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openOffice } from "./office.ts";
import { publisherOf } from "./publisher.ts";

const office = setUp(openOffice);
const { change, happen, messagesFor } = publisherOf(office);

test("administrators are notified of a payment that failed, of one that they have to make, and of a card for their bills that expires", async () => {
	const [tenant, admin] = [office.tenant({}), randomUUID()];
	await change({ id: admin, tenant, roles: ["admin"] }, 1);
	const operation = { operation_id: randomUUID(), tenant_id: tenant.id, intent_id: randomUUID() };
	const about = { subject: operation.operation_id, tenant };
	const amount = { amount_minor: 450_000, currency: "KES" };
	const failed = { ...operation, ...amount, attempt: 1, reason: "expired" };
	await happen(treasuryPaymentFailed, { ...about, data: failed });
	const [pay_url, expires_at] = ["https://console.lango.example/pay/x", new Date().toISOString()];
	const required = { ...operation, ...amount, pay_url, expires_at, because: "renewal" };
	await happen(treasuryPaymentRequired, { ...about, data: required });
	const card = { authorization_id: randomUUID(), tenant_id: tenant.id, brand: "visa", last4: "4081" };
	for (const payee of ["tenant", "platform"] as const)
		await happen(treasuryCardExpiring, {
			...{ subject: card.authorization_id, tenant },
			data: { ...card, expires_on: "2026-12-31", payee },
		});
	const sent = (await messagesFor([admin])).map(({ template, channel }) => `${template} ${channel}`);
	expect(sent.toSorted()).toEqual([
		"payment/card_expiring email",
		"payment/card_expiring in_app",
		"payment/failed email",
		"payment/failed in_app",
		"payment/required email",
		"payment/required in_app",
	]);
});

test("administrators are notified once that the standing order of their bills has to be replaced, and of no other change of an order", async () => {
	const [tenant, admin, staff] = [office.tenant({}), randomUUID(), randomUUID()];
	await change({ id: admin, tenant, roles: ["admin"] }, 1);
	await change({ id: staff, tenant, roles: ["staff"] }, 1);
	const order = { standing_order_id: randomUUID(), tenant_id: tenant.id, payee: "platform" };
	const amount = { amount_minor: 250_000, currency: "KES" };
	const outdated = { needs_replacement: true, replacement_minor: 300_000 };
	const changes = [
		{ status: "active", needs_replacement: false },
		{ status: "active", ...outdated, payee: "tenant" },
		{ status: "active", ...outdated },
		// An execution, and the end.
		{ status: "active", needs_replacement: true },
		{ status: "stopped", needs_replacement: true },
	];
	for (const [version, change] of changes.entries())
		await happen(treasuryStandingOrderChanged, {
			...{ subject: order.standing_order_id, tenant },
			data: { ...order, ...amount, ...change, version: version + 1 },
		});
	const common = { template: "payment/standing_order_outdated", about: tenant.id, user_id: admin };
	expect(await messagesFor([admin, staff])).toEqual([
		{ ...common, exempt: true, channel: "email", slug: "lango" },
		{ ...common, exempt: true, channel: "in_app", slug: tenant.slug },
	]);
});
