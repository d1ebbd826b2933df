import { recordAudit } from "@lango/access";
import {
	actorOf,
	callerOf,
	chassisFailures,
	originOf,
	permit,
	type Route,
	route,
	tenantOf,
	tenantWide,
} from "@lango/chassis";
import { Shape } from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import Type, { type Static } from "typebox";
import { type Channel, channels } from "../channel.ts";
import { failures } from "../failures.ts";
import type { Notifications } from "../parts.ts";
import { isAtPlatform, isPlatformOwner } from "../platform-owner.ts";
import {
	type Limit,
	listLimits,
	lowerLimits,
	type Rate,
	recordLimit,
	recordPlatformLimit,
	removeLimit,
} from "./limit.store.ts";

const tags = ["limits"];
const ofTheTenant = tenantWide("limits are the tenant's");
const Count = Type.Integer({ minimum: 1, maximum: 1_000_000 });
const RateWire = Shape({ per_minute: Count, burst: Count });
const Change = Type.Optional(
	Type.Union([RateWire, Type.Null()], { description: "Null: back to what the tenant had without its own" }),
);
const LimitsBody = Type.Object(
	{ email: Change, sms: Change, push: Change, whatsapp: Change, in_app: Change },
	{ additionalProperties: false, minProperties: 1 },
);
const LimitsWire = Type.Object({
	items: Type.Array(
		Type.Object({
			channel: Type.Enum([...channels], { type: "string" }),
			per_minute: Type.Integer({ description: "Recipients per minute" }),
			burst: Type.Integer({ description: "Recipients at once" }),
			ceiling: Type.Object(
				{ per_minute: Type.Integer(), burst: Type.Integer() },
				{ description: "The most that the tenant may choose" },
			),
			is_platform: Type.Boolean({ description: "The platform's default" }),
		}),
	),
});

/** The routes of limits: how many recipients a tenant may send to by channel (§8). */
export const limitRoutes = (domain: Notifications): readonly Route[] => [listing(domain), changing(domain)];

const listing = ({ db, settings }: Notifications): Route =>
	route({
		method: "GET",
		url: "/limits",
		access: permit("notifications.limits.view"),
		outlets: ofTheTenant,
		schema: {
			summary: "Lists the tenant's limits by channel",
			description: "At the platform's own address: the defaults of every tenant.",
			tags,
			response: { 200: LimitsWire },
		},
		handler: async (request) => {
			const { id: tenantId, slug } = tenantOf(request);
			const ofPlatform = isAtPlatform(callerOf(request), slug, settings.platformOwnerSlug);
			return toWire(await inTenant(db, tenantId, (tx) => listLimits(tx, { tenantId, ofPlatform })));
		},
	});

const changing = ({ db, now, settings }: Notifications): Route =>
	route({
		method: "PUT",
		url: "/limits",
		access: permit("notifications.limits.change"),
		outlets: ofTheTenant,
		schema: {
			summary: "Sets the tenant's limits of the named channels",
			description:
				"A tenant chooses up to its ceiling, which is the platform's default unless the platform owner sets another one. Null resets a channel. At the platform's own address: the defaults of every tenant.",
			tags,
			body: LimitsBody,
			response: { 200: LimitsWire },
		},
		handler: async (request) => {
			const { id: tenantId, slug } = tenantOf(request);
			const caller = callerOf(request);
			const ofPlatform = isAtPlatform(caller, slug, settings.platformOwnerSlug);
			const [at, actor] = [now(), actorOf(caller)];
			const limits = await inTenant(db, tenantId, async (tx) => {
				const about = { tenantId, ofPlatform, isOwner: isPlatformOwner(caller), by: actor.id, now: at };
				const before = await listLimits(tx, { tenantId, ofPlatform, lock: true });
				for (const limit of before)
					await change(tx, { ...about, limit, wanted: request.body[limit.channel] });
				await recordAudit(tx, {
					...{ tenantId, at, actor, action: "limits.changed", subject: tenantId },
					...{ detail: { ...request.body }, ...originOf(request) },
				});
				return listLimits(tx, { tenantId, ofPlatform });
			});
			if (ofPlatform) await lowerLimits(db);
			return toWire(limits);
		},
	});

type Changing = {
	tenantId: string;
	ofPlatform: boolean;
	isOwner: boolean;
	by: string;
	now: Date;
	limit: Limit;
	wanted: Static<typeof RateWire> | null | undefined;
};

/** Changes one channel. Throws `limit_above_platform` if a tenant wants more than its ceiling. */
async function change(tx: Database, { ofPlatform, isOwner, limit, wanted, ...by }: Changing): Promise<void> {
	const { channel, ceiling, hasOwnCeiling } = limit;
	if (wanted === undefined) return;
	if (wanted === null) {
		if (ofPlatform)
			throw chassisFailures.invalid_input({
				message: "The platform's default cannot be removed.",
				fields: { field: channel, in: "body" },
			});
		// The ceiling that the platform owner set stays when the tenant resets its choice.
		if (isOwner || !hasOwnCeiling) return removeLimit(tx, { tenantId: by.tenantId, channel });
		return recordLimit(tx, { ...by, channel, rate: ceiling, withCeiling: false });
	}
	const rate = { perMinute: wanted.per_minute, burst: wanted.burst };
	if (ofPlatform) return recordPlatformLimit(tx, { ...by, channel, rate });
	if (!isOwner) requireWithin(channel, rate, ceiling);
	return recordLimit(tx, { ...by, channel, rate, withCeiling: isOwner });
}

function requireWithin(channel: Channel, rate: Rate, ceiling: Rate): void {
	const isWithin = rate.perMinute <= ceiling.perMinute && rate.burst <= ceiling.burst;
	if (isWithin) return;
	const member = rate.perMinute > ceiling.perMinute ? "per_minute" : "burst";
	throw failures.limit_above_platform({ fields: { field: `${channel}.${member}`, in: "body" } });
}

const toWire = (limits: readonly Limit[]): Static<typeof LimitsWire> => ({
	items: limits.map(({ channel, rate, ceiling, isPlatform }) => ({
		...{ channel, per_minute: rate.perMinute, burst: rate.burst, is_platform: isPlatform },
		ceiling: { per_minute: ceiling.perMinute, burst: ceiling.burst },
	})),
});
