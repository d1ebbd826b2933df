import { Page, Shape } from "@lango/contracts";
import { inTenant } from "@lango/postgres";
import Type from "typebox";
import { actorOf, originOf } from "../../request/actor.ts";
import { callerOf, callOf, tenantOf } from "../../request/call.ts";
import { permit, type Route, route } from "../../request/route.ts";
import type { Domain } from "../assembly/domain.ts";
import { changeConfig } from "./change-config.ts";
import { listConfig } from "./config.store.ts";

const ConfigKey = Type.String({ pattern: "^[a-z][a-z0-9_.-]{0,62}$" });
const ConfigEntry = Type.Object({
	key: ConfigKey,
	value: Type.Unknown({ description: "Any JSON value" }),
	source: Type.Union([Type.Literal("platform"), Type.Literal("tenant")], {
		description: "Whether the tenant set it, or the platform's default holds",
	}),
});

/** Lists (at `listedAt`) and changes the service's settings, for administrators (spec §2.4 ServiceConfig). */
export const configRoutes = ({ name, db, now, settings }: Domain, listedAt = "/config"): readonly Route[] => [
	route({
		method: "GET",
		url: listedAt,
		access: permit(`${name}.config.view`),
		schema: {
			summary: "The settings that hold for the tenant",
			querystring: Type.Object({
				cursor: Type.Optional(ConfigKey),
				limit: Type.Optional(Type.Integer({ minimum: 1, maximum: 100, default: 50 })),
			}),
			response: { 200: Page(ConfigEntry) },
		},
		handler: async (request) => {
			const { cursor = "", limit = 50 } = request.query;
			const found = await inTenant(db, tenantOf(request).id, (tx) =>
				listConfig(tx, { after: cursor, limit: limit + 1 }),
			);
			const items = found.slice(0, limit);
			return { items, next_cursor: found.length > limit ? (items.at(-1)?.key ?? null) : null };
		},
	}),
	route({
		method: "PUT",
		url: "/config",
		access: permit(`${name}.config.manage`),
		schema: {
			summary: "Sets one setting of the tenant; null removes it, so that the platform's default holds again",
			body: Shape({ key: ConfigKey, value: Type.Unknown({ description: "Any JSON value of at most 8 KB" }) }),
			response: { 200: ConfigEntry },
		},
		handler: async (request) => {
			const { id: tenantId, slug } = tenantOf(request);
			const caller = callerOf(request);
			const isPlatformOwner = caller.kind === "user" && caller.isPlatformOwner;
			return changeConfig(db, {
				entry: request.body,
				tenantId,
				isPlatformDefault:
					isPlatformOwner && slug === settings.platformOwnerSlug && callOf(request).isAcrossTenants !== true,
				actor: actorOf(caller),
				origin: originOf(request),
				now: now(),
			});
		},
	}),
];
