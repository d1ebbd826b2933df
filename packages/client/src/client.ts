import type { PublicOutlet } from "@lango/contracts";
import { type CallOptions, createCall, isSessionOver } from "./calls/call.ts";
import { ClientError } from "./calls/client-error.ts";
import { type ClientOptions, type Means, resolveMeans } from "./means.ts";
import { mayChoose } from "./outlets/outlet-scope.ts";
import type { Profile } from "./profile/profile.ts";
import type { ClientState } from "./session/client-state.ts";
import { continuedKey, listOutlets } from "./session/complete-person.ts";
import { createEntrance, type Entrance } from "./session/enter.ts";
import { type Ground, layGround } from "./session/ground.ts";
import { askExchange, findExchange, keepExchange, selectSessionOutlet } from "./session/session-outlet.ts";
import { createWaysOut } from "./session/sign-out.ts";
import { loadSubscription } from "./subscription/standing.ts";
import type { HeldTokens } from "./tokens/held-tokens.ts";
import { finishSignIn, prepareSignIn, type SignInOptions } from "./tokens/sign-in.ts";
import type { Exchange, TokenAnswer } from "./tokens/tokens.ts";

/** One person in one tab: who they are, and a way to ask services as them. */
export type Client = {
	/** Where the person is; the same object until it changes. */
	getState(): ClientState;
	/** Calls the listener after each change; answers what ends it. */
	subscribe(listener: () => void): () => void;
	/** Restores a kept session, of the tenant when one is named. Does nothing once there is one. */
	start(options?: { tenant?: string }): Promise<void>;
	/** Leaves the page for the sign-on service. */
	signIn(options?: SignInOptions): Promise<void>;
	/** Takes the callback's address; answers where on this site to go on. Throws ClientError; the state says so, too. */
	completeSignIn(address?: string): Promise<string>;
	/** Chooses the outlet of the session, in state `choosing_outlet`. Throws ClientError. */
	selectOutlet(outletId: string): Promise<void>;
	/** Begins choosing another outlet for the session. Throws ClientError. */
	switchOutlet(): Promise<void>;
	/**
	 * The tenant's outlets that are not archived, the last used first; while the session's is chosen and no tenant is named, those
	 * that may be.
	 */
	listOutlets(tenantSlug?: string): Promise<readonly PublicOutlet[]>;
	/** The outlets of a tenant that were worked at in this browser, the latest first: to be marked where one is chosen. */
	lastUsedOutletIds(tenantSlug: string): readonly string[];
	/** Chooses the outlet this front end works at; `all` where the scope is `all`. Throws ClientError `outlet_forbidden` outside the scope. */
	chooseOutlet(outletId: string): void;
	/** Asks a service; see CallOptions. Throws ClientError. */
	call<T = unknown>(path: string, options?: CallOptions): Promise<T>;
	/** Tries again what failed. */
	retry(): Promise<void>;
	/** The profile, asked for again when it is older than `profileMaxAgeSeconds`. Throws ClientError. */
	freshProfile(): Promise<Profile>;
	/**
	 * Looks in the background whether the profile, the subscription and the outlet still are what they were, when they are older than
	 * `profileMaxAgeSeconds`: for whenever somebody comes back to the page or opens another. What could not be had stays as it was.
	 */
	lookAgain(): void;
	/** New tokens and a new profile: after an upgrade or a change of roles, whose claims come with the next token. */
	renew(): Promise<void>;
	/** Asks for the subscription again. */
	checkSubscription(): Promise<void>;
	/** The person goes on without an active subscription, where that may be; kept for the tab. */
	continueUnsubscribed(): void;
	/** The profile page was shown to somebody who was approved a moment ago. */
	acknowledgeApproval(): void;
	signOut(): Promise<void>;
	/** Adds something to clear when a session ends; answers what takes it back. */
	onClear(clearing: () => void): () => void;
	/** Ends polling and leaves the other tabs. */
	close(): void;
};

type Arrival = Pick<Client, "start" | "signIn" | "completeSignIn" | "selectOutlet" | "switchOutlet">;
type Stay = Omit<
	Client,
	keyof Arrival | "getState" | "subscribe" | "call" | "retry" | "signOut" | "onClear" | "close"
>;

