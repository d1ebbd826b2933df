import { ClientError } from "../calls/client-error.ts";
import { loadIdentity } from "../profile/load-profile.ts";
import { awaitApproval, pollIdentity } from "../profile/poll-identity.ts";
import { type Identity, isPending, mergeProfile, type Profile } from "../profile/profile.ts";
import type { ClientState, Ready } from "./client-state.ts";
import type { ClientContext } from "./context.ts";
import { loadReady } from "./load-ready.ts";

/** Loads a session after sign-in: identity, approval, profile, subscription and outlet. */
export type SessionLoader = {
	/** Resolves when the state is `ready`, `pending` or `failed`. Asks for the identity unless it is known. */
	load(known?: Identity): Promise<void>;
	/** Loads everything again and stays in the state `ready`. Throws ClientError. */
	reload(): Promise<void>;
	/** Discards the result of a running load. */
	cancel(): void;
	/** When the profile was last loaded, in milliseconds since the epoch. */
	readonly loadedAt: number | undefined;
};

export function createSessionLoader(context: ClientContext): SessionLoader {
	const { config, store, tokenStore, fresh, refresh } = context;
	let loads = 0;
	let reloads = 0;
	let loadedAt: number | undefined;

	async function setReady(identity: Identity, isCurrent: () => boolean, wasPending: boolean): Promise<void> {
		const loaded = await loadReady(context, identity);
		if (!isCurrent()) return;
		loadedAt = config.now();
		store.set({ status: "ready", ...loaded, wasPending });
	}

	/** Sets the state `pending` and continues after approval. */
	async function setPending(identity: Identity, isCurrent: () => boolean): Promise<void> {
		store.set({ status: "pending", profile: pendingProfile(identity) });
		const approved = await awaitApproval(config, fresh, isCurrent);
		if (approved === undefined || !isCurrent()) return;
		store.set({ status: "syncing" });
		// A token of a pending user has no roles (§2.3). The next token has them.
		await refresh(tokenStore.current?.accessToken);
		await setReady(approved, isCurrent, true);
	}

	/** Sets the state `failed` if the work throws a ClientError. */
	async function recordFailure(isCurrent: () => boolean, work: Promise<void>): Promise<void> {
		try {
			await work;
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			if (isCurrent()) store.set({ status: "failed", error });
		}
	}

	async function run(isCurrent: () => boolean, known: Identity | undefined): Promise<void> {
		const identity = known ?? (await pollIdentity(config, await fresh()));
		if (!isCurrent()) return;
		// Approval may take days, so `load` does not wait for it.
		if (isPending(identity)) void recordFailure(isCurrent, setPending(identity, isCurrent));
		else await setReady(identity, isCurrent, false);
	}

	return {
		load(known) {
			loads += 1;
			const own = loads;
			const isCurrent = () => own === loads;
			store.set({ status: "syncing" });
			return recordFailure(isCurrent, run(isCurrent, known));
		},
		async reload() {
			reloads += 1;
			const [ownLoad, ownReload, before] = [loads, reloads, store.get()];
			const identity = await loadIdentity(config, await fresh());
			if (identity === undefined) throw new ClientError("not_found", { status: 404 });
			const loaded = await loadReady(context, identity);
			if (ownLoad !== loads || ownReload !== reloads) return;
			loadedAt = config.now();
			store.change({ ...loaded, ...keepNewer(before, store.get(), loaded) });
		},
		cancel() {
			loads += 1;
		},
		get loadedAt() {
			return loadedAt;
		},
	};
}

/**
 * The values that a reload does not replace: an outlet or subscription that changed during the reload, and
 * a subscription that could not be fetched again.
 */
function keepNewer(
	before: ClientState,
	now: ClientState,
	loaded: Pick<Ready, "subscription">,
): Partial<Ready> {
	if (before.status !== "ready" || now.status !== "ready") return {};
	const isKnown = loaded.subscription.kind !== "unknown";
	return {
		...(now.outlet !== before.outlet && { outlet: now.outlet }),
		...((now.subscription !== before.subscription || !isKnown) && { subscription: now.subscription }),
	};
}

/** The profile of a person who waits for approval, without data of a service. */
const pendingProfile = (identity: Identity): Profile =>
	mergeProfile(identity, { service: undefined, products: undefined });
