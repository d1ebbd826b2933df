import { admitSettingKey } from "@lango/access";
import { defineService, failureTableOf, hearRevocations } from "@lango/chassis";
import { createVerifier, readApiKey, remoteKeySet } from "@lango/tokens";
import { planRoutes } from "./catalogue/plan.routes.ts";
import { seedCatalogue } from "./catalogue/seed-catalogue.ts";
import { settings } from "./config.ts";
import { failures } from "./failures.ts";
import { migrations } from "./migrations.ts";
import { pipeline } from "./pipeline.ts";
import { subscriptionRoutes } from "./subscriptions/subscription.routes.ts";

export { seedDemoSubscriptions } from "./demo.ts";

/** Plans, and what each tenant has of them: the layer of authorization that money decides. */
export const subscriptions = defineService({
	name: "subscriptions",
	title: "Lango subscriptions",
	settings,
	migrations,
	failures: [failureTableOf(failures)],
	corsHeaders: ["Accept", "Authorization", "Content-Type", "X-Tenant-Slug", "If-None-Match"],
	dependencies: async (context) => {
		const { settings: given, db, now } = context;
		const { apiKey, authUrl, jwksUrl, audience, platformOwnerSlug } = given;
		const key = readApiKey(apiKey.reveal());
		if (key === undefined) throw new Error("the settings let a malformed API key pass");
		await seedCatalogue(db);
		await admitSettingKey(db, { key, now: now() });
		const keys = remoteKeySet({ url: jwksUrl ?? `${authUrl}/.well-known/jwks.json`, now });
		// No key has this name: asking for it fetches the set when none is at hand, and fails only when none can be had.
		context.readyWhen("keys", async () => void (await keys.find("")));
		const verifier = createVerifier({
			issuer: authUrl,
			audiences: [audience],
			keys,
			now,
			isRevoked: await hearRevocations(context),
		});
		return { db, now, verifier, platformOwnerSlug };
	},
	pipeline,
	routes: [planRoutes, subscriptionRoutes],
});
