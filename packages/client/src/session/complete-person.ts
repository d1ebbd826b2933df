import type { PublicOutlet } from "@lango/contracts";
import { ask } from "../calls/ask.ts";
import { ClientError } from "../calls/client-error.ts";
import {
	chooseFrom,
	listOpenOutlets,
	type OutletStanding,
	preselectOutlet,
} from "../outlets/preselect-outlet.ts";
import { completeProfile } from "../profile/load-profile.ts";
import type { Identity } from "../profile/profile.ts";
import { loadSubscription } from "../subscription/standing.ts";
import type { Ready } from "./client-state.ts";
import type { Ground } from "./ground.ts";

/** Where the tab keeps for which tenant the person went on without an active subscription. */
export const continuedKey = (clientId: string) => `lango:${clientId}:continued`;

/** Everything beyond the identity, asked for at once: the service's word, the subscription, the outlet. */
export async function completePerson(
	ground: Ground,
	identity: Identity,
): Promise<Omit<Ready, "status" | "wasPending">> {
	const { means } = ground;
	const tokens = await ground.fresh();
	const [profile, subscription, outlet] = await Promise.all([
		completeProfile(means, identity, tokens),
		loadSubscription(means, identity, tokens),
		standAt(ground, identity),
	]);
	const hasContinued = means.tab.get(continuedKey(means.clientId)) === identity.tenantId;
	return { profile, subscription, outlet, hasContinued };
}

/** The open outlets of the tenant, the last used first (§5.15). A public read. */
export async function listOutlets(
	{ means, outlet }: Ground,
	tenantSlug: string,
): Promise<readonly PublicOutlet[]> {
	const address = `${means.authUrl}/api/v1/tenants/${encodeURIComponent(tenantSlug)}/outlets`;
	const outlets = await ask(means, address);
	if (!Array.isArray(outlets)) throw new ClientError("unreadable", { status: 200 });
	return listOpenOutlets(outlets as PublicOutlet[], outlet.lastUsed(tenantSlug));
}

/** The outlet of this front end (§5.15), kept when it is settled. */
async function standAt(ground: Ground, identity: Identity): Promise<OutletStanding> {
	const { means, outlet } = ground;
	if (means.service === undefined) return { kind: "none" };
	const isHqUser = identity.isHqUser || identity.isPlatformOwner;
	const known = { outletId: identity.outletId, isHqUser };
	const standing = preselectOutlet(known) ?? (await chooseOpen(ground, identity.tenantSlug, isHqUser));
	if (standing.kind === "selected") outlet.set(standing.outletId, identity.tenantSlug);
	return standing;
}

/** By the list; what is kept is looked at after it has come, since somebody may choose meanwhile. */
async function chooseOpen(ground: Ground, tenantSlug: string, isHqUser: boolean): Promise<OutletStanding> {
	const outlets = await listOutlets(ground, tenantSlug);
	return chooseFrom(outlets, {
		isHqUser,
		stored: ground.outlet.get(),
		lastUsed: ground.outlet.lastUsed(tenantSlug),
	});
}
