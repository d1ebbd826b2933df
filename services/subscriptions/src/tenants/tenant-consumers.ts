import {
	authUserDeleted,
	tenantCreated,
	tenantDeleted,
	tenantSuspended,
	tenantUpdated,
} from "@lango/contracts";
import { type Consumer, defineConsumer } from "@lango/events";
import type { Database } from "@lango/postgres";
import { forgetAddresses } from "../audit/audit.store.ts";
import { isTimeZone } from "../calendar/anchored-month.ts";
import { eraseTenant, recordTimeZone } from "./tenant-calendar.store.ts";
import { noteStanding } from "./tenant-standing.store.ts";

type Told = { tenant_id: string; time_zone: string; version: number };

/** A time zone this runtime does not know is no calendar to count months by: what was known before goes on. */
async function noteTimeZone(
	tx: Database,
	{ tenant_id: tenantId, time_zone: timeZone, version }: Told,
): Promise<void> {
	if (isTimeZone(timeZone)) await recordTimeZone(tx, { tenantId, timeZone, version });
}

/**
 * What the sign-on service tells of tenants: whose calendar their months are counted by, whether one is suspended, and that one was erased; and of people, that
 * one was erased: of them the record of who changed what has the address they came from.
 */
export const tenantConsumers: readonly Consumer[] = [
	defineConsumer(tenantCreated, (tx, { data }) => noteTimeZone(tx, data)),
	defineConsumer(tenantUpdated, async (tx, { data }) => {
		await noteTimeZone(tx, data);
		const { tenant_id: tenantId, status, version } = data;
		await noteStanding(tx, { tenantId, isSuspended: status === "suspended", version });
	}),
	defineConsumer(tenantSuspended, async (tx, { data: { tenant_id: tenantId, version } }) => {
		await noteStanding(tx, { tenantId, isSuspended: true, version });
	}),
	defineConsumer(tenantDeleted, (tx, { data }) => eraseTenant(tx, data.tenant_id)),
	defineConsumer(authUserDeleted, (tx, { data }) => forgetAddresses(tx, data.user_id)),
];
