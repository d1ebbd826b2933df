import type { JoinPolicy } from "@lango/contracts";

/** How somebody who was not invited comes to stand in a tenant. */
export type Admission = { role: "member" | "rider"; status: "active" | "pending" | "pending_review" };

/**
 * What the tenant's join policy makes of a person who asks to join: riders always wait for an administrator (spec §3), others
 * as the policy says. Undefined: only by invitation.
 */
export function admissionFor(policy: JoinPolicy, role: Admission["role"]): Admission | undefined {
	if (policy === "invite") return undefined;
	if (role === "rider") return { role, status: "pending" };
	return { role, status: policy === "open" ? "active" : "pending_review" };
}
