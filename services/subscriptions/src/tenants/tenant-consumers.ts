import {
	authUserDeleted,
	tenantCreated,
	tenantDeleted,
	tenantSuspended,
	tenantUpdated,
} from "@lango/contracts";
import { isTimeZone } from "@lango/contracts/time-zone";
import { type Consumer, defineConsumer } from "@lango/events";
import type { Database } from "@lango/postgres";
import { eraseAddresses } from "../audit/audit.store.ts";
import { recordTenant } from "../record/tenant-calendar.store.ts";
import { eraseTenant } from "./erase-tenant.store.ts";
import { recordTenantStatus } from "./tenant-status.store.ts";

type Tenant = { tenant_id: string; slug: string; time_zone: string; version: number };

/** A time zone unknown to this runtime cannot be used to count months: the stored one stays. */
const recordDetails = (tx: Database, { tenant_id: tenantId, slug, time_zone, version }: Tenant) =>
	recordTenant(tx, { tenantId, slug, timeZone: isTimeZone(time_zone) ? time_zone : undefined, version });

/**
 * Consumers of the sign-on service's events: slug and time zone of a tenant, its suspension, and the erasure
 * of tenants and users.
 */
export const tenantConsumers: readonly Consumer[] = [
	defineConsumer(tenantCreated, (tx, { data }) => recordDetails(tx, data)),
	defineConsumer(tenantUpdated, async (tx, { data }) => {
		await recordDetails(tx, data);
		const { tenant_id: tenantId, status, version } = data;
		await recordTenantStatus(tx, { tenantId, isSuspended: status === "suspended", version });
	}),
	defineConsumer(tenantSuspended, async (tx, { data: { tenant_id: tenantId, version } }) => {
		await recordTenantStatus(tx, { tenantId, isSuspended: true, version });
	}),
	defineConsumer(tenantDeleted, (tx, { data }) => eraseTenant(tx, data.tenant_id)),
	defineConsumer(authUserDeleted, (tx, { data }) => eraseAddresses(tx, data.user_id)),
];
