import type { Shortcode } from "../accounts/shortcode.ts";
import type { Call } from "./operation.ts";
import { invalidField, refusals } from "./refusal.ts";

/** The shortcode of the caller in this member of the body. Throws `Refusal` if it is not the caller's. */
export function getOwnShortcode({ sandbox, consumerKey }: Call, [name, value]: [string, string]): Shortcode {
	const found = sandbox.tables.shortcodes.get(value);
	if (found?.consumerKey !== consumerKey) throw invalidField(name);
	return found;
}

/**
 * Throws `Refusal` unless the password is that of the shortcode: base64 of shortcode, passkey and timestamp.
 */
export function requirePassword(
	{ shortcode, passkey }: Shortcode,
	{ Password: password, Timestamp: timestamp }: { Password: string; Timestamp: string },
): void {
	const expected = Buffer.from(`${shortcode}${passkey}${timestamp}`).toString("base64");
	if (password !== expected) throw refusals.password();
}
