import type { Database } from "@lango/postgres";
import type { Channel } from "../channel.ts";
import type { Category } from "../template.ts";

/** Whether messages of a category are wanted on a channel. */
export type Choice = { category: Category; channel: Channel; isOn: boolean };

/** A choice that is in force, and who made it. */
export type EffectiveChoice = Choice & { chosenBy: "person" | "tenant" | "platform" };

/** What a person chose besides categories. Times are `HH:MM`. */
export type PersonSettings = {
	locale: string | null;
	timeZone: string | null;
	quietHours: { from: string; until: string } | null;
};

/**
 * Lists the choices in force of a person, else of the tenant, else of the platform; what is not listed is on.
 * Call it inside the tenant.
 */
export async function listChoices(
	tx: Database,
	{ tenantId, userId, ofPlatform = false }: { tenantId: string; userId?: string; ofPlatform?: boolean },
): Promise<EffectiveChoice[]> {
	const rows = await tx.query<{
		category: Category;
		channel: Channel;
		is_on: boolean;
		chosen_by: EffectiveChoice["chosenBy"];
	}>(
		`select distinct on (category, channel) category, channel, is_on, chosen_by
		   from (select category, channel, is_on, case when user_id is null then 'tenant' else 'person' end as chosen_by
		           from preferences where tenant_id = $3 and (user_id is null or user_id = $1) and not $2
		         union all
		         select category, channel, is_on, 'platform' from platform_preferences) c
		  order by category, channel, array_position(array['person', 'tenant', 'platform'], chosen_by)`,
		[userId ?? null, ofPlatform, tenantId],
	);
	return rows.map(({ category, channel, is_on: isOn, chosen_by: chosenBy }) => ({
		...{ category, channel, isOn, chosenBy },
	}));
}

/** Returns a person's settings, locked if `lock`; undefined if not known. Call it inside the tenant. */
export async function findSettings(
	tx: Database,
	{ tenantId, userId, lock = false }: { tenantId: string; userId: string; lock?: boolean },
): Promise<PersonSettings | undefined> {
	const [row] = await tx.query<{
		locale: string | null;
		time_zone: string | null;
		quiet_from: string | null;
		quiet_until: string | null;
	}>(
		`select locale, time_zone, to_char(quiet_from, 'HH24:MI') as quiet_from, to_char(quiet_until, 'HH24:MI') as quiet_until
		   from recipients where tenant_id = $1 and id = $2 ${lock ? "for update" : ""}`,
		[tenantId, userId],
	);
	if (row === undefined) return undefined;
	const { quiet_from: from, quiet_until: until } = row;
	return {
		...{ locale: row.locale, timeZone: row.time_zone },
		quietHours: from === null || until === null ? null : { from, until },
	};
}

/** Whether the database knows the time zone. */
export async function isKnownTimeZone(db: Database, timeZone: string): Promise<boolean> {
	const rows = await db.query("select from pg_timezone_names where name = $1", [timeZone]);
	return rows.length > 0;
}

type OwnChange = { tenantId: string; userId: string; settings: PersonSettings; now: Date };

/** Replaces a person's settings. Call it inside the tenant. */
export async function recordSettings(tx: Database, change: OwnChange): Promise<void> {
	const { tenantId, userId, now } = change;
	const { locale, timeZone, quietHours } = change.settings;
	await tx.query(
		`update recipients set locale = $3, time_zone = $4, quiet_from = $5, quiet_until = $6, updated_at = $7
		  where tenant_id = $1 and id = $2`,
		[tenantId, userId, locale, timeZone, quietHours?.from ?? null, quietHours?.until ?? null, now],
	);
}

type Choosing = { tenantId: string; userId: string | undefined; choices: readonly Choice[]; now: Date };

/** Replaces the choices of a person, or the tenant's defaults without `userId`. Call it inside the tenant. */
export async function recordChoices(tx: Database, choosing: Choosing): Promise<void> {
	const { tenantId, userId, choices, now } = choosing;
	const rows = [tenantId, userId ?? null, JSON.stringify(choices.map(toRow))];
	await tx.query(
		`delete from preferences p
		  where p.tenant_id = $1 and p.user_id is not distinct from $2::uuid
		    and not exists (select from jsonb_to_recordset($3::jsonb) as c (category text, channel text)
		                     where (c.category, c.channel) = (p.category, p.channel))`,
		rows,
	);
	await tx.query(
		`insert into preferences (tenant_id, user_id, category, channel, is_on, updated_at)
		 select $1, $2::uuid, c.category, c.channel, c.is_on, $4
		   from jsonb_to_recordset($3::jsonb) as c (category text, channel text, is_on boolean) order by 3, 4
		 on conflict on constraint preferences__place_unique do update set is_on = excluded.is_on, updated_at = excluded.updated_at`,
		[...rows, now],
	);
}

/** Replaces the platform's defaults. Only for the platform owner. */
export async function recordPlatformChoices(
	db: Database,
	{ choices, now }: { choices: readonly Choice[]; now: Date },
): Promise<void> {
	await db.query("select set_platform_preferences($1, $2)", [JSON.stringify(choices.map(toRow)), now]);
}

const toRow = ({ category, channel, isOn }: Choice) => ({ category, channel, is_on: isOn });
