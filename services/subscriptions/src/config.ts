import {
	acceptedKeys,
	defineSettings,
	integer,
	keysPage,
	platformSettings,
	replacedSetting,
	type Setting,
} from "@lango/chassis";
import { type SandboxAnswer, sandboxAnswers } from "./billing/sandbox.store.ts";

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
	apiKeys: acceptedKeys({
		receiver: "subscriptions",
		because: `the keys of other services, caller:purpose:key by commas: snapshot.read asks what a tenant has, usage.report tells of usage; without them every gate of theirs is closed. It replaces SUBSCRIPTIONS_API_KEY (${keysPage})`,
	}),
	oldApiKey: replacedSetting({
		env: "SUBSCRIPTIONS_API_KEY",
		by: `list one key per caller and purpose in SUBSCRIPTIONS_API_KEYS (${keysPage})`,
	}),
	sandboxBilling,
	tenantsHeldMax: integer({
		default: 20_000,
		max: 1_000_000,
		because:
			"of so many tenants at most the snapshot, and what usage is counted by, are kept in memory: some 100 MB at the usual number; 0: of none",
	}),
});
