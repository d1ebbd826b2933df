import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addBill } from "../add-bill.ts";
import { openTill } from "../till.ts";

const till = setUp(openTill);

test("what a tenant paid to the platform is returned by the platform owner, by its receipt and once, and not by the tenant", async () => {
	const { uhai, lango } = till.tenants;
	await till.registerUrls(lango);
	const bill = await inTenant(till.database.db, uhai.id, (tx) => addBill(tx, uhai.id));
	await till.payAtCounter({ shortcode: "600100", amountMinor: 250_000, account: bill.accountCode });
	const call = (path: string, token: string, body?: object) =>
		till.call({
			...{ method: body === undefined ? "GET" : "POST", url: `/api/v1/uhai/treasury${path}`, token, body },
			headers: { "idempotency-key": randomUUID() },
		});
	const ofTenant = till.token(uhai, "admin");
	const listed = await call("/receipts?kind=collection", ofTenant);
	const [receipt] = listed.body["items"] as Array<{ id: string }>;
	const returnable = async () => (await call(`/receipts/${receipt?.id}`, ofTenant)).body["returnable_minor"];
	expect(await returnable()).toBe(250_000);
	const body = { receipt_id: receipt?.id, reason: "The bill was wrong" };
	expect(await call("/refunds", ofTenant, body)).toMatchObject({
		...{ status: 403, body: { code: "forbidden" } },
	});
	const asked = await call(`/refunds?tenantId=${uhai.id}`, till.token(lango, "superuser"), body);
	expect(asked).toMatchObject({ status: 202, body: { method: "reversal", amount_minor: 250_000 } });
	expect(await returnable()).toBe(0);
	const status = async () => {
		await till.service.jobs.runDue();
		return (await call(`/refunds/${asked.body["id"]}`, ofTenant)).body["status"];
	};
	await expect.poll(status, { timeout: 10_000 }).toBe("processed");
	expect(await returnable()).toBe(0);
	expect((await till.balances(uhai))["tenant.refunding"] ?? 0).toBe(0);
});
