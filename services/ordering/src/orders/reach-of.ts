import { mayDo } from "@lango/access";
import type { Call, Caller } from "@lango/chassis";
import { permissionsOf } from "@lango/contracts";
import type { Reach } from "./order.store.ts";
import type { Placer } from "./order.ts";

/**
 * Which orders a caller sees: all of the tenant, or of the outlet that X-Outlet-ID names, for who holds both
 * `ordering.orders.view` and the token's `orders:read` (spec §5.8); the caller's own for everybody else.
 */
export function reachOf(caller: Caller, { user, outletId }: Call): Reach {
	const seesAll = maySeeAll(caller, user?.permissions ?? []);
	return { owner: seesAll ? undefined : placerOf(caller), outletId };
}

/** The caller as who places an order. */
export function placerOf(caller: Caller): Placer {
	if (caller.kind === "user") return { kind: "user", id: caller.userId };
	return caller.kind === "client"
		? { kind: "client", id: caller.clientId }
		: { kind: "key", id: caller.keyId };
}

function maySeeAll(caller: Caller, ofPerson: readonly string[]): boolean {
	if (caller.kind === "user" && caller.isSuperuser) return true;
	const [held, carried] = rightsOf(caller, ofPerson);
	return mayDo(held, "ordering.orders.view") && carried.includes("orders:read");
}

/** What a caller holds here, and the canonical codes that come with the credential. */
function rightsOf(
	caller: Caller,
	ofPerson: readonly string[],
): [held: readonly string[], carried: readonly string[]] {
	if (caller.kind === "key") return [caller.permissions, caller.permissions];
	if (caller.kind === "client") {
		const scope = caller.claims.scope?.split(" ") ?? [];
		return [scope, scope];
	}
	const { permissions, permissions_ref, roles = [] } = caller.claims;
	return [ofPerson, permissions ?? (permissions_ref === undefined ? [] : permissionsOf(roles))];
}
