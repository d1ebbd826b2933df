import type { PublicOutlet } from "@lango/contracts";
import { ask } from "../calls/ask.ts";
import { ClientError } from "../calls/client-error.ts";
import { isInScope, type OutletScope, outletScopeOf } from "../outlets/outlet-scope.ts";
import {
	chooseFrom,
	listOpenOutlets,
	type OutletStanding,
	preselectOutlet,
} from "../outlets/preselect-outlet.ts";
import { completeProfile } from "../profile/load-profile.ts";
import type { Identity } from "../profile/profile.ts";
import { loadSubscription } from "../subscription/standing.ts";
import type { Tokens } from "../tokens/tokens.ts";
import type { Ready } from "./client-state.ts";
import type { ClientContext } from "./context.ts";

/** Where the tab keeps for which tenant the person went on without an active subscription. */
export const continuedKey = (clientId: string) => `lango:${clientId}:continued`;

/** Everything beyond the identity, asked for at once: the service's profile, the subscription, the outlet. */
export async function completePerson(
	context: ClientContext,
	identity: Identity,
): Promise<Omit<Ready, "status" | "wasPending">> {
	const { config } = context;
	const tokens = await currentTokens(context, identity);
	const outletScope = outletScopeOf(tokens.claims);
	dropOutOfScope(context, outletScope);
	const before = context.outlet.get();
	const [profile, subscription, outlet] = await Promise.all([
		completeProfile(config, identity, tokens),
		loadSubscription(config, identity, tokens),
		standAt(context, { identity, outletScope }),
	]);
	const isRefused = before !== undefined && context.outlet.get() === undefined;
	const hasContinued = config.tab.get(continuedKey(config.clientId)) === identity.tenantId;
	return {
		profile,
		subscription,
		outlet: isRefused ? await standAt(context, { identity, outletScope }) : outlet,
		outletScope,
		hasContinued,
	};
}

/**
 * Tokens whose outlet the session still has: an outlet that was taken away leaves the session first, and
 * the next token.
 */
async function currentTokens(context: ClientContext, identity: Identity): Promise<Tokens> {
	const tokens = await context.fresh();
	const isOutdated = tokens.claims.outlet_scope === "selected" && identity.outletId === "";
	return isOutdated ? context.refresh(tokens.accessToken) : tokens;
}

/** A stored outlet that the token does not allow is of another session, or was taken away. */
function dropOutOfScope({ outlet }: ClientContext, scope: OutletScope): void {
	const stored = outlet.get();
	const isAllowed = stored === "all" ? scope.kind === "all" : isInScope(scope, stored ?? "");
	if (stored !== undefined && !isAllowed) outlet.clear();
}

/** The open outlets of the tenant, the last used first (§5.15). A public read. */
export async function listOutlets(
	{ config, outlet }: ClientContext,
	tenantSlug: string,
): Promise<readonly PublicOutlet[]> {
	const address = `${config.authUrl}/api/v1/tenants/${encodeURIComponent(tenantSlug)}/outlets`;
	const outlets = await ask(config, address);
	if (!Array.isArray(outlets)) throw new ClientError("unreadable", { status: 200 });
	return listOpenOutlets(outlets as PublicOutlet[], outlet.lastUsed(tenantSlug));
}

type At = { identity: Identity; outletScope: OutletScope };

/** The outlet of this front end (§5.15), kept once there is one. */
async function standAt(context: ClientContext, { identity, outletScope }: At): Promise<OutletStanding> {
	const { config, outlet } = context;
	if (config.service === undefined) return { kind: "none" };
	const standing =
		preselectOutlet(outletScope, identity.outletId) ??
		(await chooseOpen(context, identity.tenantSlug, outletScope));
	if (standing.kind === "selected") outlet.set(standing.outletId, identity.tenantSlug);
	return standing;
}

/** By the list; what is kept is looked at after it has come, since somebody may choose meanwhile. */
async function chooseOpen(
	context: ClientContext,
	tenantSlug: string,
	scope: OutletScope,
): Promise<OutletStanding> {
	const outlets = await listOutlets(context, tenantSlug);
	return chooseFrom(outlets, {
		scope,
		stored: context.outlet.get(),
		lastUsed: context.outlet.lastUsed(tenantSlug),
	});
}
