import { chassisFailures } from "@lango/chassis";
import type { AuditAction, NewOutlet, OutletChange } from "@lango/contracts";
import { type Database, inTenant, violatedConstraint } from "@lango/postgres";
import { recordAudit } from "../audit/audit.store.ts";
import type { Origin } from "../audit/origin.ts";
import type { Dependencies } from "../dependencies.ts";
import { failures } from "../failures.ts";
import { announceOutlet } from "./announce-outlet.ts";
import {
	countAllOutlets,
	lockOutlet,
	type Outlet,
	recordOutlet,
	changeOutlet as writeOutlet,
} from "./outlet.store.ts";

/** As many as the public list shows (spec §4.1). */
const outletsMax = 500;
const settingsBytesMax = 16 * 1024;

type Tenant = { id: string; slug: string };
type Db = Pick<Dependencies, "db">;

/** Opens an outlet. Throws `outlet_code_taken`, `outlets_full`, and `invalid_input` naming the field. */
export function openOutlet(
	{ db }: Db,
	{ tenant, outlet }: { tenant: Tenant; outlet: NewOutlet },
	origin: Origin,
): Promise<Outlet> {
	requireSmall(outlet.settings);
	return refusingTakenCode(() =>
		inTenant(db, tenant.id, async (tx) => {
			if ((await countAllOutlets(tx, tenant.id)) >= outletsMax) throw failures.outlets_full();
			const made = await recordOutlet(tx, {
				tenantId: tenant.id,
				code: outlet.code,
				name: outlet.name.trim(),
				useCase: outlet.use_case,
				isHq: outlet.is_hq ?? false,
				settings: outlet.settings ?? {},
			});
			await recordAudit(tx, origin, {
				tenantId: tenant.id,
				action: "outlet.opened",
				subject: made.id,
				after: made,
			});
			await announceOutlet(tx, { tenant, outlet: made, origin });
			return made;
		}),
	);
}

/**
 * Changes what is named of an outlet and leaves the rest. Throws `outlet_not_found` (also for another tenant's, and for an
 * archived one, which changes no more), `outlet_code_taken`, and `invalid_input` naming the field.
 */
export function changeOutlet(
	{ db }: Db,
	{ tenant, id, change }: { tenant: Tenant; id: string; change: OutletChange },
	origin: Origin,
): Promise<Outlet> {
	requireSmall(change.settings);
	const name = change.name?.trim();
	return refusingTakenCode(() =>
		inTenant(db, tenant.id, async (tx) => {
			const before = await requireOutlet(tx, { tenantId: tenant.id, id });
			const after = { ...before, ...change, ...(name !== undefined && { name }) };
			return write(tx, { tenant, before, after, action: "outlet.changed", origin });
		}),
	);
}

/** Archives an outlet: it is offered to nobody any more. Throws `outlet_not_found`. */
export function archiveOutlet(
	{ db }: Db,
	{ tenant, id }: { tenant: Tenant; id: string },
	origin: Origin,
): Promise<Outlet> {
	return inTenant(db, tenant.id, async (tx) => {
		const before = await requireOutlet(tx, { tenantId: tenant.id, id });
		const after = { ...before, status: "archived" };
		return write(tx, { tenant, before, after, action: "outlet.archived", origin });
	});
}

/** Opens an archived outlet again: it is offered to those who worked at it. Throws `outlet_not_found`, also for one that is open. */
export function restoreOutlet(
	{ db }: Db,
	{ tenant, id }: { tenant: Tenant; id: string },
	origin: Origin,
): Promise<Outlet> {
	return inTenant(db, tenant.id, async (tx) => {
		const before = await lockOutlet(tx, { tenantId: tenant.id, id });
		if (before?.status !== "archived") throw failures.outlet_not_found();
		const after = { ...before, status: "active" };
		return write(tx, { tenant, before, after, action: "outlet.restored", origin });
	});
}

async function requireOutlet(tx: Database, key: { tenantId: string; id: string }): Promise<Outlet> {
	const outlet = await lockOutlet(tx, key);
	if (outlet === undefined || outlet.status === "archived") throw failures.outlet_not_found();
	return outlet;
}

type Writing = { tenant: Tenant; before: Outlet; after: Outlet; action: AuditAction; origin: Origin };

async function write(tx: Database, { tenant, before, after, action, origin }: Writing): Promise<Outlet> {
	const written = await writeOutlet(tx, { tenantId: tenant.id, outlet: after });
	await recordAudit(tx, origin, { tenantId: tenant.id, action, subject: written.id, before, after: written });
	await announceOutlet(tx, { tenant, outlet: written, origin });
	return written;
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

/** The whole goes out with every event, so it stays small. */
function requireSmall(settings: Record<string, unknown> | undefined): void {
	if (Buffer.byteLength(JSON.stringify(settings ?? {})) <= settingsBytesMax) return;
	throw chassisFailures.invalid_input({
		message: `settings has at most ${settingsBytesMax} bytes.`,
		fields: { field: "settings", in: "body" },
	});
}