/** Clears everything known of a session that is over, and sets the state `signed_out`. */
type Forget = () => void;

/** After a look that failed, how long until the next. */
const lookAgainMilliseconds = 60_000;

/** Makes a client; nothing is asked before `start`, `signIn` or `completeSignIn`. Throws an Error for a bad address. */
export function createClient(options: ClientOptions): Client {
	const means = resolveMeans(options);
	const ground = layGround(means, () => out.forget());
	const entrance = createEntrance(ground);
	const out = createWaysOut(ground, entrance);
	const { store, tabs, held } = ground;
	const arrival: Arrival = createArrival(ground, entrance, out.forget);
	const { forgetOutlet, ...stay } = createStay(ground, entrance, out.forget);
	return {
		getState: store.get,
		subscribe: store.subscribe,
		...arrival,
		...stay,
		call: createCall({
			means,
			getState: store.get,
			getOutletId: ground.getOutletId,
			fresh: ground.fresh,
			refresh: ground.refresh,
			onRefused: out.endSession,
			onOutletRefused: forgetOutlet,
		}),
		async retry() {
			if (store.get().status !== "failed") return;
			if (held.current === undefined) await restore(ground, entrance, out.forget);
			else await entrance.enter();
		},
		signOut: out.signOut,
		onClear: out.onClear,
		close() {
			entrance.cancel();
			tabs.close();
		},
	};
}

/** Coming in: restoring, signing in, coming back, choosing the session's outlet. */
function createArrival(ground: Ground, entrance: Entrance, forget: Forget): Arrival {
	const { means, store, held } = ground;
	let completed: { address: string; returnTo: Promise<string> } | undefined;

	async function complete(address: string): Promise<string> {
		store.set({ status: "loading" });
		const isLive = watchEpoch(held);
		try {
			const returned = await finishSignIn(means, address);
			if (!isLive()) throw new ClientError("signed_out");
			held.scope(returned.tenant);
			arrive(ground, entrance, returned);
			return returned.returnTo;
		} catch (error) {
			if (error instanceof ClientError && isLive()) store.set({ status: "failed", error });
			throw error;
		}
	}

	return {
		async start({ tenant }: { tenant?: string } = {}) {
			if (!["signed_out", "leaving"].includes(store.get().status)) return;
			held.scope(tenant);
			await restore(ground, entrance, forget);
		},
		async signIn(options: SignInOptions = {}) {
			const address = await prepareSignIn(means, options);
			store.set({ status: "leaving" });
			means.navigate(address);
		},
		completeSignIn(address = means.pageUrl()) {
			// A page may ask twice (React's strict mode does): the code is good once.
			if (completed?.address !== address) completed = { address, returnTo: complete(address) };
			return completed.returnTo;
		},
		async selectOutlet(outletId: string) {
			const isLive = watchEpoch(held);
			const answer = await selectSessionOutlet(ground, outletId).catch((error: unknown) => {
				if (isLive() && isOver(error)) forget();
				throw error;
			});
			if (!isLive()) throw new ClientError("signed_out");
			arrive(ground, entrance, answer);
		},
		async switchOutlet() {
			const isLive = watchEpoch(held);
			const exchange = await askExchange(ground);
			if (!isLive()) throw new ClientError("signed_out");
			offerOutlets(ground, exchange);
		},
	};
}

/** Is it still the session of now? Signing out here or in another tab has the last word over whatever was under way. */
function watchEpoch(held: HeldTokens): () => boolean {
	const { epoch } = held;
	return () => epoch === held.epoch;
}

/** Tokens are there: on to the outlet, or to the bridge. What follows goes into the state. */
function arrive(ground: Ground, entrance: Entrance, { tokens, exchange }: TokenAnswer): void {
	const { means, held } = ground;
	held.begin(tokens);
	held.authenticatedAt = means.now();
	if (exchange === undefined) void entrance.enter();
	else offerOutlets(ground, exchange);
}

function offerOutlets({ means, store }: Ground, exchange: Exchange): void {
	keepExchange(means, exchange);
	const { tenantSlug, outletIds } = exchange;
	store.set({ status: "choosing_outlet", tenantSlug, outletIds });
}

