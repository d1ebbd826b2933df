import { randomBytes } from "node:crypto";

/** Crockford's base 32: no I, L, O and U, which people mistake for other characters. */
const alphabet = "0123456789ABCDEFGHJKMNPQRSTVWXYZ";
/** The characters of ISO 7064 MOD 37,36. */
const checkAlphabet = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const bodyLength = 9;

/**
 * Mints the code that a payer types as the account number: nine random characters of Crockford base 32
 * and a check character (design: a mistyped code is refused before money moves).
 */
export function mintAccountCode(): string {
	let body = "";
	while (body.length < bodyLength)
		body += [...randomBytes(bodyLength)].map((byte) => alphabet[byte % alphabet.length]).join("");
	body = body.slice(0, bodyLength);
	return `${body}${checkCharacterOf(body)}`;
}

/**
 * Reads an account number as a payer typed it: without spaces and hyphens, in any case, with O for 0 and
 * I or L for 1. Returns undefined if it is not an account code or its check character is wrong.
 */
export function readAccountCode(typed: string): string | undefined {
	const code = typed.toUpperCase().replace(/[\s-]/g, "");
	if (code.length !== bodyLength + 1) return undefined;
	const body = code.slice(0, bodyLength).replaceAll("O", "0").replace(/[IL]/g, "1");
	if ([...body].some((character) => !alphabet.includes(character))) return undefined;
	return checkCharacterOf(body) === code[bodyLength] ? `${body}${code[bodyLength]}` : undefined;
}

/** ISO 7064 MOD 37,36, a hybrid system: it detects every wrong character and almost every transposition. */
function checkCharacterOf(body: string): string {
	const modulus = checkAlphabet.length;
	let product = modulus;
	for (const character of body) {
		const sum = (product + checkAlphabet.indexOf(character)) % modulus || modulus;
		product = (sum * 2) % (modulus + 1);
	}
	return checkAlphabet[(modulus + 1 - product) % modulus] ?? "";
}
