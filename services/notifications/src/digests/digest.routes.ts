import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	originOf,
	pageBy,
	permit,
	type Route,
	readKey,
	route,
	tenantOf,
	tenantWide,
	totalOf,
	uuidForm,
} from "@lango/chassis";
import { PageQuery, TotalQuery, Uuid } from "@lango/contracts";
import { enqueueJob } from "@lango/jobs";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { digestJob } from "./add-to-digest.ts";
import { listOpenWindows, makeDue } from "./digest.store.ts";
import { DigestPage, toDigestWire } from "./digest-wire.ts";

const tags = ["digests"];
const ofTheTenant = tenantWide("digests belong to the tenant's rules");

/** The routes of digests that still collect messages. */
export const digestRoutes = ({ db, now }: Notifications): readonly Route[] => [
	route({
		method: "GET",
		url: "/digests",
		access: permit("notifications.triggers.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the digests that still collect messages",
			tags,
			querystring: Type.Object({
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: DigestPage },
		},
		handler: async (request) => {
			const { cursor, limit = 50, total: isCounted } = request.query;
			const { id: tenantId } = tenantOf(request);
			const query = { tenantId, after: readKey(cursor, uuidForm), limit: limit + 1 };
			return inTenant(db, tenantId, async (tx) => ({
				...pageBy(await listOpenWindows(tx, query), { limit, toWire: toDigestWire, keyOf: ({ id }) => id }),
				...(await totalOf(tx, isCounted, (all, page) => listOpenWindows(all, { tenantId, ...page }))),
			}));
		},
	}),
	route({
		method: "POST",
		url: "/digests/:id/send-now",
		access: permit("notifications.triggers.change"),
		outlets: ofTheTenant,
		product: "notifications",
		schema: {
			summary: "Sends a digest now instead of at its time",
			tags,
			params: Type.Object({ tenant: Type.String(), id: Uuid }),
			response: { 202: Type.Object({ id: Uuid }) },
		},
		handler: async (request, reply) => {
			const { id: tenantId } = tenantOf(request);
			const { id } = request.params;
			const at = now();
			await inTenant(db, tenantId, async (tx) => {
				if (!(await makeDue(tx, { id, now: at }))) throw failures.digest_not_found();
				await enqueueJob(tx, digestJob, { id, tenantId });
				await recordAudit(tx, {
					...{ tenantId, at, actor: actorOf(callerOf(request)), action: "digest.sent_now", subject: id },
					...{ detail: {}, ...originOf(request) },
				});
			});
			return reply.code(202).send({ id });
		},
	}),
];
