import { skeletonOf } from "@lango/contracts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findTenantBySlug } from "./tenant.store.ts";

type Needs = Pick<Dependencies, "db" | "settings">;

/** Whether a text can be mistaken for the slug or the name of the tenant that owns the platform. */
export async function looksLikePlatform(
	{ db, settings: { platformOwnerSlug } }: Needs,
	text: string,
): Promise<boolean> {
	const skeleton = skeletonOf(text);
	if (skeleton === skeletonOf(platformOwnerSlug)) return true;
	const platform = await findTenantBySlug(db, platformOwnerSlug);
	return platform !== undefined && skeleton === skeletonOf(platform.name);
}

/** Refuses a tenant name that can be mistaken for the platform's. Throws `name_reserved`. */
export async function requireDistinctName(
	needs: Needs,
	{ name, field }: { name: string; field: string },
): Promise<void> {
	if (await looksLikePlatform(needs, name)) throw failures.name_reserved({ fields: { field, in: "body" } });
}
