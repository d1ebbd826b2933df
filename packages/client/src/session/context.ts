import { ClientError } from "../calls/client-error.ts";
import type { ClientConfig } from "../options.ts";
import { keepOutlet } from "../outlets/kept-outlet.ts";
import { type HeldTokens, holdTokens } from "../tokens/held-tokens.ts";
import { type Refresh, shareRefresh } from "../tokens/refresh.ts";
import { joinTabs, type Tabs } from "../tokens/tabs.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { createStateStore, type StateStore } from "./client-state.ts";

/** What the parts of one client share. */
export type ClientContext = {
	config: ClientConfig;
	store: StateStore;
	held: HeldTokens;
	tabs: Tabs;
	refresh: Refresh;
	/** Unexpired tokens, refreshed if necessary. Throws ClientError `signed_out` without tokens. */
	fresh: () => Promise<Tokens>;
	outlet: ReturnType<typeof keepOutlet>;
	/** The outlet sent with every request. */
	getOutletId: () => string | undefined;
};

/** Creates the shared parts of a client. `onSignedOutElsewhere` is called if another tab ends the session. */
export function createClientContext(config: ClientConfig, onSignedOutElsewhere: () => void): ClientContext {
	const store = createStateStore();
	const held = holdTokens(config);
	const tabs = joinTabs(config, held, onSignedOutElsewhere);
	const refresh = shareRefresh(config, held, tabs);
	return {
		config,
		store,
		held,
		tabs,
		refresh,
		outlet: keepOutlet(config),
		async fresh() {
			const { current } = held;
			if (current === undefined) throw new ClientError("signed_out");
			return current.expiresAt > config.now() ? current : refresh(current.accessToken);
		},
		getOutletId() {
			const state = store.get();
			return state.status === "ready" && state.outlet.kind === "selected" ? state.outlet.outletId : undefined;
		},
	};
}
