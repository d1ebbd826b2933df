import type { ClientError } from "../calls/client-error.ts";
import type { OutletScope } from "../outlets/outlet-scope.ts";
import type { OutletStanding } from "../outlets/preselect-outlet.ts";
import type { Profile } from "../profile/profile.ts";
import type { SubscriptionStanding } from "../subscription/standing.ts";

/** Where a person is between coming and working; the diagram is in the README. */
export type ClientState =
	/** Nobody is signed in here; `ended` when a session was over before the person said so. */
	| { readonly status: "signed_out"; readonly ended: boolean }
	/** The browser is on its way to the sign-on service. */
	| { readonly status: "leaving" }
	/** A callback or a kept session is being turned into tokens. */
	| { readonly status: "loading" }
	/** Several outlets: one must be chosen before there are final tokens (§5.15). */
	| {
			readonly status: "choosing_outlet";
			readonly tenantSlug: string | undefined;
			/** The outlets that may be chosen; undefined where the service does not say: then any may be tried. */
			readonly outletIds: readonly string[] | undefined;
	  }
	/** The bridge: the profile is being fetched. */
	| { readonly status: "syncing" }
	/** Waits for approval; asked again every 15 seconds (§3). */
	| { readonly status: "pending"; readonly profile: Profile }
	| Ready
	/** Could not be brought to an end; `retry()` tries again. */
	| { readonly status: "failed"; readonly error: ClientError };

export type Ready = {
	readonly status: "ready";
	readonly profile: Profile;
	readonly subscription: SubscriptionStanding;
	readonly outlet: OutletStanding;
	/** The outlets the person may choose among; every one together only where it is `all`. */
	readonly outletScope: OutletScope;
	/** The subscription is not active, and the person chose to go on all the same. */
	readonly hasContinued: boolean;
	/** The person waited for approval a moment ago: the profile page is next (§3). */
	readonly wasPending: boolean;
};

export type StateStore = {
	get(): ClientState;
	set(state: ClientState): void;
	/** Changes what is ready; nothing happens in any other state. */
	change(change: Partial<Omit<Ready, "status">>): void;
	/** Answers what ends the subscription. */
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
