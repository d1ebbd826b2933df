export { type ApiKeyParts, mintApiKey, readApiKey } from "./api-key.ts";
export { readHeader, readSigned, signJwt, type TokenRefusal, TokenRefused } from "./jwt.ts";
export {
	type KeySet,
	KeySetUnavailable,
	localKeySet,
	type RemoteKeySetOptions,
	remoteKeySet,
} from "./key-set.ts";
export { createRevocations, type Revocations, revocationsKeptMs } from "./revocations.ts";
export {
	deriveKey,
	equalSecrets,
	hashSecret,
	type KeyEncryptionKeys,
	mintSecret,
	readKeyEncryptionKeys,
	type Sealed,
	seal,
	UnsealFailed,
	unseal,
} from "./secret.ts";
export {
	type Algorithm,
	algorithms,
	exportSigningKey,
	generateSigningKey,
	importSigningKey,
	type PublicJwk,
	publicJwk,
	readPublicJwk,
	type SigningKey,
	type VerifyingKey,
} from "./signing-key.ts";
export { createVerifier, skewSeconds, type Verifier, type VerifierOptions } from "./verifier.ts";
