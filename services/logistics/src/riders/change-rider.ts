import { type Actor, recordAudit } from "@lango/access";
import { type Domain, limitReached } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { reportFleet } from "../usage/report.jobs.ts";
import { addRider, admitRider, lockRider, suspendRider } from "./rider.store.ts";
import type { Rider, RiderStatus } from "./rider.ts";

/** The limit of the plan that riders count against (spec §2.5, §7). */
export const riderLimit = "max_riders";

type Parts = Pick<Domain, "db" | "now">;
/** By whom, and from where, for the audit log. */
export type Doing = { tenantId: string; actor: Actor; requestId: string; address: string };

/** Takes a person whom the service knows into the fleet, where they wait. Refuses with `user_not_found` or `rider_exists`. */
export async function takeRider({ db, now }: Parts, subject: string, doing: Doing): Promise<Rider> {
	return inTenant(db, doing.tenantId, async (tx) => {
		const rider = await addRider(tx, { subject, now: now() });
		if (rider === "unknown") throw failures.user_not_found({ fields: { field: "user_id", in: "body" } });
		if (rider === "taken") throw failures.rider_exists({ fields: { field: "user_id", in: "body" } });
		await note(tx, { ...doing, at: now() }, { action: "rider.added", rider });
		return rider;
	});
}

export type Admitting = { id: string; from: "pending" | "suspended"; limit: number };

/**
 * Has a rider ride who waited, or was suspended; one who rides already is left so. Counted against the limit in the same transaction.
 * Refuses with `rider_not_found`, `rider_status_conflict` or `limit_reached`.
 */
export function admit(parts: Parts, { id, from, limit }: Admitting, doing: Doing): Promise<Rider> {
	const apply: Apply = async (tx, { now }) => {
		if (!(await admitRider(tx, { tenantId: doing.tenantId, id, limit, now })))
			throw limitReached(riderLimit, limit);
	};
	return changeStatus(parts, { id, from: [from], to: "active", apply }, doing);
}

/** Keeps a rider from riding, whose place is free then. Refuses with `rider_not_found`. */
export function suspend(parts: Parts, id: string, doing: Doing): Promise<Rider> {
	const apply: Apply = (tx, { rider: { subject }, now }) => suspendRider(tx, { subject, now });
	return changeStatus(parts, { id, from: ["pending", "active"], to: "suspended", apply }, doing);
}

type Apply = (tx: Database, locked: { rider: Rider; now: Date }) => Promise<void>;
type StatusChange = { id: string; from: readonly RiderStatus[]; to: RiderStatus; apply: Apply };

function changeStatus(
	{ db, now: clock }: Parts,
	{ id, from, to, apply }: StatusChange,
	doing: Doing,
): Promise<Rider> {
	return inTenant(db, doing.tenantId, async (tx) => {
		const rider = await lockRider(tx, id);
		if (rider === undefined) throw failures.rider_not_found();
		if (rider.status === to) return rider;
		if (!from.includes(rider.status))
			throw failures.rider_status_conflict({ fields: { status: rider.status } });
		const now = clock();
		await apply(tx, { rider, now });
		await note(tx, { ...doing, at: now }, { action: `rider.${to}`, rider });
		await enqueueJob(tx, reportFleet, { id: doing.tenantId, tenantId: doing.tenantId });
		return { ...rider, status: to, changedAt: now };
	});
}

const note = (
	tx: Database,
	doing: Doing & { at: Date },
	{ action, rider }: { action: string; rider: Rider },
) => recordAudit(tx, { ...doing, action, subject: rider.subject, detail: { before: rider.status } });
