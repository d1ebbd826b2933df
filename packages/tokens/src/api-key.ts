import { hashSecret, mintSecret } from "./secret.ts";

/** The parts of an API key `lk_<id>_<secret>`: the id to look it up, and the hash to verify its secret. */
export type ApiKeyParts = { id: string; secretHash: Buffer };

const form = /^lk_([A-Za-z0-9]{8,32})_([A-Za-z0-9_-]{32,128})$/;

/** Creates an API key. Only `secretHash` is stored; `text` is shown to the caller once. */
export function mintApiKey(): ApiKeyParts & { text: string } {
	const id = mintSecret(24).replaceAll(/[-_]/g, "").slice(0, 16).padEnd(16, "0");
	const secret = mintSecret(32);
	return { id, secretHash: hashSecret(secret), text: `lk_${id}_${secret}` };
}

/** Parses an API key. Returns undefined if the text is not in the form of an API key. */
export function readApiKey(text: string): ApiKeyParts | undefined {
	const [, id, secret] = form.exec(text) ?? [];
	return id === undefined || secret === undefined ? undefined : { id, secretHash: hashSecret(secret) };
}
