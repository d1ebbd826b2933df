import {
	notificationsBillingRequested,
	type PublicTenant,
	subscriptionBillingRequested,
} from "@lango/contracts";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { newOperation, newPhone, openTill } from "./till.ts";

const till = setUp(openTill);

type Bill = { status: string; operation_id: string; source_service: string; description: string };

/** A service asks a tenant for KES 2,500: for SMS credit, or for its plan. */
async function ask(tenant: PublicTenant, service: "notifications" | "subscriptions"): Promise<string> {
	const operationId = newOperation();
	const common = {
		...{ operation_id: operationId, tenant_id: tenant.id, attempt: 1 },
		...{ amount_minor: 250_000, currency: "KES" },
	};
	const event =
		service === "notifications"
			? testEvent(notificationsBillingRequested, {
					...{ subject: operationId, tenant },
					data: {
						...{ ...common, kind: "top_up", expires_at: new Date(Date.now() + 3_600_000).toISOString() },
						lines: [{ what: "sms_credit", code: "SMS_1000", amount_minor: 250_000 }],
					},
				})
			: testEvent(subscriptionBillingRequested, {
					...{ subject: operationId, tenant },
					data: {
						...{ ...common, kind: "checkout" },
						lines: [{ what: "plan", code: "GROWTH", amount_minor: 250_000 }],
					},
				});
	await till.transport.publish(event);
	await expect.poll(() => find(tenant, operationId)).toBeDefined();
	return operationId;
}

async function find(tenant: PublicTenant, operationId: string): Promise<Bill | undefined> {
	const url = `/api/v1/${tenant.slug}/treasury/bills`;
	const { body } = await till.call({ method: "GET", url, token: till.token(tenant, "admin") });
	return (body["items"] as Bill[]).find(({ operation_id }) => operation_id === operationId);
}

const askers = ["notifications", "subscriptions"] as const;

test("what notifications asks for is a bill of its own: no phone is asked, and paying it is answered by its operation", async () => {
	const { uhai } = till.tenants;
	const operationId = await ask(uhai, "notifications");
	expect(await find(uhai, operationId)).toMatchObject({
		...{ status: "requires_payment", source_service: "notifications", description: "SMS credit" },
	});
	const required = (await till.published("treasury.payment.required", uhai)).at(-1);
	expect(required).toMatchObject({ operation_id: operationId, amount_minor: 250_000, because: "top_up" });
	await till.wait(60);
	expect(await till.sandbox("GET", "/_control/phones")).toMatchObject({ items: [] });

	const url = `/api/v1/${uhai.slug}/treasury/bills/${operationId}/push`;
	const body = { phone: newPhone("accepts") };
	expect((await till.call({ method: "POST", url, token: till.token(uhai, "admin"), body })).status).toBe(202);
	await till.wait(10);
	const status = async () => {
		await till.wait(5);
		return (await find(uhai, operationId))?.status;
	};
	await expect.poll(status, { timeout: 20_000 }).toBe("succeeded");
	expect(await till.published("treasury.payment.succeeded", uhai)).toMatchObject([
		{ operation_id: operationId, source_service: "notifications", amount_minor: 250_000 },
	]);
	expect(await till.published("treasury.payment.failed", uhai)).toEqual([]);
});

test.each(askers)(
	"SMS credit and a plan are owed beside each other: the one asked for by %s does not replace the other",
	async (last) => {
		const { kahawa } = till.tenants;
		const first = last === "notifications" ? "subscriptions" : "notifications";
		const asked = [await ask(kahawa, first), await ask(kahawa, last)];
		const bills = await Promise.all(asked.map((id) => find(kahawa, id)));
		expect(bills).toMatchObject([
			{ status: "requires_payment", source_service: first },
			{ status: "requires_payment", source_service: last },
		]);
	},
);

test("a page of bills says how many all pages have, with the filter of the page", async () => {
	const { duka } = till.tenants;
	for (const asker of askers) await ask(duka, asker);
	const page = async (query: string) => {
		const url = `/api/v1/${duka.slug}/treasury/bills?limit=1&total=true${query}`;
		const { body } = await till.call({ method: "GET", url, token: till.token(duka, "admin") });
		return [(body["items"] as Bill[]).length, body["total"]];
	};
	expect(await page("")).toEqual([1, 2]);
	expect(await page("&status=succeeded")).toEqual([0, 0]);
});
