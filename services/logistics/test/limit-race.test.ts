import type { BuiltService } from "@lango/chassis";
import { setUp } from "@lango/testkit/set-up";
import { beforeAll, expect, test } from "vitest";
import { openFleet } from "./fleet.ts";

const max = 4;

const fleet = setUp(openFleet);
let replica: BuiltService;
beforeAll(async () => {
	fleet.limit(max);
	replica = await fleet.replica(8);
});

type Verb = "approve" | "readmit" | "suspend";

/** Sends a change to one of two replicas. */
const change = async (id: string, verb: Verb, n: number) => {
	const { app } = n % 2 === 0 ? replica : fleet.service;
	const headers = { authorization: `Bearer ${fleet.token(fleet.tenants.uhai, "admin")}` };
	const url = `/api/v1/uhai/logistics/riders/${id}/${verb}`;
	const { statusCode: status, body } = await app.inject({ method: "POST", url, headers });
	return { status, code: status === 200 ? undefined : JSON.parse(body).code };
};
const counts = async () => {
	const [row] = await fleet.rows<{ counted: number; active: number }>(
		`select (select riders from fleets where tenant_id = $1) as counted,
		        (select count(*)::int from riders where tenant_id = $1 and status = 'active') as active`,
		[fleet.tenants.uhai.id],
	);
	return row;
};
const isActive = async (id: string) => (await fleet.ask("GET", `riders/${id}`)).body.status === "active";

test("parallel approvals, suspensions and readmissions at two replicas never exceed max_riders and lose no place", async () => {
	const ids: string[] = [];
	for (let n = 0; n < 12; n += 1) ids.push((await fleet.newRider()).id);
	const approved = await Promise.all(ids.map((id, n) => change(id, "approve", n)));
	expect(approved.filter(({ status }) => status === 200)).toHaveLength(max);
	const refused = approved.filter(({ status }) => status !== 200);
	expect(refused).toEqual(refused.map(() => ({ status: 403, code: "limit_reached" })));
	for (let round = 0; round < 4; round += 1) {
		const active: string[] = [];
		for (const id of ids) if (await isActive(id)) active.push(id);
		const leaving = active.slice(0, 2);
		const waiting = ids.filter((id) => !active.includes(id));
		// Each change is sent twice, but counts once.
		await Promise.all([
			...[...leaving, ...leaving].map((id, n) => change(id, "suspend", n)),
			...[...waiting, ...waiting].flatMap((id, n) => [
				change(id, "approve", n),
				change(id, "readmit", n + 1),
			]),
		]);
		const after = await counts();
		expect(after?.counted).toBe(after?.active);
		expect(after?.active).toBeLessThanOrEqual(max);
	}
	for (const [n, id] of ids.entries())
		for (const verb of ["approve", "readmit"] as const) await change(id, verb, n);
	expect(await counts()).toEqual({ counted: max, active: max });
});
