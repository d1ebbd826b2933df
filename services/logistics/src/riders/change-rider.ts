import { type Actor, recordAudit } from "@lango/access";
import { type Domain, limitReached } from "@lango/chassis";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { failures } from "../failures.ts";
import { reportFleet } from "../usage/report.jobs.ts";
import { activateRider, addRider, lockRider, suspendRider } from "./rider.store.ts";
import type { Rider, RiderStatus } from "./rider.ts";

/** The limit of the plan that riders count against (spec §2.5, §7). */
export const riderLimit = "max_riders";

type Parts = Pick<Domain, "db" | "now">;
/** The tenant, the actor and the origin of a change, for the audit log. */
export type ChangeContext = { tenantId: string; actor: Actor; requestId: string; address: string };

/** Adds a known person to the fleet as a pending rider. Throws `user_not_found`, `rider_exists`. */
export async function addToFleet(
	{ db, now }: Parts,
	subject: string,
	context: ChangeContext,
): Promise<Rider> {
	return inTenant(db, context.tenantId, async (tx) => {
		const rider = await addRider(tx, { tenantId: context.tenantId, subject, now: now() });
		if (rider === "unknown") throw failures.user_not_found({ fields: { field: "user_id", in: "body" } });
		if (rider === "taken") throw failures.rider_exists({ fields: { field: "user_id", in: "body" } });
		await audit(tx, { ...context, at: now() }, { action: "rider.added", rider });
		return rider;
	});
}

export type Activation = { id: string; from: "pending" | "suspended"; limit: number };

/**
 * Activates a pending or suspended rider and counts them against the limit in the same transaction. Does
 * nothing if the rider is active. Throws `rider_not_found`, `rider_status_conflict`, `limit_reached`.
 */
export function activate(
	parts: Parts,
	{ id, from, limit }: Activation,
	context: ChangeContext,
): Promise<Rider> {
	const apply: Apply = async (tx, { now }) => {
		if (!(await activateRider(tx, { tenantId: context.tenantId, id, limit, now })))
			throw limitReached(riderLimit, limit);
	};
	const change: StatusChange = { id, from: [from], to: "active", action: "rider.active", apply };
	return changeStatus(parts, change, context);
}

/** Suspends a rider, which frees their place in the plan. Throws `rider_not_found`. */
export function suspend(parts: Parts, id: string, context: ChangeContext): Promise<Rider> {
	const apply: Apply = (tx, { rider: { tenantId, subject }, now }) =>
		suspendRider(tx, { tenantId, subject, now });
	const from = ["pending", "active"] as const;
	const change: StatusChange = { id, from, to: "suspended", action: "rider.suspended", apply };
	return changeStatus(parts, change, context);
}

type Apply = (tx: Database, locked: { rider: Rider; now: Date }) => Promise<void>;
type StatusChange = {
	id: string;
	from: readonly RiderStatus[];
	to: RiderStatus;
	/** Its name in the audit log. */
	action: string;
	apply: Apply;
};

function changeStatus(
	{ db, now: clock }: Parts,
	{ id, from, to, action, apply }: StatusChange,
	context: ChangeContext,
): Promise<Rider> {
	return inTenant(db, context.tenantId, async (tx) => {
		const rider = await lockRider(tx, { tenantId: context.tenantId, id });
		if (rider === undefined) throw failures.rider_not_found();
		if (rider.status === to) return rider;
		if (!from.includes(rider.status))
			throw failures.rider_status_conflict({ fields: { status: rider.status } });
		const now = clock();
		await apply(tx, { rider, now });
		await audit(tx, { ...context, at: now }, { action, rider });
		await enqueueJob(tx, reportFleet, { id: context.tenantId, tenantId: context.tenantId });
		return { ...rider, status: to, changedAt: now };
	});
}

const audit = (
	tx: Database,
	context: ChangeContext & { at: Date },
	{ action, rider }: { action: string; rider: Rider },
) => recordAudit(tx, { ...context, action, subject: rider.subject, detail: { before: rider.status } });
