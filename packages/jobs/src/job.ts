import type { Database } from "@lango/postgres";

/** What every run receives besides the service's dependencies. */
export type RunContext = {
	/** The service's clock. */
	now: () => Date;
	/** Aborts when the time limit is reached, the process stops, or another process has taken over the job. */
	signal: AbortSignal;
};

/** A running job. `id` names the row, and the row says what to do. */
export type JobContext = RunContext & {
	id: string;
	/** The tenant that the job was enqueued with. Use `tenantIdOf`. */
	tenantId: string | undefined;
	/** 1 for the first attempt. */
	attempt: number;
	/**
	 * Completes the job in the transaction of its effect, which makes the effect exactly-once. Throws an Error
	 * if another process has taken over the job. Without it, the job completes after `work` returns, and its
	 * effect must be idempotent.
	 */
	done(tx: Database): Promise<void>;
};

type Limits = {
	/** How often a failed job is retried before it becomes a dead letter. Default: 8. */
	retries?: number;
	/**
	 * The delay before the first retry, plus a random delay of at most the same length. It doubles up to
	 * `retryDelayMaxSeconds`.
	 */
	retryDelaySeconds?: number;
	retryDelayMaxSeconds?: number;
	/** The time limit of one attempt. Default: 60. */
	timeoutSeconds?: number;
	/** The maximum number of concurrent jobs per process. Default: 10. */
	atOnce?: number;
};

/** A declared queue. */
export type Queue = Required<Limits> & {
	/** Also the name in the database. A released name never changes. */
	name: string;
	/**
	 * `short`: at most one waiting job per id. `exclusive`: at most one job at a time, across all processes.
	 */
	policy: "short" | "exclusive";
};

/** Work on one row, enqueued with `enqueueJob`. `D` is the type of the service's dependencies. */
export type Job<D> = Queue & {
	kind: "job";
	work: (dependencies: D, context: JobContext) => Promise<unknown>;
	/**
	 * Whether an error means only that a dependency is unavailable. Such an attempt is retried with the usual
	 * delays but does not count, so there is no limit on the number of retries. The work needs its own end,
	 * such as an expiry of the row.
	 */
	postpones?: (error: unknown) => boolean;
};

/** Work that runs every `everySeconds`, in one process at a time. */
export type Schedule<D> = Queue & {
	kind: "schedule";
	everySeconds: number;
	work: (dependencies: D, context: RunContext) => Promise<unknown>;
};

/** Looks for rows whose job was lost, every `everySeconds`. */
export type RecoveryScan<D> = Queue & {
	kind: "recovery scan";
	everySeconds: number;
	job: Job<never>;
	find: (dependencies: D, page: ScanPage) => Promise<readonly OverdueRow[]>;
};

/** An overdue row, as passed to `enqueueJob`. */
export type OverdueRow = { id: string; tenantId?: string };

/** The page of rows to return: at most `limit`, in ascending order of their ids, after `after` if given. */
export type ScanPage = { now: Date; after: string | undefined; limit: number };

/** Everything a service may declare under `jobs`. */
export type AnyJob<D> = Job<D> | Schedule<D> | RecoveryScan<D>;

/** The next slot of a schedule retries it anyway. */
const inTheSlot: Limits = { retries: 2 };
const queueName = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*$/;
const nameMax = 100;
/** Endings of the queues of dead letters and of recovery scans. */
const reservedEndings = [".dead", ".sweep"];

/**
 * Declares a job. `name` is a noun and a verb: `messages.deliver`. Throws an Error if the name is invalid.
 */
export function defineJob<D>({
	name,
	work,
	postpones,
	...limits
}: Limits & Pick<Job<D>, "name" | "work" | "postpones">): Job<D> {
	const job = { kind: "job", policy: "short", ...limitsOf(limits), name: plain(name), work } as const;
	return postpones === undefined ? job : { ...job, postpones };
}

/** Declares work that runs every `everySeconds` (at least 1), such as a purge. */
export function defineSchedule<D>({
	name,
	everySeconds,
	work,
	...limits
}: Limits & Pick<Schedule<D>, "name" | "everySeconds" | "work">): Schedule<D> {
	return {
		kind: "schedule",
		policy: "exclusive",
		...limitsOf({ ...inTheSlot, ...limits }),
		name: plain(name),
		everySeconds,
		work,
	};
}

/**
 * Declares the recovery scan of a job. `find` lists overdue rows, with a margin that jobs on time never
 * exceed. Rows without a due, running or dead job are enqueued again.
 */
export function defineRecoveryScan<D>({
	job,
	everySeconds,
	find,
}: Pick<RecoveryScan<D>, "everySeconds" | "find"> & { job: Job<never> }): RecoveryScan<D> {
	const name = `${job.name}.sweep`;
	return {
		kind: "recovery scan",
		policy: "exclusive",
		...limitsOf(inTheSlot),
		name,
		everySeconds,
		job,
		find,
	};
}

/** The tenant of a job, for `inTenant`. Throws an Error if the job was enqueued without a tenant. */
export function tenantIdOf({ id, tenantId }: JobContext): string {
	if (tenantId === undefined) throw new Error(`the job for ${id} was enqueued without a tenant`);
	return tenantId;
}

/** The name of a job's dead-letter queue. */
export const deadLettersOf = ({ name }: { name: string }): string => `${name}.dead`;

function plain(name: string): string {
	if (
		queueName.test(name) &&
		name.length <= nameMax &&
		!reservedEndings.some((ending) => name.endsWith(ending))
	)
		return name;
	throw new Error(`"${name}" is not a valid job name: use a noun and a verb, messages.deliver`);
}

const limitsOf = ({
	retries = 8,
	retryDelaySeconds = 5,
	retryDelayMaxSeconds = 3_600,
	timeoutSeconds = 60,
	atOnce = 10,
}: Limits): Required<Limits> => ({
	retries,
	retryDelaySeconds,
	retryDelayMaxSeconds,
	timeoutSeconds,
	atOnce,
});
