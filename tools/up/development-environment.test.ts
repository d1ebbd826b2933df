import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { parts } from "../up.ts";
import { developmentEnvironment } from "./development-environment.ts";
import type { Parts } from "./parts.ts";

const withoutTreasury: Parts = {
	...parts,
	services: parts.services.filter(({ service }) => service.name !== "treasury"),
};

function environmentOf(of: Parts, given: Readonly<Record<string, string>>) {
	const home = mkdtempSync(join(tmpdir(), "lango-environment-"));
	const environment = developmentEnvironment(of, { home, given });
	rmSync(home, { recursive: true });
	return environment;
}

test.each([
	[{ TREASURY_PORT: "4999" }, "http://localhost:4999"],
	[{ HTTP_PUBLIC_BASE_URL: "https://tunnel.example" }, "https://tunnel.example"],
])("with %o gateways and payers come to the treasury at %s", (given, address) => {
	expect(environmentOf(parts, given)["HTTP_PUBLIC_BASE_URL"]).toBe(address);
});

test.each([
	{ answers: "the treasury", when: "nothing is set", treasury: "on", sandbox: "off" },
	{ answers: "the sandbox", when: "it has an answer", given: "refuses", treasury: "off", sandbox: "refuses" },
	{ answers: "the treasury", when: "the sandbox is off", given: "off", treasury: "on", sandbox: "off" },
	{ answers: "the sandbox", when: "there is no treasury", of: withoutTreasury, treasury: "off" },
])("$answers alone answers requests for payments when $when", ({ given, of = parts, ...expected }) => {
	const environment = environmentOf(
		of,
		typeof given === "string" ? { SUBSCRIPTIONS_SANDBOX_BILLING: given } : {},
	);
	expect(environment["TREASURY_BILLING"]).toBe(expected.treasury);
	expect(environment["SUBSCRIPTIONS_SANDBOX_BILLING"]).toBe(expected.sandbox);
});
