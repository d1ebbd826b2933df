import { useClient, useClientState } from "@lango/client/react";
import { useEffect } from "react";

/** How often somebody who waits is asked for (§3). */
export const approvalMilliseconds = 15_000;

/** Whether somebody who was in already waits for approval again, by the profile that was asked for last. */
export function useIsPendingAgain(): boolean {
	const state = useClientState();
	return state.status === "ready" && state.profile.status.startsWith("pending");
}

/** Asks every 15 s for who waits again (§3); for who was never in the client does it. */
export function useApproval(): void {
	const client = useClient();
	const isPendingAgain = useIsPendingAgain();
	useEffect(() => {
		if (!isPendingAgain) return;
		// What fails is asked for again with the next round.
		const asking = setInterval(() => void client.renew().catch(() => undefined), approvalMilliseconds);
		return () => clearInterval(asking);
	}, [client, isPendingAgain]);
}
