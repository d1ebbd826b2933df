import type { Database } from "@lango/postgres";

/** What a piece of work is given besides the service's dependencies. */
export type Turn = {
	/** The time, as the service was given it. */
	now: () => Date;
	/** Aborts when the time limit is over, the process stops, or another process has taken the job over. */
	signal: AbortSignal;
};

/** One job under way. The row that `id` names says what there is to do; the job itself says nothing. */
export type JobTurn = Turn & {
	id: string;
	/** Whose row it is, where that was said: `tenantIdOf` asks for it. */
	tenantId: string | undefined;
	/** 1 the first time. */
	attempt: number;
	/**
	 * Ends the job in the transaction of its effect, so that the effect is had once whatever dies when. Throws an Error
	 * when the job is no longer this process's. Without it a job ends after its work, and what it does must bear repeating.
	 */
	done(tx: Database): Promise<void>;
};

type Limits = {
	/** How often a failed job is tried again before it goes to its dead letters. */
	retries?: number;
	/** The pause after the first failure, and up to as much again by chance; it doubles from then on, up to the bound. */
	retryDelaySeconds?: number;
	retryDelayMaxSeconds?: number;
	/** How long one job may take. */
	timeoutSeconds?: number;
	/** How many of them one process does at a time. */
	atOnce?: number;
};

/** A queue, as declared. */
export type Queue = Required<Limits> & {
	/** Also its name in the database: a released one is never changed. */
	name: string;
	/** `short`: one job may wait for each id. `exclusive`: there is one job at a time, in all processes together. */
	policy: "short" | "exclusive";
};

/** Work on one row, done once it is asked for by `enqueueJob`. `D` is what the service works with. */
export type Job<D> = Queue & {
	kind: "job";
	work: (dependencies: D, turn: JobTurn) => Promise<unknown>;
	/**
	 * Whether a failure says nothing of the job, but that somebody it needs is away: it is tried again, however long that lasts, after
	 * pauses that grow as always, and the try does not count. What it works on must itself come to an end some time.
	 */
	postpones?: (error: unknown) => boolean;
};

/** Work that is due every so many seconds, in one process at a time. */
export type Schedule<D> = Queue & {
	kind: "schedule";
	everySeconds: number;
	work: (dependencies: D, turn: Turn) => Promise<unknown>;
};

/** Looks every so many seconds for rows whose job was lost. */
export type Sweep<D> = Queue & {
	kind: "sweep";
	everySeconds: number;
	job: Job<never>;
	find: (dependencies: D, page: SweepPage) => Promise<readonly SweptRow[]>;
};

/** A row that is overdue, as `enqueueJob` would have it. */
export type SweptRow = { id: string; tenantId?: string };

/** Which rows a sweep asks for: at most `limit` in ascending order of their ids, after `after` when it is given. */
export type SweepPage = { now: Date; after: string | undefined; limit: number };

/** Whatever a service may declare under `jobs`. */
export type AnyJob<D> = Job<D> | Schedule<D> | Sweep<D>;

/** A schedule comes again anyway. */
const inTheSlot: Limits = { retries: 2 };
const queueName = /^[a-z][a-z0-9-]*(\.[a-z][a-z0-9-]*)*$/;
const nameMax = 100;

/** Declares a job. `name` is noun and verb: `messages.deliver`. Throws an Error when it is no such name. */
export function defineJob<D>({
	name,
	work,
	postpones,
	...limits
}: Limits & Pick<Job<D>, "name" | "work" | "postpones">): Job<D> {
	const job = { kind: "job", policy: "short", ...limitsOf(limits), name: plain(name), work } as const;
	return postpones === undefined ? job : { ...job, postpones };
}

/** Declares work that is due every `everySeconds` (at least 1), such as a purge. */
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
 * Declares the sweep of a job: `find` lists the rows that are overdue, by a margin that a job in time never needs;
 * those that neither wait, nor are under way, nor lie among the dead letters are enqueued again.
 */
export function defineSweep<D>({
	job,
	everySeconds,
	find,
}: Pick<Sweep<D>, "everySeconds" | "find"> & { job: Job<never> }): Sweep<D> {
	const name = `${job.name}.sweep`;
	return { kind: "sweep", policy: "exclusive", ...limitsOf(inTheSlot), name, everySeconds, job, find };
}

/** The tenant whose row a job is about, for `inTenant`. Throws an Error when the job was asked for without. */
export function tenantIdOf({ id, tenantId }: JobTurn): string {
	if (tenantId === undefined) throw new Error(`the job about ${id} was enqueued without its tenant`);
	return tenantId;
}

/** Where a job goes when its last try has failed. */
export const deadLettersOf = ({ name }: { name: string }): string => `${name}.dead`;

function plain(name: string): string {
	if (queueName.test(name) && name.length <= nameMax && !/\.(dead|sweep)$/.test(name)) return name;
	throw new Error(`"${name}" cannot name a job: it is noun and verb, messages.deliver`);
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
