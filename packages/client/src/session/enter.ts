import { ClientError } from "../calls/client-error.ts";
import { loadIdentity } from "../profile/load-profile.ts";
import { awaitApproval, crossBridge } from "../profile/poll-profile.ts";
import { type Identity, isPending, mergeProfile, type Profile } from "../profile/profile.ts";
import type { ClientState, Ready } from "./client-state.ts";
import { completePerson } from "./complete-person.ts";
import type { Ground } from "./ground.ts";

/** The way from tokens to being ready: bridge, approval, profile, subscription, outlet. Its errors go into the state. */
export type Entrance = {
	/** Resolves when they are in, pending or refused. */
	enter(): Promise<void>;
	/** Asks for everything again without leaving `ready`. Throws ClientError. */
	reload(): Promise<void>;
	/** Stops a way under way: nobody waits for it any more. */
	cancel(): void;
	/** When the profile was loaded last. */
	readonly loadedAt: number | undefined;
};

type Way = { isLive: () => boolean; wasPending: boolean };

export function createEntrance(ground: Ground): Entrance {
	const { means, store, held, fresh, refresh } = ground;
	let run = 0;
	let reloads = 0;
	let loadedAt: number | undefined;

	async function admit(identity: Identity, { isLive, wasPending }: Way): Promise<void> {
		const found = await completePerson(ground, identity);
		if (!isLive()) return;
		loadedAt = means.now();
		store.set({ status: "ready", ...found, wasPending });
	}

	/** Says that approval is awaited, and goes on when it was given. */
	async function waitInPending(identity: Identity, isLive: () => boolean): Promise<void> {
		store.set({ status: "pending", profile: waiting(identity) });
		const approved = await awaitApproval(means, fresh, isLive);
		if (approved === undefined || !isLive()) return;
		store.set({ status: "syncing" });
		// The token of somebody who waits has no roles (§2.3): only the next one has.
		await refresh(held.current?.accessToken);
		await admit(approved, { isLive, wasPending: true });
	}

	async function tellFailure(isLive: () => boolean, way: Promise<void>): Promise<void> {
		try {
			await way;
		} catch (error) {
			if (!(error instanceof ClientError)) throw error;
			if (isLive()) store.set({ status: "failed", error });
		}
	}

	async function cross(isLive: () => boolean): Promise<void> {
		const identity = await crossBridge(means, await fresh());
		if (!isLive()) return;
		// Approval may take days: nobody is kept waiting for it.
		if (isPending(identity)) void tellFailure(isLive, waitInPending(identity, isLive));
		else await admit(identity, { isLive, wasPending: false });
	}

	return {
		enter() {
			run += 1;
			const mine = run;
			const isLive = () => mine === run;
			store.set({ status: "syncing" });
			return tellFailure(isLive, cross(isLive));
		},
		async reload() {
			reloads += 1;
			const [mine, turn, before] = [run, reloads, store.get()];
			const identity = await loadIdentity(means, await fresh());
			if (identity === undefined) throw new ClientError("not_found", { status: 404 });
			const found = await completePerson(ground, identity);
			if (mine !== run || turn !== reloads) return;
			loadedAt = means.now();
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

/** What a reload leaves as it stands: what was chosen or checked meanwhile, and a subscription that could not be asked for. */
function kept(before: ClientState, now: ClientState, found: Pick<Ready, "subscription">): Partial<Ready> {
	if (before.status !== "ready" || now.status !== "ready") return {};
	const isKnown = found.subscription.kind !== "unknown";
	return {
		...(now.outlet !== before.outlet && { outlet: now.outlet }),
		...((now.subscription !== before.subscription || !isKnown) && { subscription: now.subscription }),
	};
}

/** What is known of somebody no service has been asked about. */
const waiting = (identity: Identity): Profile =>
	mergeProfile(identity, { service: undefined, products: undefined });
