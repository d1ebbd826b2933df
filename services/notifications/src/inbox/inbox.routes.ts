import { openEventStream, pageOf, type Route, readCursor, route, timeForm, totalOf } from "@lango/chassis";
import { Page, PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { ranks } from "../delivery.ts";
import type { Result } from "../dispatch/settle.store.ts";
import { settleIn } from "../dispatch/settle.ts";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { own, personOf } from "../person-of.ts";
import type { LastEvent } from "../streams/inbox-streams.ts";
import { changeItem, countItems, listItems, readAll, seeAll } from "./inbox.store.ts";
import { ItemWire, toItemWire } from "./inbox-wire.ts";

const tags = ["inbox"];
const Counts = Type.Object({
	unread: Type.Integer({ description: "Items that are not archived and not read" }),
	unseen: Type.Integer({ description: "Of these, items that were not shown yet" }),
});

const ofAPerson = own("people read what was sent to them, also after the subscription has expired");

/** The routes of the caller's own inbox. */
export const inboxRoutes = (domain: Notifications): readonly Route[] => [
	listing(domain),
	counting(domain),
	changing(domain),
	readingAll(domain),
	seeingAll(domain),
	streaming(domain),
];

const listing = ({ db }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "GET",
		url: "/inbox",
		schema: {
			summary: "Lists the items of the caller's inbox, the newest first",
			tags,
			querystring: Type.Object({
				state: Type.Optional(
					Type.Enum(["inbox", "unread", "archived"], {
						type: "string",
						default: "inbox",
						description: "inbox: everything that is not archived",
					}),
				),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(ItemWire) },
		},
		handler: async (request) => {
			const { state = "inbox", cursor, limit = 50, total: isCounted } = request.query;
			const { tenantId, userId } = personOf(request);
			const after = readCursor(cursor, timeForm);
			return inTenant(db, tenantId, async (tx) => {
				const found = await listItems(tx, { userId, state, after, limit: limit + 1 });
				return {
					...pageOf(found, { limit, toWire: toItemWire, placeOf: ({ place, id }) => [place, id] }),
					...(await totalOf(tx, isCounted, (all, page) => listItems(all, { userId, state, ...page }))),
				};
			});
		},
	});

const counting = ({ db }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "GET",
		url: "/inbox/count",
		schema: {
			summary: "Counts the items of the caller's inbox that were not read",
			tags,
			response: { 200: Counts },
		},
		handler: (request) => {
			const { tenantId, userId } = personOf(request);
			return inTenant(db, tenantId, (tx) => countItems(tx, userId));
		},
	});

const changing = ({ db, now }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "PATCH",
		url: "/inbox/:id",
		schema: {
			summary: "Marks an item as seen, read or archived, or takes that back",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			body: Type.Object(
				{
					seen: Type.Optional(Type.Boolean()),
					read: Type.Optional(Type.Boolean({ description: "true also marks the item as seen" })),
					archived: Type.Optional(Type.Boolean()),
				},
				{ additionalProperties: false, minProperties: 1 },
			),
			response: { 200: ItemWire },
		},
		handler: async (request) => {
			const { tenantId, userId } = personOf(request);
			const { id } = request.params;
			const change = { tenantId, id, userId, change: request.body, now: now() };
			const item = await inTenant(db, tenantId, async (tx) => {
				const changed = await changeItem(tx, change);
				if (changed !== undefined && request.body.read === true)
					await settleIn(tx, { tenantId, results: [readResult(id)], now: now() });
				return changed;
			});
			if (item === undefined) throw failures.item_not_found();
			return toItemWire(item);
		},
	});

const readingAll = ({ db, now }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "POST",
		url: "/inbox/read-all",
		schema: {
			summary: "Marks every item of the caller's inbox as read",
			tags,
			response: { 200: Counts },
		},
		handler: (request) => {
			const { tenantId, userId } = personOf(request);
			return inTenant(db, tenantId, async (tx) => {
				const ids = await readAll(tx, { tenantId, userId, now: now() });
				if (ids.length > 0) await settleIn(tx, { tenantId, results: ids.map(readResult), now: now() });
				return countItems(tx, userId);
			});
		},
	});

const seeingAll = ({ db, now }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "POST",
		url: "/inbox/see-all",
		schema: {
			summary: "Marks every item of the caller's inbox as seen",
			tags,
			response: { 200: Counts },
		},
		handler: (request) => {
			const { tenantId, userId } = personOf(request);
			return inTenant(db, tenantId, async (tx) => {
				await seeAll(tx, { tenantId, userId, now: now() });
				return countItems(tx, userId);
			});
		},
	});

const streaming = ({ verifier, inboxStreams }: Notifications): Route =>
	route({
		...ofAPerson,
		method: "GET",
		url: "/inbox/stream",
		exposeHeadRoute: false,
		schema: {
			summary: "Streams new items and the counts of the caller's inbox (server-sent events)",
			description:
				"Events are `item`, with an item as in the list, and `count`. `Last-Event-ID` continues a stream that broke; an item of the last 30 seconds may then come twice. A comment every 25 seconds shows that the connection works. The stream ends with the token, and after 15 minutes: connect again. A person has at most five streams.",
			tags,
			headers: Type.Object({
				"last-event-id": Type.Optional(
					Type.String({ pattern: "^[0-9]{1,16}\\.[0-9a-f-]{36}$", "x-error": "must be the id of an event" }),
				),
			}),
			response: { 200: Type.String({ description: "text/event-stream" }) },
		},
		handler: (request, reply) => {
			const { tenantId, userId, claims } = personOf(request);
			if (!inboxStreams.hasPlace({ tenantId, userId })) throw failures.too_many_streams();
			const stream = openEventStream(request, reply, () => remove());
			const remove = inboxStreams.add({
				...{ stream, tenantId, userId },
				after: readEventId(request.headers["last-event-id"]),
				requireToken: () => verifier.recheck(claims),
			});
		},
	});

/** The event of an id that a stream sent. */
function readEventId(id: string | undefined): LastEvent | undefined {
	const [micros, itemId] = id?.split(".") ?? [];
	return micros === undefined || itemId === undefined
		? undefined
		: { at: new Date(Number(micros) / 1_000), itemId };
}

/** The delivery of an item that its person has read, perhaps before the delivery was recorded. */
const readResult = (id: string): Result => ({
	...{ id, from: ["sending", "sent", "delivered"], status: "read", rank: ranks.read },
	event: { kind: "report", detail: { report: "read" } },
});
