import { ClientError } from "../calls/client-error.ts";
import type { ClientConfig } from "../options/options.ts";
import { createOutletStore, type OutletStore } from "../outlets/outlet-store.ts";
import { createRefresh, type Refresh } from "../tokens/refresh.ts";
import { connectTabs, type Tabs } from "../tokens/tabs.ts";
import { createTokenStore, type TokenStore } from "../tokens/token-store.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { type ClientState, createStateStore, type StateStore } from "./client-state.ts";

/** The shared parts of one client. */
export type ClientContext = {
	config: ClientConfig;
	store: StateStore;
	tokenStore: TokenStore;
	tabs: Tabs;
	refresh: Refresh;
	/** Unexpired tokens, refreshed if necessary. Throws ClientError `signed_out` without tokens. */
	fresh: () => Promise<Tokens>;
	outlet: OutletStore;
	/** The outlet sent with every request. */
	getOutletId: () => string | undefined;
};

type SessionEvents = {
	/** Called if another tab ends the session. */
	onSignedOut: (isSignOut: boolean) => void;
	/** Called if the expired session of this tab was replaced by that of a sign-in in another tab. */
	onRenewed: () => void;
};

/** Creates the shared parts of a client. */
export function createClientContext(
	config: ClientConfig,
	{ onSignedOut, onRenewed }: SessionEvents,
): ClientContext {
	const store = createStateStore();
	const tokenStore = createTokenStore(config);
	const onOtherSession = (tokens: Tokens) => {
		if (!mayReplace(store.get(), tokens)) return;
		tokenStore.begin(tokens);
		store.change({ isExpired: false });
		onRenewed();
	};
	const tabs = connectTabs(config, tokenStore, { onSignedOut, onOtherSession });
	const refresh = createRefresh(config, tokenStore, tabs);
	return {
		config,
		store,
		tokenStore,
		tabs,
		refresh,
		outlet: createOutletStore(config),
		async fresh() {
			const { current } = tokenStore;
			if (current === undefined) throw new ClientError("signed_out");
			return current.expiresAt > config.now() ? current : refresh(current.accessToken);
		},
		getOutletId() {
			const state = store.get();
			return state.status === "ready" && state.outlet.kind === "selected" ? state.outlet.outletId : undefined;
		},
	};
}

/** Whether tokens are those of a new session of the person in this tenant, after the session has expired. */
function mayReplace(state: ClientState, { claims }: Tokens): boolean {
	if (state.status !== "ready" || !state.isExpired) return false;
	return claims.sub === state.profile.userId && claims.tenant_id === state.profile.tenantId;
}

/**
 * Returns a function that is true until the session of the tab changes. A sign-out invalidates all running
 * operations.
 */
export function watchEpoch({ tokenStore }: Pick<ClientContext, "tokenStore">): () => boolean {
	const { epoch } = tokenStore;
	return () => epoch === tokenStore.epoch;
}
