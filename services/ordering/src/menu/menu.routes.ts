import {
	type Domain,
	open,
	pageBy,
	type Route,
	readKey,
	route,
	tenantOf,
	textForm,
	uuidForm,
} from "@lango/chassis";
import { Page, PageQuery } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { listCategories, listSoldItems } from "../catalog/item.store.ts";
import { MenuPage, toMenuWire } from "../catalog/item.ts";
import { cached } from "./cached.ts";

const access = open("the menu is public (spec §4.3)");
const tags = ["public"];

/** The public menu: the items on sale. */
export const menuRoutes = ({ db }: Domain): readonly Route[] => [
	route({
		method: "GET",
		url: "/menu/items",
		access,
		schema: {
			summary: "Lists the items on sale by category and name",
			tags,
			querystring: Type.Object({
				category: Type.Optional(Type.String({ minLength: 1, maxLength: 60 })),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
			}),
			response: { 200: MenuPage },
		},
		handler: async (request, reply) => {
			const { category, cursor, limit = 100 } = request.query;
			const after = readKey(cursor, uuidForm);
			const found = await inTenant(db, tenantOf(request).id, (tx) =>
				listSoldItems(tx, { category, after, limit: limit + 1 }),
			);
			return cached(reply).send(pageBy(found, { limit, toWire: toMenuWire, keyOf: ({ id }) => id }));
		},
	}),
	route({
		method: "GET",
		url: "/menu/categories",
		access,
		schema: {
			summary: "Lists the categories with items on sale, and the number of such items",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 100 })),
			}),
			response: { 200: Page(Type.Object({ name: Type.String(), items: Type.Integer() })) },
		},
		handler: async (request, reply) => {
			const { cursor, limit = 100 } = request.query;
			const after = readKey(cursor, textForm) ?? "";
			const found = await inTenant(db, tenantOf(request).id, (tx) =>
				listCategories(tx, { after, limit: limit + 1 }),
			);
			const toWire = (category: (typeof found)[number]) => category;
			return cached(reply).send(pageBy(found, { limit, toWire, keyOf: ({ name }) => name }));
		},
	}),
];
