import type { Database } from "@lango/postgres";
import { failures } from "../failures.ts";
import type { FullSubscription } from "../rules/lifecycle/subscription.ts";
import { listOperations } from "./operation.store.ts";
import { readSubscription } from "./subscription.store.ts";

/** Reads a tenant's subscription with its open operation, without locking it. Throws `no_subscription`. */
export async function getSubscription(tx: Database, tenantId: string): Promise<FullSubscription> {
	const found = await readSubscription(tx, { tenantId });
	if (found === undefined) throw failures.no_subscription();
	return { ...found, operations: await listOperations(tx, { tenantId }) };
}
