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
import { recordToldOutlet } from "./outlet.store.ts";
import {
	buryTenant,
	changeToldStatus,
	ensureTenant,
	recordToldTenant,
	type ToldTenant,
} from "./tenant.store.ts";

type Tenant = Static<typeof tenantCreated.data>;

/**
 * What a service does about events of tenants and outlets: it keeps its copies by them (spec §6). A tenant that is
 * deleted leaves its id alone; what hangs on it is erased behind, by `startErasing`.
 */
export function tenancyConsumers({ now }: { now: () => Date }): readonly Consumer[] {
	const record = (db: Database, { data }: EventEnvelope<Tenant>) =>
		recordToldTenant(db, fromEvent(data), now());
	return [
		defineConsumer(tenantCreated, record),
		defineConsumer(tenantUpdated, record),
		defineConsumer(tenantSuspended, async (db, { data: { tenant_id: id, version } }) => {
			await ensureTenant(db, id);
			await changeToldStatus(db, { id, status: "suspended", version });
		}),
		defineConsumer(tenantDeleted, async (db, { data: { tenant_id: id, version } }) => {
			await ensureTenant(db, id);
			await buryTenant(db, { id, version, now: now() });
		}),
		defineConsumer(outletChanged, async (db, { data }) => {
			const { outlet_id: id, tenant_id: tenantId, version, ...rest } = data;
			const outlet = { ...rest, id };
			if (!Value.Check(Outlet, outlet)) throw new Error(`the outlet ${id} is none of the kinds there are`);
			await ensureTenant(db, tenantId);
			await inTenant(db, tenantId, (tx) => recordToldOutlet(tx, { ...outlet, tenantId, version }, now()));
		}),
	];
}

function fromEvent(data: Tenant): ToldTenant {
	const { tenant_id: id, slug, name, status, time_zone: timeZone, currency, locale, version } = data;
	const { outlet_isolation: outletIsolation = "strict" } = data;
	return { id, slug, name, status, timeZone, currency, locale, outletIsolation, version };
}
