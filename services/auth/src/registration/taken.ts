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
 * Refuses a new tenant whose slug is reserved or taken, or whose slug or name can be mistaken for the
 * platform's. Throws `slug_reserved`, `slug_taken`, `name_reserved`.
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
 * Runs work whose answer can reveal that a name is taken. Such answers are limited by IP address; an
 * attempt is counted before its answer is known. Throws `rate_limited`, and what the work throws. A
 * violated unique constraint becomes the failure of a taken name.
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

/** The failure of a violated unique constraint; of parallel registrations all but one get it. */
function refusalOf(error: unknown) {
	const code = error instanceof Error && "code" in error ? error.code : undefined;
	if (code === "email_taken" || code === "slug_taken") return error;
	const constraint = violatedConstraint(error);
	if (constraint === "users__email_unique") return emailTaken();
	if (constraint === "tenants__slug_unique" || constraint === "tenant_slugs__pkey") return slugTaken();
	return undefined;
}
