import { permit, type Route, route, tenantOf, tenantWide } from "@lango/chassis";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import type { Treasury } from "../treasury.ts";
import { listAuthorizations } from "./card-authorization.store.ts";
import { CardAuthorizationWire, toCardAuthorizationWire } from "./card-authorization-wire.ts";

/** The route of the cards that paid for a tenant's own trade and can be charged again. */
export const cardAuthorizationRoutes = ({ db, now }: Treasury): readonly Route[] => [
	route({
		outlets: tenantWide("cards of payers are the tenant's"),
		access: permit("treasury.card_plans.view"),
		method: "GET",
		url: "/card-authorizations",
		schema: {
			summary: "Lists cards that paid and can be charged again, the last used first",
			description: "At most 100. A card subscription charges one of them.",
			tags: ["card plans"],
			response: { 200: Type.Object({ items: Type.Array(CardAuthorizationWire) }) },
		},
		handler: async (request) => {
			const query = { payee: "tenant", now: now() } as const;
			const cards = await inTenant(db, tenantOf(request).id, (tx) => listAuthorizations(tx, query));
			return { items: cards.map(toCardAuthorizationWire) };
		},
	}),
];
