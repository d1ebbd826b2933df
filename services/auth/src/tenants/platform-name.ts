import { skeletonOf } from "@lango/contracts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { findTenantBySlug } from "./tenant.store.ts";

type Needs = Pick<Dependencies, "db" | "settings">;

/** Words that, together with the platform's name only, make a name look like a part of the platform. */
const officialWords: readonly string[] =
	`accounts admin administration administrator authentication billing by care customer group
	help helpdesk identity inc limited login ltd notifications official password payments platform security service services
	sign-in sign-on sso staff support system team the verification verified verify`
		.split(/\s+/)
		.map(skeletonOf);

/**
 * Whether a text can be mistaken for the slug or the name of the tenant that owns the platform, or for a
 * part of it ("Lango Support").
 */
export async function looksLikePlatform(
	{ db, settings: { platformOwnerSlug } }: Needs,
	text: string,
): Promise<boolean> {
	const platform = await findTenantBySlug(db, platformOwnerSlug);
	const names = [platformOwnerSlug, platform?.name ?? platformOwnerSlug].map(skeletonOf);
	const skeleton = skeletonOf(text);
	return names.some((name) => name !== "" && speaksFor(name, skeleton));
}

/** Whether a skeleton is the platform's name with only official words before and after it. */
function speaksFor(platform: string, skeleton: string): boolean {
	const at = skeleton.indexOf(platform);
	if (at < 0) return false;
	return isOfficial(skeleton.slice(0, at)) && isOfficial(skeleton.slice(at + platform.length));
}

/** Whether a skeleton is nothing but official words. */
function isOfficial(skeleton: string): boolean {
	/** The positions where a word can end, from left to right. Each is visited once, so the time is linear. */
	const ends = new Set([0]);
	for (const end of ends)
		for (const word of officialWords) if (skeleton.startsWith(word, end)) ends.add(end + word.length);
	return ends.has(skeleton.length);
}

/** Refuses a tenant name that can be mistaken for the platform's. Throws `name_reserved`. */
export async function requireDistinctName(
	needs: Needs,
	{ name, field }: { name: string; field: string },
): Promise<void> {
	if (await looksLikePlatform(needs, name)) throw failures.name_reserved({ fields: { field, in: "body" } });
}
