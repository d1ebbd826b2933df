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

test.each([
	{ answers: "the treasury", when: "nothing is set", treasury: "on", sandbox: "off" },
	{ answers: "the sandbox", when: "it has an answer", given: "refuses", treasury: "off", sandbox: "refuses" },
	{ answers: "the treasury", when: "the sandbox is off", given: "off", treasury: "on", sandbox: "off" },
	{ answers: "the sandbox", when: "there is no treasury", of: withoutTreasury, treasury: "off" },
])("$answers alone answers requests for payments when $when", ({ given, of = parts, ...expected }) => {
	const home = mkdtempSync(join(tmpdir(), "lango-environment-"));
	const environment = developmentEnvironment(of, {
		home,
		given: typeof given === "string" ? { SUBSCRIPTIONS_SANDBOX_BILLING: given } : {},
	});
	rmSync(home, { recursive: true });
	expect(environment["TREASURY_BILLING"]).toBe(expected.treasury);
	expect(environment["SUBSCRIPTIONS_SANDBOX_BILLING"]).toBe(expected.sandbox);
});
