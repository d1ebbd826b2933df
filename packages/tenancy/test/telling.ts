import { randomUUID } from "node:crypto";
import {
	type EventEnvelope,
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
import { testTenant } from "@lango/testkit";
import { type SignOn, tenancyConsumers } from "../src/index.ts";

export type Telling = ReturnType<typeof tellTo>;

/** Has the effect of events, as a service's consumers would. */
export function tellTo(db: Database, now: () => Date) {
	const consumers = tenancyConsumers({ now });
	async function hear(
		{ type, source }: EventType,
		subject: string,
		{ tenantid, data }: { tenantid: string; data: unknown },
	) {
		const envelope: EventEnvelope = {
			specversion: "1.0",
			id: randomUUID(),
			source,
			type,
			time: now().toISOString(),
			subject,
			datacontenttype: "application/json",
			tenantid,
			data,
		};
		const consumer = consumers.find(({ eventType }) => eventType.type === type);
		if (consumer === undefined) throw new Error(`nobody consumes ${type}`);
		await db.transaction((tx) => consumer.apply(tx, envelope));
	}

	const told = (
		what: typeof tenantCreated | typeof tenantUpdated,
		{ id, ...tenant }: PublicTenant,
		version: number,
	) =>
		hear(what, id, {
			tenantid: id,
			data: { ...tenant, tenant_id: id, use_case: null, org_size: null, version },
		});
	const brief = (
		what: typeof tenantSuspended | typeof tenantDeleted,
		{ id, slug }: PublicTenant,
		version: number,
	) => hear(what, id, { tenantid: id, data: { tenant_id: id, slug, version } });
	const outletTold = (tenant: PublicTenant, { id, ...outlet }: PublicOutlet, version: number) =>
		hear(outletChanged, id, {
			tenantid: tenant.id,
			data: { ...outlet, outlet_id: id, tenant_id: tenant.id, version },
		});
	return { told, brief, outletTold };
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

/** A tenant that no other test knows. */
export const fresh = (name: string) => testTenant(`${name}-${randomUUID().slice(0, 8)}`);

/** The sign-on service, whose next answer is on its way until it is let go; what it says was so when it was asked. */
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
