import { authUserDeleted } from "@lango/contracts";
import { recordEvent } from "@lango/events";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import { announceUser } from "../members/announce-user.ts";
import { announceOutlet } from "../outlets/announce-outlet.ts";
import type { Outlet } from "../outlets/outlet.store.ts";
import { announceTenant } from "../tenants/announce-tenant.ts";
import { findTenant } from "../tenants/tenant.store.ts";
import { listRemovedMemberships, raiseOutlets, raiseTenants, raiseUsers } from "./announce-all.store.ts";

/** More than a version can grow between a backup and its restore. */
const versionStep = 1_000_000;
const batchMax = 50;
const lowestId = "00000000-0000-0000-0000-000000000000";

export type Announced = { tenants: number; outlets: number; users: number };

/**
 * Announces every tenant, outlet and person as they are now, with versions above all that were announced
 * before. It is for a sign-on database that was restored from a backup older than the other services'
 * databases: these ignore lower versions. Works in short transactions; started again after an interruption,
 * it announces everything once more, which changes nothing. Records it in the audit log.
 */
export async function announceAll(db: Database, { now }: { now: () => Date }): Promise<Announced> {
	const { tenants, outlets } = await announceTenants(db, now);
	const users = await announceUsers(db, now);
	await announceRemoved(db, now);
	const after = { by: "operator", tenants, outlets, users };
	const origin = { actorUserId: undefined, ip: undefined, requestId: undefined, now: now() };
	await recordAudit(db, origin, { action: "events.announced", subject: "auth", after });
	return { tenants, outlets, users };
}

async function announceTenants(db: Database, now: () => Date) {
	const count = { tenants: 0, outlets: 0 };
	for (let after = lowestId; ; ) {
		const ids = await db.transaction(async (tx) => {
			const raised = await raiseTenants(tx, { after, by: versionStep, limit: batchMax });
			for (const id of raised) await announceOne(tx, id, now());
			return raised;
		});
		for (const id of ids) count.outlets += await announceOutlets(db, id, now);
		count.tenants += ids.length;
		after = ids.at(-1) ?? after;
		if (ids.length < batchMax) return count;
	}
}

async function announceOne(tx: Database, id: string, now: Date): Promise<void> {
	const tenant = await findTenant(tx, id);
	if (tenant === undefined) throw new Error("a locked tenant does not exist");
	await announceTenant(tx, tenant, {
		what: tenant.status === "deleted" ? "deleted" : "updated",
		origin: { now },
	});
}

async function announceOutlets(db: Database, tenantId: string, now: () => Date): Promise<number> {
	return inTenant(db, tenantId, async (tx) => {
		const tenant = await findTenant(tx, tenantId);
		if (tenant === undefined || tenant.status === "deleted") return 0;
		const outlets = await raiseOutlets<Outlet>(tx, { tenantId, by: versionStep });
		for (const outlet of outlets.toSorted((one, other) => (one.id < other.id ? -1 : 1)))
			await announceOutlet(tx, { tenant, outlet, origin: { now: now() } });
		return outlets.length;
	});
}

async function announceUsers(db: Database, now: () => Date): Promise<number> {
	let count = 0;
	for (let after = lowestId; ; ) {
		const raised = await db.transaction(async (tx) => {
			const users = await raiseUsers(tx, { after, by: versionStep, limit: batchMax });
			for (const { id, version, isErased } of users)
				if (isErased) await announceErased(tx, { id, version, now: now() });
				else await announceUser(tx, { userId: id, origin: { now: now() } });
			return users;
		});
		count += raised.length;
		after = raised.at(-1)?.id ?? after;
		if (raised.length < batchMax) return count;
	}
}

const announceErased = (tx: Database, { id, version, now }: { id: string; version: number; now: Date }) =>
	recordEvent(tx, authUserDeleted, { subject: id, now, data: { user_id: id, version } });

/** A person who left a tenant is announced there, too: a service may still know them as a member. */
async function announceRemoved(db: Database, now: () => Date): Promise<void> {
	for (let after = { tenantId: lowestId, userId: lowestId }; ; ) {
		const at = after;
		const removed = await acrossTenants(db, (tx) =>
			listRemovedMemberships(tx, { after: at, limit: batchMax }),
		);
		for (const { tenantId, userId } of removed)
			await inTenant(db, tenantId, (tx) => announceUser(tx, { userId, tenantId, origin: { now: now() } }));
		after = removed.at(-1) ?? after;
		if (removed.length < batchMax) return;
	}
}
