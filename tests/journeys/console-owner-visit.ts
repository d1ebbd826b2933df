import { type Database, openPool, prepareDatabase } from "@lango/postgres";
import type { Page } from "playwright-core";
import { enter, heading, type SharedConsole } from "./console-visit.ts";

/** Opens the console as the platform's owner, at one of its pages. */
export async function enterAsOwner(page: Page, { urls }: SharedConsole, name: string): Promise<void> {
	await enter(page, `${urls.console}/lango`, { email: "root@lango.example" });
	await page.getByRole("link", { name, exact: true }).click();
	await heading(page, name).waitFor();
}

/** Changes a service's database directly, for what the pages cannot cause. */
export async function inDatabaseOf<T>(
	{ databaseUrl }: SharedConsole,
	service: string,
	work: (db: Database) => Promise<T>,
): Promise<T> {
	const { app } = await prepareDatabase(databaseUrl, service);
	const db = openPool({ url: app, name: "journey", sizeMax: 1 });
	try {
		return await work(db);
	} finally {
		await db.close();
	}
}

/** Records a use of a key of the hospital, which the service itself writes once a minute. */
export async function recordKeyUse(stand: SharedConsole, name: string): Promise<void> {
	const url = new URL(stand.databaseUrl);
	url.pathname = "/hospital";
	const db = openPool({ url: url.toString(), name: "journey", sizeMax: 1 });
	try {
		await db.query("select note_key_uses(array_agg(id), array_agg(now())) from api_keys where name = $1", [
			name,
		]);
	} finally {
		await db.close();
	}
}

/** Publishes invalid events about two tenants as the sign-on service. */
export async function publishInvalidEvents(stand: SharedConsole): Promise<void> {
	await inDatabaseOf(stand, "auth", (db) =>
		db.query(
			`insert into outbox (type, subject, envelope)
			 select type, subject, envelope || jsonb_build_object('id', gen_random_uuid(), 'data', '{}'::jsonb)
			   from outbox where type = 'tenant.created' and envelope ->> 'tenantslug' in ('uhai', 'duka')`,
		),
	);
}

/**
 * An event that the hospital failed to apply ten times, as when its database was full, and another that waits
 * behind it.
 */
export async function letOneWait(stand: SharedConsole): Promise<void> {
	const events = await inDatabaseOf(stand, "auth", (db) =>
		db.query<{ subject: string; id: string; envelope: string }>(
			`select o.subject, n.id::text, (o.envelope || jsonb_build_object('id', n.id))::text as envelope
			   from outbox o cross join (select gen_random_uuid() as id from generate_series(1, 2)) n
			  where o.type = 'tenant.created' and o.envelope ->> 'tenantslug' = 'kahawa'`,
		),
	);
	await inDatabaseOf(stand, "hospital", (db) =>
		db.query(
			`insert into deliveries (consumer, event_id, type, subject, body, received_at, is_held, reason, dead_at)
			 select 'hospital', id, 'tenant.created', subject, convert_to(body, 'UTF8'), now(), true,
			        case place when 1 then 'no space left on device' end, case place when 1 then now() end
			   from unnest($1::uuid[], $2::text[], $3::text[]) with ordinality e (id, subject, body, place)
			  order by place`,
			[
				events.map(({ id }) => id),
				events.map(({ subject }) => subject),
				events.map(({ envelope }) => envelope),
			],
		),
	);
}

/** So many jobs of the sign-on service die, as the queue lays them aside after their last try. */
export async function letJobsDie(stand: SharedConsole, reasons: readonly string[]): Promise<void> {
	await inDatabaseOf(stand, "auth", (db) =>
		db.query(
			`insert into pgboss.job (name, policy, source_name, source_retry_count, source_output)
			 select q.name, q.policy, 'sessions.purge', 2, jsonb_build_object('message', reason)
			   from pgboss.queue q cross join unnest($1::text[]) reason
			  where q.name = 'sessions.purge.dead'`,
			[reasons],
		),
	);
}
