import { ClientError } from "../calls/client-error.ts";
import { loadIdentity } from "../profile/load-profile.ts";
import { awaitApproval, crossBridge } from "../profile/poll-profile.ts";
import { type Identity, isPending, mergeProfile, type Profile } from "../profile/profile.ts";
import { completePerson } from "./complete-person.ts";
import type { Ground } from "./ground.ts";

/** The way from tokens to being ready: bridge, approval, profile, subscription, outlet. Its errors go into the state. */
export type Entrance = {
	enter(): Promise<void>;
	/** Asks for everything again without leaving `ready`. Throws ClientError. */
	reload(): Promise<void>;
	/** Stops a way under way: nobody waits for it any more. */
	cancel(): void;
	/** When the profile was loaded last. */
	readonly loadedAt: number | undefined;
};

export function createEntrance(ground: Ground): Entrance {
	const { means, store, held, fresh, refresh } = ground;
	let run = 0;
	let loadedAt: number | undefined;

	async function admit(identity: Identity, isLive: () => boolean): Promise<void> {
		let current: Identity | undefined = identity;
		const wasPending = isPending(identity);
		if (wasPending) {
			store.set({ status: "pending", profile: waiting(identity) });
			current = await awaitApproval(means, fresh, isLive);
			if (current === undefined || !isLive()) return;
			store.set({ status: "syncing" });
			// The token of somebody who waits has no roles (§2.3): only the next one has.
			await refresh(held.current?.accessToken);
		}
		const found = await completePerson(ground, current);
		if (!isLive()) return;
		loadedAt = means.now();
		store.set({ status: "ready", ...found, wasPending });
	}

	return {
		async enter() {
			run += 1;
			const mine = run;
			const isLive = () => mine === run;
			store.set({ status: "syncing" });
			try {
				const identity = await crossBridge(means, await fresh());
				if (isLive()) await admit(identity, isLive);
			} catch (error) {
				if (!(error instanceof ClientError)) throw error;
				if (isLive()) store.set({ status: "failed", error });
			}
		},
		async reload() {
			const mine = run;
			const identity = await loadIdentity(means, await fresh());
			if (identity === undefined) throw new ClientError("not_found", { status: 404 });
			const found = await completePerson(ground, identity);
			if (mine !== run) return;
			loadedAt = means.now();
			store.change(found);
		},
		cancel() {
			run += 1;
		},
		get loadedAt() {
			return loadedAt;
		},
	};
}

/** What is known of somebody no service has been asked about. */
const waiting = (identity: Identity): Profile =>
	mergeProfile(identity, { service: undefined, products: undefined });
