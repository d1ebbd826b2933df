import { keyVariable, servicePurposes } from "@lango/contracts";
import { mintApiKey } from "@lango/tokens";

/**
 * Creates keys for the calls between the named services, as environment variables: under the names of each
 * caller, and in the settings of the services that accept them.
 */
export function testServiceKeys(...callers: readonly string[]): Record<string, string> {
	const made: Record<string, string> = {};
	for (const [receiver, purposes] of Object.entries(servicePurposes)) {
		const entries = callers.flatMap((caller) =>
			purposes.map((purpose) => {
				const key = mintApiKey().text;
				made[keyVariable(caller, purpose)] = key;
				return `${caller}:${purpose}:${key}`;
			}),
		);
		made[`${receiver.toUpperCase()}_API_KEYS`] = entries.join(",");
	}
	return made;
}
