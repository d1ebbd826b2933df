import { callerOf, type Domain, tenantOf } from "@lango/chassis";
import type { Settings } from "../config.ts";
import { isAtPlatform } from "../platform-owner.ts";
import type { Scope } from "./template-view.store.ts";

/**
 * The owner of the templates of a request: the platform if its owner calls at the platform's own address,
 * else the tenant.
 */
export function scopeOf(
	{ settings }: Pick<Domain<Settings>, "settings">,
	request: Parameters<typeof callerOf>[0],
): Scope {
	const { id, slug } = tenantOf(request);
	return {
		tenantId: id,
		isPlatform: isAtPlatform(callerOf(request), slug, settings.platformOwnerSlug),
	};
}

/** The path of the template that a request names. */
export const pathOf = ({ group, name }: { group: string; name: string }): string => `${group}/${name}`;
