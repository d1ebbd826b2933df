import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageOf,
	permit,
	type Route,
	readCursor,
	route,
	tenantOf,
	tenantWide,
	timeForm,
	totalOf,
} from "@lango/chassis";
import { PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { acrossTenants, type Database, inTenant } from "@lango/postgres";
import type { FastifyRequest } from "fastify";
import Type from "typebox";
import { maskAddress, normaliseAddress } from "../addresses/address.ts";
import type { Channel } from "../channel.ts";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { isAtPlatform, isPlatformOwner } from "../platform-owner.ts";
import { isCritical } from "../template.ts";
import {
	findOwnSuppressions,
	findPlatformSuppressions,
	findSuppressions,
	isPlatformSuppression,
	liftPlatformSuppression,
	liftSuppression,
	listSuppressions,
	recordSuppression,
	type Suppression,
	type SuppressionReason,
} from "./suppression.store.ts";
import {
	Address,
	AddressChannel,
	NewSuppressionBody,
	SuppressionPage,
	SuppressionWire,
	toSuppressionWire,
} from "./suppression-wire.ts";

const tags = ["suppressions"];
const ofTheTenant = tenantWide("suppressions are the tenant's");

/** Reasons that only the platform owner overrules: the address does not exist. */
const keptReasons: readonly SuppressionReason[] = ["bounce", "invalid"];

/** The routes of suppressions: addresses that get nothing. */
export const suppressionRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	adding(domain),
	lifting(domain),
];

