import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { compareTransfers } from "../../src/comparing/cards/compare-transfers.ts";
import { refused, unknown } from "../../src/gateways/calls/answer.ts";
import type { CardGateway } from "../../src/gateways/card-gateway/account.ts";
import { applyOutcome } from "../../src/outcomes/apply-outcome.ts";
import { openSettling } from "../settling.ts";
import { addPayout } from "./add-payout.ts";
import { makeAvailable } from "./paying.ts";

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
		tx.query(
			"update recipients set created_at = (created_at at time zone 'UTC' - interval '2 days') at time zone 'UTC'",
		),
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
const end = ({ reference }: { reference: string }, outcome: "success" | "failed" | "reversed") =>
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

test("a transfer that operators say was paid, and that failed at the gateway without its event, stays so: a person has to look, and its money is not proposed as a top-up", async () => {
	await open();
	// The clock does not move, so that the transfer does not end by itself.
	await till.cards("PUT", "/_control/clock", { now: new Date().toISOString() });
	const { id: payoutId, reference } = await pay(20_000);
	const { id: tenantId } = till.tenants.uhai;
	const byOperators = { source: "operator", sourceId: "amina", at: new Date() } as const;
	await inTenant(till.database.db, tenantId, (tx) =>
		applyOutcome(tx, { tenantId, payoutId, payout: { kind: "paid" }, ...byOperators }),
	);
	const { net_minor } = await read({ id: payoutId });
	const lost = [{ operation: "transfer.failed", fault: "drop", count: 1 }];
	await till.cards("PUT", "/_control/faults", lost);
	await end({ reference }, "failed");
	for (const _ of ["first", "again"]) {
		await till.service.jobs.run("reconciliation.plan");
		await till.service.jobs.runDue();
	}
	expect(await read({ id: payoutId })).toMatchObject({ status: "paid" });
	expect(await till.exceptions("class=status&state=open")).toMatchObject([
		{
			...{ subject: `failed transfer ${reference}`, amount_minor: Number(net_minor) + 1_000 },
			...{ ours: { payout_id: payoutId, status: "paid" }, theirs: { status: "failed" } },
		},
	]);
	expect(await till.exceptions("class=balance&state=open")).toEqual([]);
});

/** Transfers that were booked as paid, by id; one more than a page. */
async function addPaid(): Promise<string[]> {
	const { db } = till.database;
	const { kahawa } = till.tenants;
	await makeAvailable(db, kahawa.id, { amountMinor: 10_100n });
	const paid = [{ kind: "approved" }, { kind: "submitted" }, { kind: "paid", feeMinor: 0n }] as const;
	const added: Array<{ id: string; reference: string }> = [];
	for (let nth = 0; nth < 101; nth += 1)
		added.push(await addPayout(db, kahawa.id, { grossMinor: 100n, said: paid }));
	await inTenant(db, kahawa.id, (tx) => tx.query("update payouts set paid_at = '2026-01-05'"));
	return added.sort((one, other) => (one.id < other.id ? -1 : 1)).map(({ reference }) => reference);
}

/** Compares the transfers of that day at a gateway that answers about the given ones alone. */
async function compareAt(answering: readonly string[]) {
	const asked: string[] = [];
	const send: CardGateway["send"] = async ({ path }) => {
		const reference = path.split("/").at(-1) ?? "";
		asked.push(reference);
		return answering.includes(reference) ? refused("not_found", "") : unknown("timeout");
	};
	const gateway = { send } as CardGateway;
	const range = { from: new Date("2026-01-05T00:00:00Z"), to: new Date("2026-01-06T00:00:00Z") };
	const domain = { db: till.database.db, now: () => new Date() };
	const failure = await compareTransfers(domain, gateway, range).catch((error: unknown) => error);
	return { asked, failure };
}

test("a gateway that answers about no transfer of a page is not asked about the next page; one that leaves out some is asked about all, and the comparison fails; one that answers about all ends it", async () => {
	const paid = await addPaid();
	const [first = "", ...others] = paid;
	const silent = await compareAt([]);
	expect(silent).toMatchObject({ failure: { code: "gateway_unavailable" } });
	expect(silent.asked).toEqual([...paid.slice(0, 100), ...paid.slice(0, 100)]);
	const lacking = await compareAt(others);
	expect(lacking).toMatchObject({ failure: { code: "gateway_unavailable" } });
	expect(lacking.asked).toEqual([...paid.slice(0, 100), first, ...paid.slice(100)]);
	expect(await compareAt(paid)).toEqual({ asked: paid, failure: undefined });
});
