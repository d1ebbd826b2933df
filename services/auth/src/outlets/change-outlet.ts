import type { AuditAction, NewOutlet, OutletChange } from "@lango/contracts";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import type { Administrator } from "../administrators/admit-administrator.ts";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceOutlet } from "./announce-outlet.ts";
import { assignFirstOutlet } from "./assign-first-outlet.ts";
import {
	countAllOutlets,
	lockOutlet,
	type Outlet,
	recordOutlet,
	changeOutlet as writeOutlet,
} from "./outlet.store.ts";
import { lockActiveOutlets } from "./outlet-assignment.store.ts";
import { requireUsableSettings } from "./outlet-settings.ts";
import { type PlanNeeds, requireMultiOutlet } from "./require-multi-outlet.ts";

/** The length of the public list (spec §4.1). */
const outletsMax = 500;

type Needs = Pick<Dependencies, "db"> & PlanNeeds;
/** The tenant and the acting administrator. */
export type Where = { tenant: { id: string; slug: string }; by: Administrator };

/**
 * Creates an outlet. Throws `outlet_code_taken`, `outlets_full`, `invalid_input` naming the field, and what
 * `requireMultiOutlet` throws when the tenant has an active outlet.
 */
export function openOutlet(
	needs: Needs,
	{ outlet, ...where }: Where & { outlet: NewOutlet },
	origin: Origin,
): Promise<Outlet> {
	requireUsableSettings(outlet.use_case, outlet.settings ?? {});
	const { tenant } = where;
	return activating(needs, { ...where, isNew: true }, async (tx, { active, mayHaveSeveral }) => {
		if ((await countAllOutlets(tx, tenant.id)) >= outletsMax) throw failures.outlets_full();
		if (active.length > 0 && !mayHaveSeveral) return undefined;
		const made = await recordOutlet(tx, {
			tenantId: tenant.id,
			code: outlet.code,
			name: outlet.name.trim(),
			useCase: outlet.use_case,
			isHq: outlet.is_hq ?? false,
			settings: outlet.settings ?? {},
		});
		const assigned = await assignIfSecond(tx, { tenantId: tenant.id, active, origin });
		await recordAudit(tx, origin, {
			tenantId: tenant.id,
			action: "outlet.opened",
			subject: made.id,
			after: { ...made, ...assigned },
		});
		await announceOutlet(tx, { tenant, outlet: made, origin });
		return made;
	});
}

/**
 * Changes the given members of an outlet. Settings replace all previous settings. Throws `outlet_not_found`
 * (also for an outlet of another tenant and for an archived one), `outlet_code_taken`, `invalid_input`
 * naming the field, and what `requireMultiOutlet` throws when the change makes the outlet active beside
 * another one.
 */
export function changeOutlet(
	needs: Needs,
	{ id, change, ...where }: Where & { id: string; change: OutletChange },
	origin: Origin,
): Promise<Outlet> {
	const name = change.name?.trim();
	return rewrite(needs, where, {
		id,
		accepts: isNotArchived,
		change: (before) => {
			const after = { ...before, ...change, ...(name !== undefined && { name }) };
			// Settings stored before this rule stay readable until they or the use case change.
			if (change.settings !== undefined || after.use_case !== before.use_case)
				requireUsableSettings(after.use_case, after.settings);
			return after;
		},
		action: "outlet.changed",
		origin,
	});
}

/** Archives an outlet: it can no longer be selected. Throws `outlet_not_found`. */
export function archiveOutlet(
	needs: Needs,
	{ id, ...where }: Where & { id: string },
	origin: Origin,
): Promise<Outlet> {
	return rewrite(needs, where, {
		id,
		accepts: isNotArchived,
		change: (before) => ({ ...before, status: "archived" }),
		action: "outlet.archived",
		origin,
	});
}

/**
 * Restores an archived outlet with its previous assignments. Throws `outlet_not_found`, also for an outlet
 * that is not archived, and what `requireMultiOutlet` throws when the tenant has another active outlet.
 */
