import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { PlatformTrigger } from "./platform-triggers.ts";
import type { Condition, Trigger } from "./trigger.ts";

type Row = {
	id: string;
	is_platform: boolean;
	template: string;
	channels: Channel[];
	mode: Trigger["mode"];
	sender: Trigger["sender"];
	recipients: string[];
	conditions: Condition[];
	map: Trigger["map"];
	delay_seconds: number;
	digest: Trigger["digest"];
};

const columns = `t.id, t.is_platform, t.template, t.channels, t.mode, t.sender, t.recipients, t.conditions,
	t.map, t.delay_seconds, t.digest`;

/** The tenant's rules and those of the platform, as the table `t` of a statement. */
export const allTriggers = `(
	select id, false as is_platform, 'tenant' as sender, name, event_type, template, channels, mode, recipients, conditions, map,
	       delay_seconds, digest, is_enabled, created_at, updated_at from triggers
	union all
	select id, true, sender, name, event_type, template, channels, 'all', recipients, conditions, map,
	       0, null, is_enabled, created_at, updated_at from platform_triggers) t`;

const fromRow = ({ is_platform: isPlatform, delay_seconds: delaySeconds, ...row }: Row): Trigger => ({
	...row,
	isPlatform,
	delaySeconds,
});

/** Writes the platform's rules. Rules that are not listed are switched off. */
export async function seedPlatformTriggers(
	db: Database,
	triggers: readonly PlatformTrigger[],
	now: Date,
): Promise<void> {
	const rows = triggers.map(({ eventType: event_type, ...trigger }) => ({ ...trigger, event_type }));
	await db.query("select seed_platform_triggers($1, $2)", [JSON.stringify(rows), now]);
}

/**
 * Lists the rules for an event type: the tenant's own, and those of the platform that the tenant did not
 * switch off. Call it inside the tenant.
 */
export async function listTriggersFor(tx: Database, eventType: string): Promise<Trigger[]> {
	const rows = await tx.query<Row>(
		`select ${columns} from ${allTriggers}
		  where t.event_type = $1 and t.is_enabled and not exists (select from trigger_switches s where s.trigger_id = t.id)
		  order by t.created_at, t.id`,
		[eventType],
	);
	return rows.map(fromRow);
}

/** Returns a rule of the tenant or of the platform; undefined if not found. Call it inside the tenant. */
export async function findTrigger(tx: Database, id: string): Promise<Trigger | undefined> {
	const [row] = await tx.query<Row>(`select ${columns} from ${allTriggers} where t.id = $1`, [id]);
	return row && fromRow(row);
}