/** Goes on with what was kept: an outlet to choose, or a refresh token. */
async function restore(ground: Ground, entrance: Entrance, forget: Forget): Promise<void> {
	const { means, store, held, refresh } = ground;
	const exchange = findExchange(means);
	if (exchange !== undefined) return offerOutlets(ground, exchange);
	if (held.stored() === undefined) return store.set({ status: "signed_out", ended: false });
	store.set({ status: "loading" });
	const isLive = watchEpoch(held);
	try {
		await refresh(undefined);
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		if (!isLive()) return;
		if (!isOver(error)) return store.set({ status: "failed", error });
		return forget();
	}
	held.authenticatedAt = means.now();
	await entrance.enter();
}

/** Is there nothing to go on with: a session that was refused, or none at all? */
const isOver = (error: unknown) =>
	isSessionOver(error) || (error instanceof ClientError && error.code === "signed_out");

/** Being in: outlets of the service, the profile and the subscription. */
function createStay(
	ground: Ground,
	entrance: Entrance,
	forget: Forget,
): Stay & { forgetOutlet(outletId: string): void } {
	const { means, store, held, fresh, refresh } = ground;
	const profileNow = (): Profile => {
		const state = store.get();
		if (state.status !== "ready") throw new ClientError("signed_out");
		return state.profile;
	};
	let underWay: Promise<void> | undefined;
	let failedAt = Number.NEGATIVE_INFINITY;
	/** One question at a time, and none about what is fresh. */
	const reloadOld = (): Promise<void> => {
		const age = means.now() - (entrance.loadedAt ?? 0);
		if (age < means.profileMaxAgeSeconds * 1_000) return Promise.resolve();
		underWay ??= entrance.reload().finally(() => {
			underWay = undefined;
		});
		return underWay;
	};
	return {
		async listOutlets(tenantSlug?: string) {
			const outlets = await listOutlets(ground, tenantSlug ?? slugOf(ground));
			const state = store.get();
			const offered = state.status === "choosing_outlet" ? state.outletIds : undefined;
			if (tenantSlug !== undefined || offered === undefined) return outlets;
			return outlets.filter(({ id }) => offered.includes(id));
		},
		lastUsedOutletIds: ground.outlet.lastUsed,
		chooseOutlet(outletId: string) {
			const { tenantSlug } = profileNow();
			const isAll = outletId === "all";
			const state = store.get();
			if (state.status !== "ready" || !mayChoose(state.outletScope, outletId))
				throw new ClientError("outlet_forbidden");
			ground.outlet.set(outletId, tenantSlug);
			store.change({ outlet: isAll ? { kind: "all" } : { kind: "selected", outletId } });
		},
		async freshProfile() {
			await reloadOld();
			return profileNow();
		},
		lookAgain() {
			if (store.get().status !== "ready" || means.now() - failedAt < lookAgainMilliseconds) return;
			reloadOld().catch((error: unknown) => {
				failedAt = means.now();
				if (!(error instanceof ClientError)) throw error;
			});
		},
		async renew() {
			const isLive = watchEpoch(held);
			await refresh(held.current?.accessToken).catch((error: unknown) => {
				if (isLive() && isOver(error)) forget();
				throw error;
			});
			await entrance.reload();
		},
		async checkSubscription() {
			store.change({ subscription: await loadSubscription(means, profileNow(), await fresh()) });
		},
		continueUnsubscribed() {
			means.tab.set(continuedKey(means.clientId), profileNow().tenantId);
			store.change({ hasContinued: true });
		},
		acknowledgeApproval: () => store.change({ wasPending: false }),
		forgetOutlet(outletId) {
			if (ground.getOutletId() !== outletId) return;
			ground.outlet.clear();
			store.change({ outlet: { kind: "none" } });
			entrance.reload().catch((error: unknown) => {
				if (!(error instanceof ClientError)) throw error;
			});
		},
	};
}

/** The tenant the person is in, or is choosing an outlet of. Throws ClientError `signed_out` when there is none. */
function slugOf({ store, held }: Pick<Ground, "store" | "held"> & { means: Means }): string {
	const state = store.get();
	const slug = state.status === "choosing_outlet" ? state.tenantSlug : held.current?.claims.tenant_slug;
	if (slug === undefined) throw new ClientError("signed_out");
	return slug;
}
