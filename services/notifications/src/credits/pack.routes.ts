import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	numberForm,
	originOf,
	pageOf,
	permit,
	type Route,
	readCursor,
	route,
	tenantOf,
	tenantWide,
	textForm,
	totalOf,
} from "@lango/chassis";
import { Page, PageQuery, Shape, TotalQuery } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { isPlatformOwner, requirePlatform } from "../platform-owner.ts";
import { PackCode, PackTerms, PackWire, readPack, toPackWire } from "./credit-wire.ts";
import { addPack, type CreditPack, changePack, listPacks } from "./pack.store.ts";

const tags = ["credits"];
const ofThePlatform = tenantWide("packs are the platform's");

/** The routes of the packs of SMS credit: tenants buy them, the platform owner adds and changes them. */
export const packRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	adding(domain),
	changing(domain),
];

const listing = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/credits/packs",
		access: permit("notifications.credits.view"),
		outlets: ofThePlatform,
		schema: {
			summary: "Lists the packs of SMS credit on sale, the smallest first; the platform owner sees all",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(PackWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const query = {
				isAll: isPlatformOwner(callerOf(request)),
				after: readCursor(cursor, [numberForm, textForm]),
				limit: limit + 1,
			};
			const placeOf = ({ segments, code }: CreditPack) => [String(segments), code] as const;
			return {
				...pageOf(await listPacks(db, query), { limit, toWire: toPackWire, placeOf }),
				...(await totalOf(db, isCounted, (all, page) => listPacks(all, { ...query, ...page }))),
			};
		},
	});

const adding = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/credits/packs",
		access: permit("notifications.credits.change"),
		outlets: ofThePlatform,
		schema: {
			summary: "Adds a pack of SMS credit for all tenants, by the platform owner",
			tags,
			body: Shape({
				code: PackCode,
				...PackTerms,
				is_on_sale: Type.Optional(Type.Boolean({ default: true })),
			}),
			response: { 201: PackWire },
		},
		handler: async (request, reply) => {
			const { is_on_sale = true, ...terms } = request.body;
			const pack = readPack({ ...terms, is_on_sale });
			await decide(domain, request, {
				...{ action: "credit_pack.added", pack },
				record: async (tx, at) => {
					if (!(await addPack(tx, pack, at)))
						throw failures.pack_exists({ fields: { field: "code", in: "body" } });
				},
			});
			return reply.code(201).send(toPackWire(pack));
		},
	});

const changing = (domain: Notifications): Route =>
	route({
		method: "PUT",
		url: "/credits/packs",
		access: permit("notifications.credits.change"),
		outlets: ofThePlatform,
		schema: {
			summary: "Changes a pack of SMS credit, or withdraws it from sale, by the platform owner",
			description: "Purchases that wait for their payment keep the terms of the pack when it was bought.",
			tags,
			body: Shape({ code: PackCode, ...PackTerms, is_on_sale: Type.Boolean() }),
			response: { 200: PackWire },
		},
		handler: async (request) => {
			const pack = readPack(request.body);
			await decide(domain, request, {
				...{ action: "credit_pack.changed", pack },
				record: async (tx, at) => {
					if (!(await changePack(tx, pack, at)))
						throw failures.pack_not_found({ fields: { field: "code", in: "body" } });
				},
			});
			return toPackWire(pack);
		},
	});

type Decision = {
	action: string;
	pack: CreditPack;
	record: (tx: Database, at: Date) => Promise<void>;
};

/**
 * Records what the platform owner decided about a pack, with its audit entry. Throws `forbidden` for others.
 */
async function decide(
	{ db, now, settings }: Notifications,
	request: FastifyRequest,
	{ action, pack, record }: Decision,
): Promise<void> {
	const { id: tenantId, slug } = tenantOf(request);
	requirePlatform(callerOf(request), slug, settings.platformOwnerSlug);
	const at = now();
	const { code: subject, ...detail } = toPackWire(pack);
	await inTenant(db, tenantId, async (tx) => {
		await record(tx, at);
		await recordAudit(tx, {
			...{ tenantId, at, actor: actorOf(callerOf(request)), action, subject, detail },
			...originOf(request),
		});
	});
}
