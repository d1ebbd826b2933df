import { type Actor, recordAudit } from "@lango/access";
import { type Database, inTenant } from "@lango/postgres";
import { domainFailures } from "../assembly/failures.ts";
import {
	type ConfigEntry,
	countConfigDefaults,
	findConfig,
	recordConfig,
	recordConfigDefault,
	removeConfig,
} from "./config.store.ts";

/**
 * Checks of the settings that a service reads, by their keys. Each returns a sentence about a value that is
 * not valid.
 */
export type ConfigChecks = Readonly<Record<string, (value: unknown) => string | undefined>>;

/** A change of a setting: the tenant, the actor and the origin of the request. */
export type ConfigChangeRequest = {
	/** `null` as a value removes the entry. */
	entry: { key: string; value: unknown };
	tenantId: string;
	/** The platform owner, naming the platform itself, sets the default for every tenant. */
	isPlatformDefault: boolean;
	actor: Actor;
	origin: { requestId: string; address: string };
	now: Date;
	checks: ConfigChecks;
};

const valueBytesMax = 8 * 1024;
const entriesMax = 200;

/**
 * Changes a setting, records the actor, and returns the current value. Throws `config_value_too_large`,
 * `config_value_invalid` or `config_full`.
 */
export async function changeConfig(db: Database, change: ConfigChangeRequest): Promise<ConfigEntry> {
	if (Buffer.byteLength(JSON.stringify(change.entry.value)) > valueBytesMax)
		throw domainFailures.config_value_too_large({ fields: { field: "value", in: "body" } });
	requireValid(change);
	return change.isPlatformDefault ? changeDefault(db, change) : changeOwn(db, change);
}

function requireValid({ entry: { key, value }, checks }: ConfigChangeRequest): void {
	if (value === null || !Object.hasOwn(checks, key)) return;
	const message = checks[key]?.(value);
	if (message !== undefined)
		throw domainFailures.config_value_invalid({ message, fields: { field: "value", in: "body" } });
}

function changeDefault(db: Database, change: ConfigChangeRequest): Promise<ConfigEntry> {
	const { entry, actor, now } = change;
	return db.transaction(async (tx) => {
		const before = await recordConfigDefault(tx, { ...entry, changedBy: actor.id, now });
		if (entry.value !== null && (await countConfigDefaults(tx)) > entriesMax)
			throw domainFailures.config_full();
		await record(tx, { change, tenantId: undefined, before });
		return { ...entry, source: "platform" };
	});
}

function changeOwn(db: Database, change: ConfigChangeRequest): Promise<ConfigEntry> {
	const { entry, tenantId, actor, now } = change;
	const { key, value } = entry;
	return inTenant(db, tenantId, async (tx) => {
		const before = await findConfig(tx, key);
		if (value === null) await removeConfig(tx, { tenantId, key });
		else if (!(await recordConfig(tx, { tenantId, key, value, changedBy: actor.id, now, entriesMax })))
			throw domainFailures.config_full();
		await record(tx, { change, tenantId, before: before?.source === "tenant" ? before.value : null });
		return (await findConfig(tx, key)) ?? { key, value: null, source: "platform" };
	});
}

type Recorded = { change: ConfigChangeRequest; tenantId: string | undefined; before: unknown };

async function record(tx: Database, { change, tenantId, before }: Recorded): Promise<void> {
	const { actor, entry, origin, now } = change;
	const detail = { before, after: entry.value };
	await recordAudit(tx, {
		tenantId,
		at: now,
		actor,
		action: "config.changed",
		subject: entry.key,
		detail,
		...origin,
	});
}
