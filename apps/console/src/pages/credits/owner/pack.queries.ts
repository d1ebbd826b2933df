import type { Platform } from "../../../platform.ts";
import type { ServiceScope } from "../../../services/service-access.queries.ts";
import { notificationsAddress } from "../../messages/state/message.queries.ts";
import { type Credit, type Pack, whole } from "../credit.queries.ts";

export type OwnedPack = Pack & { is_on_sale: boolean };

export const packsKey = ["packs"];

/** The address of the packs, on sale or not. */
export const packsAddress = (platform: Platform, scope: ServiceScope) =>
	notificationsAddress(platform, scope, "credits/packs");

/** Adds a pack (POST), or changes one (PUT). */
export const savePack = (
	platform: Platform,
	scope: ServiceScope,
	{ method, body }: { method: "POST" | "PUT"; body: OwnedPack },
) => platform.client.call<OwnedPack>(packsAddress(platform, scope), { ...whole, method, body });

/**
 * Gives credit to a tenant, or takes it away. A repeated request with the same key has no second effect.
 */
export const grantCredit = (
	platform: Platform,
	scope: ServiceScope,
	{ idempotencyKey, ...body }: { segments: number; reason: string; idempotencyKey: string },
) =>
	platform.client.call<Credit>(notificationsAddress(platform, scope, "credits/grants"), {
		...{ ...whole, method: "POST", body, idempotencyKey },
	});
