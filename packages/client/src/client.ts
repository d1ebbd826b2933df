import type { PublicOutlet } from "@lango/contracts";
import { type CallOptions, createCall, isSessionOver } from "./calls/call.ts";
import { ClientError } from "./calls/client-error.ts";
import { type ClientConfig, type ClientOptions, resolveConfig } from "./options.ts";
import { mayChoose } from "./outlets/outlet-scope.ts";
import type { Profile } from "./profile/profile.ts";
import type { ClientState } from "./session/client-state.ts";
import { continuedKey, listOutlets } from "./session/complete-person.ts";
import { type ClientContext, createClientContext } from "./session/context.ts";
import { createSessionLoader, type SessionLoader } from "./session/load-session.ts";
import { askExchange, findExchange, keepExchange, selectSessionOutlet } from "./session/session-outlet.ts";
import { createSignOut } from "./session/sign-out.ts";
import { loadSubscription } from "./subscription/standing.ts";
import type { HeldTokens } from "./tokens/held-tokens.ts";
import { finishSignIn, prepareSignIn, type SignInOptions } from "./tokens/sign-in.ts";
import type { Exchange, TokenAnswer } from "./tokens/tokens.ts";

/** One person in one tab: their state, and calls to services on their behalf. */
export type Client = {
	/** The state; the same object until it changes. */
	getState(): ClientState;
	/** Calls the listener after each change. Returns a function that unsubscribes. */
	subscribe(listener: () => void): () => void;
	/** Restores a stored session, of `tenant` if given. Does nothing if there is a session. */
	start(options?: { tenant?: string }): Promise<void>;
	/** Leaves the page for the sign-on service. */
	signIn(options?: SignInOptions): Promise<void>;
	/** Completes a sign-in from the callback's address. Returns the path to open next. Throws ClientError. */
	completeSignIn(address?: string): Promise<string>;
	/** Chooses the outlet of the session, in state `choosing_outlet`. Throws ClientError. */
	selectOutlet(outletId: string): Promise<void>;
	/** Starts the selection of another outlet for the session. Throws ClientError. */
	switchOutlet(): Promise<void>;
	/**
	 * The tenant's outlets that are not archived, the last used first; while the session's is chosen and no
	 * tenant is named, those that may be.
	 */
	listOutlets(tenantSlug?: string): Promise<readonly PublicOutlet[]>;
	/**
	 * The outlets of a tenant that were worked at in this browser, the latest first: to be marked where one
	 * is chosen.
	 */
	lastUsedOutletIds(tenantSlug: string): readonly string[];
	/**
	 * Chooses the outlet this front end works at; `all` where the scope is `all`. Throws ClientError
	 * `outlet_forbidden` outside the scope.
	 */
	chooseOutlet(outletId: string): void;
	/** Asks a service; see CallOptions. Throws ClientError. */
	call<T = unknown>(path: string, options?: CallOptions): Promise<T>;
	/** Retries after the state `failed`. */
	retry(): Promise<void>;
	/** The profile, asked for again when it is older than `profileMaxAgeSeconds`. Throws ClientError. */
	freshProfile(): Promise<Profile>;
	/**
	 * Looks in the background whether the profile, the subscription and the outlet still are what they
	 * were, when they are older than `profileMaxAgeSeconds`: for whenever somebody comes back to the page
	 * or opens another. What could not be had stays as it was.
	 */
	lookAgain(): void;
	/** Fetches new tokens and a new profile, for example after an upgrade or a change of roles. */
	renew(): Promise<void>;
	/** Fetches the subscription again. */
	checkSubscription(): Promise<void>;
	/** Continues without an active subscription where that is allowed. Stored for the tab. */
	continueUnsubscribed(): void;
	/** Records that the profile page was shown after an approval. */
	acknowledgeApproval(): void;
	signOut(): Promise<void>;
	/** Adds a function to call when a session ends. Returns a function that removes it. */
	onClear(clearing: () => void): () => void;
	/** Stops polling and disconnects from other tabs. */
	close(): void;
};

