import { inTenant } from "@lango/postgres";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { repointPrimaryTenant } from "../users/person.store.ts";
import {
	listHalfErased,
	listSomeMembers,
	removeMemberships,
	removeTenantOutlets,
	removeTenantRows,
} from "./admin-tenant.store.ts";
import { endAllSessions, type Needs, withTenant } from "./change-tenant.ts";

const atOnce = 500;
const tenantsAtOnce = 20;

/**
 * Erases a tenant. Its row stays without a name, so that its id and its slugs are never reused.
 * Memberships, invitations, outlets and sessions are removed in batches. Users stay, because they may
 * belong to other tenants; they are erased separately. An interrupted erasure continues when it is
 * requested again, or by a schedule.
 */
export async function eraseTenant(needs: Needs, id: string, origin: Origin): Promise<void> {
	await withTenant(needs, {
		id,
		action: "tenant.erased",
		what: "deleted",
		change: (before) =>
			before.status === "deleted"
				? undefined
				: {
						...before,
						status: "deleted",
						name: before.slug,
						branding: { logo_url: null, colour: null },
						org_size: null,
						use_case: null,
					},
		origin,
	});
	await endAllSessions(needs, { tenantId: id, because: "erased", origin });
	await removeRest(needs, id);
}

/** Finishes interrupted erasures, one tenant after the other, until `signal` is aborted. */
export async function finishErasures({ db }: Pick<Dependencies, "db">, signal?: AbortSignal): Promise<void> {
	for (const id of await listHalfErased(db, tenantsAtOnce)) {
		if (signal?.aborted) return;
		await removeRest({ db }, id);
	}
}

async function removeRest({ db }: Pick<Needs, "db">, tenantId: string): Promise<void> {
	for (let left = atOnce; left > 0; )
		left = await inTenant(db, tenantId, async (tx) => {
			const userIds = await listSomeMembers(tx, { tenantId, limit: atOnce });
			for (const userId of userIds) await repointPrimaryTenant(tx, { userId, tenantId });
			const rows = await removeTenantRows(tx, { tenantId, limit: atOnce });
			await removeMemberships(tx, { tenantId, userIds });
			return rows + userIds.length;
		});
	await inTenant(db, tenantId, (tx) => removeTenantOutlets(tx, tenantId));
}
