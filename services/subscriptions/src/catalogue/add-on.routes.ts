import { open, pageBy, type Route, readKey, route } from "@lango/chassis";
import { AddOn, FailureBody, Page } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import { codeForm, PageQuery } from "../page.ts";
import { expandProducts } from "../rules/terms/terms.ts";
import { listAddOns, type OfferedAddOn } from "./add-on.store.ts";

export const addOnRoutes = ({ db }: { db: Database }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/add-ons",
		access: open("prices are public (spec §4.2)"),
		schema: {
			summary: "List the add-ons on offer, with features and limits",
			tags: ["catalogue"],
			querystring: PageQuery,
			response: { 200: Page(AddOn), "4xx": FailureBody },
		},
		handler: async (request, reply) => {
			const { limit, cursor } = request.query;
			const after = readKey(cursor, codeForm) ?? "";
			const found = await listAddOns(db, { after, max: limit + 1 });
			reply.header("cache-control", "public, max-age=60");
			return pageBy(found, { limit, toWire, keyOf: ({ code }) => code });
		},
	}),
];

function toWire({ id: _, priceMinor, ...addOn }: OfferedAddOn): AddOn {
	return {
		...addOn,
		price_minor: Number(priceMinor),
		products: expandProducts(addOn.products),
		features: [...addOn.features],
	};
}
