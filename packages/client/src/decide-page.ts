import type { ClientError } from "./calls/client-error.ts";
import type { ClientState, Ready } from "./session/client-state.ts";
import { hasProduct, judgeSubscription, type SubscriptionVerdict } from "./subscription/standing.ts";

/** A page somebody wants to open, and what it asks for. */
export type Place = {
	/** The slug in its address. */
	tenant?: string;
	/** The product it belongs to: checked before anything of it is rendered (§2.6). */
	product?: string;
	/** A permission one must hold, of the service or of the sign-on. */
	permission?: string;
	/** It works at an outlet, so that one must be selected. */
	needsOutlet?: boolean;
	/** It is for everybody, signed in or not. */
	isPublic?: boolean;
	/** It is where subscriptions are renewed: the check has no say. */
	ignoresSubscription?: boolean;
};

/** May they go on? Otherwise where to; `to` is the path the specification names. */
export type Verdict =
	| { readonly go: "on" }
	| { readonly go: "wait" }
	| { readonly go: "sign_in"; readonly tenant: string | undefined }
	| { readonly go: "session_outlet"; readonly to: string }
	| { readonly go: "pending"; readonly to: string }
	| { readonly go: "profile"; readonly to: string }
	| { readonly go: "outlet"; readonly to: string }
	| (Exclude<SubscriptionVerdict, { go: "on" }> & { readonly to: string })
	| { readonly go: "product_missing"; readonly product: string }
	| { readonly go: "unauthorized"; readonly to: string }
	| { readonly go: "failed"; readonly error: ClientError };

/** Decides by the state alone, so that it can be asked at every render. */
export function decidePage(state: ClientState, place: Place): Verdict {
	if (place.isPublic === true) return { go: "on" };
	switch (state.status) {
		case "signed_out":
			return { go: "sign_in", tenant: place.tenant };
		case "leaving":
		case "loading":
		case "syncing":
			return { go: "wait" };
		case "choosing_outlet":
			return { go: "session_outlet", to: under(state.tenantSlug ?? place.tenant, "/auth/select-outlet") };
		case "pending":
			return { go: "pending", to: under(state.profile.tenantSlug, "/pending") };
		case "failed":
			return { go: "failed", error: state.error };
		case "ready":
			return decideReady(state, place);
	}
}

function decideReady(ready: Ready, place: Place): Verdict {
	const { profile, subscription, outlet, wasPending } = ready;
	const slug = profile.tenantSlug;
	if (place.tenant !== undefined && place.tenant !== slug && !profile.isPlatformOwner)
		return { go: "sign_in", tenant: place.tenant };
	if (wasPending) return { go: "profile", to: under(slug, "/profile") };
	const verdict = judgeSubscription(subscription);
	if (
		verdict.go === "subscribe" &&
		!place.ignoresSubscription &&
		!(ready.hasContinued && verdict.mayContinue)
	)
		return { ...verdict, to: "/subscribe" };
	if (place.product !== undefined && !hasProduct(profile, place.product, subscription))
		return { go: "product_missing", product: place.product };
	if (place.permission !== undefined && !mayDo(profile, place.permission))
		return { go: "unauthorized", to: "/unauthorized" };
	if (place.needsOutlet === true && outlet.kind === "choosing")
		return { go: "outlet", to: under(slug, "/select-outlet") };
	return { go: "on" };
}

const under = (slug: string | undefined, path: string) =>
	slug === undefined || slug === "" ? path : `/${slug}${path}`;

/** Does the person hold the permission? A superuser passes every check (§5.9). */
export function mayDo(
	{ globalRoles, permissions }: Pick<Ready["profile"], "globalRoles" | "permissions">,
	permission: string,
): boolean {
	return globalRoles.includes("superuser") || permissions.includes(permission);
}
