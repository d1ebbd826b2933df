import { permit, type Route, route } from "@lango/chassis";
import { billingIntervals, FailureBody, Name, Page, products } from "@lango/contracts";
import type { Database } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { originOf, recordAuditEntry } from "../audit/origin.ts";
import { failures } from "../failures.ts";
import { platformRight } from "../rights.ts";
import {
	addAddOn,
	addAddOnVersion,
	type KeptAddOnVersion,
	listAddOnVersions,
	lockAddOn,
	type NewAddOnVersion,
	retireAddOnVersion,
} from "./add-on-version.store.ts";
import { listUnknownOverrides } from "./plan-version.store.ts";
import { unknownCode } from "./unknown-code.ts";

const Code = Type.String({ pattern: "^[a-z][a-z0-9_]{1,62}$" });
const closed = { additionalProperties: false };

const Version = {
	price_minor: Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER }),
	currency: Type.String({ pattern: "^[A-Z]{3}$" }),
	interval: Type.Enum(billingIntervals, { type: "string" }),
	products: Type.Array(Type.Enum(products, { type: "string" }), { maxItems: 100, uniqueItems: true }),
	features: Type.Array(Code, { maxItems: 100, uniqueItems: true }),
	limits: Type.Record(Code, Type.Integer({ minimum: -1, maximum: 2_147_483_647 }), {
		maxProperties: 100,
		description: "Added to the limits of the plan; -1 makes the limit unlimited",
	}),
};
const NewVersionBody = Type.Object(Version, closed);
const Kept = Type.Object({
	...Version,
	products: Type.Array(Type.String()),
	version: Type.Integer(),
	created_at: Type.String({ format: "date-time" }),
	retired_at: Type.Union([Type.String({ format: "date-time" }), Type.Null()]),
});
const Made = Type.Object({ code: Code, version: Type.Integer() });
const refusals = { "4xx": FailureBody, "5xx": FailureBody } as const;
const tags = ["platform"];

type Parts = { db: Database; now: () => Date };

/** What is sold beside plans, for the platform owner; as with plans, what was published is never changed. */
export const addOnAdminRoutes = (parts: Parts): readonly Route[] => [
	addOnRoute(parts),
	listRoute(parts),
	versionRoute(parts),
	retireRoute(parts),
];

const addOnRoute = ({ db, now }: Parts): Route =>
	route({
		method: "POST",
		url: "/api/v1/admin/add-ons",
		access: permit(platformRight),
		schema: {
			summary: "Makes an add-on; nobody can take it before it has a version",
			tags,
			body: Type.Object({ code: Code, name: Name(100) }, closed),
			response: { 201: Type.Object({ code: Code }), ...refusals },
		},
		handler: async (request, reply) => {
			const { body } = request;
			await db.transaction(async (tx) => {
				if (!(await addAddOn(tx, body))) throw failures.add_on_exists();
				const entry = { action: "add_on.made", subject: body.code, detail: { after: body }, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
			});
			return reply.code(201).send({ code: body.code });
		},
	});

const listRoute = ({ db }: Parts): Route =>
	route({
		method: "GET",
		url: "/api/v1/admin/add-ons/:code/versions",
		access: permit(platformRight),
		schema: {
			summary: "The versions of an add-on, the newest first, retired ones too",
			tags,
			params: Type.Object({ code: Code }),
			querystring: Type.Object(
				{
					limit: Type.Integer({ minimum: 1, maximum: 100, default: 50 }),
					cursor: Type.Optional(Type.String({ pattern: "^[0-9]{1,9}$" })),
				},
				closed,
			),
			response: { 200: Page(Kept), ...refusals },
		},
		handler: async (request) => {
			const { limit, cursor } = request.query;
			const before = cursor === undefined ? undefined : Number(cursor);
			const { code } = request.params;
			const found = await listAddOnVersions(db, { code, before, limit: limit + 1 });
			const items = found.slice(0, limit);
			const last = found.length > limit ? items.at(-1) : undefined;
			return { items: items.map(toWire), next_cursor: last === undefined ? null : String(last.version) };
		},
	});

const versionRoute = ({ db, now }: Parts): Route =>
	route({
		method: "POST",
		url: "/api/v1/admin/add-ons/:code/versions",
		access: permit(platformRight),
		schema: {
			summary:
				"Makes the next version of an add-on: it is on offer from now on, and who has an older one keeps it",
			tags,
			params: Type.Object({ code: Code }),
			body: NewVersionBody,
			response: { 201: Made, ...refusals },
		},
		handler: async (request, reply) => {
			const { code } = request.params;
			const version = await db.transaction(async (tx) => {
				if (!(await lockAddOn(tx, code))) throw failures.add_on_not_found();
				const wanted = fromWire(request.body);
				const { features, limits } = wanted;
				const [unknown] = await listUnknownOverrides(tx, { features, limits: Object.keys(limits) });
				if (unknown !== undefined) throw unknownCode(unknown);
				const made = await addAddOnVersion(tx, code, wanted);
				const detail = { version: made, after: request.body };
				const entry = { action: "add_on_version.made", subject: code, detail, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
				return made;
			});
			return reply.code(201).send({ code, version });
		},
	});

const retireRoute = ({ db, now }: Parts): Route =>
	route({
		method: "POST",
		url: "/api/v1/admin/add-ons/:code/versions/:version/retire",
		access: permit(platformRight),
		schema: {
			summary:
				"Takes a version off offer: the newest one left is offered, and when none is, the add-on is not",
			tags,
			params: Type.Object({ code: Code, version: Type.Integer({ minimum: 1, maximum: 2_147_483_647 }) }),
			response: { 200: Made, ...refusals },
		},
		handler: (request) =>
			db.transaction(async (tx) => {
				const { code, version } = request.params;
				const outcome = await retireAddOnVersion(tx, { code, version, now: now() });
				if (outcome === "absent") throw failures.add_on_version_not_found();
				if (outcome === "already") throw failures.version_retired();
				const entry = { action: "add_on_version.retired", subject: code, detail: { version }, at: now() };
				await recordAuditEntry(tx, originOf(request), entry);
				return { code, version };
			}),
	});

function fromWire({ price_minor, ...same }: Static<typeof NewVersionBody>): NewAddOnVersion {
	return { ...same, priceMinor: BigInt(price_minor) };
}

function toWire({ priceMinor, createdAt, retiredAt, ...same }: KeptAddOnVersion): Static<typeof Kept> {
	return {
		...same,
		products: [...same.products],
		features: [...same.features],
		price_minor: Number(priceMinor),
		created_at: createdAt.toISOString(),
		retired_at: retiredAt?.toISOString() ?? null,
	};
}
