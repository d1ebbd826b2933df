import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, onTestFinished, test } from "vitest";
import { addBill } from "./add-bill.ts";
import { newPhone, openTill } from "./till.ts";

const till = setUp(openTill);

const newBill = () => {
	const { id } = till.tenants.uhai;
	return inTenant(till.database.db, id, (tx) => addBill(tx, id));
};

const push = (operationId: string, phone: string) =>
	till.call({
		...{ method: "POST", url: `/api/v1/uhai/treasury/bills/${operationId}/push`, body: { phone } },
		token: till.token(till.tenants.uhai, "admin"),
	});

const statusOf = async (id: string) => {
	const [row] = await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query<{ status: string; attempts: number }>(
			`select status, (select count(*)::int from attempts where tenant_id = $2 and intent_id = i.id) as attempts
			   from intents i where tenant_id = $2 and id = $1`,
			[id, till.tenants.uhai.id],
		),
	);
	return row;
};

/** How many callbacks the sandbox has sent or dropped. */
async function countCallbacks(): Promise<number> {
	const { items } = await till.sandbox("GET", "/_control/deliveries");
	return (items as object[]).length;
}

const setFaults = (rules: readonly object[]) => till.sandbox("PUT", "/_control/faults", rules);

test("while collections are halted nothing new is sent, and the gateway is still asked about what was sent (I24)", async () => {
	const halt = (is_on: boolean) =>
		till.call({
			...{ method: "PUT", url: "/api/v1/platform/halts", token: till.token(till.tenants.lango, "superuser") },
			body: { scope: "collections", is_on, because: "The gateway reports wrong amounts" },
		});
	const [sent, other] = [await newBill(), await newBill()];
	const before = await countCallbacks();
	onTestFinished(async () => {
		await halt(false);
		await setFaults([]);
	});
	await setFaults([{ operation: "push", fault: "drop" }]);
	expect((await push(sent.operationId, newPhone("accepts"))).status).toBe(202);
	expect((await halt(true)).status).toBe(200);
	const refused = await push(other.operationId, newPhone("accepts"));
	expect([refused.status, refused.body["code"]]).toEqual([503, "halted"]);
	await till.wait(10);
	await expect.poll(countCallbacks).toBe(before + 1);
	await till.wait(45);
	expect(await statusOf(sent.id)).toEqual({ status: "succeeded", attempts: 1 });
	expect(await statusOf(other.id)).toEqual({ status: "requires_payment", attempts: 0 });
	expect(await countCallbacks()).toBe(before + 1);
});
