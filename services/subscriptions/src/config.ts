import { defineSettings, integer, platformSettings, Secret, type Setting } from "@lango/chassis";
import { readApiKey } from "@lango/tokens";
import { type SandboxAnswer, sandboxAnswers } from "./billing/sandbox.store.ts";

const apiKey: Setting<Secret> = {
	kind: "secret",
	env: "SUBSCRIPTIONS_API_KEY",
	because:
		"the key by which the other services ask for subscriptions; without it every gate of theirs is closed",
	read: (value) => {
		if (readApiKey(value) === undefined)
			throw new Error("is an API key: lk_<8 to 32 letters or digits>_<32 to 128 of base64url>");
		return new Secret(value);
	},
};

const sandboxBilling: Setting<SandboxAnswer | "off" | undefined> = {
	kind: "pays, refuses, silent or off",
	env: "SUBSCRIPTIONS_SANDBOX_BILLING",
	optional: true,
	because:
		"how payments turn out while no treasury answers; unset: pays if NODE_ENV is development or test, otherwise off, and the others are refused",
	read: (value) => {
		const answer = [...sandboxAnswers, "off" as const].find((one) => one === value);
		if (answer === undefined) throw new Error("is pays, refuses, silent or off");
		return answer;
	},
};

/** Every setting of the subscription service beside the common ones. */
export const settings = defineSettings("SUBSCRIPTIONS", {
	...platformSettings,
	apiKey,
	sandboxBilling,
	tenantsHeldMax: integer({
		default: 20_000,
		max: 1_000_000,
		because:
			"of so many tenants at most the snapshot, and what usage is counted by, are kept in memory: some 100 MB at the usual number; 0: of none",
	}),
});
