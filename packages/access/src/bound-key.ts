import { permissionsOf } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import type { Access } from "./access.ts";
import { findApiKey, type KeptApiKey } from "./api-key.store.ts";
import { permissionsInBoth } from "./may-do.ts";
import { activeStatus, permissionsOfPerson } from "./person.ts";

type BoundKeyOptions = {
	db: Database;
	access: Pick<Access, "findPerson">;
	/** The tenant whose superusers own the platform: keys that are good for all tenants are theirs. */
	platformSlug: string;
};

/**
 * The key with this id while it is in force, with no more permissions than its creator has now; undefined if there is none, or
 * its creator is no longer an active member of the tenant. Keys that a visiting platform owner or a program made keep theirs.
 * What the creator holds comes from the same memory as for the creator's own requests, and changes with it.
 */
export async function findBoundKey(
	{ db, access, platformSlug }: BoundKeyOptions,
	{ id, now }: { id: string; now: Date },
): Promise<KeptApiKey | undefined> {
	const key = await findApiKey(db, { id, now, platformSlug });
	if (key?.creator === undefined) return key;
	const { subject, tenantId, globalRoles } = key.creator;
	const person = tenantId === undefined ? undefined : await access.findPerson(tenantId, subject);
	if (person?.status !== activeStatus) return undefined;
	if (globalRoles.includes("superuser")) return key;
	const held = [...permissionsOfPerson(person), ...permissionsOf(globalRoles)];
	return { ...key, permissions: permissionsInBoth(key.permissions, held) };
}
