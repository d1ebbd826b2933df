import { callerOf, chassisFailures, signedIn, tenantOf, tenantWide } from "@lango/chassis";
import type { AccessTokenClaims } from "@lango/contracts";

type Request = Parameters<typeof callerOf>[0];

/** What every route of a person's own things declares. `because` says why no subscription is asked for. */
export const own = (because: string) =>
	({
		access: signedIn(),
		outlets: tenantWide("these things are a person's"),
		subscription: { exempt: because },
	}) as const;

/** The person who calls, and in which tenant. Throws `forbidden` for programs. */
export function personOf(request: Request): {
	tenantId: string;
	userId: string;
	claims: AccessTokenClaims;
} {
	const caller = callerOf(request);
	if (caller.kind !== "user")
		throw chassisFailures.forbidden({
			fields: { reason: "these things are a person's, and this credential is a program's" },
		});
	return { tenantId: tenantOf(request).id, userId: caller.userId, claims: caller.claims };
}
