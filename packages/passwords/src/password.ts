import { argon2, randomBytes, timingSafeEqual } from "node:crypto";
import { promisify } from "node:util";

/** OWASP's second set of parameters for argon2id: 19 MiB, two passes, one lane. */
const cost = { memory: 19_456, passes: 2, parallelism: 1, tagLength: 32 } as const;

const derive = promisify(argon2);
const phc =
	/^\$argon2id\$v=19\$m=(\d{1,7}),t=(\d{1,3}),p=(\d{1,2})\$([A-Za-z0-9+/]{16,64})\$([A-Za-z0-9+/]{16,128})$/;

/** Hashes a password with argon2id into PHC form. Takes about 30 ms of a core and 19 MiB; go through the hashing queue. */
export async function hashPassword(password: string): Promise<string> {
	const nonce = randomBytes(16);
	const tag = await derive("argon2id", { ...cost, message: normalised(password), nonce });
	return `$argon2id$v=19$m=${cost.memory},t=${cost.passes},p=${cost.parallelism}$${encode(nonce)}$${encode(tag)}`;
}

/** Whether a password is the one that was hashed, and whether its hash has another cost than is used today. */
export async function checkPassword(
	password: string,
	hash: string,
): Promise<{ matches: boolean; isOutdated: boolean }> {
	const [, memory, passes, parallelism, nonce = "", tag = ""] = phc.exec(hash) ?? [];
	if (memory === undefined) throw new Error("a stored password hash is not in the form it was written in");
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

/** The same password typed on two keyboards is the same bytes (NIST SP 800-63B §3.1.1.2). */
const normalised = (password: string) => Buffer.from(password.normalize("NFKC"), "utf8");
const encode = (bytes: Buffer) => bytes.toString("base64").replaceAll("=", "");
