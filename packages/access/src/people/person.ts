import type { OutletScope } from "@lango/postgres";
import { mayDo } from "../permissions/may-do.ts";
import type { KnownUser } from "./access.store.ts";

/** A person with their roles in one tenant. */
export type Person = KnownUser;

/** The only status in which roles apply. */
export const activeStatus = "active";

/**
 * Returns the person's primary role: the strongest current one in the whole tenant, or at the given outlet.
 */
export function roleOf(person: Person, outletId?: string): string | null {
	return person.grants.find((grant) => grant.outletId === null || grant.outletId === outletId)?.role ?? null;
}

/** Returns the person's permissions in the tenant, and at the given outlet, each once and sorted. */
export function permissionsOfPerson({ grants }: Person, outletId?: string): readonly string[] {
	const held = grants.filter((grant) => grant.outletId === null || grant.outletId === outletId);
	if (held.length === 1 && held[0] !== undefined) return held[0].permissions;
	return [...new Set(held.flatMap(({ permissions }) => permissions))].sort();
}

/** Whether the person has a permission, at the given outlet too. */
export function personMay(person: Person, needed: string, outletId?: string): boolean {
	return mayDo(permissionsOfPerson(person, outletId), needed);
}

/** Whether the person has a role in the whole tenant, or at the given outlet. */
export function personHas({ grants }: Person, role: string, outletId?: string): boolean {
	return grants.some((one) => one.role === role && (one.outletId === null || one.outletId === outletId));
}

/** Returns when the grants change next: the nearest end of an assignment. */
export function grantsEndAt({ grants }: Person): number {
	return Math.min(
		...grants.map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
		Number.POSITIVE_INFINITY,
	);
}

/**
 * Returns the outlet scope of a tenant's member, independent of the outlet that a token selects: "all" for
 * headquarters and administrators, and in a tenant without active outlets; otherwise the member's active
 * outlets.
 */
export function outletsOfPerson({
	isHq,
	outlets: { active, inTenant },
}: Pick<Person, "isHq" | "outlets">): OutletScope {
	return isHq || inTenant === 0 ? "all" : active;
}
