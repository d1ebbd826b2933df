import type { JoinPolicy } from "@lango/contracts";

/** The membership of a person who joins without an invitation. */
export type Admission = { role: "member" | "rider"; status: "active" | "pending" | "pending_review" };

/**
 * The membership that the tenant's join policy gives. Riders always wait for an administrator (spec §3).
 * Undefined if the tenant can only be joined by invitation.
 */
export function admissionFor(policy: JoinPolicy, role: Admission["role"]): Admission | undefined {
	if (policy === "invite") return undefined;
	if (role === "rider") return { role, status: "pending" };
	return { role, status: policy === "open" ? "active" : "pending_review" };
}
