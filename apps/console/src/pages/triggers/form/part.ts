import type { Problem } from "./check-draft.ts";
import type { TriggerDraft } from "./trigger-draft.ts";

/** Returns the name of a field, and what is wrong in it. */
export type At = (name: string) => { name: string; error: string | undefined };

const listForm = /^(channels|recipients)\.\d+$/;

/** Returns `at(name)` for these problems. A problem of one channel or recipient is one of the whole field. */
export function atOf(problems: readonly Problem[]): At {
	const placeOf = (field: string) => listForm.exec(field)?.[1] ?? field;
	return (name) => ({ name, error: problems.find(({ field }) => placeOf(field) === name)?.message });
}

/** What a part of the form needs. */
export type Part = { draft: TriggerDraft; change: (more: Partial<TriggerDraft>) => void; at: At };
