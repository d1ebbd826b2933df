import type { SubscriptionStanding } from "@lango/client";
import { useClient, useClientState } from "@lango/client/react";
import type { Subscription } from "@lango/contracts";
import { useEffect } from "react";

type Followed = Pick<Subscription, "status" | "access" | "version">;
type Standing = Exclude<SubscriptionStanding, { kind: "found" }> | { kind: "found"; subscription: Followed };

/** Is a subscription that a page asked for another than the one the gate goes by? */
export function isOther(standing: Standing, asked: Followed | null): boolean {
	if (standing.kind === "skipped") return false;
	if (standing.kind !== "found") return standing.kind === "unknown" || asked !== null;
	const { status, access, version } = standing.subscription;
	return status !== asked?.status || access !== asked.access || version !== asked.version;
}

/** Somebody else may have paid, or the plan has run out: the gate is told as soon as a page learns of it, once for each answer. */
export function useFollowSubscription(tenantId: string, asked: Subscription | null | undefined): void {
	const client = useClient();
	const state = useClientState();
	const isBehind =
		asked !== undefined &&
		state.status === "ready" &&
		state.profile.tenantId === tenantId &&
		isOther(state.subscription, asked);
	// biome-ignore lint/correctness/useExhaustiveDependencies: each answer is a reason of its own
	useEffect(() => {
		if (isBehind) client.checkSubscription().catch(reportError);
	}, [client, isBehind, asked]);
}
