import type { Logger } from "@lango/chassis";
import { type Database, inTenant } from "@lango/postgres";
import type { Vault } from "../addresses/sealed-address.ts";
import {
	ensureRenewal,
	listOlderCredentials,
	listOlderSeals,
	listTenantIds,
	type Renewal,
	type Replacement,
	recordPass,
	recordPosition,
	replaceCredentials,
	replaceSeals,
} from "./key.store.ts";
import { type OlderSeal, renew, renewCredentials, type SealedPlace, sealedPlaces } from "./sealed-place.ts";

const rowsAtOnce = 200;
const tenantsAtOnce = 200;
/** Longer than processes with the keys of before the rotation run beside those with the new ones. */
const pauseMs = 3_600_000;
const beforeAll = "00000000-0000-0000-0000-000000000000";

/** Every table, so that those without older rows are reported, too. */
const nothing = Object.fromEntries(
	["providers", ...sealedPlaces.map(({ table }) => table)].map((one) => [one, 0]),
);

type Renewing = { db: Database; now: () => Date; vault: Vault; log: Logger };

/**
 * Encrypts every sealed value under the newest key, in small transactions, until `signal` is aborted; the
 * next call continues behind the last tenant that was done. After a pass over all tenants the next one begins
 * an hour later, until one finds nothing. A row or a tenant that fails is logged, and does not stop the
 * others.
 */
export async function renewSeals(parts: Renewing, signal: AbortSignal): Promise<void> {
	const { db, now, vault } = parts;
	const keyId = vault.newestKeyId;
	const renewal = await ensureRenewal(db, keyId, now());
	if (!isDue(renewal, now())) return;
	const pass = { done: renewal.after, found: { ...nothing, ...renewal.foundSoFar }, signal };
	if (!(await passOver(parts, pass))) return;
	// Only a later pass sees what processes with the keys of before wrote meanwhile.
	const hasFoundNothing = Object.values(pass.found).every((rows) => rows === 0);
	const isFinished = renewal.passedAt !== undefined && hasFoundNothing;
	await recordPass(db, { keyId, found: pass.found, isFinished, now: now() });
}

function isDue({ after, passedAt, isFinished }: Renewal, now: Date): boolean {
	if (isFinished) return false;
	return after !== undefined || passedAt === undefined || passedAt.getTime() <= now.getTime() - pauseMs;
}

/** The current pass: the last tenant that is done, and the rows that were found, by table. */
type Pass = { done: string | undefined; found: Record<string, number>; signal: AbortSignal };

/** Continues a pass. Returns whether it is complete; else its position is recorded. */
async function passOver(parts: Renewing, pass: Pass): Promise<boolean> {
	if (pass.done === undefined) await renewPlace(parts, credentialsIn(parts), { table: "providers", pass });
	for (;;) {
		const tenants = await listTenantIds(parts.db, { after: pass.done, limit: tenantsAtOnce });
		for (const tenantId of tenants) if (!(await renewTenant(parts, tenantId, pass))) return false;
		if (tenants.length < tenantsAtOnce) return true;
	}
}

/** Renews the values of a tenant. Returns whether it is done: the pass was not stopped. */
async function renewTenant(parts: Renewing, tenantId: string, pass: Pass): Promise<boolean> {
	for (const place of sealedPlaces)
		await renewPlace(parts, valuesIn(parts, tenantId, place), { table: place.table, tenantId, pass });
	const isDone = !pass.signal.aborted;
	if (isDone) pass.done = tenantId;
	const { done: after, found: foundSoFar } = pass;
	await recordPosition(parts.db, { keyId: parts.vault.newestKeyId, after, foundSoFar });
	return isDone;
}

/** How the values of a place are listed, encrypted again and replaced. */
type Values = {
	list(after: string): Promise<OlderSeal[]>;
	renew(seal: OlderSeal): Replacement["renewed"];
	replace(replacements: readonly Replacement[]): Promise<void>;
};

const credentialsIn = ({ db, vault }: Renewing): Values => ({
	list: (after) => listOlderCredentials(db, { newest: vault.newestKeyId, after, limit: rowsAtOnce }),
	renew: (seal) => renewCredentials(vault, seal),
	replace: (replacements) => replaceCredentials(db, replacements),
});

const valuesIn = ({ db, vault }: Renewing, tenantId: string, place: SealedPlace): Values => ({
	list: (after) =>
		inTenant(db, tenantId, (tx) =>
			listOlderSeals(tx, place, { tenantId, newest: vault.newestKeyId, after, limit: rowsAtOnce }),
		),
	renew: (seal) => renew(vault, seal),
	replace: (replacements) =>
		inTenant(db, tenantId, (tx) => replaceSeals(tx, place, { tenantId, replacements })),
});

type About = { table: string; tenantId?: string; pass: Pass };

/** Renews the values of a place, and counts those under an older key; at least one if the place failed. */
async function renewPlace(
	{ log }: Renewing,
	values: Values,
	{ table, tenantId, pass }: About,
): Promise<void> {
	const failed = createFailed(log, { table, tenant_id: tenantId });
	let found = 0;
	try {
		let after: string | undefined = beforeAll;
		while (after !== undefined && !pass.signal.aborted) {
			const rows: OlderSeal[] = await values.list(after);
			found += rows.length;
			await replaceEach(values, renewEach(values, rows, failed), failed);
			after = rows.length === rowsAtOnce ? rows.at(-1)?.id : undefined;
		}
	} catch (err) {
		failed.add(err);
		found = Math.max(found, 1);
	}
	failed.report();
	pass.found[table] = (pass.found[table] ?? 0) + found;
}

function renewEach(values: Values, rows: readonly OlderSeal[], failed: Failed): Replacement[] {
	return rows.flatMap((row) => {
		try {
			return [{ id: row.id, was: row.value.sealed, renewed: values.renew(row) }];
		} catch (err) {
			failed.add(err);
			return [];
		}
	});
}

/** Replaces values together, or one by one if one of them fails. */
async function replaceEach(
	{ replace }: Values,
	replacements: readonly Replacement[],
	failed: Failed,
): Promise<void> {
	if (replacements.length === 0) return;
	try {
		await replace(replacements);
	} catch {
		for (const one of replacements) await replace([one]).catch(failed.add);
	}
}

type Failed = { add(err: unknown): void; report(): void };

/** Counts failures of a place, and logs them once, with the first error. */
function createFailed(log: Logger, about: object): Failed {
	let [rows, first]: [number, unknown] = [0, undefined];
	return {
		add: (err) => {
			rows += 1;
			first ??= err;
		},
		report: () => {
			if (rows > 0)
				log.warn({ err: first, rows, ...about }, "values could not be encrypted under the newest key");
		},
	};
}
