import type { Domain } from "@lango/chassis";
import type { Settings } from "../config.ts";
import type { Scope } from "./template-view.store.ts";

/** The owner of the templates of a request: at the platform's own address the platform, else the tenant. */
export const scopeOf = (
	{ settings }: Pick<Domain<Settings>, "settings">,
	{ id, slug }: { id: string; slug: string },
): Scope => ({
	tenantId: id,
	isPlatform: slug === settings.platformOwnerSlug,
});

/** The path of the template that a request names. */
export const pathOf = ({ group, name }: { group: string; name: string }): string => `${group}/${name}`;
