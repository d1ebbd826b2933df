import type { PublicTenant } from "@lango/contracts";
import { type Database, violatedConstraint } from "@lango/postgres";
import { lockSlugs, parkTenant, repointTenant, type YieldedRow } from "./repoint.store.ts";
import type { SignOn } from "./sign-on.ts";
import { type Answer, findTenantBySlug, markTenantDeleted, recordTenant } from "./tenant.store.ts";
import { deletedStatus, type SyncedTenant, TenantDrifted, TenantUnavailable } from "./tenant.ts";

/** A tenant whose id changed, with all its rows. */
export type Repointed = {
	slug: string;
	from: string;
	to: string;
	/** Rows of the old id that were replaced by newer rows of the new id. */
	yielded: readonly YieldedRow[];
};

export type SettleDependencies = {
	db: Database;
	signOn: SignOn;
	now: () => Date;
	/** Records the change in the same transaction. */
	onRepointed?: (tx: Database, repointed: Repointed) => Promise<void>;
};

/**
 * The differences from the sign-on service: tenants whose slug changed, and an id that the service never
 * issued.
 */
type Plan = {
	renamed: Array<{ seenSlug: string; tenant: PublicTenant }>;
	drifted: { slug: string; from: string; to: string } | undefined;
};

/** An event or another process has changed the tenants since the plan was made. */
class Overtaken extends Error {}

/** The maximum length of a chain of tenants that each took the slug of the next one. */
const chainMax = 20;

/**
 * Records a tenant whose slug belongs to another tenant in this database. If the sign-on service never issued
 * the other id, it is the same tenant and is repointed. If it has the other tenant under another slug, that
 * one is renamed; a deleted one is marked as deleted. Runs in one transaction under a lock. Returns undefined
 * if another process was faster; ask again. Throws TenantUnavailable if the sign-on service is unavailable,
 * TenantDrifted if its responses contradict each other.
 */
export async function settleSlug(
	dependencies: SettleDependencies,
	answer: Answer<PublicTenant>,
): Promise<SyncedTenant | undefined> {
	const { db } = dependencies;
	const plan = await makePlan(dependencies, answer.received);
	try {
		return await db.transaction(async (tx) => {
			await lockSlugs(tx);
			return applyPlan(tx, { ...dependencies, plan, answer });
		});
	} catch (error) {
		if (error instanceof Overtaken || violatedConstraint(error) === "tenants__slug_unique") return undefined;
		throw error;
	}
}

/** Follows the chain of tenants that took each other's slugs. */
async function makePlan({ db, signOn }: SettleDependencies, received: PublicTenant): Promise<Plan> {
	const plan: Plan = { renamed: [], drifted: undefined };
	let current = received;
	for (let step = 0; step < chainMax; step += 1) {
		const { id, slug } = current;
		const holder = await findTenantBySlug(db, slug);
		const isFree = holder === undefined || holder.id === id;
		if (isFree || plan.renamed.some(({ tenant }) => tenant.id === holder.id)) return plan;
		const old = await confirmIds(signOn, { slug, localId: holder.id, issuedId: id });
		if (old === undefined) return { ...plan, drifted: { slug, from: holder.id, to: id } };
		plan.renamed.push({ seenSlug: slug, tenant: old });
		if (old.status === deletedStatus) return plan;
		current = old;
	}
	throw new TenantUnavailable(
		received.slug,
		new Error(`more than ${chainMax} tenants took each other's slug`),
	);
}

/**
 * Returns the sign-on service's tenant for the local id, or undefined if that id was never issued. Throws
 * TenantDrifted if the service does not confirm the other id.
 */
async function confirmIds(
	signOn: SignOn,
	{ slug, localId, issuedId }: { slug: string; localId: string; issuedId: string },
): Promise<PublicTenant | undefined> {
	const [confirmed, old] = await Promise.all([
		ask(signOn, { id: issuedId, slug }),
		ask(signOn, { id: localId, slug }),
	]);
	const hasBoth = old?.slug === slug && old.status !== deletedStatus;
	if (confirmed?.slug !== slug || hasBoth) throw new TenantDrifted({ slug, localId, issuedId });
	return old;
}

const ask = (signOn: SignOn, { id, slug }: { id: string; slug: string }) =>
	signOn.findTenantById(id).catch((cause) => {
		throw new TenantUnavailable(slug, cause);
	});

type Work = SettleDependencies & { plan: Plan; answer: Answer<PublicTenant> };

async function applyPlan(tx: Database, { plan, answer, now, onRepointed }: Work): Promise<SyncedTenant> {
	const { askedAfter, syncedAt, received } = answer;
	for (const { seenSlug, tenant } of plan.renamed)
		if (!(await parkTenant(tx, { id: tenant.id, slug: seenSlug, askedAfter }))) throw new Overtaken();
	if (plan.drifted !== undefined) {
		const { slug, from } = plan.drifted;
		if ((await findTenantBySlug(tx, slug))?.id !== from) throw new Overtaken();
		const yielded = await repointTenant(tx, plan.drifted);
		await onRepointed?.(tx, { ...plan.drifted, yielded });
	}
	for (const { tenant } of plan.renamed.toReversed())
		if (tenant.status === deletedStatus)
			await markTenantDeleted(tx, { id: tenant.id, version: 0, now: now() });
		else await recordTenant(tx, { received: tenant, syncedAt, askedAfter });
	const recorded = await recordTenant(tx, answer);
	if (recorded.slug !== received.slug && recorded.status !== deletedStatus) throw new Overtaken();
	return recorded;
}
