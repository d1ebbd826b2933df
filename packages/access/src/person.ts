import type { OutletScope } from "@lango/postgres";
import type { KnownUser } from "./access.store.ts";
import { mayDo } from "./may-do.ts";

/** A person and what they may do in one tenant. */
export type Person = KnownUser;

/** The one status that has effective roles. */
export const activeStatus = "active";

/** The role that stands for the person: the strongest one in force in the whole tenant, or at the outlet at hand. */
export function roleOf(person: Person, outletId?: string): string | null {
	return person.grants.find((grant) => grant.outletId === null || grant.outletId === outletId)?.role ?? null;
}

/** Everything the person holds in the tenant, and at the outlet when one is at hand; each code once, sorted. */
export function permissionsOfPerson({ grants }: Person, outletId?: string): readonly string[] {
	const held = grants.filter((grant) => grant.outletId === null || grant.outletId === outletId);
	if (held.length === 1 && held[0] !== undefined) return held[0].permissions;
	return [...new Set(held.flatMap(({ permissions }) => permissions))].sort();
}

/** Whether the person may do something, at the outlet when one is at hand. */
export function personMay(person: Person, needed: string, outletId?: string): boolean {
	return mayDo(permissionsOfPerson(person, outletId), needed);
}

/** Whether the person has a role in the whole tenant, or at the outlet at hand. */
export function personHas({ grants }: Person, role: string, outletId?: string): boolean {
	return grants.some((one) => one.role === role && (one.outletId === null || one.outletId === outletId));
}

/** Until when the grants are as they are: the nearest end of an assignment. */
export function grantsEndAt({ grants }: Person): number {
	return Math.min(
		...grants.map(({ expiresAt }) => expiresAt?.getTime() ?? Number.POSITIVE_INFINITY),
		Number.POSITIVE_INFINITY,
	);
}

/**
 * The outlets that a member of a tenant is bound to, whichever a token selects: "all" for headquarters and administrators, and in a
 * tenant without active outlets; otherwise the member's active outlets.
 */
export function outletsOfPerson({
	isHq,
	outlets: { active, inTenant },
}: Pick<Person, "isHq" | "outlets">): OutletScope {
	return isHq || inTenant === 0 ? "all" : active;
}
