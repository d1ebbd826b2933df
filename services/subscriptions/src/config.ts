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
		"how the sandbox answers payment requests where the treasury does not (TREASURY_BILLING); unset: pays if NODE_ENV is development or test, otherwise off; any other value is refused there. npm start sets off, because the treasury answers",
	read: (value) => {
		const answer = [...sandboxAnswers, "off" as const].find((one) => one === value);
		if (answer === undefined) throw new Error("is pays, refuses, silent or off");
		return answer;
	},
};

/** The settings of the subscription service beside the common ones. */
export const settings = defineSettings("SUBSCRIPTIONS", {
	...platformSettings,
	apiKeys: acceptedKeys({
		receiver: "subscriptions",
		because: `keys of other services, as caller:purpose:key separated by commas. snapshot.read reads subscriptions, usage.report reports usage; without a key a service refuses every mutation. Replaces SUBSCRIPTIONS_API_KEY (${keysPage})`,
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
			"maximum number of tenants whose snapshot and usage terms are cached: about 100 MB with the default; 0 disables the caches",
	}),
});