export function restoreOutlet(
	needs: Needs,
	{ id, ...where }: Where & { id: string },
	origin: Origin,
): Promise<Outlet> {
	return rewrite(needs, where, {
		id,
		accepts: ({ status }) => status === "archived",
		change: (before) => ({ ...before, status: "active" }),
		action: "outlet.restored",
		origin,
	});
}

const isNotArchived = ({ status }: Outlet) => status !== "archived";

type Rewriting = {
	id: string;
	/** Whether the outlet may be changed; another one is not found. */
	accepts: (outlet: Outlet) => boolean;
	change: (before: Outlet) => Outlet;
	action: AuditAction;
	origin: Origin;
};

function rewrite(
	needs: Needs,
	where: Where,
	{ id, accepts, change, action, origin }: Rewriting,
): Promise<Outlet> {
	const { tenant } = where;
	return activating(needs, { ...where, isNew: false }, async (tx, { active, mayHaveSeveral }) => {
		const before = await lockOutlet(tx, { tenantId: tenant.id, id });
		if (before === undefined || !accepts(before)) throw failures.outlet_not_found();
		const after = change(before);
		const isActivated = after.status === "active" && before.status !== "active";
		if (isActivated && active.length > 0 && !mayHaveSeveral) return undefined;
		const written = await writeOutlet(tx, { tenantId: tenant.id, outlet: after });
		const assigned = isActivated ? await assignIfSecond(tx, { tenantId: tenant.id, active, origin }) : {};
		await recordAudit(tx, origin, {
			tenantId: tenant.id,
			action,
			subject: written.id,
			before,
			after: { ...written, ...assigned },
		});
		await announceOutlet(tx, { tenant, outlet: written, origin });
		return written;
	});
}

type Situation = {
	/** The outlets that are active before the change. The tenant is locked. */
	active: readonly string[];
	/** Whether the plan was checked and allows several outlets. */
	mayHaveSeveral: boolean;
};

/**
 * Runs a change of outlets in a transaction. A change that requires a check of the plan writes nothing and
 * returns undefined; the plan is then checked outside a transaction, and the change runs again.
 */
async function activating(
	needs: Needs,
	{ tenant, by, isNew }: Where & { isNew: boolean },
	change: (tx: Database, situation: Situation) => Promise<Outlet | undefined>,
): Promise<Outlet> {
	const attempt = (mayHaveSeveral: boolean) =>
		refusingTakenCode(() =>
			inTenant(needs.db, tenant.id, async (tx) =>
				change(tx, { active: await lockActiveOutlets(tx, tenant.id), mayHaveSeveral }),
			),
		);
	const changed = await attempt(false);
	if (changed !== undefined) return changed;
	await requireMultiOutlet(needs, { tenant, by, isNew });
	const allowed = await attempt(true);
	if (allowed === undefined) throw new Error("an allowed change of an outlet did not run");
	return allowed;
}

/**
 * Assigns the only active outlet to the members before a second one becomes active; returns the details for
 * the audit row.
 */
async function assignIfSecond(
	tx: Database,
	{ tenantId, active, origin }: { tenantId: string; active: readonly string[]; origin: Origin },
): Promise<{ assigned_outlet_id?: string; assigned_members?: number }> {
	const [first, ...others] = active;
	if (first === undefined || others.length > 0) return {};
	const members = await assignFirstOutlet(tx, { tenantId, outletId: first, now: origin.now });
	return members === 0 ? {} : { assigned_outlet_id: first, assigned_members: members };
}

async function refusingTakenCode<T>(work: () => Promise<T>): Promise<T> {
	try {
		return await work();
	} catch (error) {
		if (violatedConstraint(error) === "outlets__code_unique")
			throw failures.outlet_code_taken({ fields: { field: "code", in: "body" } });
		throw error;
	}
}
