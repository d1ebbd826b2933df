import type { EventEnvelope } from "@lango/contracts";
import { InvalidEvent } from "@lango/events";
import { enqueueJob } from "@lango/jobs";
import { type Database, inTenant } from "@lango/postgres";
import { ensureTenant } from "@lango/tenancy";
import type { Vault } from "../addresses/sealed-address.ts";
import { findTenantId } from "../recipients/erase-person.store.ts";
import { findMembership } from "../recipients/recipient.store.ts";
import { recordRun, recordSkippedRun } from "./run.store.ts";
import { listTriggersFor } from "./trigger.store.ts";
import { matches } from "./trigger.ts";

/** What a run stores of its event, encrypted. */
export type StoredEvent = { data: unknown; time: string };

/** What recording runs needs. */
export type Recording = { vault: Vault; now: () => Date; settings: { platformOwnerSlug: string } };

/** An event that is older makes no message: a new consumer reads the whole stream. */
const ageMaxMs = 3 * 24 * 3_600_000;

type Happened = Pick<EventEnvelope, "id" | "type" | "time" | "tenantid" | "data">;

/**
 * Records a run for each rule whose conditions hold, in the event's own transaction: once per event and rule.
 * A job makes the messages. The run of an old event is skipped. Throws InvalidEvent if an event from outside
 * the suite names no tenant.
 */
export async function recordRuns(parts: Recording, db: Database, event: Happened): Promise<void> {
	const now = parts.now();
	const isTooOld = now.getTime() - new Date(event.time).getTime() > ageMaxMs;
	if (event.tenantid === undefined && event.type.startsWith("isp."))
		throw new InvalidEvent(`${event.type} has no tenantid`);
	const tenantId = event.tenantid ?? (await findPlatform(parts, db));
	await ensureTenant(db, tenantId);
	await inTenant(db, tenantId, async (tx) => {
		const triggers = await listTriggersFor(tx, event.type);
		if (triggers.length === 0) return;
		const before = await findBefore(tx, event.data);
		if (before === "newer") return;
		const context = { event: event.data, before, time: event.time };
		const stored: StoredEvent = { data: event.data, time: event.time };
		for (const trigger of triggers.filter(({ conditions }) => matches(conditions, context))) {
			const { delaySeconds } = trigger;
			const about = { tenantId, trigger, eventId: event.id, eventType: event.type };
			if (isTooOld) {
				await recordSkippedRun(tx, { ...about, reason: "too_old" }, now);
				continue;
			}
			const dueAt = new Date(now.getTime() + delaySeconds * 1_000);
			const id = await recordRun(tx, { ...about, event: parts.vault.sealData(stored), dueAt }, now);
			if (id !== undefined)
				await enqueueJob(tx, { name: "triggers.run" }, { id, tenantId, afterSeconds: delaySeconds });
		}
	});
}

/** Events about the platform itself have no tenant. */
async function findPlatform({ settings }: Recording, db: Database): Promise<string> {
	const id = await findTenantId(db, settings.platformOwnerSlug);
	if (id === undefined) throw new Error(`the tenant ${settings.platformOwnerSlug} is not known yet`);
	return id;
}

/** Returns what was known of the person of an event before it; `newer` if a newer event was applied. */
async function findBefore(tx: Database, data: unknown): Promise<{ status?: string } | "newer"> {
	const { user_id: id, version } = data as { user_id?: unknown; version?: unknown };
	if (typeof id !== "string") return {};
	const known = await findMembership(tx, id);
	if (known === undefined) return {};
	return typeof version === "number" && known.version >= version ? "newer" : { status: known.status };
}
