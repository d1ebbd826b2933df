import { defineSettings, platformSettings, Secret, type Setting } from "@lango/chassis";
import { readApiKey } from "@lango/tokens";

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

/** Every setting of the subscription service beside the common ones. */
export const settings = defineSettings("SUBSCRIPTIONS", { ...platformSettings, apiKey });