type SignInMethods = Pick<Client, "start" | "signIn" | "completeSignIn" | "selectOutlet" | "switchOutlet">;
type SessionMethods = Omit<
	Client,
	keyof SignInMethods | "getState" | "subscribe" | "call" | "retry" | "signOut" | "onClear" | "close"
>;

/** Clears all data of an ended session and sets the state `signed_out`. */
type Forget = () => void;

/** The delay after a failed background reload. */
const lookAgainMilliseconds = 60_000;

/**
 * Makes a client; nothing is asked before `start`, `signIn` or `completeSignIn`. Throws an Error for a
 * bad address.
 */
export function createClient(options: ClientOptions): Client {
	const config = resolveConfig(options);
	const context = createClientContext(config, () => out.forget());
	const loader = createSessionLoader(context);
	const out = createSignOut(context, loader);
	const { store, tabs, held } = context;
	const signInMethods: SignInMethods = createSignIn(context, loader, out.forget);
	const { forgetOutlet, ...sessionMethods } = createSession(context, loader, out.forget);
	return {
		getState: store.get,
		subscribe: store.subscribe,
		...signInMethods,
		...sessionMethods,
		call: createCall({
			config,
			getState: store.get,
			getOutletId: context.getOutletId,
			fresh: context.fresh,
			refresh: context.refresh,
			onRefused: out.endSession,
			onOutletRefused: forgetOutlet,
		}),
		async retry() {
			if (store.get().status !== "failed") return;
			if (held.current === undefined) await restore(context, loader, out.forget);
			else await loader.enter();
		},
		signOut: out.signOut,
		onClear: out.onClear,
		close() {
			loader.cancel();
			tabs.close();
		},
	};
}

/** Restores a session, signs in, completes a sign-in and selects the outlet of the session. */
function createSignIn(context: ClientContext, loader: SessionLoader, forget: Forget): SignInMethods {
	const { config, store, held } = context;
	let completed: { address: string; returnTo: Promise<string> } | undefined;

	async function complete(address: string): Promise<string> {
		store.set({ status: "loading" });
		const isLive = watchEpoch(held);
		try {
			const returned = await finishSignIn(config, address);
			if (!isLive()) throw new ClientError("signed_out");
			held.scope(returned.tenant);
			arrive(context, loader, returned);
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
			await restore(context, loader, forget);
		},
		async signIn(options: SignInOptions = {}) {
			const address = await prepareSignIn(config, options);
			store.set({ status: "leaving" });
			config.navigate(address);
		},
		completeSignIn(address = config.pageUrl()) {
			// A page may ask twice (React's strict mode does): the code is good once.
			if (completed?.address !== address) completed = { address, returnTo: complete(address) };
			return completed.returnTo;
		},
		async selectOutlet(outletId: string) {
			const isLive = watchEpoch(held);
			const answer = await selectSessionOutlet(context, outletId).catch((error: unknown) => {
				if (isLive() && isOver(error)) forget();
				throw error;
			});
			if (!isLive()) throw new ClientError("signed_out");
			arrive(context, loader, answer);
		},
		async switchOutlet() {
			const isLive = watchEpoch(held);
			const exchange = await askExchange(context);
			if (!isLive()) throw new ClientError("signed_out");
			offerOutlets(context, exchange);
		},
	};
}

/**
 * Returns a function that is true while the session is the same. A sign-out invalidates all running
 * operations.
 */
function watchEpoch(held: HeldTokens): () => boolean {
	const { epoch } = held;
	return () => epoch === held.epoch;
}

/** Continues after tokens were received: outlet selection or loading of the session. */
function arrive(context: ClientContext, loader: SessionLoader, { tokens, exchange }: TokenAnswer): void {
	const { config, held } = context;
	held.begin(tokens);
	held.authenticatedAt = config.now();
	if (exchange === undefined) void loader.enter();
	else offerOutlets(context, exchange);
}

function offerOutlets({ config, store }: ClientContext, exchange: Exchange): void {
	keepExchange(config, exchange);
	const { tenantSlug, outletIds } = exchange;
	store.set({ status: "choosing_outlet", tenantSlug, outletIds });
}

