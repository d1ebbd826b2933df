import {
	both,
	type Domain,
	listIn,
	pageBy,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	uuidForm,
} from "@lango/chassis";
import { PageQuery, Uuid } from "@lango/contracts";
import { inTenant, violatedConstraint } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import { changeItem, listItems, recordItem } from "./item.store.ts";
import { CatalogItem, type Item, ItemChange, ItemPage, NewItem, toCatalogWire } from "./item.ts";

const product = "ordering";
const tags = ["catalogue"];
const outlets = tenantWide("the catalogue is the same at every outlet");

/** The catalogue: all items of a tenant, for its staff. The menu lists the items on sale. */
export const catalogRoutes = (domain: Domain): readonly Route[] => [reading(domain), ...changing(domain)];

const reading = (domain: Domain): Route =>
	route({
		method: "GET",
		url: "/catalog/items",
		access: both("ordering.catalog.view", "catalog:view"),
		outlets,
		product,
		schema: {
			summary: "Lists all items of the tenant, also unavailable ones, page by page",
			tags,
			querystring: Type.Object({
				category: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
			}),
			response: { 200: ItemPage },
		},
		handler: async (request) => {
			const { category, cursor, limit = 50 } = request.query;
			const page = { category, after: readKey(cursor, uuidForm), limit: limit + 1 };
			const found = await listIn(domain, request, (tx) => listItems(tx, page));
			return pageBy(found, { limit, toWire: toCatalogWire, keyOf: ({ id }) => id });
		},
	});

const changing = ({ db, now }: Domain): Route[] => [
	route({
		method: "POST",
		url: "/catalog/items",
		access: both("ordering.catalog.change", "catalog:manage"),
		outlets,
		product,
		schema: {
			summary: "Adds an item, priced in the tenant's currency",
			tags,
			body: NewItem,
			response: { 201: CatalogItem },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const {
				category,
				name,
				description = "",
				price_minor,
				is_available: isAvailable = true,
			} = request.body;
			const item = { tenantId, category, name, description, priceMinor: BigInt(price_minor), isAvailable };
			const made = await unlessTaken(inTenant(db, tenantId, (tx) => recordItem(tx, { ...item, now: now() })));
			return reply.code(201).send(toCatalogWire(made));
		},
	}),
	route({
		method: "PATCH",
		url: "/catalog/items/:id",
		access: both("ordering.catalog.change", "catalog:manage"),
		outlets,
		product,
		schema: {
			summary: "Changes an item. Existing orders keep the name and price they were placed with",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			body: ItemChange,
			response: { 200: CatalogItem },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			const change = { id, ...fromWire(request.body), now: now() };
			const changed = await unlessTaken(inTenant(db, tenantId, (tx) => changeItem(tx, change)));
			if (changed === undefined) throw failures.item_not_found();
			return toCatalogWire(changed);
		},
	}),
];

const fromWire = ({ price_minor, is_available, ...rest }: ItemChange): Partial<Item> => ({
	...rest,
	...(price_minor !== undefined && { priceMinor: BigInt(price_minor) }),
	...(is_available !== undefined && { isAvailable: is_available }),
});

async function unlessTaken<T>(writing: Promise<T>): Promise<T> {
	try {
		return await writing;
	} catch (error) {
		if (violatedConstraint(error) !== "catalog_items__name_unique") throw error;
		throw failures.item_exists({ fields: { field: "name", in: "body" } });
	}
}
