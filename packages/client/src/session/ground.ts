import { ClientError } from "../calls/client-error.ts";
import type { Means } from "../means.ts";
import { keepOutlet } from "../outlets/kept-outlet.ts";
import { type HeldTokens, holdTokens } from "../tokens/held-tokens.ts";
import { type Refresh, shareRefresh } from "../tokens/refresh.ts";
import { joinTabs, type Tabs } from "../tokens/tabs.ts";
import type { Tokens } from "../tokens/tokens.ts";
import { createStateStore, type StateStore } from "./client-state.ts";

/** What the parts of one client stand on together. */
export type Ground = {
	means: Means;
	store: StateStore;
	held: HeldTokens;
	tabs: Tabs;
	refresh: Refresh;
	/** Tokens that are good by the clock, refreshed if they must be. Throws ClientError `signed_out` without any. */
	fresh: () => Promise<Tokens>;
	outlet: ReturnType<typeof keepOutlet>;
	/** The outlet that goes along with every request. */
	getOutletId: () => string | undefined;
};

export function layGround(means: Means, onSignedOutElsewhere: () => void): Ground {
	const store = createStateStore();
	const held = holdTokens(means);
	const tabs = joinTabs(means, held, onSignedOutElsewhere);
	const refresh = shareRefresh(means, held, tabs);
	return {
		means,
		store,
		held,
		tabs,
		refresh,
		outlet: keepOutlet(means),
		async fresh() {
			const { current } = held;
			if (current === undefined) throw new ClientError("signed_out");
			return current.expiresAt > means.now() ? current : refresh(current.accessToken);
		},
		getOutletId() {
			const state = store.get();
			return state.status === "ready" && state.outlet.kind === "selected" ? state.outlet.outletId : undefined;
		},
	};
}
