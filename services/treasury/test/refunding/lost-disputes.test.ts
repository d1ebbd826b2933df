import { inTenant } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { afterEach, expect, test } from "vitest";
import { openSettling } from "../settling.ts";
import { compareCards, loseDisputeEvents, openCards } from "./card-payments.ts";

const till = setUp(openSettling);
const cards = () => openCards(till);
afterEach(async () => {
	till.clock.now = undefined;
	await till.cards("PUT", "/_control/faults", []);
});

const dayMs = 86_400_000;
const compare = (from?: number, to?: number) => compareCards(till, from, to);

async function raise(reference: string, more: object = {}): Promise<string> {
	const raised = await till.cards("POST", "/_control/dispute", { reference, ...more });
	return String(raised["id"]);
}

const decide = (gatewayId: string, resolution: string, more: object = {}) =>
	till.cards("POST", `/_control/disputes/${gatewayId}/resolve`, { resolution, ...more });

const stored = (gatewayId: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query("select status, resolution, amount_minor::int from disputes where gateway_id = $1", [gatewayId]),
	);

const disputed = async () => (await till.balances(till.tenants.uhai))["tenant.disputed"] ?? 0;
const unsettled = async () => (await till.platform())["card.unsettled"] ?? 0;
const sources = (gatewayId: string) =>
	inTenant(till.database.db, till.tenants.uhai.id, (tx) =>
		tx.query<{ source: string }>(
			`select e.source from evidence e join disputes d on d.tenant_id = e.tenant_id and d.id = e.object_id
			  where d.gateway_id = $1 order by e.id`,
			[gatewayId],
		),
	);

test("a dispute of which every event was lost is found by the daily comparison: its money is held, and what is lost leaves the books once", async () => {
	const { reference, intentId } = await cards().pay();
	await loseDisputeEvents(till);
	const before = await unsettled();
	const gatewayId = await raise(reference);
	expect(await compare()).toBe("done");
	expect(await stored(gatewayId)).toMatchObject([{ status: "open", amount_minor: 100_000 }]);
	expect(await disputed()).toBe(100_000);
	await decide(gatewayId, "merchant-accepted", { amount: 30_000 });
	for (const _ of [1, 2]) expect(await compare()).toBe("done");
	expect(await stored(gatewayId)).toMatchObject([{ status: "lost", resolution: "merchant-accepted" }]);
	expect(await disputed()).toBe(0);
	expect(await unsettled()).toBe(before - 30_000);
	expect(await cards().intent(intentId)).toMatchObject({ refunded_minor: 30_000 });
	expect(await sources(gatewayId)).toEqual([{ source: "query" }, { source: "query" }]);
	await till.settleNow();
	expect(await till.exceptions("state=open")).toEqual([]);
});

test("one that has ended before it is found is lost or won at once, and its event, which comes later, changes nothing", async () => {
	const [lost, won] = [await cards().pay(), await cards().pay()];
	const before = await unsettled();
	await till.cards("PUT", "/_control/faults", [
		{ operation: "charge.dispute.create", fault: "drop" },
		{ operation: "charge.dispute.resolve", fault: "delay", ms: 1_500 },
	]);
	const ids = [await raise(lost.reference), await raise(won.reference)] as const;
	await decide(ids[0], "merchant-accepted");
	await decide(ids[1], "declined");
	expect(await compare()).toBe("done");
	const all = async () => [...(await stored(ids[0])), ...(await stored(ids[1]))];
	const ended = [{ status: "lost" }, { status: "won" }];
	expect(await all()).toMatchObject(ended);
	const ofDisputes = async () => {
		await till.service.jobs.runDue();
		return till.database.db.query("select status from webhook_deliveries where event_key like any($1)", [
			ids.map((id) => `charge.dispute|${id}|%`),
		]);
	};
	await expect.poll(ofDisputes, { timeout: 10_000 }).toMatchObject([{ status: "done" }, { status: "done" }]);
	expect(await all()).toMatchObject(ended);
	expect(await unsettled()).toBe(before - 100_000);
	expect(await disputed()).toBe(0);
});

test("one that is open here is asked about, however long ago it was raised; without an answer the run fails", async () => {
	const { reference } = await cards().pay();
	const gatewayId = await raise(reference);
	await expect
		.poll(async () => {
			await till.service.jobs.runDue();
			return stored(gatewayId);
		})
		.toMatchObject([{ status: "open" }]);
	await loseDisputeEvents(till, [{ operation: "fetch_dispute", fault: "maintenance", count: 2 }]);
	await decide(gatewayId, "declined");
	const later = [2 * dayMs, 3 * dayMs] as const;
	expect(await compare(...later)).toBe("failed");
	expect(await stored(gatewayId)).toMatchObject([{ status: "open" }]);
	expect(await compare(...later)).toBe("done");
	expect(await stored(gatewayId)).toMatchObject([{ status: "won" }]);
});

test("one that is overdue is asked about before operators have to decide", async () => {
	const { reference } = await cards().pay();
	await loseDisputeEvents(till);
	const gatewayId = await raise(reference, { due_in_hours: 25 });
	expect(await compare()).toBe("done");
	await till.wait(34 * 3_600);
	await till.service.jobs.run("disputes.check.sweep");
	await till.service.jobs.runDue();
	expect(await stored(gatewayId)).toMatchObject([{ status: "lost", resolution: "auto-accepted" }]);
	const exceptions = await till.database.db.query("select from exceptions where class = 'status'");
	expect(exceptions).toEqual([]);
});

test("one whose charge is not counted is left to the operator until the charge is counted", async () => {
	const reference = await till.payElsewhere();
	await loseDisputeEvents(till);
	await till.wait((2 * dayMs) / 1_000);
	const subject = `dispute ${await raise(reference)}`;
	const raised = () =>
		till.database.db.query(
			"select class, state, resolution, amount_minor::int, theirs from exceptions where subject = $1",
			[subject],
		);
	expect(await compare(dayMs, 3 * dayMs)).toBe("done");
	const missing = { class: "missing_here", amount_minor: 50_000, theirs: { reference, status: "open" } };
	expect(await raised()).toMatchObject([{ ...missing, state: "open" }]);
	till.clock.now = undefined;
	expect(await compare()).toBe("done");
	const open = await till.exceptions("class=missing_here&state=open");
	expect(open).toHaveLength(2);
	const charge = open.find((one) => one["subject"] !== subject);
	const { body } = await till.asOperator("POST", `reconciliation/exceptions/${charge?.["id"]}/resolve`, {
		body: { as: "posted", because: "A guest paid it." },
	});
	await till.asOperator("POST", `adjustments/${body["adjustment_id"]}/approve`, { operator: "brian" });
	await till.service.jobs.runDue();
	expect((await till.platform())["suspense.card"]).toBe(50_000);
	expect(await compare()).toBe("done");
	expect(await raised()).toMatchObject([{ state: "closed", resolution: "matched" }]);
	expect((await till.platform())["suspense.card"]).toBe(0);
});

test("without the capability no disputes are asked for", async () => {
	const { reference } = await cards().pay();
	await loseDisputeEvents(till);
	const gatewayId = await raise(reference);
	await till.database.db.query(
		`update gateway_profiles set settings = jsonb_set(settings, '{capabilities}',
		   coalesce(settings->'capabilities', '{}') || '{"list_disputes": false}') where kind = 'card_gateway'`,
	);
	expect(await compare()).toBe("done");
	expect(await stored(gatewayId)).toEqual([]);
});
