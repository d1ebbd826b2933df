import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addBill } from "./add-bill.ts";
import { listRows } from "./inbox/delivery-rows.store.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);

/** Both gateways are expected at this address; the sandboxes call from 127.0.0.1. */
async function expectAt(address: string, mode: "observe" | "enforce") {
	const rule = JSON.stringify({ allow_ips: [address], ip_mode: mode });
	await till.database.db.query("update gateway_profiles set settings = settings || $1::jsonb", [rule]);
	await till.wait(6);
}

async function newBill(): Promise<string> {
	const { id } = till.tenants.uhai;
	return (await inTenant(till.database.db, id, (tx) => addBill(tx, id))).operationId;
}

const call = (method: "GET" | "POST", path: string, body?: object) => {
	const { uhai } = till.tenants;
	const url = `/api/v1/${uhai.slug}/treasury/bills/${path}`;
	return till.call({ method, url, token: till.token(uhai, "admin"), ...(body && { body }) });
};

const statusOf = (operationId: string) => async () => {
	await till.service.jobs.runDue();
	return (await call("GET", operationId)).body["status"];
};
const lastDelivery = async () => (await listRows(till.database.db)).at(-1);

/** A phone pays a prompt; its callback is applied. */
async function payByPhone() {
	const operationId = await newBill();
	expect((await call("POST", `${operationId}/push`, { phone: newPhone("accepts") })).status).toBe(202);
	await expect.poll(statusOf(operationId)).toBe("succeeded");
	return operationId;
}

test("a callback from an address on the list is applied", async () => {
	await expectAt("127.0.0.0/8", "enforce");
	await payByPhone();
	expect(await lastDelivery()).toMatchObject({ status: "done", trust: "token" });
});

test("a callback from another address is applied while addresses are only observed", async () => {
	await expectAt("192.0.2.1", "observe");
	await payByPhone();
	expect(await lastDelivery()).toMatchObject({ status: "done", trust: "token" });
});

test("a callback from another address with the right token is only a hint, and the gateway's answer counts", async () => {
	await expectAt("192.0.2.1", "enforce");
	await payByPhone();
	expect(await lastDelivery()).toMatchObject({ status: "done", trust: "none" });
	const { db } = till.database;
	const sources = await inTenant(db, till.tenants.uhai.id, (tx) =>
		tx.query<{ source: string }>("select source from evidence where said->>'kind' = 'paid' order by at, id"),
	);
	expect(sources.at(-1)).toEqual({ source: "query" });
});

test("a signed charge from another address is verified before it counts", async () => {
	await expectAt("192.0.2.1", "enforce");
	const operationId = await newBill();
	const { body } = await call("POST", `${operationId}/checkout`, { email: "amina@example.com" });
	await till.cards("PUT", "/_control/faults", [{ operation: "verify", fault: "maintenance", count: 1 }]);
	await till.cards("POST", `/_control/checkouts/${body["access_code"]}`, { action: "pay", channel: "card" });
	await expect.poll(async () => (await lastDelivery())?.status).toBe("received");
	await till.service.jobs.runDue();
	expect((await call("GET", operationId)).body["status"]).toBe("processing");
	await till.cards("PUT", "/_control/faults", []);
	await till.wait(60);
	await expect.poll(statusOf(operationId)).toBe("succeeded");
});
