import { argon2, randomBytes } from "node:crypto";
import { promisify } from "node:util";

const derive = promisify(argon2);

/** The argon2id parameters of the sign-on service. */
export const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

/** Computes one hash. */
export async function derivePassword(password: string, nonce: Buffer): Promise<Buffer> {
	return derive("argon2id", { ...cost, message: password, nonce });
}

/** A hash in the format of the sign-on service. */
export async function hashPassword(password: string): Promise<string> {
	const nonce = randomBytes(16);
	const tag = await derivePassword(password, nonce);
	const encode = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
	return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`;
}
