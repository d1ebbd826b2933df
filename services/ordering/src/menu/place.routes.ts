import {
	chassisFailures,
	type Domain,
	listConfig,
	open,
	pageBy,
	type Route,
	readKey,
	route,
	tenantOf,
	textForm,
	uuidForm,
} from "@lango/chassis";
import { OutletUseCase, Page, PageQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { cached } from "./cached.ts";
import { listCafes } from "./place.store.ts";

const tags = ["public"];
const Cafe = Type.Object({ id: Uuid, code: Type.String(), name: Type.String(), use_case: OutletUseCase });
const PublicConfig = Type.Object({
	name: Type.String(),
	slug: Type.String(),
	currency: Type.String({ description: "The currency of all prices, ISO 4217" }),
	time_zone: Type.String(),
	locale: Type.String(),
	...Page(Type.Object({ key: Type.String(), value: Type.Unknown({ description: "Any JSON value" }) }))
		.properties,
});

/** The public outlets and settings of a tenant. */
export const placeRoutes = ({ db, tenancy }: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/cafes",
		access: open("the outlets for customers are public (spec §4.3)"),
		schema: {
			summary: "Lists the outlets that sell to walk-in customers, by code",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
			}),
			response: { 200: Page(Cafe) },
		},
		handler: async (request, reply) => {
			const { cursor, limit = 100 } = request.query;
			const after = readKey(cursor, uuidForm);
			const found = await inTenant(db, tenantOf(request).id, (tx) =>
				listCafes(tx, { after, limit: limit + 1 }),
			);
			const toWire = ({ useCase: use_case, ...rest }: (typeof found)[number]) => ({ ...rest, use_case });
			const page = pageBy(found, { limit, toWire, keyOf: ({ id }) => id });
			return cached(reply).send(page as typeof page & { items: never[] });
		},
	}),
	route({
		method: "GET",
		url: "/config",
		access: open("front ends show prices and hours without sign-in (spec §4.3)"),
		schema: {
			summary:
				"Returns the tenant's name, slug, currency, time zone and locale, and the settings whose keys begin with `public.`",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
			}),
			response: { 200: PublicConfig },
		},
		handler: async (request, reply) => {
			const { cursor, limit = 50 } = request.query;
			const after = readKey(cursor, textForm) ?? "";
			const { id } = tenantOf(request);
			const tenant = await tenancy.findById(id);
			if (tenant === undefined) throw chassisFailures.tenant_not_found();
			const { name, slug, currency, timeZone: time_zone, locale } = tenant;
			const found = await inTenant(db, id, (tx) =>
				listConfig(tx, { prefix: "public.", after, limit: limit + 1 }),
			);
			const page = pageBy(found, { limit, toWire: (entry) => entry, keyOf: ({ key }) => key });
			return cached(reply).send({ name, slug, currency, time_zone, locale, ...page });
		},
	}),
];
