import type { SubscriptionState } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import type { Subscription } from "@lango/contracts";
import { useEffect } from "react";

type Followed = Pick<Subscription, "status" | "access" | "version">;
type GateState = Exclude<SubscriptionState, { kind: "found" }> | { kind: "found"; subscription: Followed };

/** Whether the loaded subscription differs from the one that the gate uses. */
export function isDifferent(gateState: GateState, loaded: Followed | null): boolean {
	if (gateState.kind === "skipped") return false;
	if (gateState.kind !== "found") return gateState.kind === "unknown" || loaded !== null;
	const { status, access, version } = gateState.subscription;
	return status !== loaded?.status || access !== loaded.access || version !== loaded.version;
}

/**
 * Updates the gate if a page loads a newer subscription, once per response. Another user may have paid, or
 * the plan may have expired.
 */
export function useFollowSubscription(tenantId: string, loaded: Subscription | null | undefined): void {
	const client = useClient();
	const state = useClientState();
	const isBehind =
		loaded !== undefined &&
		state.status === "ready" &&
		state.profile.tenantId === tenantId &&
		isDifferent(state.subscription, loaded);
	// biome-ignore lint/correctness/useExhaustiveDependencies: each response triggers it
	useEffect(() => {
		if (isBehind) client.checkSubscription().catch(reportError);
	}, [client, isBehind, loaded]);
}
