import { open, pageBy, type Route, readKey, route, tenantOf, uuidForm } from "@lango/chassis";
import { Page, PageQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Pos } from "../pos.ts";
import { findTill } from "../sign-in/sign-in.ts";
import { initialsOf } from "./initials.ts";
import { listPinProfiles } from "./staff.store.ts";

const Profile = Type.Object({
	user_id: Uuid,
	name: Type.String(),
	initials: Type.String(),
	role: Type.String(),
});

/** The URL of the specification (§4.3), and the same below the API's prefix. */
const addresses = ["/:tenant/pos/auth/pin/profile", "/api/v1/:tenant/pos/auth/pin/profile"] as const;

/** The people that a till offers for sign-in. */
export const pinProfileRoutes = (pos: Pos): readonly Route[] =>
	addresses.map((url) =>
		route({
			method: "GET",
			url,
			access: open("a till's own token, X-Terminal-Token, is the credential (spec §4.3)"),
			schema: {
				summary: "Lists the people who may sign in by PIN at the outlet of this till",
				headers: Type.Object({ "x-terminal-token": Type.Optional(Type.String({ maxLength: 200 })) }),
				querystring: Type.Object({
					cursor: PageQuery.cursor,
					limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 200, default: 100 })),
				}),
				response: { 200: Page(Profile) },
			},
			handler: async (request) => {
				const { "x-terminal-token": token } = request.headers;
				const tenantId = tenantOf(request).id;
				const till = token === undefined ? undefined : await findTill(pos, token, tenantId);
				if (till === undefined)
					throw failures.terminal_invalid({ headers: { "www-authenticate": 'Terminal realm="pos"' } });
				const { cursor, limit = 100 } = request.query;
				const after = readKey(cursor, uuidForm);
				const page = { tenantId, outletId: till.outletId, after, limit: limit + 1, now: pos.now() };
				const found = await inTenant(pos.db, tenantId, (tx) => listPinProfiles(tx, page));
				return pageBy(found, {
					limit,
					toWire: ({ subject, name, role }) => ({ user_id: subject, name, initials: initialsOf(name), role }),
					keyOf: ({ subject }) => subject,
				});
			},
		}),
	);
