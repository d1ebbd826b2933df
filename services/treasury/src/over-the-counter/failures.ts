import { defineFailures } from "@lango/chassis";

/** The failures of payments over the counter. Codes are public: never rename one. */
export const counterFailures = defineFailures({
	urls_registered: [
		"conflict",
		"The addresses of this shortcode are registered. In production the gateway takes them once.",
	],
	sandbox_only: ["conflict", "Payments are simulated in the sandbox of the gateway only."],
});
