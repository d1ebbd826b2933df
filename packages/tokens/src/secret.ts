import {
	createCipheriv,
	createDecipheriv,
	createSecretKey,
	hash,
	hkdfSync,
	type KeyObject,
	randomBytes,
	timingSafeEqual,
} from "node:crypto";

/** A new unguessable value of `bytes` random bytes, base64url. */
export function mintSecret(bytes = 32): string {
	return randomBytes(bytes).toString("base64url");
}

/** What is stored of an unguessable value. SHA-256 suffices: the value has too many bits to be guessed. */
export function hashSecret(secret: string): Buffer {
	return hash("sha256", secret, "buffer");
}

/** Compares in a time that does not depend on where the two differ. */
export function equalSecrets(left: Buffer, right: Buffer): boolean {
	return left.length === right.length && timingSafeEqual(left, right);
}

/** Keys that encrypt what is stored; the first one encrypts, all of them decrypt, each known by its id. */
export type KeyEncryptionKeys = ReadonlyArray<{ id: string; key: Buffer }>;

/**
 * A key for one purpose, derived from a key-encryption key (HKDF, RFC 5869), so that no key has two uses. A key object:
 * Node takes several times as long to look at a Buffer as to use it.
 */
export function deriveKey({ key }: KeyEncryptionKeys[number], purpose: string): KeyObject {
	return createSecretKey(Buffer.from(hkdfSync("sha256", key, "", purpose, 32)));
}

/** A secret as it is stored: which key encrypted it, and the text. */
export type Sealed = { keyId: string; sealed: Buffer };

/** Reads `id:base64key[,id:base64key…]`, 32 bytes each. Throws an Error that names the fault and shows no key. */
export function readKeyEncryptionKeys(setting: string): KeyEncryptionKeys {
	const keys = setting.split(",").map((part) => {
		const [id, encoded] = part.trim().split(":");
		const key = Buffer.from(encoded ?? "", "base64");
		if (!id || key.length !== 32) throw new Error("each key is written id:base64 of 32 bytes");
		return { id, key };
	});
	if (new Set(keys.map(({ id }) => id)).size !== keys.length) throw new Error("two keys have the same id");
	return keys;
}

/** Encrypts (AES-256-GCM) under the first key. `context` says what the secret is and must be the same when opened. */
export function seal(keys: KeyEncryptionKeys, context: string, secret: string): Sealed {
	const first = keys[0];
	if (first === undefined) throw new Error("there is no key-encryption key");
	const iv = randomBytes(12);
	const cipher = createCipheriv("aes-256-gcm", first.key, iv).setAAD(Buffer.from(context));
	const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
	return { keyId: first.id, sealed: Buffer.concat([iv, cipher.getAuthTag(), body]) };
}

/** Decrypts what `seal` wrote. Throws when its key is not among them or the text was changed. */
export function unseal(keys: KeyEncryptionKeys, context: string, { keyId, sealed }: Sealed): string {
	const key = keys.find(({ id }) => id === keyId);
	if (key === undefined) throw new Error(`the key-encryption key "${keyId}" is not configured`);
	const decipher = createDecipheriv("aes-256-gcm", key.key, sealed.subarray(0, 12))
		.setAAD(Buffer.from(context))
		.setAuthTag(sealed.subarray(12, 28));
	return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString("utf8");
}
