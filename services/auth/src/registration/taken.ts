import type { Registration } from "@lango/contracts";
import { violatedConstraint } from "@lango/postgres";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { looksLikePlatform, requireDistinctName } from "../tenants/platform-name.ts";
import { findTenantBySlug } from "../tenants/tenant.store.ts";
import { isReservedSlug } from "./slug.ts";

export type NewTenant = NonNullable<Registration["organization"]>;

export const emailTaken = () => failures.email_taken({ fields: { field: "email", in: "body" } });
const slugTaken = () => failures.slug_taken({ fields: { field: "organization.slug", in: "body" } });

/**
 * Refuses a new tenant whose slug is reserved or taken, or whose slug or name can be mistaken for the platform's. Throws
 * `slug_reserved`, `slug_taken`, `name_reserved`.
 */
export async function requireFreeNames(
	needs: Pick<Dependencies, "db" | "settings">,
	{ slug, name }: NewTenant,
): Promise<void> {
	const { db } = needs;
	if (isReservedSlug(slug) || (await looksLikePlatform(needs, slug)))
		throw failures.slug_reserved({ fields: { field: "organization.slug", in: "body" } });
	if ((await findTenantBySlug(db, slug)) !== undefined) throw slugTaken();
	await requireDistinctName(needs, { name, field: "organization.name" });
}

/**
 * Does what may be answered by telling what is taken. Such answers are counted by address, each before it is known whether it will
 * be one. Throws `rate_limited`, and what the work throws; what the database refused is told as taken.
 */
export async function countingTaken<Result>(
	{ takenAnswers }: Dependencies["limits"],
	ip: string,
	work: () => Promise<Result>,
): Promise<Result> {
	await takenAnswers.take(ip);
	let refusal: unknown;
	try {
		return await work();
	} catch (error) {
		refusal = refusalOf(error);
		throw refusal ?? error;
	} finally {
		if (refusal === undefined) await takenAnswers.giveBack(ip);
	}
}

/** What the database refused, or was seen before it was asked, as the caller is told it; of two at once one is told. */
function refusalOf(error: unknown) {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	if (code === "email_taken" || code === "slug_taken") return error;
	const constraint = violatedConstraint(error);
	if (constraint === "users__email_unique") return emailTaken();
	if (constraint === "tenants__slug_unique" || constraint === "tenant_slugs__pkey") return slugTaken();
	return undefined;
}
