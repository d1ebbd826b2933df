import { buildService } from "@lango/chassis";
import { createTestDatabase } from "@lango/testkit";
import { mintApiKey } from "@lango/tokens";
import { expect, test } from "vitest";
import { parts } from "../../tools/up.ts";

const services = parts.services.map(({ service }) => service);

/** The features that routes declare and operations require, of all services. */
function requiredFeatures(): ReadonlySet<string> {
	const ofRoutes = services.flatMap(({ name, routes }) =>
		routes
			.flatMap((group) => group({ name }))
			.flatMap(({ feature, customerFeature }) => [feature, customerFeature]),
	);
	const ofOperations = services.flatMap(({ requiredFeatures: required = [] }) => required);
	return new Set([...ofRoutes, ...ofOperations].filter((code) => code !== undefined));
}

/** What the subscription service offers: the newest versions of the seeded plans and add-ons. */
async function listOffers(): Promise<Array<{ code: string; features: string[] }>> {
	const service = services.find(({ name }) => name === "subscriptions");
	if (service === undefined) throw new Error("There is no subscription service.");
	const database = await createTestDatabase({ name: "subscriptions", sets: service.migrations });
	const environment = {
		NODE_ENV: "test",
		SUBSCRIPTIONS_DATABASE_URL: database.url,
		SUBSCRIPTIONS_API_KEYS: `test:snapshot.read:${mintApiKey().text}`,
		AUTH_URL: "http://127.0.0.1:1",
		LOG_LEVEL: "silent",
	};
	const { app, close } = await buildService(service, { environment, jobs: "by hand" });
	try {
		const answers = await Promise.all(
			["plans", "add-ons"].map((list) => app.inject({ method: "GET", url: `/api/v1/${list}?limit=100` })),
		);
		return answers.flatMap((answer) => answer.json().items);
	} finally {
		await close();
		await database.drop();
	}
}

test("every feature that a plan or an add-on sells is required by a route or an operation", async () => {
	const required = requiredFeatures();
	const offers = await listOffers();
	expect(offers.map(({ code }) => code)).toEqual(["STARTER", "GROWTH", "PROFESSIONAL", "pos", "whatsapp"]);
	const sold = new Set(offers.flatMap(({ features }) => features));
	expect([...sold].filter((code) => !required.has(code))).toEqual([]);
	expect([...required].sort()).toEqual(["customer_portal", "multi_outlet", "whatsapp"]);
});
