import type { ClientError } from "./calls/client-error.ts";
import type { ClientState, Ready } from "./session/client-state.ts";
import { hasProduct, judgeSubscription, type SubscriptionVerdict } from "./subscription/subscription.ts";

/** The requirements of a page. */
export type PageRequirements = {
	/** The slug of the tenant in its address. */
	tenant?: string;
	/** The product of the page, which is checked before the page is rendered (§2.6). */
	product?: string;
	/** A required permission, of the service or of the sign-on service. */
	permission?: string;
	/** An outlet must be selected. */
	needsOutlet?: boolean;
	/** The page needs no session. */
	isPublic?: boolean;
	/** The page is shown without an active subscription, for example to renew it. */
	ignoresSubscription?: boolean;
};

/** `on` shows the page. Other verdicts name what to show instead; `to` is the path in the specification. */
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

/** Decides whether the page is shown. A pure function, so a page can call it in every render. */
export function decidePage(state: ClientState, page: PageRequirements): Verdict {
	if (page.isPublic === true) return { go: "on" };
	switch (state.status) {
		case "signed_out":
			return { go: "sign_in", tenant: page.tenant };
		case "redirecting":
		case "loading":
		case "syncing":
			return { go: "wait" };
		case "choosing_outlet":
			return { go: "session_outlet", to: withSlug(state.tenantSlug ?? page.tenant, "/auth/select-outlet") };
		case "pending":
			return { go: "pending", to: withSlug(state.profile.tenantSlug, "/pending") };
		case "failed":
			return { go: "failed", error: state.error };
		case "ready":
			return decideReady(state, page);
	}
}

function decideReady(ready: Ready, page: PageRequirements): Verdict {
	const { profile, subscription, outlet, wasPending } = ready;
	const slug = profile.tenantSlug;
	if (page.tenant !== undefined && page.tenant !== slug && !profile.isPlatformOwner)
		return { go: "sign_in", tenant: page.tenant };
	if (wasPending) return { go: "profile", to: withSlug(slug, "/profile") };
	const verdict = judgeSubscription(subscription);
	if (verdict.go === "subscribe" && !page.ignoresSubscription && !(ready.hasContinued && verdict.mayContinue))
		return { ...verdict, to: "/subscribe" };
	if (page.product !== undefined && !hasProduct(profile, page.product, subscription))
		return { go: "product_missing", product: page.product };
	if (page.permission !== undefined && !mayDo(profile, page.permission))
		return { go: "unauthorized", to: "/unauthorized" };
	if (page.needsOutlet === true && outlet.kind === "choosing")
		return { go: "outlet", to: withSlug(slug, "/select-outlet") };
	return { go: "on" };
}

const withSlug = (slug: string | undefined, path: string) =>
	slug === undefined || slug === "" ? path : `/${slug}${path}`;

/** Whether the person has the permission. A superuser has all permissions (§5.9). */
export function mayDo(
	{ globalRoles, permissions }: Pick<Ready["profile"], "globalRoles" | "permissions">,
	permission: string,
): boolean {
	return globalRoles.includes("superuser") || permissions.includes(permission);
}
