import type { Agenda, Clock } from "@lango/sandbox-base";
import type { Gateway } from "../gateway.ts";
import type { Store } from "../records/store.ts";
import type { Task, TaskKind } from "../records/tables.ts";

type Planner = Pick<Gateway, "now" | "plan"> & {
	/** Plans what the store has from an earlier process. */
	resume(): void;
	/** Does the planned work of these kinds now, as if its time had come. */
	hurry(kinds: readonly TaskKind[]): void;
	clear(): void;
};

/** Plans tasks by the clock. The same task at the same time is planned once. */
export function createPlanner(
	{ store, agenda, clock }: { store: Store; agenda: Agenda; clock: Clock },
	run: (task: Task) => void,
): Planner {
	const open = new Map<TaskKind, Map<string, { task: Task; cancel: () => void }>>();
	const openOf = (kind: TaskKind) => {
		const found = open.get(kind) ?? new Map();
		open.set(kind, found);
		return found;
	};
	/** While a task runs, the time at which it was due. */
	let running: Date | undefined;
	const nameOf = ({ key, at }: Pick<Task, "key" | "at">) => `${key} ${at}`;
	const work = (task: Task, at: Date) => {
		openOf(task.kind).delete(nameOf(task));
		store.change("tasks", task, { isDone: true });
		running = at;
		try {
			run(task);
		} finally {
			running = undefined;
		}
	};
	const start = (task: Task) => {
		const cancel = agenda.plan(new Date(task.at), (at) => work(task, at));
		openOf(task.kind).set(nameOf(task), { task, cancel });
	};
	return {
		now: () => running ?? clock.now(),
		plan: (kind, key, at) => {
			const planned = { kind, key: String(key), at: at.toISOString() };
			if (openOf(kind).has(nameOf(planned))) return;
			start(store.add("tasks", (ordinal) => ({ ordinal, ...planned, isDone: false })));
		},
		resume: () => {
			for (const task of store.list("tasks")) if (!task.isDone) start(task);
		},
		hurry: (kinds) => {
			for (const { task, cancel } of kinds.flatMap((kind) => [...openOf(kind).values()])) {
				cancel();
				work(task, clock.now());
			}
		},
		clear: () => {
			agenda.clear();
			open.clear();
		},
	};
}
