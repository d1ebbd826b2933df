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

/** Returns `bytes` random bytes as base64url. */
export function mintSecret(bytes = 32): string {
	return randomBytes(bytes).toString("base64url");
}

/**
 * Hashes a random secret for storage. SHA-256 is enough because the secret has too much entropy to be
 * guessed.
 */
export function hashSecret(secret: string): Buffer {
	return hash("sha256", secret, "buffer");
}

/** Compares two secrets in constant time. */
export function equalSecrets(left: Buffer, right: Buffer): boolean {
	return left.length === right.length && timingSafeEqual(left, right);
}

/** The keys for encryption at rest, each with an id. The first key encrypts; all of them decrypt. */
export type KeyEncryptionKeys = ReadonlyArray<{ id: string; key: Buffer }>;

/**
 * Derives a key for one purpose from a key-encryption key (HKDF, RFC 5869), so that no key has two uses.
 * Returns a KeyObject because Node takes several times as long to parse a Buffer as to use the key.
 */
export function deriveKey({ key }: KeyEncryptionKeys[number], purpose: string): KeyObject {
	return createSecretKey(Buffer.from(hkdfSync("sha256", key, "", purpose, 32)));
}

/** A secret as it is stored: the id of the key that encrypted it, and the ciphertext. */
export type Sealed = { keyId: string; sealed: Buffer };

/**
 * A stored secret cannot be decrypted with the given key-encryption keys. The message names the key by its
 * id and contains no key.
 */
export class UnsealFailed extends Error {
	constructor(message: string, cause?: unknown) {
		super(message, { cause });
		this.name = "UnsealFailed";
	}
}

/**
 * Parses `id:base64key[,id:base64key…]`, 32 bytes each. Throws an Error that names the problem but contains
 * no key.
 */
export function readKeyEncryptionKeys(setting: string): KeyEncryptionKeys {
	const keys = setting.split(",").map((part) => {
		const [id, encoded] = part.trim().split(":");
		const key = Buffer.from(encoded ?? "", "base64");
		if (!id || key.length !== 32)
			throw new Error("is <id>:<32 bytes in base64>, several separated by commas");
		return { id, key };
	});
	if (new Set(keys.map(({ id }) => id)).size !== keys.length)
		throw new Error("has two keys with the same id");
	return keys;
}

/**
 * Encrypts a secret with the first key (AES-256-GCM). `context` names the purpose and must be the same in
 * `unseal`.
 */
export function seal(keys: KeyEncryptionKeys, context: string, secret: string): Sealed {
	const first = keys[0];
	if (first === undefined) throw new Error("no key-encryption key is configured");
	const iv = randomBytes(12);
	const cipher = createCipheriv("aes-256-gcm", first.key, iv).setAAD(Buffer.from(context));
	const body = Buffer.concat([cipher.update(secret, "utf8"), cipher.final()]);
	return { keyId: first.id, sealed: Buffer.concat([iv, cipher.getAuthTag(), body]) };
}

/**
 * Decrypts the result of `seal`. Throws UnsealFailed if the key is missing or has another value, or if the
 * text or the context was changed.
 */
export function unseal(keys: KeyEncryptionKeys, context: string, { keyId, sealed }: Sealed): string {
	const key = keys.find(({ id }) => id === keyId);
	if (key === undefined) throw new UnsealFailed(`the key-encryption key "${keyId}" is missing`);
	try {
		const decipher = createDecipheriv("aes-256-gcm", key.key, sealed.subarray(0, 12))
			.setAAD(Buffer.from(context))
			.setAuthTag(sealed.subarray(12, 28));
		return Buffer.concat([decipher.update(sealed.subarray(28)), decipher.final()]).toString("utf8");
	} catch (cause) {
		throw new UnsealFailed(
			`the key-encryption key "${keyId}" is not the one that encrypted this, or the text was changed`,
			cause,
		);
	}
}
