import { randomUUID } from "node:crypto";
import {
	type EventType,
	outletChanged,
	type PublicOutlet,
	type PublicTenant,
	type tenantCreated,
	type tenantDeleted,
	type tenantSuspended,
	type tenantUpdated,
} from "@lango/contracts";
import { type Database, inTenant } from "@lango/postgres";
import { testEvent, testTenant } from "@lango/testkit";
import { type SignOn, tenancyConsumers } from "../src/index.ts";

export type EventSource = ReturnType<typeof createEventSource>;

/** Applies events as a service's consumers would. */
export function createEventSource(db: Database, now: () => Date) {
	const consumers = tenancyConsumers({ now });
	async function apply(
		eventType: EventType,
		subject: string,
		{ tenantid, data }: { tenantid: string; data: unknown },
	) {
		const envelope = testEvent(eventType, { subject, tenant: { id: tenantid }, data, at: now() });
		const consumer = consumers.find((one) => one.eventType.type === eventType.type);
		if (consumer === undefined) throw new Error(`no consumer of ${eventType.type}`);
		await db.transaction((tx) => consumer.apply(tx, envelope));
	}

	const publish = (
		what: typeof tenantCreated | typeof tenantUpdated,
		{ id, ...tenant }: PublicTenant,
		version: number,
	) =>
		apply(what, id, {
			tenantid: id,
			data: { ...tenant, tenant_id: id, use_case: null, org_size: null, version },
		});
	const brief = (
		what: typeof tenantSuspended | typeof tenantDeleted,
		{ id, slug }: PublicTenant,
		version: number,
	) => apply(what, id, { tenantid: id, data: { tenant_id: id, slug, version } });
	const publishOutlet = (tenant: PublicTenant, { id, ...outlet }: PublicOutlet, version: number) =>
		apply(outletChanged, id, {
			tenantid: tenant.id,
			data: { ...outlet, outlet_id: id, tenant_id: tenant.id, version },
		});
	return { publish, brief, publishOutlet };
}

/** The names and versions of a tenant's outlets. */
export const listOutletsOf = (db: Database, tenantId: string) =>
	inTenant(db, tenantId, (tx) => tx.query("select name, version from outlets order by name"));

export const testOutlet = (more: Partial<PublicOutlet> = {}): PublicOutlet => ({
	id: randomUUID(),
	code: "W1",
	name: "Ward",
	use_case: "services",
	is_hq: false,
	status: "active",
	settings: {},
	...more,
});

/** A tenant with a unique slug. */
export const fresh = (name: string) => testTenant(`${name}-${randomUUID().slice(0, 8)}`);

/** A sign-on service whose next response waits for `letGo`, with the state of the time of its creation. */
export function slowSignOn(answers: PublicTenant): {
	signOn: SignOn;
	isAsked: Promise<void>;
	letGo: () => void;
} {
	const [isAsked, go] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
	const said = { ...answers };
	const signOn: SignOn = {
		findTenant: async () => {
			isAsked.resolve();
			await go.promise;
			return said;
		},
		findTenantById: async (id) => (id === said.id ? said : undefined),
		listOutlets: async () => [],
	};
	return { signOn, isAsked: isAsked.promise, letGo: go.resolve };
}
