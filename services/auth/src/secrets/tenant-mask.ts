import { createHmac, type KeyObject } from "node:crypto";

/**
 * Writes a tenant's id into a value that a client sees, so that only this server reads it: a client without
 * the scope `tenant` must not learn who the users of one tenant are. `nonce` must be unpredictable, and
 * different in each value, because the mask depends on it alone. 22 characters.
 */
export function maskTenant(key: KeyObject, nonce: string, tenantId: string): string {
	return combine(key, nonce, Buffer.from(tenantId.replaceAll("-", ""), "hex")).toString("base64url");
}

/** The tenant's id in a masked text of 22 characters. A changed text gives another id. */
export function unmaskTenant(key: KeyObject, nonce: string, masked: string): string {
	const hex = combine(key, nonce, Buffer.from(masked, "base64url")).toString("hex");
	return hex.replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, "$1-$2-$3-$4-$5");
}

function combine(key: KeyObject, nonce: string, bytes: Buffer): Buffer {
	const mask = createHmac("sha256", key).update(`tenant ${nonce}`).digest();
	return Buffer.from(bytes.map((byte, at) => byte ^ (mask[at] ?? 0)));
}
