import { permissionsOf } from "@lango/contracts";
import type { Database, OutletScope } from "@lango/postgres";
import type { Access } from "../access.ts";
import { activeStatus, outletsOfPerson, permissionsOfPerson } from "../people/person.ts";
import { permissionsInBoth } from "../permissions/may-do.ts";
import { findApiKey, type StoredApiKey } from "./api-key.store.ts";

type BoundKeyOptions = {
	db: Database;
	access: Pick<Access, "findPerson">;
	/** The tenant whose superusers own the platform, including keys for all tenants. */
	platformSlug: string;
};

/**
 * Returns the active key with this id, limited to the permissions and outlets that its creator has now.
 * Returns undefined if the key does not exist, if its creator is no longer an active member of the tenant, or
 * if it is for all tenants and its creator is no longer a superuser of the platform. Keys that a visiting
 * platform owner created are not limited. The creator's permissions come from the same cache as for the
 * creator's own requests, and are invalidated with it.
 */
export async function findBoundKey(
	{ db, access, platformSlug }: BoundKeyOptions,
	{ id, now }: { id: string; now: Date },
): Promise<StoredApiKey | undefined> {
	const key = await findApiKey(db, { id, now, platformSlug });
	if (key?.creator === undefined) return key;
	const { subject, tenantId, globalRoles } = key.creator;
	const person = tenantId === undefined ? undefined : await access.findPerson(tenantId, subject);
	if (person?.status !== activeStatus) return undefined;
	if (globalRoles.includes("superuser")) return key;
	if (key.tenantId === undefined) return undefined;
	const held = [...permissionsOfPerson(person), ...permissionsOf(globalRoles)];
	return {
		...key,
		permissions: permissionsInBoth(key.permissions, held),
		outletIds: outletsInBoth(key.outletIds, outletsOfPerson(person)),
	};
}

/** Returns the outlets that both the key and its creator have; undefined: every outlet. */
export function outletsInBoth(
	ofKey: readonly string[] | undefined,
	ofCreator: OutletScope,
): readonly string[] | undefined {
	if (ofCreator === "all") return ofKey;
	return ofKey === undefined ? ofCreator : ofKey.filter((id) => ofCreator.includes(id));
}
