import { ClientError, isOutletRefused } from "../calls/client-error.ts";
import { ownerOf } from "../outlets/outlet-scope.ts";
import type { OutletOwner } from "../outlets/outlet-store.ts";
import { readIdentity } from "../profile/profile.ts";
import { finishSignIn, prepareSignIn, type SignInOptions } from "../tokens/code-flow.ts";
import { resume } from "../tokens/resume.ts";
import type { Exchange, TokenResponse } from "../tokens/tokens.ts";
import { isSessionOver } from "./call.ts";
import type { ClientState } from "./client-state.ts";
import { type ClientContext, watchEpoch } from "./context.ts";
import type { SessionLoader } from "./load-session.ts";
import { findExchange, selectByExchange, selectSessionOutlet, storeExchange } from "./session-outlet.ts";

/**
 * Restores a session, signs in, completes a sign-in and selects the outlet of the session. `endLocally`
 * clears the data of a refused session.
 */
export function createSignIn(context: ClientContext, loader: SessionLoader, endLocally: () => void) {
	const { config, store, tokenStore } = context;
	let completed: { address: string; returnTo: Promise<string> } | undefined;
	let requested: string | undefined;

	async function complete(address: string): Promise<string> {
		store.set({ status: "loading" });
		const isCurrent = watchEpoch(context);
		try {
			const result = await finishSignIn(config, address);
			if (!isCurrent()) throw new ClientError("signed_out");
			tokenStore.scope(result.tenant);
			acceptTokens(context, loader, result);
			return result.returnTo;
		} catch (error) {
			if (error instanceof ClientError && isCurrent()) store.set({ status: "failed", error });
			throw error;
		}
	}

	return {
		async start({ tenant }: { tenant?: string } = {}) {
			if (!["signed_out", "redirecting"].includes(store.get().status)) return;
			tokenStore.scope(tenant);
			requested = tenant;
			await restoreSession(context, loader, { endLocally, tenant });
		},
		/** Repeats `start` after a failure. */
		restart: () => restoreSession(context, loader, { endLocally, tenant: requested }),
		async signIn(options: SignInOptions = {}) {
			const address = await prepareSignIn(config, options);
			store.set({ status: "redirecting" });
			config.navigate(address);
		},
		completeSignIn(address = config.pageUrl()) {
			// A page may call this twice (React's strict mode does), but a code can be used once.
			if (completed?.address !== address) completed = { address, returnTo: complete(address) };
			return completed.returnTo;
		},
		async selectOutlet(outletId: string) {
			const isCurrent = watchEpoch(context);
			const response = await selectSessionOutlet(context, outletId).catch((error: unknown) => {
				if (isCurrent() && hasNoSession(error)) endLocally();
				throw error;
			});
			if (!isCurrent()) throw new ClientError("signed_out");
			acceptTokens(context, loader, response);
		},
	};
}

/** Stores received tokens. Continues with the outlet of the session or the loading of the session. */
function acceptTokens(
	context: ClientContext,
	loader: SessionLoader,
	{ tokens, exchange, me }: TokenResponse & { me?: unknown },
): void {
	const { config, tokenStore, tabs } = context;
	tokenStore.begin(tokens);
	tokenStore.authenticatedAt = config.now();
	if (exchange === undefined) {
		tabs.publishTokens(tokens);
		void loader.load(readIdentity(me));
		return;
	}
	const owner = ownerOf(tokens.claims);
	const kept = context.outlet.kept(owner);
	const isOffered = exchange.outletIds?.includes(kept ?? "") ?? true;
	if (kept !== undefined && isOffered)
		return void restoreOutlet(context, loader, { exchange, owner, outletId: kept });
	context.outlet.clear(owner);
	offerOutlets(context, exchange);
}

type Restoring = { exchange: Exchange; owner: OutletOwner; outletId: string };

/** Selects the outlet that the person selected last in this browser. If that fails, the person chooses. */
async function restoreOutlet(
	context: ClientContext,
	loader: SessionLoader,
	{ exchange, owner, outletId }: Restoring,
): Promise<void> {
	const { store, outlet } = context;
	const isCurrent = watchEpoch(context);
	store.set({ status: "loading" });
	try {
		const response = await selectByExchange(context, exchange, outletId);
		if (isCurrent()) acceptTokens(context, loader, response);
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		if (!isCurrent()) return;
		if (isOutletRefused(error)) outlet.clear(owner);
		offerOutlets(context, exchange);
	}
}

function offerOutlets({ config, store }: ClientContext, exchange: Exchange): void {
	storeExchange(config, exchange);
	const { tenantSlug, outletIds } = exchange;
	store.set({ status: "choosing_outlet", tenantSlug, outletIds });
}

/** Where the service does not answer, leaving for it would not help. A refusal is left to its own pages. */
function stateAfter(error: ClientError): ClientState {
	const { status = 503 } = error;
	return status === 429 || status >= 500
		? { status: "failed", error }
		: { status: "signed_out", ended: false };
}

/** Continues the session of the browser, if the options say so. Without one, the tab is signed out. */
async function resumeSession(
	context: ClientContext,
	loader: SessionLoader,
	tenant: string | undefined,
): Promise<void> {
	const { config, store } = context;
	const isCurrent = watchEpoch(context);
	store.set(config.isResumed ? { status: "loading" } : { status: "signed_out", ended: false });
	if (!config.isResumed) return;
	try {
		const resumed = await resume(config, { tenant });
		if (!isCurrent()) return;
		if (resumed === undefined) store.set({ status: "signed_out", ended: false });
		else acceptTokens(context, loader, resumed);
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		if (isCurrent()) store.set(stateAfter(error));
	}
}

/** Restores a stored selection of an outlet or a stored refresh token. */
async function restoreSession(
	context: ClientContext,
	loader: SessionLoader,
	{ endLocally, tenant }: { endLocally: () => void; tenant?: string | undefined },
): Promise<void> {
	const { config, store, tokenStore, refresh } = context;
	const exchange = findExchange(config);
	if (exchange !== undefined) return offerOutlets(context, exchange);
	if (tokenStore.stored() === undefined) return resumeSession(context, loader, tenant);
	store.set({ status: "loading" });
	const isCurrent = watchEpoch(context);
	try {
		await refresh(undefined);
	} catch (error) {
		if (!(error instanceof ClientError)) throw error;
		if (!isCurrent()) return;
		if (!hasNoSession(error)) return store.set({ status: "failed", error });
		return endLocally();
	}
	tokenStore.authenticatedAt = config.now();
	await loader.load();
}

/** Whether the session was refused or does not exist. */
export const hasNoSession = (error: unknown) =>
	isSessionOver(error) || (error instanceof ClientError && error.code === "signed_out");
