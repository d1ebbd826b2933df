import { randomUUID } from "node:crypto";
import { openPool } from "@lango/postgres";
import { describe, expect, test } from "vitest";
import { codeOf, setUpDesk } from "./desk.ts";

const { service, desk } = setUpDesk();

/** The audit log of a tenant, latest first: action and detail. */
async function auditLog(): Promise<Array<[action: string, detail: unknown]>> {
	const { body } = await desk.own("GET", `/api/v1/admin/audit?tenant_id=${desk.tenantId}`);
	const items = body["items"] as Array<{ action: string; detail: unknown }>;
	return items.map(({ action, detail }) => [action, detail]);
}
const latest = async () => (await auditLog())[0];

describe("the audit log", () => {
	test("records the requested payment: the plan to pay for, not the current one", async () => {
		await desk.ask("POST", "", { plan: "STARTER" });
		await desk.answers("silent");
		const { body } = await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		expect(await latest()).toEqual([
			"payment.requested",
			{
				operation_id: body["operation_id"],
				plan: "GROWTH",
				add_ons: [],
				amount_minor: 450_000,
				currency: "KES",
				version: 2,
			},
		]);
	});

	test("records what an immediate change pays for, and when a scheduled one takes effect", async () => {
		await desk.payFor("GROWTH");
		await desk.answers("silent");
		const quoted = await desk.ask("POST", "/quote", { plan: "PROFESSIONAL", add_ons: ["pos"] });
		const change = { quote_id: quoted.body["quote_id"], mode: "now" };
		const { body } = await desk.ask("POST", "/change", change);
		expect(await latest()).toEqual([
			"plan.changed",
			{
				...change,
				operation_id: body["operation_id"],
				plan: "PROFESSIONAL",
				add_ons: ["pos"],
				amount_minor: body["amount_minor"],
				currency: "KES",
			},
		]);
		const { quote_id } = await desk.quote("STARTER");
		const later = { quote_id, mode: "period_end" };
		expect((await desk.ask("POST", "/change", { ...later, acknowledge: true })).status).toBe(200);
		expect(await latest()).toEqual([
			"plan.changed",
			{ ...later, operation_id: null, plan: "STARTER", add_ons: [], from: "2026-04-15T12:00:00.000Z" },
		]);
	});

	test("records the plan and the version of a withdrawal, a cancellation and a resumption", async () => {
		await desk.payFor("GROWTH");
		const { quote_id } = await desk.quote("STARTER");
		await desk.ask("POST", "/change", { quote_id, mode: "period_end", acknowledge: true });
		const { version } = await desk.snapshot();
		await desk.ask("DELETE", "/pending-change");
		await desk.ask("POST", "/cancel");
		await desk.ask("POST", "/resume");
		expect((await auditLog()).slice(0, 3)).toEqual([
			["subscription.resumed", { plan: "GROWTH", version: version + 3 }],
			["subscription.cancelled", { plan: "GROWTH", version: version + 2 }],
			["change.withdrawn", { plan: "GROWTH", version: version + 1 }],
		]);
	});

	test("records payments, failed payments and an expiry, which no person did", async () => {
		await desk.ask("POST", "", { plan: "STARTER" });
		await desk.answers("refuses");
		await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		const paid = { plan: "GROWTH", amount_minor: 450_000, currency: "KES" };
		await expect.poll(latest).toEqual(["payment.failed", { ...paid, reason: expect.any(String) }]);
		await desk.answers("pays");
		await desk.ask("POST", "/checkout", { plan: "GROWTH" });
		await expect.poll(latest).toEqual(["payment.received", paid]);
		await desk.ask("POST", "/cancel");
		await desk.daysPass(50);
		expect(await latest()).toEqual(["subscription.expired", { plan: "GROWTH", because: "cancelled" }]);
	});

	test("shows administrators of the tenant its entries, newest first, by person, kind and time", async () => {
		await desk.ask("POST", "", { plan: "STARTER" });
		await desk.payFor("GROWTH");
		await desk.ask("POST", "/cancel");
		const list = async (query: string) => {
			const { status, body } = await desk.ask("GET", `/audit?${query}`);
			expect(status).toBe(200);
			return body as { items: Array<Record<string, unknown>>; next_cursor: string | null };
		};
		const actionsOf = ({ items }: Awaited<ReturnType<typeof list>>) => items.map(({ action }) => action);
		const { items } = await list("");
		expect(items[0]).toMatchObject({ action: "subscription.cancelled", actor_kind: "user" });
		const first = await list("limit=1");
		expect(actionsOf(await list(`limit=1&cursor=${first.next_cursor}`))).toEqual([items[1]?.["action"]]);
		expect(actionsOf(await list("about=subscription,clock"))).toEqual([
			"subscription.cancelled",
			"subscription.expired",
		]);
		expect(actionsOf(await list("actor=subscriptions"))).toEqual([
			"payment.received",
			"subscription.expired",
		]);
		expect(actionsOf(await list("to=2020-01-01T00:00:00Z"))).toEqual([]);
		expect(codeOf(await desk.ask("GET", "/audit?about=Plan"))).toEqual([400, "invalid_input"]);
	});

	test("records the new time of a test clock, and the answer of the sandbox", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		await desk.answers("refuses");
		expect(await latest()).toEqual(["sandbox.set", { answer: "refuses" }]);
		await desk.daysPass(20);
		expect((await auditLog()).slice(0, 2)).toEqual([
			["subscription.expired", { plan: "GROWTH", because: "trial_ended" }],
			["clock.moved", { now: "2026-03-21T12:00:00.000Z" }],
		]);
	});

	test("does not record a clock that could not be moved", async () => {
		await desk.ask("POST", "", { plan: "GROWTH" });
		const before = await auditLog();
		const url = `/api/v1/test-clock/${desk.tenantId}`;
		const answer = await desk.own("PUT", url, { now: "2026-02-01T12:00:00Z" });
		expect(codeOf(answer)).toEqual([409, "clock_goes_forward"]);
		expect(await auditLog()).toEqual(before);
	});
});

test("a clock is not moved if the audit log cannot be written", async () => {
	await desk.ask("POST", "", { plan: "GROWTH" });
	const owner = openPool({ url: service.database.ownerUrl, name: randomUUID() });
	const before = await desk.snapshot();
	try {
		await owner.query(
			"alter table audit_log add constraint no_clocks check (action <> 'clock.moved' or tenant_id is null) not valid",
		);
		const now = "2026-03-20T12:00:00Z";
		expect((await desk.own("PUT", `/api/v1/test-clock/${desk.tenantId}`, { now })).status).toBe(500);
	} finally {
		await owner.query("alter table audit_log drop constraint no_clocks");
		await owner.close();
	}
	expect(await desk.snapshot()).toEqual(before);
});
