import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** The second set of argon2id parameters that OWASP recommends: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

const derive = promisify(argon2);
const phc =
	/^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,64})\$([A-Za-z0-9+/]{16,128})$/;

/**
 * Hashes a password with argon2id and returns the hash in PHC form. Takes about 30 ms of one core and 19 MiB.
 * Request handlers use the hashing queue instead.
 */
export async function hashPassword(password: string): Promise<string> {
	const nonce = randomBytes(16);
	const tag = await derive("argon2id", { ...cost, message: normalised(password), nonce });
	return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`;
}

/**
 * Compares a password with a stored hash. `isOutdated` is true if the hash uses other cost parameters than
 * `hashPassword` does. Throws an Error if the hash is not in PHC form.
 */
export async function checkPassword(
	password: string,
	hash: string,
): Promise<{ matches: boolean; isOutdated: boolean }> {
	const [, memory, passes, parallelism, nonce = "", tag = ""] = phc.exec(hash) ?? [];
	if (memory === undefined) throw new Error("a stored password hash is not in the expected PHC form");
	const expected = Buffer.from(tag, "base64");
	const used = {
		memory: Number(memory),
		passes: Number(passes),
		parallelism: Number(parallelism),
		tagLength: expected.length,
	};
	const actual = await derive("argon2id", {
		...used,
		message: normalised(password),
		nonce: Buffer.from(nonce, "base64"),
	});
	const isOutdated = Object.entries(cost).some(([name, value]) => used[name as keyof typeof cost] !== value);
	return { matches: timingSafeEqual(actual, expected), isOutdated };
}

/**
 * Normalizes Unicode, so that one password typed on two keyboards gives the same bytes (NIST SP 800-63B
 * §3.1.1.2).
 */
const normalised = (password: string) => Buffer.from(password.normalize("NFKC"), "utf8");
const encode = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
