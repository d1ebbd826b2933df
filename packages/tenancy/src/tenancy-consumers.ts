import {
	type EventEnvelope,
	Outlet,
	outletChanged,
	tenantCreated,
	tenantDeleted,
	tenantSuspended,
	tenantUpdated,
} from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import { type Database, inTenant } from "@lango/postgres";
import type { Static } from "typebox";
import Value from "typebox/value";
import { recordOutletFromEvent } from "./outlet.store.ts";
import {
	changeStatusFromEvent,
	ensureTenant,
	markTenantDeleted,
	recordTenantFromEvent,
	type TenantFromEvent,
} from "./tenant.store.ts";

type Tenant = Static<typeof tenantCreated.data>;

/**
 * The consumers of tenant and outlet events, which keep the local copies current (spec §6). Of a deleted
 * tenant only the id is kept; `startErasing` erases its rows in the background.
 */
export function tenancyConsumers({ now }: { now: () => Date }): readonly Consumer[] {
	const record = (db: Database, { data }: EventEnvelope<Tenant>) =>
		recordTenantFromEvent(db, fromEvent(data), now());
	return [
		defineConsumer(tenantCreated, record),
		defineConsumer(tenantUpdated, record),
		defineConsumer(tenantSuspended, async (db, { data: { tenant_id: id, version } }) => {
			await ensureTenant(db, id);
			await changeStatusFromEvent(db, { id, status: "suspended", version });
		}),
		defineConsumer(tenantDeleted, async (db, { data: { tenant_id: id, version } }) => {
			await ensureTenant(db, id);
			await markTenantDeleted(db, { id, version, now: now() });
		}),
		defineConsumer(outletChanged, async (db, { data }) => {
			const { outlet_id: id, tenant_id: tenantId, version, ...rest } = data;
			const outlet = { ...rest, id };
			if (!Value.Check(Outlet, outlet)) throw new Error(`the outlet ${id} does not match the contract`);
			await ensureTenant(db, tenantId);
			await inTenant(db, tenantId, (tx) =>
				recordOutletFromEvent(tx, { ...outlet, tenantId, version }, now()),
			);
		}),
	];
}

function fromEvent(data: Tenant): TenantFromEvent {
	const { tenant_id: id, slug, name, status, time_zone: timeZone, currency, locale, version } = data;
	const { outlet_isolation: outletIsolation = "strict" } = data;
	return { id, slug, name, status, timeZone, currency, locale, outletIsolation, version };
}
