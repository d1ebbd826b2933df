import { permit, type Route, route } from "@lango/chassis";
import { billingIntervals, FailureBody, Page } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { platformRight } from "../rights.ts";
import { expandProducts } from "../rules/terms/terms.ts";
import { listAdminAddOns, listAdminPlans, type Offer, readCatalogueCodes } from "./catalogue-list.store.ts";

const OrNull = <const T extends Type.TSchema>(schema: T) => Type.Union([schema, Type.Null()]);
const Offered = OrNull(
	Type.Object({
		version: Type.Integer(),
		price_minor: Type.Integer(),
		currency: Type.String(),
		interval: Type.Enum(billingIntervals, { type: "string" }),
	}),
);
const AdminPlan = Type.Object({
	code: Type.String(),
	name: Type.String(),
	position: Type.Integer(),
	versions: Type.Integer({ description: "Number of versions ever created" }),
	offered: Offered,
});
const { position: _, ...addOnProperties } = AdminPlan.properties;
const AdminAddOn = Type.Object(addOnProperties);
const Words = Type.Object({
	bundles: Type.Array(
		Type.Object({ code: Type.String(), name: Type.String(), products: Type.Array(Type.String()) }),
	),
	features: Type.Array(
		Type.Object({
			code: Type.String(),
			kind: Type.Enum(["boolean", "limit", "metered"], { type: "string" }),
			description: Type.String(),
		}),
	),
});
const wordsMax = 500;
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["platform"];

type Parts = { db: Database };

/** Lists the whole catalogue for the platform owner, including what is not on offer. */
export const catalogueListRoutes = (parts: Parts): readonly Route[] => [
	plansRoute(parts),
	addOnsRoute(parts),
	wordsRoute(parts),
];

const plansRoute = ({ db }: Parts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/plans",
		access: permit(platformRight),
		schema: {
			summary: "List all plans, including those not on offer",
			tags,
			querystring: Type.Object(
				{
					limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
					cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,9}$" })),
				},
				{ additionalProperties: false },
			),
			response: { 200: Page(AdminPlan), ...refusals },
		},
		handler: async (request) => {
			const { limit, cursor } = request.query;
			const found = await listAdminPlans(db, { after: Number(cursor ?? -1), max: limit + 1 });
			const items = found.slice(0, limit);
			const last = found.length > limit ? items.at(-1) : undefined;
			return {
				items: items.map(({ offered, ...plan }) => ({ ...plan, offered: toOffer(offered) })),
				next_cursor: last === undefined ? null : String(last.position),
			};
		},
	});

const addOnsRoute = ({ db }: Parts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/add-ons",
		access: permit(platformRight),
		schema: {
			summary: "List all add-ons, including those not on offer",
			tags,
			querystring: Type.Object(
				{
					limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
					cursor: Type.Optional(Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" })),
				},
				{ additionalProperties: false },
			),
			response: { 200: Page(AdminAddOn), ...refusals },
		},
		handler: async (request) => {
			const { limit, cursor = "" } = request.query;
			const found = await listAdminAddOns(db, { after: cursor, max: limit + 1 });
			const items = found.slice(0, limit);
			const last = found.length > limit ? items.at(-1) : undefined;
			return {
				items: items.map(({ offered, ...addOn }) => ({ ...addOn, offered: toOffer(offered) })),
				next_cursor: last?.code ?? null,
			};
		},
	});

const wordsRoute = ({ db }: Parts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/catalogue",
		access: permit(platformRight),
		schema: {
			summary: "List the codes used in versions: bundles with their products, features and limits",
			tags,
			response: { 200: Words, ...refusals },
		},
		handler: async () => {
			const { bundles, features } = await readCatalogueCodes(db, wordsMax);
			return {
				bundles: bundles.map((one) => ({ ...one, products: expandProducts(one.products) })),
				features,
			};
		},
	});

function toOffer(offered: Offer | undefined): Static<typeof Offered> {
	if (offered === undefined) return null;
	const { priceMinor, ...same } = offered;
	return { ...same, price_minor: Number(priceMinor) };
}
