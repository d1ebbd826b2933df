import { hashSecret, mintSecret } from "./secret.ts";

/** An API key's parts: `lk_<id>_<secret>`. The id finds it, the hash of the secret proves it. */
export type ApiKeyParts = { id: string; secretHash: Buffer };

const form = /^lk_([A-Za-z0-9]{8,32})_([A-Za-z0-9_-]{32,128})$/;

/** Makes a new API key; only the caller ever sees the text, `secretHash` is what is stored. */
export function mintApiKey(): ApiKeyParts & { text: string } {
	const id = mintSecret(24).replaceAll(/[-_]/g, "").slice(0, 16).padEnd(16, "0");
	const secret = mintSecret(32);
	return { id, secretHash: hashSecret(secret), text: `lk_${id}_${secret}` };
}

/** Takes an API key apart; undefined when the text is none. */
export function readApiKey(text: string): ApiKeyParts | undefined {
	const [, id, secret] = form.exec(text) ?? [];
	return id === undefined || secret === undefined ? undefined : { id, secretHash: hashSecret(secret) };
}
