import { setUp } from "@lango/testkit/set-up";
import { expect, test } from "vitest";
import { openTill } from "./till.ts";

const till = setUp(openTill);

/** The metrics of the service, by name and attributes. */
async function measure(): Promise<Record<string, number>> {
	const { body } = await till.service.app.inject({ url: "/metrics" });
	const lines = body.matchAll(/^(lango_(?:webhooks|attempts|gateway)_\w+)\{([^}]*)\} (\S+)$/gm);
	return Object.fromEntries(
		[...lines].map(([, name, attributes = "", value]) => {
			const [, shown] = attributes.match(/,?(lango_[^,]*)/) ?? [];
			return [[name, shown].filter(Boolean).join(" "), Number(value)];
		}),
	);
}

test("operators see webhooks that were refused, parked or not applied, and questions to gateways", async () => {
	expect(await measure()).toEqual({
		...{ lango_webhooks_unapplied_age_seconds: 0, lango_attempts_unknown_age_seconds: 0 },
		...{ 'lango_webhooks_parked lango_gateway="mobile_money"': 0 },
		...{ 'lango_webhooks_parked lango_gateway="card_gateway"': 0 },
		...{ 'lango_webhooks_refused_total lango_gateway="mobile_money"': 0 },
		...{ 'lango_webhooks_refused_total lango_gateway="card_gateway"': 0 },
		...{ 'lango_attempts_queries_total lango_query_outcome="ended"': 0 },
		...{ 'lango_attempts_queries_total lango_query_outcome="open"': 0 },
		lango_gateway_breakers_open: 0,
	});
	const send = (headers: Record<string, string>) =>
		till.service.app.inject({
			...{ method: "POST", url: "/api/v1/webhooks/cardgateway", payload: "{}" },
			headers: { "content-type": "application/json", ...headers },
		});
	expect((await send({ "x-gateway-signature": "00" })).statusCode).toBe(401);
	expect((await measure())['lango_webhooks_refused_total lango_gateway="card_gateway"']).toBe(1);
});
