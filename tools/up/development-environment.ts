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
	// Gateways and payers come to the treasury at this address.
	const publicly = { HTTP_PUBLIC_BASE_URL: read["TREASURY_URL"] };
	return { ...publicly, ...collectorOf(parts, given), ...acceptedBy(keys, read), ...read };
}

/**
 * One service answers requests for payments: the treasury, unless it is not started, or the sandbox of
 * subscriptions was given an answer.
 */
function collectorOf({ services }: Parts, { SUBSCRIPTIONS_SANDBOX_BILLING: given }: Environment) {
	const hasTreasury = services.some(({ service }) => service.name === "treasury");
	const isTreasury = given === undefined || given === "" ? hasTreasury : given === "off";
	if (!isTreasury) return { TREASURY_BILLING: "off" };
	return { TREASURY_BILLING: "on", SUBSCRIPTIONS_SANDBOX_BILLING: "off" };
}
