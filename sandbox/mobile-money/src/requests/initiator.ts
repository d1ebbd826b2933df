import type { Shortcode } from "../accounts/shortcode.ts";
import type { Sandbox } from "../sandbox.ts";
import { decryptCredential } from "./key-pair.ts";

const wrongPasswordsMax = 5;

/**
 * The code of why an initiator may not act for the shortcode, or undefined: 2001 if name or password is
 * wrong, 8006 after five wrong passwords in a row, until the shortcode is changed by `PUT
 * /_control/shortcodes`.
 */
export async function findInitiatorFault(
	sandbox: Sandbox,
	shortcode: Shortcode,
	{ name, credential }: { name: string; credential: string },
): Promise<number | undefined> {
	const password = await decryptCredential(sandbox, credential);
	const { shortcodes } = sandbox.tables;
	const current = shortcodes.get(shortcode.shortcode) ?? shortcode;
	if (current.wrongPasswords >= wrongPasswordsMax) return 8006;
	const initiator = current.initiators.find((one) => one.name === name);
	const isRight = initiator?.password === password;
	const wrongPasswords = isRight ? 0 : current.wrongPasswords + 1;
	if (wrongPasswords !== current.wrongPasswords)
		shortcodes.put(current.shortcode, { ...current, wrongPasswords });
	return isRight ? undefined : 2001;
}