const listing = (domain: Notifications): Route =>
	route({
		method: "GET",
		url: "/suppressions",
		access: permit("notifications.suppressions.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the tenant's suppressions, the newest first",
			description:
				"With channel and address: the suppressions of this address, also those that count for every tenant. At the platform's own address the platform owner sees every suppression that counts for every tenant.",
			tags,
			querystring: Type.Object({
				channel: Type.Optional(AddressChannel),
				address: Type.Optional(Address),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: SuppressionPage },
		},
		handler: async (request) => {
			const { channel, address, cursor, limit = 50, total: isCounted } = request.query;
			const after = readCursor(cursor, timeForm);
			const page = { limit, toWire: toSuppressionWire, placeOf };
			const { id: tenantId } = tenantOf(request);
			const now = domain.now();
			if (address !== undefined) {
				const of = await readAddress(domain, { tenantId, channel, address, in: "query" });
				const { keys } = domain.vault.sealAddress(of.channel, of.address);
				const query = { tenantId, channel: of.channel, keys, now };
				const found = await inTenant(domain.db, tenantId, (tx) => findSuppressions(tx, query));
				return pageOf(found, { ...page, limit: 100 });
			}
			const withPlatform = isOfPlatform(domain, request);
			const query = { tenantId, withPlatform, channel, after, limit: limit + 1, now };
			const list = async (tx: Database) => ({
				rows: await listSuppressions(tx, query),
				...(await totalOf(tx, isCounted, (all, page) => listSuppressions(all, { ...query, ...page }))),
			});
			const { rows, ...total } = await (withPlatform
				? acrossTenants(domain.db, list)
				: inTenant(domain.db, tenantId, list));
			return { ...pageOf(rows, page), ...total };
		},
	});

const adding = (domain: Notifications): Route =>
	route({
		method: "POST",
		url: "/suppressions",
		access: permit("notifications.suppressions.change"),
		outlets: ofTheTenant,
		schema: {
			summary: "Suppresses an address: it gets no messages, except for critical ones",
			description:
				"An address that is suppressed already is answered 200 with what there is; a suppression that would expire no longer does, and is answered 201. At the platform's own address the suppression counts for every tenant.",
			tags,
			body: NewSuppressionBody,
			response: { 200: SuppressionWire, 201: SuppressionWire },
		},
		handler: async (request, reply) => {
			const { channel, address: text, category } = request.body;
			if (category !== undefined && isCritical(category))
				throw failures.category_critical({ fields: { field: "category", in: "body" } });
			const { id: tenantId } = tenantOf(request);
			const [now, actor] = [domain.now(), actorOf(callerOf(request))];
			const { address } = await readAddress(domain, { tenantId, channel, address: text, in: "body" });
			const { sealed, keys } = domain.vault.sealAddress(channel, address);
			const [key] = keys;
			if (key === undefined) throw new Error("the vault has no key");
			const made = {
				...{
					tenantId: isOfPlatform(domain, request) ? undefined : tenantId,
					channel,
					category,
				},
				...{ keyId: sealed.keyId, key, masked: maskAddress(channel, address), reason: "manual" as const },
				...{ createdBy: actor.id, now },
			};
			const { suppression, isNew } = await inTenant(domain.db, tenantId, async (tx) => {
				const findAll = made.tenantId === undefined ? findPlatformSuppressions : findOwnSuppressions;
				const find = async () =>
					(await findAll(tx, { tenantId, channel, keys, now })).find(
						(one) => one.category === (category ?? null),
					);
				const isThere = (await find())?.expiresAt === null;
				const id = isThere ? undefined : await recordSuppression(tx, made);
				const found = await find();
				if (found === undefined) throw new Error("the suppression was lifted meanwhile");
				if (id !== undefined)
					await recordAudit(tx, {
						...{ tenantId, at: now, actor, action: "suppression.added", subject: id },
						...{ detail: describe(found), ...originOf(request) },
					});
				return { suppression: found, isNew: id !== undefined };
			});
			return reply.code(isNew ? 201 : 200).send(toSuppressionWire(suppression));
		},
	});

const lifting = (domain: Notifications): Route =>
	route({
		method: "DELETE",
		url: "/suppressions/:id",
		access: permit("notifications.suppressions.change"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lifts a suppression",
			description:
				"Only the platform owner lifts suppressions after a bounce, and those that count for every tenant.",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 204: Type.Null() },
		},
		handler: async (request, reply) => {
			const { id } = request.params;
			const { id: tenantId } = tenantOf(request);
			const caller = callerOf(request);
			const kept = isPlatformOwner(caller) ? [] : keptReasons;
			await inTenant(domain.db, tenantId, async (tx) => {
				const audit = (detail: Record<string, unknown>) =>
					recordAudit(tx, {
						...{ tenantId, at: domain.now(), actor: actorOf(caller), action: "suppression.lifted" },
						...{ subject: id, detail, ...originOf(request) },
					});
				if (isOfPlatform(domain, request) && (await liftPlatformSuppression(tx, id)))
					return audit({ is_platform: true });
				const lifted = await liftSuppression(tx, { tenantId, id, kept });
				if (lifted?.isLifted === true) return audit({ channel: lifted.channel, reason: lifted.reason });
				const isKept = lifted !== undefined || (await isPlatformSuppression(tx, id));
				throw isKept ? failures.suppression_kept() : failures.suppression_not_found();
			});
			return reply.code(204).send(null);
		},
	});

const placeOf = ({ place, id }: Suppression) => [place, id] as const;
const describe = ({ channel, category, isPlatform }: Suppression) => ({
	...{ channel, is_platform: isPlatform, ...(category !== null && { category }) },
});

/** Whether the platform owner calls at the platform's own address. */
const isOfPlatform = ({ settings }: Notifications, request: FastifyRequest) =>
	isAtPlatform(callerOf(request), tenantOf(request).slug, settings.platformOwnerSlug);

type AddressText = { tenantId: string; channel: Channel | undefined; address: string; in: "body" | "query" };

/** Normalises an address. Throws `address_invalid`. */
async function readAddress(
	{ letterheads }: Notifications,
	{ tenantId, channel, address: text, in: place }: AddressText,
): Promise<{ channel: Channel; address: string }> {
	if (channel === undefined)
		throw failures.address_invalid({
			message: "An address needs its channel.",
			fields: { field: "channel", in: place },
		});
	const { region } = await letterheads.get(tenantId);
	const read = normaliseAddress(channel, text, region);
	if ("ok" in read && read.ok.kind === "address") return { channel, address: read.ok.address };
	throw failures.address_invalid({
		...("problem" in read && { message: read.problem }),
		fields: { field: "address", in: place },
	});
}
