import { join } from "node:path";
import {
	type AnyJob,
	defineJob,
	enqueueJob,
	type JobContext,
	type JobsOptions,
	jobMigrations,
	type RunningJobs,
	startJobs,
} from "@lango/jobs";
import type { Database, MigrationSet } from "@lango/postgres";
import { createTestDatabase, type TestDatabase } from "@lango/testkit";

/** The dependencies of the jobs under test. */
export type Trial = { db: Database };

const trial: MigrationSet = { name: "trial", folder: join(import.meta.dirname, "trial") };
const sets: readonly MigrationSet[] = [jobMigrations, trial];

export const createTrialDatabase = (): Promise<TestDatabase> => createTestDatabase({ name: "jobs", sets });

type SendingLimits = {
	postpones?: (error: unknown) => boolean;
	retries?: number;
	retryDelaySeconds?: number;
	retryDelayMaxSeconds?: number;
	timeoutSeconds?: number;
	atOnce?: number;
};

/** A job that sends a parcel. `before` runs first. */
export const sending = (before = async (_: JobContext) => {}, more: SendingLimits = {}) =>
	defineJob<Trial>({
		name: "parcels.send",
		...more,
		work: async ({ db }, context) => {
			await before(context);
			await send(db, context.id);
		},
	});

export const send = (db: Database, id: string) =>
	db.query("update parcels set sent_at = now(), sendings = sendings + 1 where id = $1", [id]);

/** Records a parcel and enqueues its job in one transaction. */
export async function accept(db: Database, job: Parameters<typeof enqueueJob>[1]): Promise<string> {
	return db.transaction(async (tx) => {
		const id = await recordParcel(tx);
		await enqueueJob(tx, job, { id });
		return id;
	});
}

export async function recordParcel(db: Database): Promise<string> {
	const [row] = await db.query<{ id: string }>("insert into parcels default values returning id");
	return row?.id ?? "";
}

export async function sendingsOf(db: Database, id: string): Promise<number> {
	const [row] = await db.query<{ sendings: number }>("select sendings from parcels where id = $1", [id]);
	return row?.sendings ?? -1;
}

/** Counts the parcels by the number of times they were sent. */
export async function countSendings(db: Database): Promise<Record<number, number>> {
	const rows = await db.query<{ sendings: number; n: number }>(
		"select sendings, count(*)::int as n from parcels group by 1",
	);
	return Object.fromEntries(rows.map(({ sendings, n }) => [sendings, n]));
}

/** The states of a queue's jobs in order of creation. */
export async function statesOf(db: Database, queue = "parcels.send"): Promise<string[]> {
	const rows = await db.query<{ state: string }>(
		"select state::text from pgboss.job where name = $1 order by created_on, id",
		[queue],
	);
	return rows.map(({ state }) => state);
}

/** Starts a process of the service under test. Errors are collected in `errors`. */
export async function startTrial(
	database: TestDatabase,
	jobs: readonly AnyJob<Trial>[],
	more: Partial<JobsOptions<Trial>> = {},
): Promise<RunningJobs & { errors: string[] }> {
	const errors: string[] = [];
	const running = await startJobs({
		service: "trial",
		url: database.url,
		db: database.db,
		jobs,
		dependencies: { db: database.db },
		now: () => new Date(),
		onError: (error, about) => errors.push(`${about}: ${error instanceof Error ? error.message : error}`),
		timings: { pollSeconds: 0.5, watchSeconds: 1 },
		...more,
	});
	return { ...running, errors };
}
