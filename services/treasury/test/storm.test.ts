import { acrossTenants } from "@lango/postgres";
import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { findViolations } from "./ledger/invariants.ts";
import { findBroken } from "./outcomes/state.ts";
import { runStorm } from "./storm.ts";
import { openTill } from "./till.ts";

const till = setUp(openTill);

test("under all faults of both gateways no collection is lost or doubled, to the cent", async () => {
	const storm = await runStorm(till, { bills: 200 });
	expect(storm.differences).toEqual([]);
	expect(storm.collections).toBeGreaterThan(100);
	expect(storm.bills["processing"]).toBeUndefined();
	const { db } = till.database;
	const read: Parameters<typeof findViolations>[0]["read"] = (text, values) =>
		acrossTenants(db, (tx) => tx.query(text, values));
	expect(await findViolations({ read })).toEqual([]);
	for (const { id } of Object.values(till.tenants)) {
		const broken = await findBroken({ db }, id);
		// The clock moves by days, after which published events are removed.
		expect(broken.filter(({ rule }) => !rule.startsWith("I22"))).toEqual([]);
	}
});
