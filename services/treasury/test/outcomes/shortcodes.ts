import { type Database, inTenant } from "@lango/postgres";
import type { Tenant } from "@lango/tenancy";
import { claimShortcode, saveTenantGateway } from "../../src/gateways/shortcodes/tenant-gateway.store.ts";
import { issueCallbackToken } from "../../src/inbox/callback-token.store.ts";
import { idOfShortcode } from "../../src/inbox/callback-token.ts";
import type { StoredIntent } from "../../src/payments/intent.store.ts";
import type { Book } from "../ledger/book.ts";

/** A shortcode, with the token of the address that the gateway has for its confirmations. */
type Shortcode = { shortcode: string; token: string };
type Opening = { profileId: string; now: Date };

/** Opens the tills of tenants, and the shortcode of the platform, which a platform owner has. */
export async function openShortcodes({ db, tenant }: Pick<Book, "db" | "tenant">, opening: Opening) {
	const ownerId = await tenant();
	const known = new Map<string, Shortcode>();
	let last = 600_099;
	const register = async (tenantId: string): Promise<void> => {
		const shortcode = String(++last);
		known.set(tenantId, { shortcode, token: await claim(db, { ...opening, tenantId, shortcode }) });
	};
	await register(ownerId);
	const get = (tenantId: string): Shortcode => {
		const found = known.get(tenantId);
		if (found === undefined) throw new Error("the tenant has no shortcode");
		return found;
	};
	return {
		owner: ownerOf(ownerId),
		/** Gives a new shortcode to a tenant. */
		register,
		/** The shortcode that collects an intent. */
		of: ({ payee, tenantId }: Pick<StoredIntent, "payee" | "tenantId">) =>
			get(payee === "platform" ? ownerId : tenantId),
		/** Writes `own` for the tenant's shortcode in the codes of accounts. */
		hide: (tenantId: string | undefined, balances: Record<string, number>) => {
			const own = tenantId === undefined ? undefined : known.get(tenantId)?.shortcode;
			if (own === undefined) return balances;
			return Object.fromEntries(
				Object.entries(balances).map(([code, sum]) => [code.replace(own, "own"), sum]),
			);
		},
	};
}

function ownerOf(id: string) {
	const lango: Tenant = {
		...{ id, slug: "lango", name: "lango", status: "active" },
		...{ timeZone: "Africa/Nairobi", currency: "KES", locale: "en-KE", outletIsolation: "open" },
	};
	return { tenancy: { findBySlug: async () => lango }, settings: { platformOwnerSlug: lango.slug } };
}

async function claim(
	db: Database,
	{ tenantId, shortcode, profileId, now }: Opening & { tenantId: string; shortcode: string },
): Promise<string> {
	const change = {
		...{ shortcode, kind: "till" as const, unknownAccounts: "accept" as const, refundExcess: false },
		...{ initiatorName: undefined, accountReference: undefined },
	};
	const about = { objectKind: "shortcode", objectId: idOfShortcode(shortcode) } as const;
	const token = { tenantId, profileId, ...about, route: "confirmation", expiresAt: undefined } as const;
	return inTenant(db, tenantId, async (tx) => {
		await claimShortcode(tx, { tenantId, shortcode });
		await saveTenantGateway(tx, { tenantId, change, now });
		return issueCallbackToken(tx, token, now);
	});
}
