import { randomUUID } from "node:crypto";
import { inTenant } from "@lango/postgres";
import { type Claimed, claimLane, type Lane } from "../src/dispatch/claim.store.ts";
import type { Result } from "../src/dispatch/settle.store.ts";
import { settle } from "../src/dispatch/settle.ts";
import { criticalCategories } from "../src/template.ts";
import type { Office } from "./office.ts";

/** Claims due deliveries of a lane, as a dispatcher does. */
export function claimFrom(office: Office, lane: Lane, limit = 100): Promise<Claimed[]> {
	const options = { limit, leaseSeconds: 30, critical: criticalCategories, now: new Date() };
	return inTenant(office.database.db, lane.tenantId, (tx) => claimLane(tx, lane, options));
}

/** Settles claimed deliveries as sent. */
export function settleAs(office: Office, tenantId: string, results: readonly Result[]) {
	return settle({ db: office.database.db, now: () => new Date() }, { tenantId, results });
}

/** The result of a call that the provider accepted. */
export const accepted = ({ id, attempt }: Pick<Claimed, "id" | "attempt">): Result => ({
	...{ id, attempt, from: ["sending"], status: "sent", rank: 1, ref: randomUUID() },
	event: { kind: "attempt", detail: { outcome: "accepted" } },
});
