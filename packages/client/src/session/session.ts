import type { PublicOutlet } from "@lango/contracts";
import { ClientError } from "../calls/client-error.ts";
import { isInScope, mayChoose } from "../outlets/outlet-scope.ts";
import type { Profile } from "../profile/profile.ts";
import { loadSubscription } from "../subscription/subscription.ts";
import { isOutletOfSession } from "./client-state.ts";
import { type ClientContext, watchEpoch } from "./context.ts";
import { continuedKey, listOutlets } from "./load-ready.ts";
import type { SessionLoader } from "./load-session.ts";
import { requestExchange } from "./session-outlet.ts";
import { hasNoSession } from "./sign-in.ts";

/** The delay after a failed background reload. */
const reloadRetryMilliseconds = 60_000;

/** The operations of a signed-in session: outlets, profile and subscription. */
export function createSession(context: ClientContext, loader: SessionLoader, endLocally: () => void) {
	const { config, store, tokenStore, fresh, refresh } = context;
	const currentProfile = (): Profile => {
		const state = store.get();
		if (state.status !== "ready") throw new ClientError("signed_out");
		return state.profile;
	};
	const reloadStale = createStaleReload(context, loader);
	let failedAt = Number.NEGATIVE_INFINITY;
	return {
		async listOutlets(tenantSlug?: string) {
			const outlets = await listOutlets(context, tenantSlug ?? slugOf(context));
			const state = store.get();
			const offered = state.status === "choosing_outlet" ? state.outletIds : undefined;
			if (tenantSlug !== undefined || offered === undefined) return outlets;
			return outlets.filter(({ id }) => offered.includes(id));
		},
		async switchableOutlets() {
			const state = store.get();
			const { tenantSlug } = currentProfile();
			if (state.status !== "ready") return [];
			const outlets = await listOutlets(context, tenantSlug);
			const { outletIds } = isOutletOfSession(state) ? await requestExchange(context) : {};
			const isOffered = ({ id }: PublicOutlet) => outletIds?.includes(id) ?? isInScope(state.outletScope, id);
			return outlets.filter(isOffered);
		},
		lastUsedOutletIds: context.outlet.lastUsed,
		chooseOutlet(outletId: string) {
			const profile = currentProfile();
			const state = store.get();
			if (state.status !== "ready" || !mayChoose(state.outletScope, outletId))
				throw new ClientError("outlet_forbidden");
			context.outlet.set(outletId, profile);
			store.change({ outlet: outletId === "all" ? { kind: "all" } : { kind: "selected", outletId } });
		},
		async freshProfile() {
			await reloadStale();
			return currentProfile();
		},
		reloadIfStale() {
			if (store.get().status !== "ready" || config.now() - failedAt < reloadRetryMilliseconds) return;
			reloadStale().catch((error: unknown) => {
				failedAt = config.now();
				if (!(error instanceof ClientError)) throw error;
			});
		},
		async renew() {
			const isCurrent = watchEpoch(context);
			await refresh(tokenStore.current?.accessToken).catch((error: unknown) => {
				if (isCurrent() && hasNoSession(error)) endLocally();
				throw error;
			});
			await loader.reload();
		},
		async checkSubscription() {
			store.change({ subscription: await loadSubscription(config, currentProfile(), await fresh()) });
		},
		continueUnsubscribed() {
			config.tab.set(continuedKey(config.clientId), currentProfile().tenantId);
			store.change({ hasContinued: true });
		},
		acknowledgeApproval: () => store.change({ wasPending: false }),
		/** Deselects an outlet that a service refused, and reloads the session. */
		dropOutlet(outletId: string) {
			if (context.getOutletId() !== outletId) return;
			context.outlet.clear(currentProfile());
			store.change({ outlet: { kind: "none" } });
			loader.reload().catch((error: unknown) => {
				if (!(error instanceof ClientError)) throw error;
			});
		},
	};
}

/** Returns a function that reloads the session if it is stale. Concurrent calls share one reload. */
function createStaleReload({ config }: ClientContext, loader: SessionLoader): () => Promise<void> {
	let reloading: Promise<void> | undefined;
	return () => {
		const age = config.now() - (loader.loadedAt ?? 0);
		if (age < config.profileMaxAgeSeconds * 1_000) return Promise.resolve();
		reloading ??= loader.reload().finally(() => {
			reloading = undefined;
		});
		return reloading;
	};
}

/** The tenant of the session or of the pending selection. Throws ClientError `signed_out` without one. */
function slugOf({ store, tokenStore }: Pick<ClientContext, "store" | "tokenStore">): string {
	const state = store.get();
	const slug = state.status === "choosing_outlet" ? state.tenantSlug : tokenStore.current?.claims.tenant_slug;
	if (slug === undefined) throw new ClientError("signed_out");
	return slug;
}
