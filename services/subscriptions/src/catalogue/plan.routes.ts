import { open, pageBy, type Route, readKey, route } from "@lango/chassis";
import { FailureBody, Page, Plan } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { numberForm, PageQuery } from "../page.ts";
import { expandProducts } from "../rules/terms/terms.ts";
import { metrics } from "../rules/usage/metric.ts";
import { listPlans, type OfferedPlan } from "./catalogue.store.ts";

export const planRoutes = ({ db }: { db: Database }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/plans",
		access: open("prices are public (spec §4.2)"),
		schema: {
			summary: "List the plans on offer, with features and limits",
			tags: ["catalogue"],
			querystring: PageQuery,
			response: { 200: Page(Plan), "4xx": FailureBody },
		},
		handler: async (request, reply) => {
			const { limit, cursor } = request.query;
			const after = Number(readKey(cursor, numberForm) ?? -1);
			const found = await listPlans(db, { after, max: limit + 1 });
			reply.header("cache-control", "public, max-age=60");
			return pageBy(found, { limit, toWire, keyOf: ({ position }) => String(position) });
		},
	}),
];

function toWire({ priceMinor, trialDays, graceDays, ...plan }: OfferedPlan): Plan {
	return {
		code: plan.code,
		name: plan.name,
		version: plan.version,
		price_minor: Number(priceMinor),
		currency: plan.currency,
		interval: plan.interval,
		trial_days: trialDays,
		grace_days: graceDays,
		products: expandProducts(plan.products),
		features: [...plan.features],
		limits: plan.limits,
		overage: offersOf(plan.overage),
	};
}

/** Overage is not sold for limits on existing things, nor for limits without a metric. */
function offersOf(overage: OfferedPlan["overage"]): Plan["overage"] {
	const offers = metrics.flatMap(({ code, limit, window }) => {
		const price = limit !== null && Object.hasOwn(overage, limit) ? overage[limit] : undefined;
		if (limit === null || price === undefined || window === "standing") return [];
		return [[limit, { unit: code, window, ...price }] as const];
	});
	return Object.fromEntries(offers);
}
