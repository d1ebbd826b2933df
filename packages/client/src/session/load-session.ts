import { ClientError } from "../calls/client-error.ts";
import { loadIdentity } from "../profile/load-profile.ts";
import { awaitApproval, crossBridge } from "../profile/poll-profile.ts";
import { type Identity, isPending, mergeProfile, type Profile } from "../profile/profile.ts";
import type { ClientState, Ready } from "./client-state.ts";
import { completePerson } from "./complete-person.ts";
import type { ClientContext } from "./context.ts";

/**
 * Loads a session after sign-in: identity, approval, profile, subscription and outlet. Errors change the
 * state.
 */
export type SessionLoader = {
	/** Resolves when the state is `ready`, `pending` or `failed`. */
	enter(): Promise<void>;
	/** Loads everything again without leaving the state `ready`. Throws ClientError. */
	reload(): Promise<void>;
	/** Discards the result of a running load. */
	cancel(): void;
	/** When the profile was last loaded, in milliseconds since the epoch. */
	readonly loadedAt: number | undefined;
};

type Way = { isLive: () => boolean; wasPending: boolean };

export function createSessionLoader(context: ClientContext): SessionLoader {
	const { config, store, held, fresh, refresh } = context;
	let run = 0;
	let reloads = 0;
	let loadedAt: number | undefined;

	async function admit(identity: Identity, { isLive, wasPending }: Way): Promise<void> {
		const found = await completePerson(context, identity);
		if (!isLive()) return;
		loadedAt = config.now();
		store.set({ status: "ready", ...found, wasPending });
	}

	/** Sets the state `pending` and continues after approval. */
	async function waitInPending(identity: Identity, isLive: () => boolean): Promise<void> {
		store.set({ status: "pending", profile: waiting(identity) });
		const approved = await awaitApproval(config, fresh, isLive);
		if (approved === undefined || !isLive()) return;
		store.set({ status: "syncing" });
		// A token of a pending user has no roles (§2.3). The next token has them.
		await refresh(held.current?.accessToken);
		await admit(approved, { isLive, wasPending: true });
	}

	async function recordFailure(isLive: () => boolean, way: Promise<void>): Promise<void> {
		try {
			await way;
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			if (isLive()) store.set({ status: "failed", error });
		}
	}

	async function cross(isLive: () => boolean): Promise<void> {
		const identity = await crossBridge(config, await fresh());
		if (!isLive()) return;
		// Approval may take days, so `enter` does not wait for it.
		if (isPending(identity)) void recordFailure(isLive, waitInPending(identity, isLive));
		else await admit(identity, { isLive, wasPending: false });
	}

	return {
		enter() {
			run += 1;
			const mine = run;
			const isLive = () => mine === run;
			store.set({ status: "syncing" });
			return recordFailure(isLive, cross(isLive));
		},
		async reload() {
			reloads += 1;
			const [mine, attempt, before] = [run, reloads, store.get()];
			const identity = await loadIdentity(config, await fresh());
			if (identity === undefined) throw new ClientError("not_found", { status: 404 });
			const found = await completePerson(context, identity);
			if (mine !== run || attempt !== reloads) return;
			loadedAt = config.now();
			store.change({ ...found, ...kept(before, store.get(), found) });
		},
		cancel() {
			run += 1;
		},
		get loadedAt() {
			return loadedAt;
		},
	};
}

/**
 * What a reload does not replace: an outlet or a subscription that changed during the reload, and a
 * subscription that could not be fetched.
 */
function kept(before: ClientState, now: ClientState, found: Pick<Ready, "subscription">): Partial<Ready> {
	if (before.status !== "ready" || now.status !== "ready") return {};
	const isKnown = found.subscription.kind !== "unknown";
	return {
		...(now.outlet !== before.outlet && { outlet: now.outlet }),
		...((now.subscription !== before.subscription || !isKnown) && { subscription: now.subscription }),
	};
}

/** The profile before a service was asked. */
const waiting = (identity: Identity): Profile =>
	mergeProfile(identity, { service: undefined, products: undefined });
