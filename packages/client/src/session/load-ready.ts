import type { PublicOutlet } from "@lango/contracts";
import { ClientError } from "../calls/client-error.ts";
import { sendRequest } from "../calls/send-request.ts";
import { mayChoose, type OutletScope, outletScopeOf } from "../outlets/outlet-scope.ts";
import {
	listOpenOutlets,
	type OutletState,
	preselectOutlet,
	selectOutlet,
} from "../outlets/select-outlet.ts";
import { completeProfile } from "../profile/load-profile.ts";
import type { Identity } from "../profile/profile.ts";
import { loadSubscription } from "../subscription/subscription.ts";
import type { Tokens } from "../tokens/tokens.ts";
import type { Ready } from "./client-state.ts";
import type { ClientContext } from "./context.ts";

/** The key of the tenant for which the person continued without an active subscription. */
export const continuedKey = (clientId: string) => `lango:${clientId}:continued`;

/** Loads the profile, the subscription and the outlet of a person in parallel. */
export async function loadReady(
	context: ClientContext,
	identity: Identity,
): Promise<Omit<Ready, "status" | "wasPending">> {
	const { config } = context;
	const tokens = await currentTokens(context, identity);
	const outletScope = outletScopeOf(tokens.claims);
	clearOutOfScope(context, identity, outletScope);
	const before = context.outlet.get(identity);
	const loadedAt = config.now();
	const [profile, subscription, resolved] = await Promise.all([
		completeProfile(config, identity, tokens),
		loadSubscription(config, identity, tokens),
		resolveOutlet(context, identity, outletScope),
	]);
	const wasOutletRefused = before !== undefined && context.outlet.get(identity) === undefined;
	const hasContinued = config.tab.get(continuedKey(config.clientId)) === identity.tenantId;
	return {
		profile,
		subscription,
		...(wasOutletRefused ? await resolveOutlet(context, identity, outletScope) : resolved),
		outletScope,
		loadedAt,
		hasContinued,
		isExpired: false,
	};
}

/** Refreshes tokens whose outlet was removed from the session. */
async function currentTokens(context: ClientContext, identity: Identity): Promise<Tokens> {
	const tokens = await context.fresh();
	const isOutdated = tokens.claims.outlet_scope === "selected" && identity.outletId === "";
	return isOutdated ? context.refresh(tokens.accessToken) : tokens;
}

/** Removes a stored outlet that is outside the scope of the token. */
function clearOutOfScope({ outlet }: ClientContext, owner: Identity, scope: OutletScope): void {
	const stored = outlet.get(owner);
	if (stored !== undefined && !mayChoose(scope, stored)) outlet.clear(owner);
}

/** Lists the outlets of a tenant without archived ones, the last used first (§5.15). A public read. */
export async function listOutlets(
	{ config, outlet }: ClientContext,
	tenantSlug: string,
): Promise<readonly PublicOutlet[]> {
	const address = `${config.authUrl}/api/v1/tenants/${encodeURIComponent(tenantSlug)}/outlets`;
	const outlets = await sendRequest(config, address);
	if (!Array.isArray(outlets)) throw new ClientError("unreadable", { status: 200 });
	return listOpenOutlets(outlets as PublicOutlet[], outlet.lastUsed(tenantSlug));
}

type Resolved = { outlet: OutletState; outlets: readonly PublicOutlet[] | undefined };

/** Determines the outlet of this front end and stores it if it is selected (§5.15). */
async function resolveOutlet(
	context: ClientContext,
	identity: Identity,
	scope: OutletScope,
): Promise<Resolved> {
	const { config, outlet } = context;
	if (config.service === undefined) return { outlet: { kind: "none" }, outlets: undefined };
	const preselected = preselectOutlet(scope, identity.outletId);
	const resolved =
		preselected === undefined
			? await selectFromList(context, identity, scope)
			: { outlet: preselected, outlets: undefined };
	if (resolved.outlet.kind === "selected") outlet.set(resolved.outlet.outletId, identity);
	return resolved;
}

/** Reads the stored outlet after the list is loaded, because it can change during the request. */
async function selectFromList(
	context: ClientContext,
	identity: Identity,
	scope: OutletScope,
): Promise<Resolved> {
	const { outlet } = context;
	const outlets = await listOutlets(context, identity.tenantSlug);
	const stored = outlet.get(identity);
	const lastUsed = outlet.lastUsed(identity.tenantSlug);
	const state = selectOutlet(outlets, { scope, stored, lastUsed });
	const isRestored = state.kind === "selected" ? state.outletId === stored : state.kind === stored;
	if (stored !== undefined && !isRestored) outlet.clear(identity);
	return { outlet: state, outlets };
}
