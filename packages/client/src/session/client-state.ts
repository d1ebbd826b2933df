import type { PublicOutlet } from "@lango/contracts";
import type { ClientError } from "../calls/client-error.ts";
import type { OutletScope } from "../outlets/outlet-scope.ts";
import type { OutletState } from "../outlets/select-outlet.ts";
import type { Profile } from "../profile/profile.ts";
import type { SubscriptionState } from "../subscription/subscription.ts";

/** The state of a client. The README has the state diagram. */
export type ClientState =
	/** There is no session. `ended` is true if a session ended without a sign-out in this tab. */
	| { readonly status: "signed_out"; readonly ended: boolean }
	/** The browser is leaving for the sign-on service. */
	| { readonly status: "redirecting" }
	/** Tokens are being fetched for a callback or a stored session. */
	| { readonly status: "loading" }
	/** The person must select an outlet before the session gets its tokens (§5.15). */
	| {
			readonly status: "choosing_outlet";
			readonly tenantSlug: string | undefined;
			/** The outlets that may be selected; undefined if the service does not list them. */
			readonly outletIds: readonly string[] | undefined;
	  }
	/** The profile is being fetched. */
	| { readonly status: "syncing" }
	/** The person waits for approval. The client polls every 15 seconds (§3). */
	| { readonly status: "pending"; readonly profile: Profile }
	| Ready
	/** The session could not be loaded. `retry()` repeats it. */
	| { readonly status: "failed"; readonly error: ClientError };

export type Ready = {
	readonly status: "ready";
	readonly profile: Profile;
	readonly subscription: SubscriptionState;
	readonly outlet: OutletState;
	/** The outlets that may be selected. All outlets together only if it is `all`. */
	readonly outletScope: OutletScope;
	/** The tenant's outlets, if the client had to list them. */
	readonly outlets: readonly PublicOutlet[] | undefined;
	/** When all of this was loaded, in milliseconds since the epoch. */
	readonly loadedAt: number;
	/** The subscription is not active and the person chose to continue. */
	readonly hasContinued: boolean;
	/** The person has just been approved: the profile page is next (§3). */
	readonly wasPending: boolean;
	/** The session was refused and the page stays: see `staysWhenExpired`. Every call fails. */
	readonly isExpired: boolean;
};

/** Whether the outlet belongs to the session: `selectOutlet` changes it, otherwise `chooseOutlet`. */
export const isOutletOfSession = ({ profile, outletScope }: Ready): boolean =>
	profile.outletId !== "" && outletScope.kind !== "all";

export type StateStore = {
	get(): ClientState;
	set(state: ClientState): void;
	/** Changes the state `ready`. Does nothing in other states. */
	change(change: Partial<Omit<Ready, "status">>): void;
	/** Returns a function that unsubscribes. */
	subscribe(listener: () => void): () => void;
};

export function createStateStore(): StateStore {
	let state: ClientState = { status: "signed_out", ended: false };
	const listeners = new Set<() => void>();
	const set = (next: ClientState) => {
		state = next;
		for (const listener of [...listeners]) listener();
	};
	return {
		get: () => state,
		set,
		change(change) {
			if (state.status === "ready") set({ ...state, ...change });
		},
		subscribe(listener) {
			listeners.add(listener);
			return () => void listeners.delete(listener);
		},
	};
}
