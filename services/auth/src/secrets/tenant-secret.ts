import { deriveKey, type KeyEncryptionKeys } from "@lango/tokens";
import { maskTenant, unmaskTenant } from "./tenant-mask.ts";

/** A random value with the tenant of its row, which is looked up by both. */
type TenantSecret = { secret: string; tenantId: string };

/**
 * Writes and reads one-time values that carry their tenant: authorization codes and exchange tokens. The hash
 * of the secret is stored.
 */
export type TenantSecrets = {
	write(value: TenantSecret): string;
	/** Undefined for a text of another form. A changed text names another tenant, whose rows do not match. */
	read(text: string): TenantSecret | undefined;
};

const form = /^([\w-]{43})\.([\w-]{1,32})\.([\w-]{22})$/;

export function createTenantSecrets(encryption: KeyEncryptionKeys): TenantSecrets {
	const keys = new Map(encryption.map((one) => [one.id, deriveKey(one, "lango tenants in secrets")]));
	const newest = encryption[0]?.id;
	if (newest === undefined) throw new Error("no key for one-time values is configured");

	const write = ({ secret, tenantId }: TenantSecret, keyId: string): string => {
		const key = keys.get(keyId);
		if (key === undefined) throw new Error(`the key "${keyId}" is not configured`);
		return `${secret}.${keyId}.${maskTenant(key, secret, tenantId)}`;
	};
	return {
		write: (value) => write(value, newest),
		read(text) {
			const [, secret, keyId, masked] = form.exec(text) ?? [];
			const key = keyId === undefined ? undefined : keys.get(keyId);
			if (secret === undefined || keyId === undefined || masked === undefined || key === undefined)
				return undefined;
			const value = { secret, tenantId: unmaskTenant(key, secret, masked) };
			return write(value, keyId) === text ? value : undefined;
		},
	};
}
