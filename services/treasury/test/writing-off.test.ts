import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { addTrade, charge, disputed, returnedAtGateway } from "./receive.ts";
import { openSettling } from "./settling.ts";

const till = setUp(openSettling);
const [amina, brian] = ["amina", "brian"];

test("a debt that is written off falls once another operator than its maker approves it, and becomes the platform's loss", async () => {
	const { uhai } = till.tenants;
	const { db } = till.database;
	// The payer gets back more than was paid.
	const receipt = await charge(db, await addTrade(db, uhai.id));
	await disputed(db, receipt);
	await returnedAtGateway(db, receipt, { amountMinor: 40_000n });
	const state = async () => ({
		debt: (await till.balances(uhai))["tenant.debt"] ?? 0,
		loss: (await till.platform())["chargeback_loss"] ?? 0,
	});
	expect(await state()).toEqual({ debt: 40_000, loss: 0 });
	const ask = async (amount_minor: number) => {
		const asked = { purpose: "write_off", currency: "KES", tenant_id: uhai.id, because: "The shop closed." };
		const body = { ...asked, amount_minor };
		return (await till.asOperator("POST", "adjustments", { body, operator: amina })).body["id"];
	};
	const approve = (id: unknown, operator: string) =>
		till.asOperator("POST", `adjustments/${id}/approve`, { operator });
	const id = await ask(25_000);
	expect(await approve(id, amina)).toMatchObject({ status: 403, body: { code: "approver_is_creator" } });
	expect(await state()).toEqual({ debt: 40_000, loss: 0 });
	expect(await approve(id, brian)).toMatchObject({ status: 200, body: { state: "posted" } });
	expect(await approve(id, brian)).toMatchObject({ status: 409, body: { code: "adjustment_closed" } });
	expect(await state()).toEqual({ debt: 15_000, loss: 25_000 });
	const { body } = await till.asOperator("GET", `journals?source_type=adjustment&source_id=${id}`);
	const line = { currency: "KES", amount_minor: 25_000 };
	expect(body["items"]).toMatchObject([
		{
			...{ tenant_id: uhai.id, purpose: "write_off" },
			lines: [
				{ side: "debit", code: "chargeback_loss", owner: "platform", ...line },
				{ side: "credit", code: "tenant.debt", owner: "tenant", ...line },
			],
		},
	]);
	expect(await approve(await ask(15_001), brian)).toMatchObject({
		...{ status: 409, body: { code: "account_overdrawn" } },
	});
	expect((await approve(await ask(15_000), brian)).status).toBe(200);
	expect(await state()).toEqual({ debt: 0, loss: 40_000 });
});
