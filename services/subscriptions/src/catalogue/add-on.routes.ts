import { open, type Route, route } from "@lango/chassis";
import { AddOn, FailureBody, Page } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type from "typebox";
import { expandProducts } from "../rules/terms/terms.ts";
import { listAddOns, type OfferedAddOn } from "./add-on.store.ts";

const Query = Type.Object(
	{
		limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
		cursor: Type.Optional(
			Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$", description: "next_cursor of the previous page" }),
		),
	},
	{ additionalProperties: false },
);

export const addOnRoutes = ({ db }: { db: Database }): readonly Route[] => [
	route({
		method: "GET",
		url: "/api/v1/add-ons",
		access: open("prices are public (spec §4.2)"),
		schema: {
			summary: "List the add-ons on offer, with features and limits",
			tags: ["catalogue"],
			querystring: Query,
			response: { 200: Page(AddOn), "4xx": FailureBody },
		},
		handler: async (request, reply) => {
			const { limit, cursor } = request.query;
			const found = await listAddOns(db, { after: cursor ?? "", max: limit + 1 });
			const items = found.slice(0, limit);
			const last = found.length > limit ? items.at(-1) : undefined;
			reply.header("cache-control", "public, max-age=60");
			return { items: items.map(toWire), next_cursor: last === undefined ? null : last.code };
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
