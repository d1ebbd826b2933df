import type { Client } from "@lango/client";
import { untilOnline } from "@lango/interface";
import type { Platform } from "../platform.ts";
import { noteRequestedTenant } from "../session/requested-tenant.ts";
import { clearSignedOut, isMarkedSignedOut } from "../session/sign-out-mark.ts";
import { findKnownTenant } from "../tenant/find-tenant.ts";

/**
 * Redirects to the sign-on service, to sign in to the tenant of the address if there is one. Without a
 * network it waits: the browser would show its own error instead of the page.
 */
export async function leave(client: Client, tenant: string | undefined): Promise<void> {
	clearSignedOut();
	await untilOnline();
	if (tenant !== undefined) noteRequestedTenant({ tenant, path: location.pathname + location.search });
	await client.signIn(tenant === undefined ? {} : { tenant });
}

/** Whether a session of this tab has just ended: a page says so instead of starting a sign-in. */
export function isJustSignedOut(client: Client): boolean {
	const state = client.getState();
	return isMarkedSignedOut() || (state.status === "signed_out" && state.ended);
}

const isOfNoTenant = (...pages: string[]) => pages.includes(location.pathname.split("/")[1] ?? "");

/** The tenant in the address; undefined on pages outside of a tenant. */
function tenantOfAddress(): string | undefined {
	return isOfNoTenant("", "subscribe", "unauthorized") ? undefined : location.pathname.split("/")[1];
}

/**
 * Continues the session of this browser in the tenant of the address; in the person's own tenant if they
 * have none there. So the platform's owner opens the pages of every tenant without leaving them.
 */
export async function continueSession(client: Client): Promise<void> {
	const tenant = tenantOfAddress();
	await client.start(tenant === undefined ? {} : { tenant });
	if (tenant !== undefined && client.getState().status === "signed_out") await client.start();
}

/**
 * Leaves for the sign-on service if there is no session and the page of the address needs one. Returns
 * whether it leaves; if not, the pages show what there is to show.
 */
export async function leaveAtOnce(platform: Platform): Promise<boolean> {
	const { client } = platform;
	const tenant = tenantOfAddress();
	if (isOfNoTenant("unauthorized") || client.getState().status !== "signed_out" || isJustSignedOut(client))
		return false;
	if (tenant !== undefined && !(await isTenant(platform, tenant))) return false;
	await leave(client, tenant);
	return true;
}

/** Also false if it cannot be known now: the pages show the error. */
const isTenant = (platform: Platform, slug: string) =>
	findKnownTenant(platform, slug).then(
		(tenant) => tenant !== null,
		() => false,
	);
