import type { AccessTokenClaims } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { maskAddress, normaliseAddress } from "../addresses/address.ts";
import type { Vault } from "../addresses/sealed-address.ts";
import { type Person, recordPerson } from "./person.store.ts";

type Ensuring = { tenantId: string; vault: Vault; claims: AccessTokenClaims; now: Date };

/**
 * Makes a recipient of a person of the tenant whose event has not arrived yet. It changes nothing that is
 * known. A person of another tenant, such as the platform owner, does not become a recipient. Call it inside
 * the tenant.
 */
export async function ensureRecipient(tx: Database, ensuring: Ensuring): Promise<void> {
	const { tenantId, vault, claims, now } = ensuring;
	if (claims.tenant_id !== tenantId) return;
	await recordPerson(tx, {
		...{ tenantId, id: claims.sub, name: claims.name ?? "", email: sealEmail(vault, claims.email ?? "") },
		...{ isEmailVerified: false, roles: claims.roles ?? [], status: "active", version: 0, now },
	});
}

/** Returns an e-mail address encrypted; undefined if no mail can be sent to it. */
export function sealEmail(vault: Vault, email: string): Person["email"] {
	// The region is of phone numbers only.
	const read = normaliseAddress("email", email, "KE");
	if (!("ok" in read) || read.ok.kind !== "address") return undefined;
	const { address } = read.ok;
	return { ...vault.sealAddress("email", address), masked: maskAddress("email", address) };
}
