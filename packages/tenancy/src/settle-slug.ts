import type { PublicTenant } from "@lango/contracts";
import { type Database, violatedConstraint } from "@lango/postgres";
import { parkTenant, repointTenant, takeSettlingTurn, type YieldedRow } from "./repoint.store.ts";
import type { SignOn } from "./sign-on.ts";
import { type Answer, buryTenant, findTenantBySlug, recordTenant } from "./tenant.store.ts";
import { deletedStatus, type SyncedTenant, TenantDrifted, TenantUnavailable } from "./tenant.ts";

/** A tenant whose id changed: everything it had under the old one it has under the new one. */
export type Repointed = {
	slug: string;
	from: string;
	to: string;
	/** What both ids had: of two rows that cannot both be, the older. */
	yielded: readonly YieldedRow[];
};

export type SettleDependencies = {
	db: Database;
	signOn: SignOn;
	now: () => Date;
	/** Tells of it in the transaction that does it. */
	onRepointed?: (tx: Database, repointed: Repointed) => Promise<void>;
};

/** What is not as the sign-on service says: tenants that have another slug by now, and an id that never was. */
type Plan = {
	renamed: Array<{ seenSlug: string; tenant: PublicTenant }>;
	drifted: { slug: string; from: string; to: string } | undefined;
};

/** What was seen is no longer so: an event or another process was first. */
class Overtaken extends Error {}

/** So many tenants may each have taken the next one's slug. */
const chainMax = 20;

/**
 * Records a tenant whose slug is another one's here. Where the sign-on service never knew the other id it is the same
 * tenant, and is repointed; where it has it under another slug, the other is renamed; a deleted one is buried. All of it in
 * one transaction, one process at a time. Returns undefined when somebody else was first: ask anew. Throws
 * TenantUnavailable when the sign-on service cannot be asked, TenantDrifted when it contradicts itself.
 */
export async function settleSlug(
	dependencies: SettleDependencies,
	answer: Answer<PublicTenant>,
): Promise<SyncedTenant | undefined> {
	const { db } = dependencies;
	const plan = await makePlan(dependencies, answer.told);
	try {
		return await db.transaction(async (tx) => {
			await takeSettlingTurn(tx);
			return carryOut(tx, { ...dependencies, plan, answer });
		});
	} catch (error) {
		if (error instanceof Overtaken || violatedConstraint(error) === "tenants__slug_unique") return undefined;
		throw error;
	}
}

/** Follows who has whose slug, from the tenant at hand on. */
async function makePlan({ db, signOn }: SettleDependencies, told: PublicTenant): Promise<Plan> {
	const plan: Plan = { renamed: [], drifted: undefined };
	let current = told;
	for (let step = 0; step < chainMax; step += 1) {
		const { id, slug } = current;
		const holder = await findTenantBySlug(db, slug);
		const isFree = holder === undefined || holder.id === id;
		if (isFree || plan.renamed.some(({ tenant }) => tenant.id === holder.id)) return plan;
		const old = await askOfBoth(signOn, { slug, localId: holder.id, issuedId: id });
		if (old === undefined) return { ...plan, drifted: { slug, from: holder.id, to: id } };
		plan.renamed.push({ seenSlug: slug, tenant: old });
		if (old.status === deletedStatus) return plan;
		current = old;
	}
	throw new TenantUnavailable(told.slug, new Error(`more than ${chainMax} tenants took each other's slug`));
}

/** What the sign-on service knows of the id that is known here; undefined: it never was. The other id it must confirm. */
async function askOfBoth(
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

async function carryOut(tx: Database, { plan, answer, now, onRepointed }: Work): Promise<SyncedTenant> {
	const { askedAfter, syncedAt, told } = answer;
	for (const { seenSlug, tenant } of plan.renamed)
		if (!(await parkTenant(tx, { id: tenant.id, slug: seenSlug, askedAfter }))) throw new Overtaken();
	if (plan.drifted !== undefined) {
		const { slug, from } = plan.drifted;
		if ((await findTenantBySlug(tx, slug))?.id !== from) throw new Overtaken();
		const yielded = await repointTenant(tx, plan.drifted);
		await onRepointed?.(tx, { ...plan.drifted, yielded });
	}
	for (const { tenant } of plan.renamed.toReversed())
		if (tenant.status === deletedStatus) await buryTenant(tx, { id: tenant.id, version: 0, now: now() });
		else await recordTenant(tx, { told: tenant, syncedAt, askedAfter });
	const recorded = await recordTenant(tx, answer);
	if (recorded.slug !== told.slug && recorded.status !== deletedStatus) throw new Overtaken();
	return recorded;
}
