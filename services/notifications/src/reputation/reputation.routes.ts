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
	textForm,
	totalOf,
} from "@lango/chassis";
import { Page, PageQuery, TotalQuery } from "@lango/contracts";
import { acrossTenants, inTenant } from "@lango/postgres";
import Type from "typebox";
import type { Notifications } from "../parts.ts";
import { requirePlatform, requirePlatformOwner } from "../platform-owner.ts";
import { pauseMail, resumeMail } from "./change-reputation.ts";
import { getReputation, listReputations } from "./reputation.store.ts";
import {
	DecisionBody,
	ListedReputationWire,
	ReputationWire,
	StateWire,
	toListedWire,
	toReputationWire,
} from "./reputation-wire.ts";

const tags = ["reputation"];
const ofTheTenant = tenantWide("reputation is the tenant's");

/** The routes of a tenant's reputation as a sender of e-mail. */
export const reputationRoutes = (domain: Notifications): readonly Route[] => [
	showing(domain),
	listing(domain),
	deciding(domain, "pause"),
	deciding(domain, "resume"),
];

const showing = ({ db, now }: Notifications): Route =>
	route({
		method: "GET",
		url: "/reputation",
		access: permit("notifications.messages.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Returns the tenant's reputation as a sender of e-mail",
			description:
				"Above 1,000 e-mails in 24 hours: from 5 % bounces or 0.1 % complaints on, administrators are warned; from 10 % bounces or 0.3 % complaints on, e-mail that is not urgent waits until the platform owner resumes it.",
			tags,
			response: { 200: ReputationWire },
		},
		handler: async (request) => {
			const about = { tenantId: tenantOf(request).id, now: now() };
			return toReputationWire(await inTenant(db, about.tenantId, (tx) => getReputation(tx, about)));
		},
	});

const listing = ({ db, now, settings }: Notifications): Route =>
	route({
		method: "GET",
		url: "/reputations",
		access: permit("notifications.limits.view"),
		outlets: tenantWide("all tenants are listed for the platform owner"),
		schema: {
			summary: "Lists the reputations of all tenants, by the platform owner at the platform's own address",
			tags,
			querystring: Type.Object({
				state: Type.Optional(StateWire),
				q: Type.Optional(
					Type.String({ minLength: 1, maxLength: 100, description: "Part of a tenant's name or slug" }),
				),
				cursor: PageQuery.cursor,
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
				...TotalQuery,
			}),
			response: { 200: Page(ListedReputationWire) },
		},
		handler: async (request) => {
			requirePlatform(callerOf(request), tenantOf(request).slug, settings.platformOwnerSlug);
			const { state, q, cursor, limit = 50, total: isCounted } = request.query;
			const after = readKey(cursor, textForm) ?? "";
			const query = { now: now(), state, q };
			return acrossTenants(db, async (tx) => {
				const found = await listReputations(tx, { ...query, after, limit: limit + 1 });
				return {
					...pageBy(found, { limit, toWire: toListedWire, keyOf: ({ slug }) => slug }),
					...(await totalOf(tx, isCounted, (all, page) =>
						listReputations(all, { ...query, after: "", limit: page.limit }),
					)),
				};
			});
		},
	});

const decisions = {
	pause: {
		change: pauseMail,
		action: "reputation.paused",
		summary: "Pauses the tenant's e-mail, but for urgent e-mail, by the platform owner",
		description: "What is due waits, and expires at its time.",
	},
	resume: {
		change: resumeMail,
		action: "reputation.resumed",
		summary: "Ends the pause of the tenant's e-mail, by the platform owner",
		description: "What waits is sent. E-mails and bounces from before are no longer counted.",
	},
} as const;

const deciding = ({ db, now }: Notifications, which: keyof typeof decisions): Route => {
	const { change, action, summary, description } = decisions[which];
	return route({
		method: "POST",
		url: `/reputation/${which}`,
		access: permit("notifications.limits.change"),
		outlets: ofTheTenant,
		schema: { summary, description, tags, body: DecisionBody, response: { 200: ReputationWire } },
		handler: async (request) => {
			requirePlatformOwner(callerOf(request));
			const { id: tenantId } = tenantOf(request);
			const { reason } = request.body;
			const [at, actor] = [now(), actorOf(callerOf(request))];
			const changed = await inTenant(db, tenantId, async (tx) => {
				const reputation = await change(tx, { tenantId, by: actor.id, reason, now: at });
				await recordAudit(tx, {
					...{ tenantId, at, actor, action, subject: tenantId },
					...{ detail: { reason }, ...originOf(request) },
				});
				return reputation;
			});
			return toReputationWire(changed);
		},
	});
};
