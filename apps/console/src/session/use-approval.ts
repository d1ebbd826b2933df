import { useClient, useClientState } from "@lango/client/react";
import { useEffect } from "react";

/** The interval at which the approval of a pending user is checked (§3). */
export const approvalMilliseconds = 15_000;

/** Whether an approved user waits for approval again, by the most recent profile. */
export function useIsPendingAgain(): boolean {
	const state = useClientState();
	return state.status === "ready" && state.profile.status.startsWith("pending");
}

/**
 * Checks every 15 s whether a user who waits again is approved (§3). For a new user, the client checks it.
 */
export function useApproval(): void {
	const client = useClient();
	const isPendingAgain = useIsPendingAgain();
	useEffect(() => {
		if (!isPendingAgain) return;
		// An error is retried with the next check.
		const asking = setInterval(() => void client.renew().catch(() => undefined), approvalMilliseconds);
		return () => clearInterval(asking);
	}, [client, isPendingAgain]);
}