/** Restores a stored outlet selection or a stored refresh token. */
async function restore(context: ClientContext, loader: SessionLoader, forget: Forget): Promise<void> {
	const { config, store, held, refresh } = context;
	const exchange = findExchange(config);
	if (exchange !== undefined) return offerOutlets(context, exchange);
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
	held.authenticatedAt = config.now();
	await loader.enter();
}

/** Whether the session was refused or does not exist. */
const isOver = (error: unknown) =>
	isSessionOver(error) || (error instanceof ClientError && error.code === "signed_out");

/** The methods of a signed-in session: outlets, profile and subscription. */
function createSession(
	context: ClientContext,
	loader: SessionLoader,
	forget: Forget,
): SessionMethods & { forgetOutlet(outletId: string): void } {
	const { config, store, held, fresh, refresh } = context;
	const profileNow = (): Profile => {
		const state = store.get();
		if (state.status !== "ready") throw new ClientError("signed_out");
		return state.profile;
	};
	let underWay: Promise<void> | undefined;
	let failedAt = Number.NEGATIVE_INFINITY;
	/** One question at a time, and none about what is fresh. */
	const reloadOld = (): Promise<void> => {
		const age = config.now() - (loader.loadedAt ?? 0);
		if (age < config.profileMaxAgeSeconds * 1_000) return Promise.resolve();
		underWay ??= loader.reload().finally(() => {
			underWay = undefined;
		});
		return underWay;
	};
	return {
		async listOutlets(tenantSlug?: string) {
			const outlets = await listOutlets(context, tenantSlug ?? slugOf(context));
			const state = store.get();
			const offered = state.status === "choosing_outlet" ? state.outletIds : undefined;
			if (tenantSlug !== undefined || offered === undefined) return outlets;
			return outlets.filter(({ id }) => offered.includes(id));
		},
		lastUsedOutletIds: context.outlet.lastUsed,
		chooseOutlet(outletId: string) {
			const { tenantSlug } = profileNow();
			const isAll = outletId === "all";
			const state = store.get();
			if (state.status !== "ready" || !mayChoose(state.outletScope, outletId))
				throw new ClientError("outlet_forbidden");
			context.outlet.set(outletId, tenantSlug);
			store.change({ outlet: isAll ? { kind: "all" } : { kind: "selected", outletId } });
		},
		async freshProfile() {
			await reloadOld();
			return profileNow();
		},
		lookAgain() {
			if (store.get().status !== "ready" || config.now() - failedAt < lookAgainMilliseconds) return;
			reloadOld().catch((error: unknown) => {
				failedAt = config.now();
				if (!(error instanceof ClientError)) throw error;
			});
		},
		async renew() {
			const isLive = watchEpoch(held);
			await refresh(held.current?.accessToken).catch((error: unknown) => {
				if (isLive() && isOver(error)) forget();
				throw error;
			});
			await loader.reload();
		},
		async checkSubscription() {
			store.change({ subscription: await loadSubscription(config, profileNow(), await fresh()) });
		},
		continueUnsubscribed() {
			config.tab.set(continuedKey(config.clientId), profileNow().tenantId);
			store.change({ hasContinued: true });
		},
		acknowledgeApproval: () => store.change({ wasPending: false }),
		forgetOutlet(outletId) {
			if (context.getOutletId() !== outletId) return;
			context.outlet.clear();
			store.change({ outlet: { kind: "none" } });
			loader.reload().catch((error: unknown) => {
				if (!(error instanceof ClientError)) throw error;
			});
		},
	};
}

/**
 * The tenant the person is in, or is choosing an outlet of. Throws ClientError `signed_out` when there is
 * none.
 */
function slugOf({ store, held }: Pick<ClientContext, "store" | "held"> & { config: ClientConfig }): string {
	const state = store.get();
	const slug = state.status === "choosing_outlet" ? state.tenantSlug : held.current?.claims.tenant_slug;
	if (slug === undefined) throw new ClientError("signed_out");
	return slug;
}
