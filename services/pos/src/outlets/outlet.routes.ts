import { permit, type Route, route } from "@lango/chassis";
import { OutletUseCase, Page, Uuid } from "@lango/contracts";
import Type from "typebox";
import type { Pos } from "../pos.ts";
import { listPage, PageQuery } from "./listing.ts";
import { listOutlets } from "./outlet.store.ts";

const Outlet = Type.Object({
	id: Uuid,
	tenant_id: Uuid,
	code: Type.String(),
	name: Type.String(),
	use_case: OutletUseCase,
	is_hq: Type.Boolean(),
});

/** The caller's outlets; at a till, the till's outlet. */
export const outletRoutes = (pos: Pos): readonly Route[] => [
	route({
		method: "GET",
		url: "/outlets",
		access: permit("pos.outlets.view"),
		product: "pos",
		schema: {
			summary:
				"Lists the caller's active outlets: with X-Outlet-ID that outlet, with a till token the till's outlet",
			querystring: PageQuery,
			response: { 200: Page(Outlet) },
		},
		handler: async (request) => {
			return listPage(pos, request, {
				query: request.query,
				look: listOutlets,
				toWire: ({ tenantId, useCase, isHq, ...rest }) => ({
					...rest,
					tenant_id: tenantId,
					use_case: useCase as OutletUseCase,
					is_hq: isHq,
				}),
			});
		},
	}),
];
