import type { Sandbox } from "../sandbox.ts";
import { msisdnPattern, phoneOf } from "./phone.ts";

/** The public name of a phone's subscriber or of a shortcode. */
export function nameOfParty(sandbox: Sandbox, party: string): string {
	if (!msisdnPattern.test(party)) return sandbox.tables.shortcodes.get(party)?.name ?? party;
	const { firstName, lastName } = phoneOf(sandbox, party);
	return `${firstName} ${lastName}`.toUpperCase();
}
