import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openSettling } from "../settling.ts";

const till = setUp(() => openSettling({ transferFee: 1_300 }));
let recipient_id: unknown;

const ask = (method: string, path: string, body?: object) =>
	till.call({
		...{ method, url: `/api/v1/uhai/treasury${path}`, ...(body !== undefined && { body }) },
		...{ token: till.token(till.tenants.uhai, "admin"), headers: { "idempotency-key": randomUUID() } },
	});

/** Once: money of the tenant that was settled, and topped up: 965.00 shillings at the gateway. */
async function open() {
	if (recipient_id !== undefined) return;
	const account = { type: "bank", name: "Uhai", account_number: "100000010001", bank_code: "11" };
	recipient_id = (await ask("POST", "/recipients", { ...account, currency: "KES" })).body["id"];
	await inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query("update recipients set created_at = created_at - interval '2 days'"),
	);
	await till.charge();
	await till.settleNow();
	await till.cards("POST", "/_control/top-up", { amount: 96_500 });
	const topUp = { purpose: "top_up", currency: "KES", amount_minor: 96_500, because: "Float." };
	const { body } = await till.asOperator("POST", "adjustments", { body: topUp });
	await till.asOperator("POST", `adjustments/${body["id"]}/approve`, { operator: "brian" });
	await till.agree();
}

/** Asks for a payout, and sends it. */
async function pay(amount_minor: number) {
	const body = { rail: "card_gateway", recipient_id, amount_minor };
	const asked = await ask("POST", "/payouts", body);
	expect(asked.status).toBe(202);
	await till.service.jobs.runDue();
	return asked.body as { id: string; reference: string };
}

const read = async ({ id }: { id: string }) => (await ask("GET", `/payouts/${id}`)).body;

/** Ends a transfer at the gateway. */
const end = ({ reference }: { reference: string }, outcome: "success" | "reversed") =>
	till.cards("POST", `/_control/transfers/${reference}`, { outcome });

/** Waits until the event of the gateway was applied. */
const becomes = (payout: { id: string }, status: string) =>
	expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return (await read(payout))["status"];
		})
		.toBe(status);

test("a transfer that came back, and whose event was lost, is found by the daily comparison: its money is the tenant's again, and no top-up is proposed", async () => {
	await open();
	const before = await till.available();
	const payout = await pay(20_000);
	await end(payout, "success");
	await becomes(payout, "paid");
	const lost = [{ operation: "transfer.reversed", fault: "drop", count: 1 }];
	await till.cards("PUT", "/_control/faults", lost);
	await end(payout, "reversed");
	await till.service.jobs.run("reconciliation.plan");
	await till.service.jobs.runDue();
	expect(await read(payout)).toMatchObject({ status: "reversed" });
	expect((await till.available())["available"]).toBe(before["available"]);
	expect(await till.exceptions("class=balance")).toEqual([]);
	await till.agree();
});

test("the fee of a transfer is a line of its payout; what the gateway takes beyond it is due, and stays due when the transfer comes back", async () => {
	await open();
	const settings = { transfer_fee_minor: 1_000 };
	await till.asOperator("PUT", "gateways/card-gateway", { body: { settings } });
	const { available = 0, fees_due: due = 0, ...others } = await till.available();
	const payout = await pay(50_000);
	expect(await read(payout)).toMatchObject({
		net_minor: 49_000 - due,
		lines: [
			{ kind: "gross", amount_minor: 50_000 },
			{ kind: "collection_fee", amount_minor: -due },
			{ kind: "transfer_fee", amount_minor: -1_000 },
		],
	});
	await end(payout, "success");
	await becomes(payout, "paid");
	expect(await till.available()).toEqual({ ...others, available: available - 50_000, fees_due: 300 });
	await till.agree();
	await end(payout, "reversed");
	await becomes(payout, "reversed");
	expect(await till.available()).toEqual({ ...others, available, fees_due: due + 1_300 });
	await till.agree();
});
