import { type Caller, chassisFailures } from "@lango/chassis";

/** The outlet a person is bound to by their token; undefined for programs, headquarters and superusers (spec §5.10, decision 0069). */
export function boundOutlet(caller: Caller): string | undefined {
	if (caller.kind !== "user" || caller.isSuperuser) return undefined;
	const { outlet_id: own = "", is_hq_user: isHq = false } = caller.claims;
	return own === "" || isHq ? undefined : own.toLowerCase();
}

/** Throws `outlet_forbidden` when the caller is bound to another outlet than this. */
export function requireOwnOutlet(caller: Caller, outletId: string): void {
	const bound = boundOutlet(caller);
	if (bound !== undefined && bound !== outletId.toLowerCase()) throw chassisFailures.outlet_forbidden();
}
