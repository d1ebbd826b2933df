/** The smallest domain service: one notice per tenant. Everything except its table is here. */
import { join } from "node:path";
import {
	type Domain,
	defineDomainService,
	everyone,
	permit,
	route,
	tenantOf,
	tenantWide,
} from "@lango/chassis";
import { Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";

const Notice = Shape({ text: Type.String({ maxLength: 500 }) });

const hang = `insert into notices (tenant_id, text) values ($1, $2)
	on conflict (tenant_id) do update set text = excluded.text`;

const outlets = tenantWide("the notice is the same at every outlet");

const noticeRoutes = ({ db }: Domain) => [
	route({
		method: "GET",
		url: "/notice",
		access: permit("kiosk.notices.view"),
		outlets,
		schema: { summary: "Returns the notice", response: { 200: Notice } },
		handler: async (request) => {
			const [notice] = await inTenant(db, tenantOf(request).id, (tx) =>
				tx.query<Static<typeof Notice>>("select text from notices"),
			);
			return notice ?? { text: "" };
		},
	}),
	route({
		method: "PUT",
		url: "/notice",
		access: permit("kiosk.notices.change"),
		outlets,
		schema: { summary: "Replaces the notice", body: Notice, response: { 200: Notice } },
		handler: async (request) => {
			const { id } = tenantOf(request);
			await inTenant(db, id, (tx) => tx.query(hang, [id, request.body.text]));
			return request.body;
		},
	}),
];

export const kiosk = defineDomainService({
	name: "kiosk",
	title: "Kiosk",
	base: "/api/v1/:tenant/kiosk",
	port: 4556,
	permissions: { notices: ["view", "change"] },
	roles: { keeper: ["kiosk.*"], guest: ["kiosk.*.view"] },
	firstRole: [
		[["superuser", "admin"], "keeper"],
		[everyone, "guest"],
	],
	migrations: [{ name: "kiosk", folder: join(import.meta.dirname, "database") }],
	routes: [noticeRoutes],
});
