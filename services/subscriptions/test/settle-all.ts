import { randomUUID } from "node:crypto";
import { listOverdueTenants } from "../src/subscriptions/due.store.ts";
import { settleTenant } from "../src/subscriptions/settle-tenant.ts";
import type { TestService } from "./test-service.ts";

type Settling = {
	now: Date;
	onError?: (error: unknown, tenantId: string) => void;
};

/** Settles every tenant with a due step, as their jobs would. Returns their number. */
export async function settleAll({ db }: TestService, { now, onError }: Settling): Promise<number> {
	const due = { before: now, hasTestClocks: true, after: undefined, limit: 1_000 };
	const changing = { db, clock: { now: () => now, hasTestClocks: true }, mint: randomUUID };
	const tenants = await listOverdueTenants(db, due);
	for (const tenantId of tenants)
		await settleTenant(changing, tenantId).catch((error: unknown) => {
			if (onError === undefined) throw error;
			onError(error, tenantId);
		});
	return tenants.length;
}
