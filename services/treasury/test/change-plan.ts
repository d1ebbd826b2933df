import { subscriptionEntitlementsChanged } from "@lango/contracts";
import { testEvent } from "@lango/testkit";
import { expect } from "vitest";
import type { Till } from "./till.ts";

/** The subscription service publishes that the plan of Uhai changed, and the jobs that are due run. */
export async function changePlan({ tenants: { uhai }, ...till }: Till): Promise<void> {
	const data = till.subscriptions.records.get(uhai.id);
	await till.transport.publish(
		testEvent(subscriptionEntitlementsChanged, { subject: uhai.id, tenant: uhai, data }),
	);
	await expect.poll(() => till.database.db.query("select 1 from deliveries where attempts = 0")).toEqual([]);
	await till.service.jobs.runDue();
}
