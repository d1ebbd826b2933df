import type { BuiltService } from "@lango/chassis";
import { subscriptionEntitlementsChanged } from "@lango/contracts";
import { inTenant, openPool } from "@lango/postgres";
import { testEvent } from "@lango/testkit";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, beforeEach, describe, expect, test } from "vitest";
import { activateRider } from "../src/riders/rider.store.ts";
import { openFleet } from "./fleet.ts";

const fleet = setUp(openFleet);
let replica: BuiltService;
beforeAll(async () => {
	replica = await fleet.replica(8);
});
/** Every test begins with a fleet of its own size and without unreported changes. */
beforeEach(async () => {
	await fleet.service.jobs.runDue();
	fleet.subscriptions.reported.splice(0);
});

const approve = (id: string) => fleet.ask("POST", `riders/${id}/approve`);
const riding = async () => {
	const [row] = await fleet.rows<{ counted: number; active: number }>(
		`select coalesce((select riders from fleets where tenant_id = $1), 0) as counted,
		        (select count(*)::int from riders where tenant_id = $1 and status = 'active') as active`,
		[fleet.tenants.uhai.id],
	);
	return row ?? { counted: -1, active: -1 };
};
/** Sets a plan with room for this many more riders. */
async function leaveRoomFor(more: number) {
	const { counted } = await riding();
	fleet.limit(counted + more);
	await refreshPlan();
}
/**
 * Plans are cached for a minute. Another replica fetches the plan at once, and so does this one after an
 * event.
 */
async function refreshPlan() {
	const { id } = fleet.tenants.uhai;
	const data = fleet.subscriptions.records.get(id);
	const event = testEvent(subscriptionEntitlementsChanged, { subject: id, tenant: { id }, data });
	await fleet.transport.publish(event);
}

const notIncluded = {
	status: 403,
	body: { code: "limit_reached", error: "The current plan does not include max_riders.", limit_value: 0 },
};

describe("max_riders", () => {
	test("rejects an approval beyond it, leaves the rider pending, and frees a place after a suspension", async () => {
		await leaveRoomFor(1);
		const [first, second] = [await fleet.newRider(), await fleet.newRider()];
		expect((await approve(first.id)).status).toBe(200);
		const { counted } = await riding();
		await expect
			.poll(async () => (await approve(second.id)).body)
			.toMatchObject({
				code: "limit_reached",
				limit: "max_riders",
				limit_value: counted,
				error: "The limit max_riders of the current plan is reached.",
			});
		expect((await fleet.ask("GET", `riders/${second.id}`)).body.status).toBe("pending");
		expect((await approve(first.id)).status).toBe(200);
		await fleet.ask("POST", `riders/${first.id}/suspend`);
		expect((await approve(second.id)).status).toBe(200);
		expect((await fleet.ask("POST", `riders/${first.id}/readmit`)).body.code).toBe("limit_reached");
	});

	test.each([
		["missing in the plan means not included", undefined, notIncluded],
		["of 0 means not included", 0, notIncluded],
		["of -1 means unlimited", -1, { status: 200 }],
	])("%s", async (_, limit, answer) => {
		const { id } = await fleet.newRider();
		fleet.limit(limit);
		await refreshPlan();
		await expect.poll(() => approve(id)).toMatchObject(answer);
	});
});

test("of 48 parallel approvals on 16 connections exactly as many succeed as the limit allows", async () => {
	const { uhai } = fleet.tenants;
	const waiting = await Promise.all(Array.from({ length: 48 }, () => fleet.newRider()));
	const { counted: before } = await riding();
	const db = openPool({ url: fleet.database.url, name: "race", sizeMax: 16, onIdleError: () => {} });
	try {
		const admitted = await Promise.all(
			waiting.map(({ id }) =>
				inTenant(db, uhai.id, (tx) =>
					activateRider(tx, { tenantId: uhai.id, id, limit: before + 10, now: new Date() }),
				),
			),
		);
		expect(admitted.filter(Boolean)).toHaveLength(10);
	} finally {
		await db.close();
	}
	const { counted, active } = await riding();
	expect([counted, active]).toEqual([before + 10, before + 10]);
});

test("a rider that two replicas approve in parallel is counted once", async () => {
	fleet.limit(-1);
	await refreshPlan();
	const { id } = await fleet.newRider();
	const { counted: before } = await riding();
	const headers = { authorization: `Bearer ${fleet.token(fleet.tenants.uhai, "admin")}` };
	const url = `/api/v1/uhai/logistics/riders/${id}/approve`;
	const answers = await Promise.all(
		Array.from({ length: 8 }, (_, index) =>
			(index % 2 === 0 ? replica : fleet.service).app.inject({ method: "POST", url, headers }),
		),
	);
	expect(answers.map(({ statusCode }) => statusCode)).toEqual(Array(8).fill(200));
	expect((await riding()).counted).toBe(before + 1);
});

describe("the number of riders", () => {
	test("is reported as it grows and shrinks, each change once under its own id", async () => {
		fleet.limit(-1);
		await refreshPlan();
		const { id } = await fleet.newRider();
		await approve(id);
		await fleet.ask("POST", `riders/${id}/suspend`);
		await fleet.service.jobs.runDue();
		const reports = fleet.subscriptions.reported.splice(0);
		expect(reports.map(({ metric, value }) => `${metric} ${value}`)).toEqual([
			"rider_count 1",
			"rider_count -1",
		]);
		expect(new Set(reports.map((one) => one.id)).size).toBe(2);
		expect(new Set(reports.map(({ tenantId }) => tenantId))).toEqual(new Set([fleet.tenants.uhai.id]));
		await fleet.service.jobs.runDue();
		expect(fleet.subscriptions.reported).toEqual([]);
	});

	test("is reported later under the same ids if the subscription service is unavailable", async () => {
		const { id } = await fleet.newRider();
		await approve(id);
		fleet.subscriptions.brokenWith = 500;
		await fleet.service.jobs.runDue();
		fleet.subscriptions.brokenWith = undefined;
		expect(fleet.subscriptions.reported).toEqual([]);
		const waiting = await fleet.rows<{ id: string }>("select id from rider_reports");
		await fleet.ask("POST", `riders/${id}/suspend`);
		await fleet.service.jobs.runDue();
		const reports = fleet.subscriptions.reported.map((one) => one.id);
		expect(reports).toHaveLength(2);
		expect(waiting.map((one) => `rider:${one.id}`)).toEqual(reports.slice(0, 1));
		expect(await fleet.rows("select from rider_reports")).toEqual([]);
	});
});
