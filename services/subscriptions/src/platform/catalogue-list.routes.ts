import { pageBy, permit, type Route, readKey, route, totalOf } from "@lango/chassis";
import { billingIntervals, FailureBody, Page } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { CountedPageQuery, codeForm, numberForm } from "../page.ts";
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
const Codes = Type.Object({
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
const codesMax = 500;
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["platform"];

type Parts = { db: Database };

/** Lists the whole catalogue for the platform owner, including what is not on offer. */
export const catalogueListRoutes = (parts: Parts): readonly Route[] => [
	plansRoute(parts),
	addOnsRoute(parts),
	codesRoute(parts),
];

const plansRoute = ({ db }: Parts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/plans",
		access: permit(platformRight),
		schema: {
			summary: "List all plans, including those not on offer",
			tags,
			querystring: CountedPageQuery,
			response: { 200: Page(AdminPlan), ...refusals },
		},
		handler: async (request) => {
			const { limit, cursor, total } = request.query;
			const after = Number(readKey(cursor, numberForm) ?? -1);
			const found = await listAdminPlans(db, { after, max: limit + 1 });
			return {
				...pageBy(found, { limit, toWire, keyOf: ({ position }) => String(position) }),
				...(await totalOf(db, total, (all, page) => listAdminPlans(all, { after: -1, max: page.limit }))),
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
			querystring: CountedPageQuery,
			response: { 200: Page(AdminAddOn), ...refusals },
		},
		handler: async (request) => {
			const { limit, cursor, total } = request.query;
			const after = readKey(cursor, codeForm) ?? "";
			const found = await listAdminAddOns(db, { after, max: limit + 1 });
			return {
				...pageBy(found, { limit, toWire, keyOf: ({ code }) => code }),
				...(await totalOf(db, total, (all, page) => listAdminAddOns(all, { after: "", max: page.limit }))),
			};
		},
	});

const codesRoute = ({ db }: Parts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/catalogue",
		access: permit(platformRight),
		schema: {
			summary: "List the codes used in versions: bundles with their products, features and limits",
			tags,
			response: { 200: Codes, ...refusals },
		},
		handler: async () => {
			const { bundles, features } = await readCatalogueCodes(db, codesMax);
			return {
				bundles: bundles.map((one) => ({ ...one, products: expandProducts(one.products) })),
				features,
			};
		},
	});

const toWire = <T extends { offered: Offer | undefined }>({ offered, ...item }: T) => ({
	...item,
	offered: toOffer(offered),
});

function toOffer(offered: Offer | undefined): Static<typeof Offered> {
	if (offered === undefined) return null;
	const { priceMinor, ...same } = offered;
	return { ...same, price_minor: Number(priceMinor) };
}
