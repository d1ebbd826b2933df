import { randomUUID } from "node:crypto";
import type { Database } from "@lango/postgres";

/** Inserts a dead letter, as the inbox does after the last attempt. Returns its id. */
export async function insertDeadLetter(db: Database, service: string): Promise<string> {
	const [row] = await db.query<{ position: bigint }>(
		`insert into deliveries (consumer, event_id, type, subject, body, received_at, is_held, reason, dead_at)
		 values ($1, $2, 'oven.broke', $2::uuid::text, '{}', now(), true, 'it is broken', now()) returning position`,
		[service, randomUUID()],
	);
	return String(row?.position);
}

/** Inserts a dead job, as the queue does after the last attempt. Returns its id. Its row does not exist. */
export async function insertDeadJob(db: Database): Promise<string> {
	const [row] = await db.query<{ id: string }>(
		`insert into pgboss.job (name, policy, source_name, source_retry_count, source_output, data)
		 select dead.name, dead.policy, queue.name, 2, '{"message": "no disk"}', jsonb_build_object('id', $1::uuid, 'tenantId', $1::uuid)
		   from pgboss.queue join pgboss.queue dead on dead.name = queue.dead_letter
		  order by queue.name limit 1 returning id`,
		[randomUUID()],
	);
	if (row === undefined) throw new Error("the service has no queue");
	return row.id;
}
