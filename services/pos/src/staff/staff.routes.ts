import { permit, type Route, route } from "@lango/chassis";
import { Page, Uuid } from "@lango/contracts";
import Type from "typebox";
import { listPage, PageQuery } from "../outlets/listing.ts";
import type { Pos } from "../pos.ts";
import { listStaff } from "./staff.store.ts";

const StaffMember = Type.Object({
	id: Uuid,
	tenant_id: Uuid,
	user_id: Uuid,
	name: Type.String(),
	status: Type.String(),
	has_pin: Type.Boolean(),
	outlet_id: Type.Union([Uuid, Type.Null()], {
		description: "The only outlet where their PIN is valid; null: every outlet, or no PIN",
	}),
});

/** The people who can get a PIN. */
export const staffRoutes = (pos: Pos): readonly Route[] => [
	route({
		method: "GET",
		url: "/staff",
		access: permit("pos.staff.view"),
		product: "pos",
		schema: {
			summary:
				"Lists the people of this service who may work at the caller's outlets (with X-Outlet-ID: at that outlet), and whether they have a PIN",
			querystring: PageQuery,
			response: { 200: Page(StaffMember) },
		},
		handler: async (request) => {
			return listPage(pos, request, {
				query: request.query,
				look: (tx, page) => listStaff(tx, { ...page, now: pos.now() }),
				toWire: ({ id, name, status, ...rest }) => ({
					id,
					tenant_id: rest.tenantId,
					user_id: rest.subject,
					name,
					status,
					has_pin: rest.hasPin,
					outlet_id: rest.outletId,
				}),
			});
		},
	}),
];
