import { admitSettingKey } from "@lango/access";
import { defineService, failureTableOf, hearRevocations } from "@lango/chassis";
import { createVerifier, readApiKey, remoteKeySet } from "@lango/tokens";
import { auditRoutes } from "./audit/audit.routes.ts";
import { paymentConsumers } from "./billing/receive-payment.ts";
import { sandboxConsumers } from "./billing/sandbox.ts";
import { planRoutes } from "./catalogue/plan.routes.ts";
import { seedCatalogue } from "./catalogue/seed-catalogue.ts";
import { clockRoutes } from "./clock/clock.routes.ts";
import { settings } from "./config.ts";
import { failures } from "./failures.ts";
import { migrations } from "./migrations.ts";
import { pipeline } from "./pipeline.ts";
import { catalogueAdminRoutes } from "./platform/catalogue-admin.routes.ts";
import { tenantAdminRoutes } from "./platform/tenant-admin.routes.ts";
import { quoteRoutes } from "./quotes/quote.routes.ts";
import { rights } from "./rights.ts";
import { changeRoutes } from "./subscriptions/change.routes.ts";
import { subscriptionRoutes } from "./subscriptions/subscription.routes.ts";
import { openSurroundings } from "./surroundings.ts";
import { tenantConsumers } from "./tenants/tenant-consumers.ts";

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
		return { db, now, verifier, platformOwnerSlug, ...openSurroundings(context) };
	},
	pipeline,
	routes: [
		planRoutes,
		subscriptionRoutes,
		changeRoutes,
		quoteRoutes,
		catalogueAdminRoutes,
		tenantAdminRoutes,
		auditRoutes,
		clockRoutes,
	],
	consumes: ({ usual, ...changing }) => [
		...tenantConsumers,
		...paymentConsumers(changing),
		...(usual === undefined ? [] : sandboxConsumers({ answer: usual, now: changing.now })),
	],
	access: rights,
});
