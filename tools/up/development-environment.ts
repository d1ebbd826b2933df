import { join } from "node:path";
import type { Environment } from "@lango/chassis";
import { environmentOf, type Parts } from "./parts.ts";
import { keepSecrets } from "./secrets.ts";
import { acceptedBy, listDevelopmentKeys } from "./service-keys.ts";

/**
 * Returns the environment of a development platform: addresses derived from the ports, the secrets in
 * `home`, and the keys that services accept from each other. Given variables override them.
 */
export function developmentEnvironment(
	parts: Parts,
	{ home, given }: { home: string; given: Environment },
): Record<string, string | undefined> {
	const read = { ...keepSecrets(join(home, "secrets.json"), parts.secrets), ...environmentOf(parts, given) };
	const keys = listDevelopmentKeys(parts.services.map(({ service }) => service));
	return { TREASURY_BILLING: collectorOf(given), ...acceptedBy(keys, read), ...read };
}

/**
 * One service answers requests for payments: the sandbox of subscriptions, or the treasury if that one is
 * off.
 */
const collectorOf = ({ SUBSCRIPTIONS_SANDBOX_BILLING }: Environment): string =>
	SUBSCRIPTIONS_SANDBOX_BILLING === "off" ? "on" : "off";
