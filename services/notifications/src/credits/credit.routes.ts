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
import { Page, PageQuery, Shape, TotalQuery } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import type { Notifications } from "../parts.ts";
import { requirePlatformOwner } from "../platform-owner.ts";
import { changeCredit } from "./change-credit.ts";
import { changeThreshold, getCredit, listEntries, lockCredit } from "./credit.store.ts";
import { CreditWire, EntryWire, GrantBody, toCreditWire, toEntryWire } from "./credit-wire.ts";
import { publishCreditLow } from "./publish-credit-low.ts";

const tags = ["credits"];
const ofTheTenant = tenantWide("SMS credit is the tenant's");
const IdempotencyKey = Type.String({
	pattern: "^[\\x21-\\x7e]{1,200}$",
	description: "A unique value chosen by the caller",
});
const Listing = Type.Object({
	cursor: PageQuery.cursor,
	limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
	...TotalQuery,
});

/** The routes of SMS credit: balance, ledger and grants. */
export const creditRoutes = (domain: Notifications): readonly Route[] => [
	showing(domain),
	changingThreshold(domain),
	listingEntries(domain),
	granting(domain),
];

const showing = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/credits",
		access: permit("notifications.credits.view"),
		outlets: ofTheTenant,
		schema: { summary: "Returns the tenant's SMS credit", tags, response: { 200: CreditWire } },
		handler: async (request) => {
			const { id } = tenantOf(request);
			return toCreditWire(await inTenant(db, id, (tx) => getCredit(tx, id)));
		},
	});

const changingThreshold = ({ db, now }: Notifications): Route =>
	route({
		method: "PUT",
		url: "/credits",
		access: permit("notifications.credits.change"),
		outlets: ofTheTenant,
		schema: {
			summary: "Sets the balance below which administrators are warned",
			description:
				"They are warned at once if the balance is below the new threshold, and was not below the old one.",
			tags,
			body: Shape({ threshold: Type.Integer({ minimum: 0, maximum: 10_000_000 }) }),
			response: { 200: CreditWire },
		},
		handler: async (request) => {
			const { id: tenantId } = tenantOf(request);
			const { threshold } = request.body;
			const [at, actor] = [now(), actorOf(callerOf(request))];
			const credit = await inTenant(db, tenantId, async (tx) => {
				const before = await lockCredit(tx, { tenantId, now: at });
				if (before.threshold === threshold) return before;
				const changed = await changeThreshold(tx, { tenantId, threshold, now: at });
				const detail = { before: before.threshold, after: threshold };
				const origin = originOf(request);
				await recordAudit(tx, {
					...{
						tenantId,
						at,
						actor,
						action: "credit.threshold_changed",
						subject: tenantId,
						detail,
						...origin,
					},
				});
				if (changed.isLow && before.balance >= before.threshold)
					await publishCreditLow(tx, { tenantId, ...changed, now: at });
				return changed;
			});
			return toCreditWire(credit);
		},
	});

const listingEntries = ({ db }: Notifications): Route =>
	route({
		method: "GET",
		url: "/credits/entries",
		access: permit("notifications.credits.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the changes of the tenant's SMS credit, the newest first",
			tags,
			querystring: Listing,
			response: { 200: Page(EntryWire) },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const after = readCursor(cursor, timeForm);
			return inTenant(db, tenantOf(request).id, async (tx) => {
				const found = await listEntries(tx, { after, limit: limit + 1 });
				return {
					...pageOf(found, { limit, toWire: toEntryWire, placeOf: ({ place, id }) => [place, id] }),
					...(await totalOf(tx, isCounted, listEntries)),
				};
			});
		},
	});

const granting = ({ db, now }: Notifications): Route =>
	route({
		method: "POST",
		url: "/credits/grants",
		access: permit("notifications.credits.change"),
		outlets: ofTheTenant,
		schema: {
			summary: "Gives SMS credit to a tenant, or corrects it, by the platform owner",
			description: "The same grant with the same Idempotency-Key by the same caller takes effect once.",
			tags,
			headers: Type.Object({ "idempotency-key": Type.Optional(IdempotencyKey) }),
			body: Shape(GrantBody),
			response: { 201: CreditWire },
		},
		handler: async (request, reply) => {
			requirePlatformOwner(callerOf(request));
			const { id: tenantId } = tenantOf(request);
			const { segments, reason } = request.body;
			const requestKey = request.headers["idempotency-key"];
			const [at, actor] = [now(), actorOf(callerOf(request))];
			const kind = segments > 0 ? "grant" : "adjust";
			const { credit, isReplayed } = await inTenant(db, tenantId, async (tx) => {
				const changed = await changeCredit(tx, {
					...{ tenantId, kind, segments, reason, madeBy: actor.id, now: at },
					...(requestKey !== undefined && { requestKey }),
				});
				if (!changed.isReplayed)
					await recordAudit(tx, {
						...{ tenantId, at, actor, action: "credit.granted", subject: tenantId },
						...{ detail: { segments, reason }, ...originOf(request) },
					});
				return changed;
			});
			if (isReplayed) reply.header("idempotency-replayed", "true");
			return reply.code(201).send(toCreditWire(credit));
		},
	});
